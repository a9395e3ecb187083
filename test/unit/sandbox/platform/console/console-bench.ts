import { deriveSecret, hashSeed } from '../../../../../src/sandbox/state/store'
import type { World } from '../../../../../src/sandbox/state/world'
import type { Timing } from '../../../../../src/sandbox/timing'
import { plainWorld } from '../../plain-world'
import { buildChatBody, chatPath, type Json, startHarness } from '../../support'

export const dayMs = 86_400_000
const seed = 'console'

export type Console = Awaited<ReturnType<typeof startConsole>>

interface Options {
  readonly timing?: Partial<Timing>
  readonly prepare?: (world: World, nowMs: number) => World
}

/** Starts a sandbox with 5,000,000 credits and no plans, called through the console contract. */
export async function startConsole({ timing, prepare = (world) => world }: Options = {}) {
  const begin = (worldSeed: string, nowMs: number) =>
    prepare({ ...plainWorld(worldSeed, nowMs), plans: [], keys: [] }, nowMs)
  const harness = await startHarness({ seed, begin, timing: { paceMs: 0, provisioningMs: 0, ...timing } })
  const call = (method: string, path: string, body?: unknown) => harness.api(method, `/console${path}`, { body })
  return {
    harness,
    call,
    /** Buys a plan, by default of the type Pro. */
    buy: async (wish: object = {}): Promise<Json> => {
      const { status, body } = await call('POST', '/token-plans', { name: 'mine', packageId: 'package-pro', ...wish })
      if (status !== 201) throw new Error(`not bought: ${JSON.stringify(body)}`)
      return body
    },
    plan: async (planId: string): Promise<Json> => (await call('GET', `/token-plans/${planId}`)).body,
    keys: async (planId: string): Promise<Json> => (await call('GET', `/token-plans/${planId}/keys`)).body.listData,
    credits: async (): Promise<number> => (await call('GET', '/account')).body.credits,
    setAccount: (account: { role?: string; credits?: number }) => harness.control('account', account),
    advance: (ms: number) => harness.control('clock', { advanceMs: ms }),
    /** Sends a request with a key and returns the gateway's status. */
    gateway: async (secret: string, modelCode = 'aurora-small') => {
      const headers = { authorization: `Bearer ${secret}` }
      const response = await harness.post(chatPath, buildChatBody('Say hi', { model: modelCode }), headers)
      await response.text()
      return response.status
    },
    /** Returns the secret of a key, which may be masked. */
    findSecret: (keyId: string) => deriveSecret(hashSeed(seed), keyId),
  }
}
