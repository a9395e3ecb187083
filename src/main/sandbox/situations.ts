import type { SandboxSituation } from '@shared/contract'
import type { Offered } from './offer'
import { planIn, type SandboxPlanState, type SandboxState } from './state'

/** One call of the control surface: a path and its body. */
export type Change = readonly [path: string, body: Readonly<Record<string, unknown>>]

/** What it works on: the state of now, what this machine uses of it, and the state before the situation that is to end, if it is known. */
export interface Scene {
  readonly state: SandboxState
  readonly offered: Offered
  readonly remembered: SandboxState | undefined
}

interface Situation {
  /** How the gateway misbehaves meanwhile, on every request. */
  readonly fault?: Readonly<Record<string, number | boolean>>
  readonly begin?: (scene: Scene) => Change
  readonly end?: (scene: Scene) => Change
}

const planPath = ({ offered }: Scene): string => `/plans/${offered.planId}`
const keyPath = ({ offered }: Scene): string => `/keys/${offered.keyId}`

const useTokens = ({ state, offered: { planId } }: Scene, tokensUsed: number): Change => {
  const modelCode = planIn(state, planId)?.models[0]?.modelCode
  return ['/models', { planId, modelCode, tokensUsed }]
}

const rememberedPlan = ({ remembered, offered }: Scene): SandboxPlanState | undefined =>
  remembered && planIn(remembered, offered.planId)

/** The plan's old end while it is ahead; else a new cycle begins. */
function endOfExpiry(scene: Scene): Change {
  const expiresAt = rememberedPlan(scene)?.expiresAt
  const isAhead = expiresAt !== undefined && Date.parse(expiresAt) > Date.parse(scene.state.clock)
  return [planPath(scene), isAhead ? { expiresAt } : { status: 'ACTIVE' }]
}

const situations: Readonly<Record<SandboxSituation, Situation>> = {
  normal: {},
  keyDisabled: {
    begin: (scene) => [keyPath(scene), { status: 'DISABLED' }],
    end: (scene) => [keyPath(scene), { status: 'ACTIVE' }],
  },
  planExpired: {
    begin: (scene) => [planPath(scene), { status: 'EXPIRED' }],
    end: endOfExpiry,
  },
  allowanceUsedUp: {
    begin: (scene) => useTokens(scene, Number.MAX_SAFE_INTEGER),
    end: (scene) => useTokens(scene, rememberedPlan(scene)?.models[0]?.tokensUsed ?? 0),
  },
  rateLimited: { fault: { status: 429, retryAfterS: 20 } },
  serverError: { fault: { status: 503 } },
  malformed: { fault: { isMalformed: true } },
  slow: { fault: { delayMs: 5_000 } },
  cutStream: { fault: { cutAfterBytes: 120 } },
  dropped: { fault: { isDropped: true } },
}

/** What ends one situation, and what begins the next. */
export interface Turn {
  readonly undone: readonly Change[]
  readonly done: readonly Change[]
}

/**
 * What leads from one situation to another. The same one again (the sandbox was restarted) undoes nothing: its state file holds what
 * became of plans and keys, but no faults.
 */
export function changesBetween(before: SandboxSituation, after: SandboxSituation, scene: Scene): Turn {
  const { fault, begin } = situations[after]
  const { end } = situations[before]
  return {
    undone: end && before !== after ? [end(scene)] : [],
    done: [
      ['/faults', { faults: fault ? [{ operations: 'gateway.*', ...fault }] : [] }],
      ...(begin ? [begin(scene)] : []),
    ],
  }
}
