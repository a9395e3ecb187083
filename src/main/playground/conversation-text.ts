import type { PlaygroundMessage, PlaygroundRun } from '@shared/contract'
import { fenced } from './talk'

/** What is needed of a conversation to write its shown branch down. */
export interface ShownConversation {
  readonly title: string
  readonly system: string
  /** From the first to the last. */
  readonly messages: readonly PlaygroundMessage[]
  /** By their ids. */
  readonly fileNames: ReadonlyMap<string, string>
}

/** The shown branch of a conversation as Markdown, each answer with its model and figures. */
export function conversationMarkdown({ title, system, messages, fileNames }: ShownConversation): string {
  const head = [`# ${oneLine(title)}`, ...(system.trim() === '' ? [] : [fenced('System', system).trimEnd()])]
  return `${[...head, ...messages.map((message) => messageText(message, fileNames))].join('\n\n')}\n`
}

function messageText({ role, text, attachments, answer, run }: PlaygroundMessage, names: ReadonlyMap<string, string>) {
  const files = attachments.map((id) => `- ${oneLine(names.get(id) ?? id)}`)
  const calls = (answer?.toolCalls ?? []).map(({ name, input }) => fenced(`Tool call: ${oneLine(name)}`, input))
  const parts = [
    `## ${role === 'user' ? 'User' : `Assistant (${run?.target.modelCode ?? '?'})`}`,
    ...(files.length > 0 ? [files.join('\n')] : []),
    ...(answer?.thinking ? [answer.thinking.replace(/^/gm, '> ')] : []),
    ...(text === '' ? [] : [text]),
    ...calls,
    ...(run ? [`*${figuresOf(run)}*`] : []),
  ]
  return parts.join('\n\n')
}

/** The figures of a run in one line; what is not known is left out. */
function figuresOf(run: PlaygroundRun): string {
  const { state, startedAt, status, firstTokenMs, durationMs, tokensPerSecond, requestId, finishReason, failure } = run
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = run
  const figures: readonly (readonly [string, string | number | undefined])[] = [
    ['', state],
    ['', startedAt],
    ['HTTP ', status],
    ['first token ms ', firstTokenMs],
    ['duration ms ', durationMs],
    ['tokens/s ', tokensPerSecond === undefined ? undefined : tokensPerSecond.toFixed(1)],
    ['input ', inputTokens],
    ['output ', outputTokens],
    ['cache read ', cacheReadTokens],
    ['cache write ', cacheWriteTokens],
    ['finish ', finishReason],
    ['request ', requestId],
    ['', failure?.message],
  ]
  return figures.flatMap(([name, value]) => (value === undefined ? [] : [oneLine(`${name}${value}`)])).join(', ')
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
