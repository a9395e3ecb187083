import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { BranchStep } from '@shared/contract'
import { CleanName } from '@shared/contract/common'
import {
  PlaygroundAnswer,
  PlaygroundAttachment,
  PlaygroundId,
  PlaygroundMessage,
  PlaygroundRun,
  PlaygroundSetup,
} from '@shared/contract/playground-parts'
import { AppError } from '@shared/failure'
import { cleanName } from '@shared/hidden-characters'
import { z } from 'zod'
import { parseExternalJson } from '../gateway/server-message'
import { wrapInCodeFence } from './prompt-messages'
import type { WholeConversation } from './store/store'

const formatName = 'platform-companion-conversation'

const ImportedText = z.string().max(20_000_000)

const File = z.strictObject({
  format: z.literal(formatName),
  version: z.literal(1),
  title: CleanName(200),
  isPinned: z.boolean(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  setup: PlaygroundSetup,
  messages: z
    .array(
      PlaygroundMessage.extend({
        text: ImportedText,
        attachments: z.array(PlaygroundId).max(20),
        answer: PlaygroundAnswer.omit({ text: true }).optional(),
        run: PlaygroundRun.optional(),
      }),
    )
    .max(20_000),
  attachments: z.array(PlaygroundAttachment.extend({ base64: z.string().max(7_500_000) })).max(2000),
})

/** A conversation with all its branches as JSON (docs/playground.md). */
export function conversationJson(conversation: WholeConversation): string {
  return `${JSON.stringify({ format: formatName, version: 1, ...conversation }, undefined, 2)}\n`
}

/** Accepts only the output of `conversationJson`. Fails with `playground.unreadable`. */
export function readConversation(text: string): WholeConversation {
  const { format: _, version: __, ...whole } = parseExport(File, text, 'a conversation')
  requireMessageTree(whole.messages)
  const knownIds = new Set(whole.attachments.map(({ id }) => id))
  if (knownIds.size < whole.attachments.length) throw createUnreadableError('attachments')
  if (whole.messages.some(({ attachments }) => attachments.some((id) => !knownIds.has(id))))
    throw createUnreadableError('messages.attachments')
  return { ...whole, attachments: whole.attachments.map(checkAttachment) }
}

/** Requires parents before children, unique ids and a run for each answer. Roles may repeat after a deletion. */
function requireMessageTree(messages: readonly PlaygroundMessage[]): void {
  const seenIds = new Set<string>()
  for (const { id, parentId, role, run } of messages) {
    const hasSeenParent = parentId === undefined || seenIds.has(parentId)
    const isAnswer = role === 'assistant'
    if (seenIds.has(id) || !hasSeenParent || isAnswer !== (run !== undefined)) throw createUnreadableError('messages')
    seenIds.add(id)
  }
}

type FileAttachment = WholeConversation['attachments'][number]

/** Validates an attachment by its content, because its declared type is untrusted. */
function checkAttachment({ id, name, mediaType, tokens, base64 }: FileAttachment): FileAttachment {
  try {
    const attachment = readAttachment(name, mediaType, decodeAttachment(base64))
    return { ...attachment, id, base64, ...(tokens !== undefined && { tokens }) }
  } catch {
    throw createUnreadableError('attachments')
  }
}

/** Parses an exported file. Fails with `playground.unreadable`. */
export function parseExport<Content>(schema: z.ZodType<Content>, text: string, noun: string): Content {
  const parsedFile = schema.safeParse(parseExternalJson(text))
  if (parsedFile.success) return parsedFile.data
  throw createUnreadableError(parsedFile.error.issues[0]?.path.join('.'), noun)
}

const createUnreadableError = (fieldPath = '', noun = 'a conversation'): AppError => {
  const place = fieldPath === '' ? '' : ` (at ${fieldPath.slice(0, 100)})`
  return new AppError('playground.unreadable', `This is not ${noun} that this app exported as JSON${place}.`)
}

/** The shown branch of a conversation as Markdown. Each answer has its model, token counts and duration. */
export function conversationMarkdown(
  { title, setup: { system }, messages, attachments }: WholeConversation,
  branch: readonly BranchStep[],
): string {
  const messagesById = new Map(messages.map((message) => [message.id, message]))
  const fileNames = new Map(attachments.map(({ id, name }) => [id, name]))
  const head = [`# ${toOneLine(title)}`, ...(system.trim() === '' ? [] : [wrapInCodeFence('System', system).trimEnd()])]
  const shownMessages = branch.flatMap(({ id }) => messagesById.get(id) ?? [])
  return `${[...head, ...shownMessages.map((message) => messageText(message, fileNames))].join('\n\n')}\n`
}

function messageText(
  { role, text, attachments, toolResults = [], answer, run }: PlaygroundMessage,
  fileNames: ReadonlyMap<string, string>,
): string {
  const calls = answer?.toolCalls ?? []
  const parts = [
    `## ${role === 'user' ? 'User' : `Assistant (${run?.target.modelCode ?? '?'})`}`,
    ...toolResults.map((result) => wrapInCodeFence('Tool result', result.text)),
    attachments.map((id) => `- ${toOneLine(fileNames.get(id) ?? id)}`).join('\n'),
    text,
    ...calls.map(({ name, input }) => wrapInCodeFence(`Tool call: ${toOneLine(name)}`, input)),
    run ? `*${describeRunMetrics(run)}*` : '',
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function describeRunMetrics(run: PlaygroundRun): string {
  const { state, startedAt, status, firstTokenMs, durationMs, tokensPerSecond, requestId, finishReason, failure } = run
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = run
  const runMetrics: readonly (readonly [string, string | number | undefined])[] = [
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
  return runMetrics.flatMap(([name, value]) => (value === undefined ? [] : [toOneLine(`${name}${value}`)])).join(', ')
}

const toOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

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
