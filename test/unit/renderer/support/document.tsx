import { QueryClientProvider } from '@tanstack/react-query'
import { render, waitFor } from '@testing-library/react'
import { expect } from 'vitest'
import { startI18n } from '../../../../src/renderer/i18n'
import { createQueries } from '../../../../src/renderer/ipc'
import { Markdown } from '../../../../src/renderer/ui/markdown/markdown'
import { TooltipProvider } from '../../../../src/renderer/ui/tooltip'

/** Preloads the lazily loaded modules of Markdown documents, so that tests see them rendered immediately. */
export async function setUpDocumentTests(): Promise<void> {
  await startI18n('en')
  await import('../../../../src/renderer/ui/markdown/highlighted-code')
  await import('../../../../src/renderer/ui/markdown/set-formula')
}

/** Renders a model's answer. */
export function showDocument(text: string, isStreaming = false) {
  const queries = createQueries()
  const buildDocument = (markdownText: string, isGrowing: boolean) => (
    <QueryClientProvider client={queries}>
      <TooltipProvider>
        <Markdown text={markdownText} isStreaming={isGrowing} />
      </TooltipProvider>
    </QueryClientProvider>
  )
  const view = render(buildDocument(text, isStreaming))
  return {
    ...view,
    show: (markdownText: string, isGrowing = false) => view.rerender(buildDocument(markdownText, isGrowing)),
    /** Waits until the whole document is rendered, and returns its HTML. */
    settled: async (): Promise<string> => {
      await waitFor(() => expect(view.container.querySelector('[data-waiting]')).toBeNull())
      return view.container.innerHTML.replaceAll(/ (aria-describedby|style)="[^"]*"/g, '')
    },
  }
}
