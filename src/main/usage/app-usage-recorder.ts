import { randomUUID } from 'node:crypto'
import type { CheckView, PlanView } from '@shared/contract'
import { toErrorKind } from '../gateway/explain'
import type { GatewayCheck, GatewayProbeRequest } from '../gateway/probe'
import type { LedgerEntry } from './ports'

interface AppRequestsDeps {
  /** Adds entries to the ledger without waiting for them to be saved. */
  readonly add: (entries: readonly LedgerEntry[]) => void
  /** Whether an address belongs to the relay. The relay records its requests itself. */
  readonly isRelayed: (requestAddress: string) => boolean
  readonly plans: () => readonly Pick<PlanView, 'id' | 'gatewayUrl' | 'keys'>[]
}

/** Records the usage of a connection test. Tests without a model use no tokens and are not recorded. */
export function recordCheckRequest(check: GatewayCheck, deps: AppRequestsDeps): GatewayCheck {
  return async (question) => {
    const view = await check(question)
    const { modelCode, durationMs, standard, requestAddress } = view
    const error = view.ok ? undefined : toErrorKind(view.failure.code)
    const isSent = view.ok || error !== undefined
    if (modelCode === undefined || !isSent || deps.isRelayed(requestAddress)) return view
    deps.add([
      {
        id: `app:${randomUUID()}`,
        source: 'app',
        toolId: 'companion',
        at: Date.parse(view.at) - durationMs,
        modelCode,
        standard,
        durationMs,
        ...(view.ok
          ? { inputTokens: view.inputTokens, outputTokens: view.outputTokens, status: 200 }
          : { status: view.status, error }),
        ...findOwner(question, view, deps.plans()),
      },
    ])
    return view
  }
}

/** Finds the plan by gateway and key. Keys are compared in masked form. */
function findOwner(
  { key }: GatewayProbeRequest,
  { requestAddress }: CheckView,
  plans: ReturnType<AppRequestsDeps['plans']>,
): Pick<LedgerEntry, 'planId' | 'keyId'> {
  const plan = plans.find(
    ({ gatewayUrl, keys }) => requestAddress.startsWith(gatewayUrl) && keys.some(({ masked }) => masked === key.masked),
  )
  return { planId: plan?.id, keyId: plan?.keys.find(({ masked }) => masked === key.masked)?.id }
}
