import { AppError } from '@shared/failure'
import { cleanName } from '@shared/hidden-characters'
import type { ChatMessage, ChatPart } from '../gateway/model-requests'
import type { PlaygroundStore } from './store/calls'
import type { PromptMessage } from './store/store'

/**
 * The messages that are sent: files before the text, texts in a fence under their name. A turn whose answer is empty, such as a failed one,
 * is left out, and so are tool calls without a result. Fails with `playground.notFound` for a file that is gone.
 */
export async function buildMessages(
  line: readonly PromptMessage[],
  store: Pick<PlaygroundStore, 'attachments' | 'attachmentContent'>,
): Promise<ChatMessage[]> {
  const answeredMessages = line.filter(
    (message, index) => !isEmptyAnswer(message) && !(message.role === 'user' && isEmptyAnswer(line[index + 1])),
  )
  const messages: ChatMessage[] = []
  for (const [index, { role, text, attachments, toolCalls = [], toolResults = [] }] of answeredMessages.entries()) {
    const resultIds = answeredMessages[index + 1]?.toolResults?.map(({ callId }) => callId) ?? []
    const callIds = answeredMessages[index - 1]?.toolCalls?.map(({ id }) => id) ?? []
    const results = toolResults.filter(({ callId }) => callIds.includes(callId))
    // Without attachments, skip the await, whose cost adds up over thousands of messages.
    const files =
      attachments.length === 0 ? [] : await Promise.all(attachments.map((id) => buildMessagePart(id, store)))
    const parts: ChatPart[] = [
      ...results.map(({ callId, text }) => ({ kind: 'toolResult', id: callId, text }) as const),
      ...files,
      ...(text === '' ? [] : [{ kind: 'text', text } as const]),
      ...toolCalls
        .filter(({ id }) => resultIds.includes(id))
        .map(({ id, name, input }) => ({ kind: 'toolCall', id, name, input }) as const),
    ]
    if (parts.length > 0) messages.push({ role, parts })
  }
  return messages
}

const isEmptyAnswer = (message: PromptMessage | undefined): boolean =>
  message?.role === 'assistant' && message.text === '' && !message.toolCalls?.length

async function buildMessagePart(
  id: string,
  store: Pick<PlaygroundStore, 'attachments' | 'attachmentContent'>,
): Promise<ChatPart> {
  const [attachment] = await store.attachments([id])
  if (!attachment) throw new AppError('playground.notFound', 'An attached file was removed. Add it again.')
  const content = Buffer.from(await store.attachmentContent(id))
  if (attachment.kind === 'image')
    return { kind: 'image', mediaType: attachment.mediaType, base64: content.toString('base64') }
  return { kind: 'text', text: wrapInCodeFence(attachment.name, content.toString('utf8')) }
}

/** Formats a file as text under its name, in a fence longer than any fence in it. */
export function wrapInCodeFence(name: string, text: string): string {
  const maxTicks = Math.max(0, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(Math.max(3, maxTicks + 1))
  return `${cleanName(name.replaceAll('`', ' '))}\n${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`
}

const maxTitleLength = 80

/** Conversation title: the first line, or the name of the first file. */
export function suggestTitle(text: string, fileName: string | undefined): string {
  const line = text.split('\n').find((textLine) => textLine.trim() !== '') ?? fileName ?? ''
  return cleanName(line, maxTitleLength) || '…'
}
