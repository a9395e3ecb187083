import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Store } from '../../state/store'
import { clientSecretOf } from './clients'

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

/** What a token of ours says; `undefined` when it is not one, to the letter. */
function verified(seed: string, token: string): z.infer<typeof Claims> | undefined {
  const [text = '', signature = '', ...rest] = token.startsWith(prefix) ? token.slice(prefix.length).split('.') : []
  const expected = Buffer.from(sign(seed, text))
  const presented = Buffer.from(signature)
  const isSame = expected.length === presented.length && timingSafeEqual(expected, presented)
  return isSame && rest.length === 0 ? readClaims(text) : undefined
}

/** The client behind a token; `undefined` when the token is wrong or too old, was taken back, or its client is gone. */
export function clientOf(store: Store, token: string): string | undefined {
  const world = store.world()
  const [clientId, endsMs, generation] = verified(world.seed, token) ?? ['', 0, -1]
  const isValid = endsMs > store.nowMs() && generation === world.tokenGeneration
  return isValid && clientSecretOf(world, clientId) !== undefined ? clientId : undefined
}
