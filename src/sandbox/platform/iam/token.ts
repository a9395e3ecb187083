import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Store } from '../../state/store'

/** What a token says: the client, its end in ms since the epoch in the sandbox's clock, and the generation it belongs to. */
const Claims = z.tuple([z.string(), z.number(), z.number()])

const prefix = 'iam-sandbox-'

const sign = (seed: string, claims: string): string =>
  createHmac('sha256', seed).update(`iam-token|${claims}`).digest('base64url')

/** A token for a client. It needs no memory: it is valid while its signature, its time and its generation are. */
export function issueToken(store: Store, { clientId, lifetimeS }: { clientId: string; lifetimeS: number }): string {
  const { seed, tokenGeneration } = store.world()
  const claims = JSON.stringify([clientId, store.nowMs() + lifetimeS * 1000, tokenGeneration])
  const text = Buffer.from(claims).toString('base64url')
  return `${prefix}${text}.${sign(seed, text)}`
}

function readClaims(text: string): z.infer<typeof Claims> | undefined {
  try {
    return Claims.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')))
  } catch {
    return undefined
  }
}

/** The client behind a token; `undefined` when the token is wrong, too old, or was taken back. */
export function clientOf(store: Store, token: string): string | undefined {
  const [text = '', signature = ''] = token.startsWith(prefix) ? token.slice(prefix.length).split('.') : []
  const { seed, tokenGeneration } = store.world()
  const expected = Buffer.from(sign(seed, text))
  const presented = Buffer.from(signature)
  if (expected.length !== presented.length || !timingSafeEqual(expected, presented)) return undefined
  const [clientId, endsMs, generation] = readClaims(text) ?? ['', 0, -1]
  return endsMs > store.nowMs() && generation === tokenGeneration ? clientId : undefined
}
