import type { PlaygroundRun, PlaygroundSetup, PlaygroundTarget, PlaygroundWire } from '@shared/contract'
import type { NewTurn } from '../../../../../src/main/playground/store/store'

export const createdMs = Date.parse('2026-03-01T12:00:00Z')
export const target: PlaygroundTarget = {
  kind: 'local',
  url: 'http://localhost:1234',
  standard: 'chat-completions',
  modelCode: 'model-a',
}
export const setup: PlaygroundSetup = { target, system: '', parameters: {} }

/** References to items, to remove, restore or pin them. */
export const conversation = (id: string) => ({ kind: 'conversation', id }) as const
export const comparison = (id: string) => ({ kind: 'comparison', id }) as const
export const prompt = (id: string) => ({ kind: 'prompt', id }) as const

export const buildRun = (
  id: string,
  state: PlaygroundRun['state'] = 'waiting',
  modelCode = 'model-a',
): PlaygroundRun => ({
  id,
  kind: 'chat',
  target: { ...target, modelCode },
  state,
  startedAt: new Date(createdMs).toISOString(),
  requestAddress: 'http://localhost:1234/v1/chat/completions',
  isStream: true,
})

export const buildWire = (answerBody: string, requestBody = '{}'): PlaygroundWire => ({
  method: 'POST',
  requestAddress: 'http://localhost:1234/v1/chat/completions',
  requestHeaders: [['content-type', 'application/json']],
  requestBody,
  status: 200,
  answerHeaders: [],
  answerBody,
  isEventStream: true,
  isShortened: false,
})

/** Builds a user message and an empty assistant message. With a title they start a conversation. */
export const buildTurn = (
  conversationId: string,
  [question, answer]: readonly [string, string],
  overrides: Partial<NewTurn> & {
    readonly parentId?: string
    readonly text?: string
    readonly files?: string[]
    readonly at?: number
  } = {},
): NewTurn => {
  const { parentId, text = `text of ${question}`, files = [], at = createdMs, ...rest } = overrides
  return {
    conversationId,
    setup,
    user: { id: question, parentId, text, attachments: files },
    userMessageId: question,
    run: { ...buildRun(answer), startedAt: new Date(at).toISOString() },
    ...rest,
  }
}
