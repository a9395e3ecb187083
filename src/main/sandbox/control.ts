import type {
  SandboxHappening,
  SandboxRequestView,
  SandboxRole,
  SandboxSituation,
  SandboxStep,
  SandboxWorldView,
} from '@shared/contract'
import { AppError } from '@shared/failure'
import { advanceOf, whatHappened } from './clock'
import type { SandboxReady } from './host'
import { type Offered, offeredBy } from './offer'
import { type RequestFilter, readRequests, requestsPath } from './requests'
import { changesBetween } from './situations'
import { planIn, SandboxState, worldView } from './state'

const answerLimitMs = 5_000

/** What is changed in the account; credits in VND. */
export interface AccountChange {
  readonly role?: SandboxRole | undefined
  readonly credits?: number | undefined
}

/** A moved clock: the world then, and what the skipped time has done. */
export interface ClockMove {
  readonly world: SandboxWorldView
  readonly happened: SandboxHappening[]
}

/** The sandbox's own control surface. Everything fails with `sandbox.failed` when it does not answer. */
export interface SandboxControl {
  requests(filter: RequestFilter): Promise<SandboxRequestView[]>
  /** Changes from the situation `before` to another. */
  simulate(situation: SandboxSituation, before: SandboxSituation): Promise<void>
  world(): Promise<SandboxWorldView>
  /** Fails with `input.invalid` for a step that would not go forward. */
  moveClock(step: SandboxStep): Promise<ClockMove>
  setAccount(change: AccountChange): Promise<SandboxWorldView>
  expireTokens(): Promise<void>
  /** Resolves with whether the plan and the key that this machine uses are in the fresh world too. */
  reset(): Promise<boolean>
}

type Ask = (path: string, body?: unknown) => Promise<unknown>

function askerOf({ platformUrl, controlToken }: SandboxReady): Ask {
  return async (path, body) => {
    const response = await fetch(`${platformUrl}/sandbox${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${controlToken}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(answerLimitMs),
    }).catch((cause: unknown) => {
      throw new AppError('sandbox.failed', 'The sandbox does not answer. Stop it and start it again.', { cause })
    })
    if (!response.ok) throw new AppError('sandbox.failed', `The sandbox refused ${path} with ${response.status}.`)
    return response.json()
  }
}

/** Remembers what the present situation found, for as long as this sandbox runs. */
function simulatorOf(ask: Ask, offered: Offered): SandboxControl['simulate'] {
  let remembered: SandboxState | undefined
  return async (situation, before) => {
    const read = async () => SandboxState.parse(await ask('/state'))
    const { undone, done } = changesBetween(before, situation, { state: await read(), offered, remembered })
    for (const [path, body] of undone) await ask(path, body)
    if (situation !== before) remembered = await read()
    for (const [path, body] of done) await ask(path, body)
  }
}

/** Speaks to a running sandbox over HTTP; the first plan with its first key is the one that this machine uses. */
export function controlOf(ready: SandboxReady): SandboxControl {
  const ask = askerOf(ready)
  const offered = offeredBy(ready)
  const read = async (path: string, body?: unknown) => SandboxState.parse(await ask(path, body))
  return {
    requests: async (filter) => readRequests(await ask(requestsPath(filter))),
    simulate: offered ? simulatorOf(ask, offered) : async () => undefined,
    world: async () => worldView(await read('/state'), offered?.planId),
    async moveClock(step) {
      const before = await read('/state')
      const advanceMs = advanceOf(step, before, planIn(before, offered?.planId))
      if (advanceMs === undefined) throw new AppError('input.invalid', 'The clock is past that moment already.')
      const after = await read('/clock', { advanceMs })
      return { world: worldView(after, offered?.planId), happened: whatHappened(before, after) }
    },
    setAccount: async (change) => worldView(await read('/account', change), offered?.planId),
    expireTokens: async () => void (await ask('/tokens:expire', {})),
    async reset() {
      const plan = planIn(await read('/reset', {}), offered?.planId)
      return plan?.keys.some(({ keyId, deleted }) => keyId === offered?.keyId && !deleted) ?? false
    },
  }
}
