import type { CheckView, Standard } from '@shared/contract'
import type { Clock } from '../ports'
import type { ProbeOutcome, ProbeRequest } from './probe'

/** Sent when no model code is known: the gateway refuses it only after it has accepted the key and the plan. */
const unknownModel = 'companion-check'

/** What to ask a gateway; without a model code only the key and the plan are proven. */
export interface GatewayQuestion extends Omit<ProbeRequest, 'model'> {
  readonly modelCode?: string | undefined
}

export type GatewayCheck = (question: GatewayQuestion) => Promise<CheckView>

/** Makes one real small request and reports it. The spec's precedence (401, 402, then 403) makes a 403 without a known model a pass. */
export function createGatewayCheck(
  probe: (request: ProbeRequest) => Promise<ProbeOutcome>,
  clock: Clock,
): GatewayCheck {
  return async ({ modelCode, ...request }) => {
    const outcome = await probe({ ...request, model: modelCode ?? unknownModel })
    return viewOf(outcome, { standard: request.standard, at: clock().toISOString(), modelCode })
  }
}

interface Asked {
  readonly standard: Standard
  readonly at: string
  readonly modelCode: string | undefined
}

function viewOf(outcome: ProbeOutcome, { modelCode, ...asked }: Asked): CheckView {
  const { requestAddress, durationMs } = outcome
  const common = { ...asked, requestAddress, durationMs, modelCode }
  if (outcome.ok) {
    const { text, usage, requestId } = outcome
    return {
      ok: true,
      ...common,
      answer: text.slice(0, 300),
      inputTokens: usage?.inputTokens,
      outputTokens: usage?.outputTokens,
      requestId,
    }
  }
  if (!modelCode && outcome.failure.code === 'gateway.modelNotInPlan') return { ok: true, ...common }
  const { failure, status } = outcome
  return { ok: false, ...common, failure, status }
}
