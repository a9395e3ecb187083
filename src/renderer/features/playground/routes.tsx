import { Navigate, Route, Routes } from 'react-router'
import { useMarkdownAhead } from '../../ui/markdown/ahead'
import { ComparisonPage } from '../compare/comparison-page'
import { ComparisonsPage } from '../compare/comparisons-page'
import { CompletionPage } from '../inference/completion-page'
import { EmbeddingsPage } from '../inference/embeddings-page'
import { PromptPage } from '../prompts/prompt-page'
import { PromptsPage } from '../prompts/prompts-page'
import { ChatPage } from './chat-page'

/** The pages of the playground. */
export function PlaygroundRoutes() {
  useMarkdownAhead()
  return (
    <Routes>
      <Route index element={<ChatPage />} />
      <Route path="chat/:conversationId" element={<ChatPage />} />
      <Route path="compare" element={<ComparisonsPage />} />
      <Route path="compare/:comparisonId" element={<ComparisonPage />} />
      <Route path="prompts" element={<PromptsPage />} />
      <Route path="prompts/:promptId" element={<PromptPage />} />
      <Route path="completion" element={<CompletionPage />} />
      <Route path="embeddings" element={<EmbeddingsPage />} />
      <Route path="*" element={<Navigate to="/playground" replace />} />
    </Routes>
  )
}
