import type { Delivery, MethodInput, PlanView, ToolView } from '@shared/contract'

/** What a person picked by hand; everything else follows from the tool and the plan. */
export interface Picked {
  readonly planId?: string | undefined
  readonly modelCode?: string | undefined
  /** A code, or `same` for the model itself. */
  readonly smallModel?: string | undefined
  readonly delivery?: Delivery | undefined
  readonly moveCommentsToCopy?: boolean | undefined
  /** Consent to a key in plain text. */
  readonly plainTextAccepted?: boolean | undefined
}

/** Stands for "the same as the model" where a model code could stand; no code begins with a space. */
export const sameModel = ' same'

const safestFirst: readonly Delivery[] = ['helper', 'file', 'plain']

/** The ways a tool can get the key, the safest first. */
export const deliveriesOf = (tool: ToolView): readonly Delivery[] =>
  safestFirst.filter((delivery) => tool.deliveries.includes(delivery))

/** A complete choice, as it is shown in the form. */
export interface Choice {
  readonly plan: PlanView
  readonly modelCode: string
  readonly smallModel: string
  readonly delivery: Delivery
}

interface Ground {
  readonly tool: ToolView
  readonly plans: readonly PlanView[]
  /** The plan that the rest of the window works with. */
  readonly currentPlan: PlanView | undefined
  readonly picked: Picked
}

/** How makers name the small one of a family. */
const smallNames = /(?:^|[^a-z])(?:small|mini|nano|lite|light|flash|haiku|fast|tiny)(?:$|[^a-z])/i

/** Fills in what was not picked: the plan in use or the current one, its first model, the one named like a small one for side tasks, the safest delivery. */
export function completeChoice({ tool, plans, currentPlan, picked }: Ground): Choice | undefined {
  const { applied } = tool
  const byId = (id: string | undefined): PlanView | undefined => plans.find((plan) => plan.id === id)
  const plan = byId(picked.planId) ?? byId(applied?.planId) ?? byId(currentPlan?.id) ?? plans[0]
  if (!plan) return undefined
  const inUse = applied?.planId === plan.id ? applied : undefined
  const modelCode = picked.modelCode ?? inUse?.modelCode ?? plan.models[0] ?? ''
  const usedSmall = inUse && (inUse.smallModelCode === inUse.modelCode ? sameModel : inUse.smallModelCode)
  const defaultSmall = plan.models.find((code) => code !== modelCode && smallNames.test(code))
  return {
    plan,
    modelCode,
    smallModel: picked.smallModel ?? usedSmall ?? defaultSmall ?? sameModel,
    delivery: picked.delivery ?? inUse?.delivery ?? deliveriesOf(tool)[0] ?? 'plain',
  }
}

/** The choice as the main process wants it, or nothing while a model code is missing. */
export function previewInput(
  tool: ToolView,
  choice: Choice | undefined,
  picked: Picked,
): MethodInput<'tools.preview'> | undefined {
  if (!choice) return undefined
  const modelCode = choice.modelCode.trim()
  const smallModelCode = choice.smallModel === sameModel ? modelCode : choice.smallModel.trim()
  if (modelCode === '' || smallModelCode === '' || /\s/.test(modelCode + smallModelCode)) return undefined
  return {
    toolId: tool.id,
    planId: choice.plan.id,
    modelCode,
    smallModelCode,
    delivery: choice.delivery,
    ...(picked.moveCommentsToCopy && { moveCommentsToCopy: true }),
  }
}
