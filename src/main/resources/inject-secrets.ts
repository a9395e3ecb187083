import { AppError } from '@shared/failure'
import { z } from 'zod'
import { bodyWith } from '../platform/credentials'
import type { Secret } from '../secret'
import { isSecretName } from './secret-names'

/** What stands in a body for a secret: one from the clipboard, or one of an earlier answer. */
const Stand = z.union([z.strictObject({ $pending: z.string() }), z.strictObject({ $held: z.string() })])

/** Where the secrets of bodies are. */
interface BodySecrets {
  /** Of the clipboard. Fails with `key.notFound` when it is gone. */
  pending(id: string): Secret
  /** Of an answer. Fails with `key.notFound` when it is gone. */
  held(handle: string): Secret
  /** Whether a text is the masked form of one that is held. */
  isMasked(text: string): boolean
}

/** A body as it is sent. */
export interface FilledBody {
  readonly body: unknown
  /** The secrets in it, which may come back in the answer or in a refusal. */
  readonly sent: readonly Secret[]
  /** What of the clipboard is used up once the call is answered. */
  readonly pendingIds: readonly string[]
  /** All other texts of it. */
  readonly texts: readonly string[]
}

/** Puts the secrets into a body. Fails with `key.notFound`, and with `input.invalid` where the masked form of one would be sent back. */
export function fillBody(body: unknown, secrets: BodySecrets): FilledBody {
  const sent: Secret[] = []
  const pendingIds: string[] = []
  const texts: string[] = []
  look(body, '', (text, name) => {
    if (isSecretName(name) && secrets.isMasked(text)) throw masked(name)
    texts.push(text)
  })
  const filled = bodyWith(body, (value) => {
    const stand = Stand.safeParse(value).data
    if (stand === undefined) return undefined
    if ('$pending' in stand) pendingIds.push(stand.$pending)
    const secret = '$pending' in stand ? secrets.pending(stand.$pending) : secrets.held(stand.$held)
    sent.push(secret)
    return secret
  })
  return { body: filled, sent, pendingIds, texts }
}

/** A body with a text in the place of each secret, for a call that is shown. */
export function bodyShown(body: unknown, textFor: (at: number) => string): unknown {
  let count = 0
  const shown = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shown)
    if (typeof value !== 'object' || value === null) return value
    if (Stand.safeParse(value).success) return textFor(count++)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shown(one)]))
  }
  return shown(body)
}

function look(value: unknown, name: string, hear: (text: string, name: string) => void): void {
  if (typeof value === 'string') hear(value, name)
  if (typeof value !== 'object' || value === null) return
  for (const [key, one] of Object.entries(value)) look(one, Array.isArray(value) ? name : key, hear)
}

const masked = (field: string): AppError =>
  new AppError(
    'input.invalid',
    `${field} holds a shortened secret, which would replace the real one. Leave it out, or give it anew.`,
    {
      field,
    },
  )
