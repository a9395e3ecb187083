import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { PlaygroundAttachment } from '@shared/contract'
import { AppError } from '@shared/failure'
import { cleanName } from '@shared/hidden-characters'
import type { ChatMessage, ChatPart } from '../gateway/model-requests'
import type { PromptMessage } from './store/store'
import type { PlaygroundStore } from './store-client'

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

const maxBytes = { image: 5_000_000, text: 1_000_000 } as const

/** Magic bytes of the image formats that models accept. */
const signatures: readonly (readonly [mediaType: string, begins: (bytes: Buffer) => boolean])[] = [
  ['image/png', (bytes) => bytes.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))],
  ['image/jpeg', (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))],
  ['image/gif', (bytes) => ['GIF87a', 'GIF89a'].includes(bytes.toString('latin1', 0, 6))],
  ['image/webp', (bytes) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'],
]

/**
 * Detects the type by content. `mediaType`, which the page reported, only names the kind of text. Fails with
 * `input.invalid` for unsupported types and files that are too large.
 */
export function readAttachment(name: string, mediaType: string, content: Buffer): PlaygroundAttachment {
  const image = signatures.find(([, matches]) => matches(content))?.[0]
  const kind = image === undefined ? 'text' : 'image'
  if (content.length === 0) throw createInputError(`${name} is empty.`)
  if (image === undefined && (content.includes(0) || !isUtf8(content)))
    throw createInputError(`${name} is neither a text in UTF-8 nor an image (PNG, JPEG, GIF, WebP).`)
  const noun = kind === 'image' ? 'an image' : 'a text file'
  if (content.length > maxBytes[kind])
    throw createInputError(`${name} is too big: up to ${maxBytes[kind] / 1_000_000} MB can be attached of ${noun}.`)
  const type = image ?? (/^text\/[\w.+-]+$/.test(mediaType) ? mediaType : 'text/plain')
  return { id: randomUUID(), kind, name: cleanName(name, 255) || 'file', mediaType: type, bytes: content.length }
}

/** Decodes an attachment. Fails with `input.invalid` for invalid base64. */
export function decodeAttachment(base64: string): Buffer {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.length % 4 !== 0)
    throw createInputError('The file is incomplete. Add it again.')
  return Buffer.from(base64, 'base64')
}

const createInputError = (message: string): AppError => new AppError('input.invalid', message, { field: 'base64' })
