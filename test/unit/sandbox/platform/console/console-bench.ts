import { deriveSecret, hashSeed } from '../../../../../src/sandbox/state/store'
import type { World } from '../../../../../src/sandbox/state/world'
import type { Timing } from '../../../../../src/sandbox/timing'
import { plainWorld } from '../../plain-world'
import { buildChatBody, chatPath, type Harness, type Json, startHarness } from '../../support'

export const dayMs = 86_400_000
const seed = 'console'

/** Status and body of a response. */
export interface ConsoleResponse {
  readonly status: number
  readonly body: Json
}

/** A sandbox with 5,000,000 credits and no plans, called through the console contract. */
export interface Console {
  readonly harness: Harness
  readonly call: (method: string, path: string, body?: unknown) => Promise<ConsoleResponse>
  /** Buys a plan, by default of the type Pro. */
  readonly buy: (wish?: object) => Promise<Json>
  readonly plan: (planId: string) => Promise<Json>
  readonly keys: (planId: string) => Promise<Json>
  readonly credits: () => Promise<number>
  readonly setAccount: (account: { role?: string; credits?: number }) => Promise<unknown>
  readonly advance: (ms: number) => Promise<unknown>
  /** Sends a request with a key and returns the gateway's status. */
  readonly gateway: (secret: string, modelCode?: string) => Promise<number>
  /** Returns the secret of a key, which may be masked. */
  readonly findSecret: (keyId: string) => string
}

interface Options {
  readonly timing?: Partial<Timing>
  readonly prepare?: (world: World, nowMs: number) => World
}

export async function startConsole({ timing, prepare = (world) => world }: Options = {}): Promise<Console> {
  const begin = (worldSeed: string, nowMs: number) =>
    prepare({ ...plainWorld(worldSeed, nowMs), plans: [], keys: [] }, nowMs)
  const harness = await startHarness({ seed, begin, timing: { paceMs: 0, provisioningMs: 0, ...timing } })
  let token: string | undefined
  const call: Console['call'] = async (method, path, body) => {
    token ??= await harness.token()
    const response = await fetch(`${harness.platformUrl}/console${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  return {
    harness,
    call,
    buy: async (wish = {}) => {
      const { status, body } = await call('POST', '/token-plans', { name: 'mine', packageId: 'package-pro', ...wish })
      if (status !== 201) throw new Error(`not bought: ${JSON.stringify(body)}`)
      return body
    },
    plan: async (planId) => (await call('GET', `/token-plans/${planId}`)).body,
    keys: async (planId) => (await call('GET', `/token-plans/${planId}/keys`)).body.listData,
    credits: async () => (await call('GET', '/account')).body.credits,
    setAccount: (account) => harness.control('account', account),
    advance: (ms) => {
      // Tokens follow the sandbox's clock and expire after a jump.
      token = undefined
      return harness.control('clock', { advanceMs: ms })
    },
    gateway: async (secret, modelCode = 'aurora-small') => {
      const headers = { authorization: `Bearer ${secret}` }
      const response = await harness.post(chatPath, buildChatBody('Say hi', { model: modelCode }), headers)
      await response.text()
      return response.status
    },
    findSecret: (keyId) => deriveSecret(hashSeed(seed), keyId),
  }
}
