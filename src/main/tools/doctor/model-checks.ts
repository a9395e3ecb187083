import type { CheckView } from '@shared/contract'
import type { Failure, FailureCode } from '@shared/failure'
import { type Facts, questionOf, step, type Told } from './facts'
import { failed } from './fixes'

/** Refusals that a gateway gives for a model only when the plan has it. */
const havingModel: readonly FailureCode[] = ['gateway.quotaExhausted', 'gateway.rateLimited']

/**
 * Whether the plan has the models that the tool is set to. A gateway that lists no models is asked by the real request;
 * where that says nothing either, what is known of the plan decides.
 */
export const modelInPlan = step(
  'modelInPlan',
  ['found', 'purpose', 'key', 'accepted', 'base'],
  async ({ found, purpose, key, accepted, base }, examination): Promise<Told> => {
    const modelCode = found.modelCode ?? purpose.modelCode
    const request = once(() => examination.deps.check(questionOf(examination, { base, key, modelCode })))
    const isIn =
      isListed(accepted, modelCode) ?? isInBy(await request()) ?? (purpose.models.includes(modelCode) || undefined)
    const others = otherModels({ purpose, accepted, modelCode })
    if (isIn === false) return { findings: [failed(notInPlan(modelCode), { subject: modelCode }), ...others] }
    const outcome = isIn ? 'ok' : 'skipped'
    return { findings: [{ outcome, subject: modelCode }, ...others], facts: { modelCode, request } }
  },
)

const isListed = ({ models }: Facts['accepted'], modelCode: string): boolean | undefined => models?.includes(modelCode)

/** What the answer to a real request says about the model; undefined for nothing. */
function isInBy(view: CheckView): boolean | undefined {
  if (view.ok || havingModel.includes(view.failure.code)) return true
  return view.failure.code === 'gateway.modelNotInPlan' ? false : undefined
}

/** Models of the tool's other slots that the plan is known not to have. */
function otherModels({
  purpose,
  accepted,
  modelCode,
}: Pick<Facts, 'purpose' | 'accepted' | 'modelCode'>): Told['findings'] {
  const known = accepted.models ?? purpose.models
  const codes = new Set(Object.values(purpose.slots))
  codes.delete(modelCode)
  const missing = known.length === 0 ? [] : [...codes].filter((code) => !known.includes(code))
  return missing.map((code) => failed(notInPlan(code), { outcome: 'warning', subject: code }))
}

const notInPlan = (modelCode: string): Failure => ({
  code: 'gateway.modelNotInPlan',
  message: `The plan does not have the model ${modelCode}. Use a model code that the plan lists, written exactly so.`,
})

/** One real small request in the tool's own standard, with its base, key and model; says what it cost. */
export const realRequest = step('realRequest', ['modelCode', 'request'], async ({ request }): Promise<Told> => {
  const view = await request()
  const { requestAddress: subject, durationMs } = view
  if (!view.ok) return { findings: [failed(view.failure, { subject, durationMs })] }
  const { inputTokens, outputTokens } = view
  const cost = {
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
  }
  return { findings: [{ outcome: 'ok', subject, durationMs, ...cost }] }
})

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}
