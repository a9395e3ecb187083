import { type SandboxRequestView, type SandboxSituation, Standard } from '@shared/contract'
import { AppError } from '@shared/failure'
import { z } from 'zod'
import type { SandboxReady } from './host'

const SandboxRequest = z.object({
  n: z.number(),
  at: z.string(),
  method: z.string(),
  path: z.string(),
  status: z.number(),
  standard: Standard.optional().catch(undefined),
  modelCode: z.string().optional(),
  planName: z.string().optional(),
  keyName: z.string().optional(),
  userAgent: z.string().optional(),
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  durationMs: z.number(),
})

const SandboxRequests = z.object({ requests: z.array(SandboxRequest) })

/** The sandbox's own control surface: what reached it, and situations to put it in. */
export interface SandboxControl {
  requests(after: number | undefined): Promise<SandboxRequestView[]>
  /** Changes from the situation `before` to another. */
  simulate(situation: SandboxSituation, before: SandboxSituation): Promise<void>
}

/** Speaks to a running sandbox over HTTP. Fails with `sandbox.failed`. */
export function controlOf({ platformUrl, controlToken, plans }: SandboxReady): SandboxControl {
  const ask = async (path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${platformUrl}/sandbox${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${controlToken}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(5000),
    }).catch((cause: unknown) => {
      throw new AppError('sandbox.failed', 'The sandbox does not answer. Stop it and start it again.', { cause })
    })
    if (!response.ok) throw new AppError('sandbox.failed', `The sandbox refused ${path} with ${response.status}.`)
    return response.json()
  }
  return {
    async requests(after) {
      const answer = await ask(after === undefined ? '/requests' : `/requests?after=${after}`)
      return SandboxRequests.parse(answer).requests.map(viewOf)
    },
    async simulate(situation, before) {
      const plan = plans[0]
      const key = plan?.keys[0]
      if (!plan || !key) return
      const fault = faults[situation]
      await ask('/faults', { faults: fault ? [{ operations: 'gateway.*', ...fault }] : [] })
      await ask(`/keys/${key.keyId}`, { status: situation === 'keyDisabled' ? 'DISABLED' : 'ACTIVE' })
      await ask(`/plans/${plan.planId}`, { status: situation === 'planExpired' ? 'EXPIRED' : 'ACTIVE' })
      const [isUsedUp, wasUsedUp] = [situation, before].map((one) => one === 'allowanceUsedUp')
      if (isUsedUp || wasUsedUp)
        await ask('/models', { ...firstModel(plan), tokensUsed: isUsedUp ? Number.MAX_SAFE_INTEGER : 0 })
    },
  }
}

const firstModel = ({ planId, models }: SandboxReady['plans'][number]) => ({ planId, modelCode: models[0]?.modelCode })

const faults: Partial<Record<SandboxSituation, Readonly<Record<string, number>>>> = {
  serverError: { status: 503 },
  cutStream: { cutAfterBytes: 120 },
}

function viewOf({ userAgent, ...request }: z.infer<typeof SandboxRequest>): SandboxRequestView {
  return { ...request, client: userAgent?.slice(0, 80) }
}
