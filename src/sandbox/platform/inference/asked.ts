import { z } from 'zod'
import { findModel, type Model, models } from '../../catalogue/models'
import { Refused } from '../../http/refused'
import type { Call } from '../operation'

/** What a model may be asked for here. */
export type Purpose = 'chat' | 'completion' | 'embedding'

/** The model that a body names, and the whole body. */
export interface Asked {
  readonly model: Model
  readonly body: unknown
}

const Named = z.looseObject({ model: z.string().min(1, 'must not be empty') })

const codesFor = (purpose: Purpose): string =>
  models
    .filter(({ enabledTypes }) => enabledTypes.includes(purpose))
    .map(({ modelCode }) => modelCode)
    .join(', ')

function unknownModel(modelCode: string, purpose: Purpose): Refused {
  const message = `There is no model "${modelCode.slice(0, 100)}". For ${purpose} there are: ${codesFor(purpose)}.`
  return new Refused({ status: 404, code: 'model_not_found', message })
}

function unfitModel({ modelCode, enabledTypes }: Model, purpose: Purpose): Refused {
  const serves = `The model "${modelCode}" serves ${enabledTypes.join(', ')}, not ${purpose}.`
  return new Refused({ status: 400, code: 'model_not_capable', message: `${serves} Use one of: ${codesFor(purpose)}.` })
}

/** Reads which model is asked. Throws 404 `model_not_found`, and 400 `model_not_capable` when it does not serve the purpose (codes are ours). */
export async function readAsked(call: Call, purpose: Purpose): Promise<Asked> {
  const body = await call.body(Named)
  call.note({ modelCode: body.model })
  const model = findModel(body.model)
  if (model === undefined) throw unknownModel(body.model, purpose)
  if (!model.enabledTypes.includes(purpose)) throw unfitModel(model, purpose)
  return { model, body }
}

/** Throws 400 for more input than the model's context holds (ours). */
export function checkContext({ modelCode, contextTokens }: Model, inputTokens: number): void {
  if (inputTokens <= contextTokens) return
  const message = `The model "${modelCode}" takes up to ${contextTokens} tokens; the input has ${inputTokens}. Shorten it.`
  throw new Refused({ status: 400, code: 'context_length_exceeded', message })
}
