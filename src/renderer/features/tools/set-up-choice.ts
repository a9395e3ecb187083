import type { MethodInput, PlanView, Route, ToolView } from '@shared/contract'
import {
  deliveriesOf,
  isModelCode,
  keyChoice,
  keyOf,
  type Picked,
  routeChoice,
  sameModel,
  smallModelOf,
} from './choice'

/** What was picked for several tools at once, and for single ones among them. */
export interface ManyPicked extends Pick<Picked, 'planId' | 'keyId' | 'modelCode' | 'route' | 'plainTextAccepted'> {
  /** For every slot for small jobs: a code, or `sameModel`. */
  readonly smallModel?: string | undefined
  readonly single?: Readonly<Record<string, Pick<Picked, 'moveCommentsToCopy' | 'takeOut'> | undefined>> | undefined
}

/** A complete choice for several tools, as it is shown in the form. */
export interface ManyChoice {
  readonly plan: PlanView
  readonly keyId: string | undefined
  readonly modelCode: string
  readonly smallModel: string
}

interface Ground {
  readonly plans: readonly PlanView[]
  readonly currentPlan: PlanView | undefined
  readonly picked: ManyPicked
}

/** Fills in what was not picked: the current plan, its first key and model, and the model named like a small one. */
export function completeMany({ plans, currentPlan, picked }: Ground): ManyChoice | undefined {
  const byId = (id: string | undefined): PlanView | undefined => plans.find((plan) => plan.id === id)
  const plan = byId(picked.planId) ?? byId(currentPlan?.id) ?? plans[0]
  if (!plan) return undefined
  const modelCode = picked.modelCode ?? plan.models[0] ?? ''
  return {
    plan,
    keyId: keyOf(plan, picked.keyId),
    modelCode,
    smallModel: picked.smallModel ?? smallModelOf(plan, modelCode),
  }
}

/** The way of each tool's requests: the picked one where the tool has it, else the one it goes now, else its usual one. */
const routeFor = ({ routes, applied }: ToolView, wanted: Route | undefined): Route =>
  routes.find((route) => route === (wanted ?? applied?.route)) ?? routes[0] ?? 'gateway'

/** The ways that can be picked for several tools, the one that all that have a choice go, and those that have none but another. */
export function manyRoutes(tools: readonly ToolView[], wanted: Route | undefined) {
  const free = tools.filter(({ routes }) => routes.length > 1)
  const ways = new Set(free.map((tool) => routeFor(tool, wanted)))
  const [first] = ways
  const route = ways.size === 1 ? first : undefined
  return {
    routes: free[0]?.routes ?? [],
    route,
    /** They go another way than the others will. */
    bound: tools.filter(({ routes }) => routes.length < 2 && route !== undefined && !routes.includes(route)),
  }
}

/** The choices as main wants them, each tool with its best way to the key; nothing while a model code or every tool is missing. */
export function manyInput(
  tools: readonly ToolView[],
  choice: ManyChoice | undefined,
  picked: ManyPicked,
): MethodInput<'tools.previewMany'> | undefined {
  if (!choice || tools.length === 0 || !isModelCode(choice.modelCode)) return undefined
  const { plan, keyId, smallModel } = choice
  if (smallModel !== sameModel && !isModelCode(smallModel)) return undefined
  return {
    choices: tools.map((tool) => {
      const [delivery] = deliveriesOf(tool)
      const small = smallModel === sameModel ? [] : tool.slots.filter(({ isSmall }) => isSmall)
      const { moveCommentsToCopy, takeOut = [] } = picked.single?.[tool.id] ?? {}
      return {
        toolId: tool.id,
        planId: plan.id,
        ...keyChoice(plan, keyId),
        modelCode: choice.modelCode.trim(),
        ...(small.length > 0 && { slots: Object.fromEntries(small.map(({ id }) => [id, smallModel.trim()])) }),
        ...(delivery && { delivery }),
        ...routeChoice(tool, routeFor(tool, picked.route)),
        ...(moveCommentsToCopy && { moveCommentsToCopy }),
        ...(takeOut.length > 0 && { takeOut: [...takeOut] }),
      }
    }),
  }
}
