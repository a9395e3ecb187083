import {
  PlaygroundAnswer,
  PlaygroundAttachment,
  PlaygroundId,
  PlaygroundMessage,
  PlaygroundRun,
  PlaygroundSetup,
} from '@shared/contract'
import { CleanName } from '@shared/contract/common'
import { AppError } from '@shared/failure'
import { z } from 'zod'
import { parseJson } from '../gateway/server-message'
import { bytesOf, readAttachment } from './attachments'
import type { WholeConversation } from './ports'

const formatName = 'platform-companion-conversation'

const Text = z.string().max(20_000_000)

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
        text: Text,
        attachments: z.array(PlaygroundId).max(20),
        answer: PlaygroundAnswer.omit({ text: true }).optional(),
        run: PlaygroundRun.optional(),
      }),
    )
    .max(20_000),
  attachments: z.array(PlaygroundAttachment.extend({ base64: z.string().max(7_500_000) })).max(2000),
})

/** A conversation with all its branches as JSON (docs/playground.md). */
export function conversationJson(whole: WholeConversation): string {
  return `${JSON.stringify({ format: formatName, version: 1, ...whole }, undefined, 2)}\n`
}

/** What such a file holds. Fails with `playground.unreadable` for everything that `conversationJson` does not write. */
export function readConversation(text: string): WholeConversation {
  const parsed = File.safeParse(parseJson(text))
  if (!parsed.success) throw unreadable(parsed.error.issues[0]?.path.join('.'))
  const { format: _, version: __, ...whole } = parsed.data
  requireTree(whole.messages)
  const known = new Set(whole.attachments.map(({ id }) => id))
  if (known.size < whole.attachments.length) throw unreadable('attachments')
  if (whole.messages.some(({ attachments }) => attachments.some((id) => !known.has(id))))
    throw unreadable('messages.attachments')
  return { ...whole, messages: whole.messages.map(atRest), attachments: whole.attachments.map(checked) }
}

/** Parents stand before their children, and every id once: nothing can go in circles. */
function requireTree(messages: readonly PlaygroundMessage[]): void {
  const seen = new Map<string, PlaygroundMessage['role']>()
  for (const { id, parentId, role, run } of messages) {
    const isPlaced = parentId === undefined ? role === 'user' : seen.has(parentId) && seen.get(parentId) !== role
    if (seen.has(id) || !isPlaced || (role === 'user' && run !== undefined)) throw unreadable('messages')
    seen.set(id, role)
  }
}

/** What was under way when it was exported is so no more. */
function atRest(message: PlaygroundMessage): PlaygroundMessage {
  const { run } = message
  if (run?.state !== 'waiting' && run?.state !== 'running') return message
  return { ...message, run: { ...run, state: 'cut' } }
}

type FileAttachment = WholeConversation['attachments'][number]

/** What a file says of its attachments counts as little as what a person says: the content decides. */
function checked({ id, name, mediaType, tokens, base64 }: FileAttachment): FileAttachment {
  try {
    const read = readAttachment({ name, mediaType, content: bytesOf(base64) })
    return { ...read, id, base64, ...(tokens === undefined ? {} : { tokens }) }
  } catch {
    throw unreadable('attachments')
  }
}

const unreadable = (where: string | undefined): AppError =>
  new AppError(
    'playground.unreadable',
    `This is not a conversation that this app exported as JSON${where ? ` (at ${where.slice(0, 100)})` : ''}.`,
  )
