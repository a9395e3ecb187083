import { z } from 'zod'
import type { Turn } from '../text-model/question'

/** A part of a message, in either standard; kinds that are not known here are accepted and not counted. */
interface Part {
  readonly text?: string | undefined
  readonly input?: unknown
  readonly content?: Content | undefined
}

/** A message's content as both standards allow it. */
export type Content = string | readonly Part[] | null

/** Parses the content of a message: a string, or parts, which may hold content themselves (tool results). */
export const Content: z.ZodType<Content> = z.lazy(() => z.union([z.string(), z.array(Part), z.null()]))

const Part: z.ZodType<Part> = z.object({
  text: z.string().optional(),
  input: z.unknown().optional(),
  content: Content.optional(),
})

/** The content of a message that must have some. */
export const RequiredContent = z.union([z.string(), z.array(Part)], 'a text or a list of parts is required')

/** All texts of a content, in order. */
export function textsOf(content: Content | undefined): readonly string[] {
  if (content === null || content === undefined) return []
  if (typeof content === 'string') return [content]
  return content.flatMap((part) => [
    ...(part.text === undefined ? [] : [part.text]),
    ...(part.input === undefined ? [] : [JSON.stringify(part.input)]),
    ...textsOf(part.content),
  ])
}

interface Message {
  readonly role: string
  readonly content?: Content | undefined
}

/** The words of a message without the reminders that coding tools put around them. */
function wordsOf({ content }: Message): string {
  return textsOf(content)
    .map((text) => text.replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '').trim())
    .filter((text) => text !== '')
    .join('\n')
}

/** The last words of a user, and what user and model said before, oldest first. */
export function conversationOf(messages: readonly Message[]): { prompt: string; history: readonly Turn[] } {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const prompt = messages[last]
  const history = messages
    .slice(0, Math.max(0, last))
    .filter(({ role }) => role === 'user' || role === 'assistant')
    .map((message) => ({ role: message.role, text: wordsOf(message) }))
  return { prompt: prompt ? wordsOf(prompt) : '', history: history.filter(({ text }) => text !== '') }
}
