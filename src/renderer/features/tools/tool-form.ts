import type { Delivery, MethodInput, PlanView, Route, ToolChoice, ToolView } from '@shared/contract'
import { findUsableModel } from '@shared/model-quota'
import { findSmallModel } from '@shared/small-model'
import { isCurrentKey } from '../connections/account'
import { type SiteTool, userSite } from './sites'

/** Values that the user has selected in the form. All other values have defaults derived from tool and plan. */
export interface FormOverrides {
  readonly planId?: string | undefined
  readonly keyId?: string | undefined
  readonly modelCode?: string | undefined
  /** Model code of each slot (secondary model), or `sameModelOption` to use the main model. */
  readonly slots?: Readonly<Record<string, string>> | undefined
  readonly delivery?: Delivery | undefined
  readonly route?: Route | undefined
  readonly moveCommentsToCopy?: boolean | undefined
  readonly plainTextAccepted?: boolean | undefined
  /** Paths (with dots) of conflicting settings that the user agreed to remove. */
  readonly settingsToRemove?: readonly string[] | undefined
}

/** Option value for using the main model in a slot. Model codes never start with a space. */
export const sameModelOption = ' same'

const deliveryPreference: readonly Delivery[] = ['helper', 'file', 'envFile', 'env', 'inTool', 'plain']

/** Key deliveries that a tool supports, best first. */
export const listDeliveries = ({ deliveries }: Pick<ToolView, 'deliveries'>): readonly Delivery[] =>
  deliveryPreference.filter((delivery) => deliveries.includes(delivery))

const allRoutes = ['gateway', 'relay'] as const satisfies readonly Route[]

export const readRoute = (text: string | null): Route | undefined => allRoutes.find((route) => route === text)

/**
 * Routes that a tool supports, default first. Without the relay for a WSL distribution, because the relay listens
 * only on the loopback interface of Windows.
 */
export const listRoutes = (tool: ToolView | SiteTool): readonly Route[] =>
  'site' in tool && tool.site.kind === 'wsl' ? tool.routes.filter((route) => route !== 'relay') : tool.routes

/** Route as input for a call. The contract requires the tool's default route to be omitted. */
const routeChoice = ({ routes }: Pick<ToolView, 'routes'>, route: Route): Pick<ToolChoice, 'route'> =>
  routes.includes(route) && route !== routes[0] ? { route } : {}

export interface CompletedToolForm {
  readonly plan: PlanView
  /** Id of the key. Undefined when the plan has no key. */
  readonly keyId: string | undefined
  readonly modelCode: string
  /** Model code of each slot (secondary model), or `sameModelOption` to use the main model. */
  readonly slots: Readonly<Record<string, string>>
  readonly delivery: Delivery
  readonly route: Route
}

interface ToolFormInput {
  readonly tool: ToolView
  readonly plans: readonly PlanView[]
  readonly currentPlan: PlanView | undefined
  readonly picked: FormOverrides
  /** Codes of a plan's models without remaining quota, which are no defaults. */
  readonly listExhausted?: ListExhausted
}

type ListExhausted = (planId: string) => ReadonlySet<string>

const listNone: ListExhausted = () => new Set()

/** A model whose name indicates a small model. `sameModelOption` if the plan has none with quota left. */
const chooseSmallModel = ({ models }: PlanView, modelCode: string, exhausted: ReadonlySet<string>): string =>
  findSmallModel(models, modelCode, exhausted) ?? sameModelOption

/**
 * Id of the key if it still works, or else of the plan's default key, because the key is disabled, replaced or
 * deleted.
 */
export const findWorkingKey = ({ keys, defaultKeyId }: PlanView, usedKeyId: string | undefined): string | undefined =>
  keys.find((key) => key.id === usedKeyId && isCurrentKey(key))?.id ?? defaultKeyId

/** Finds a key of a plan. Falls back to the plan's default key. */
export const chooseKey = ({ keys, defaultKeyId }: PlanView, requestedKeyId: string | undefined): string | undefined =>
  keys.find(({ id }) => id === requestedKeyId)?.id ?? defaultKeyId

type AppliedSetup = NonNullable<ToolView['applied']>

function resolveSlots(
  { tool, picked, listExhausted = listNone }: ToolFormInput,
  plan: PlanView,
  chosen: { modelCode: string; inUse: AppliedSetup | undefined },
) {
  const { modelCode, inUse } = chosen
  const getUsedModel = (id: string): string | undefined =>
    inUse?.slots[id] === inUse?.modelCode ? inUse && sameModelOption : inUse?.slots[id]
  return Object.fromEntries(
    tool.slots.map(({ id, isSmall }) => [
      id,
      picked.slots?.[id] ??
        getUsedModel(id) ??
        (isSmall ? chooseSmallModel(plan, modelCode, listExhausted(plan.id)) : sameModelOption),
    ]),
  )
}

/**
 * State of a tool's form. Defaults: the plan in use or else the current plan, its default key, its first model with
 * quota left, a model with a small name for small slots, and the best key delivery.
 */
export function resolveToolForm(ground: ToolFormInput): CompletedToolForm | undefined {
  const { tool, plans, currentPlan, picked, listExhausted = listNone } = ground
  const { applied } = tool
  const findPlanById = (id: string | undefined): PlanView | undefined => plans.find((plan) => plan.id === id)
  const plan = findPlanById(picked.planId) ?? findPlanById(applied?.planId) ?? findPlanById(currentPlan?.id) ?? plans[0]
  if (!plan) return undefined
  const appliedToPlan = applied?.planId === plan.id ? applied : undefined
  const modelCode =
    picked.modelCode ?? appliedToPlan?.modelCode ?? findUsableModel(plan.models, listExhausted(plan.id)) ?? ''
  const offeredDeliveries = listDeliveries(tool)
  const isOffered = (delivery: Delivery | undefined): boolean =>
    delivery !== undefined && offeredDeliveries.includes(delivery)
  const routes = listRoutes(tool)
  return {
    plan,
    keyId: picked.keyId ?? findWorkingKey(plan, appliedToPlan?.keyId),
    modelCode,
    slots: resolveSlots(ground, plan, { modelCode, inUse: appliedToPlan }),
    delivery: [picked.delivery, appliedToPlan?.delivery].find(isOffered) ?? offeredDeliveries[0] ?? 'plain',
    route: routes.find((route) => route === (picked.route ?? applied?.route)) ?? routes[0] ?? 'gateway',
  }
}

/** Whether a text is a model code. Ignores surrounding blanks. */
export const isModelCode = (text: string): boolean => text.trim() !== '' && !/\s/.test(text.trim())

/** Slots as input for a call. The contract requires slots that use the main model to be omitted. */
const slotCodes = (slots: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(slots).flatMap(([id, code]) => (code === sameModelOption ? [] : [[id, code.trim()] as const])),
  )

/** Key as input for a call. The contract requires it only for a plan with several keys. */
export const keyChoice = (plan: PlanView, keyId: string | undefined): Pick<ToolChoice, 'keyId'> =>
  plan.keys.length > 1 && keyId !== undefined ? { keyId } : {}

/** Input for the preview of a tool's setup. Undefined while a model code is missing. */
export function previewInput(
  tool: ToolView | SiteTool,
  choice: CompletedToolForm | undefined,
  picked: FormOverrides,
): MethodInput<'tools.preview'> | undefined {
  if (!choice) return undefined
  const { plan, keyId, delivery, route } = choice
  const slots = slotCodes(choice.slots)
  if (![choice.modelCode, ...Object.values(slots)].every(isModelCode)) return undefined
  const site = 'site' in tool ? tool.site : userSite
  return {
    toolId: tool.id,
    ...(site.kind !== 'user' && { site }),
    planId: plan.id,
    ...keyChoice(plan, keyId),
    modelCode: choice.modelCode.trim(),
    ...(Object.keys(slots).length > 0 && { slots }),
    delivery,
    ...routeChoice(tool, route),
    ...(picked.moveCommentsToCopy && { moveCommentsToCopy: true }),
    ...(picked.settingsToRemove &&
      picked.settingsToRemove.length > 0 && { settingsToRemove: [...picked.settingsToRemove] }),
  }
}

export interface BulkFormOverrides
  extends Pick<FormOverrides, 'planId' | 'keyId' | 'modelCode' | 'route' | 'plainTextAccepted'> {
  /** Model code for the small-model slots of all tools, or `sameModelOption` to use the main model. */
  readonly smallModel?: string | undefined
  readonly single?:
    | Readonly<Record<string, Pick<FormOverrides, 'moveCommentsToCopy' | 'settingsToRemove'> | undefined>>
    | undefined
}

export interface BulkForm {
  readonly plan: PlanView
  readonly keyId: string | undefined
  readonly modelCode: string
  readonly smallModel: string
}

interface BulkFormInput {
  readonly plans: readonly PlanView[]
  readonly currentPlan: PlanView | undefined
  readonly picked: BulkFormOverrides
  readonly listExhausted?: ListExhausted
}

/**
 * State of the form for several tools. Defaults: the current plan, its default key, its first model with quota left, and a model with
 * a small name for small slots.
 */
export function resolveBulkForm({
  plans,
  currentPlan,
  picked,
  listExhausted = listNone,
}: BulkFormInput): BulkForm | undefined {
  const findPlanById = (id: string | undefined): PlanView | undefined => plans.find((plan) => plan.id === id)
  const plan = findPlanById(picked.planId) ?? findPlanById(currentPlan?.id) ?? plans[0]
  if (!plan) return undefined
  const exhausted = listExhausted(plan.id)
  const modelCode = picked.modelCode ?? findUsableModel(plan.models, exhausted) ?? ''
  return {
    plan,
    keyId: chooseKey(plan, picked.keyId),
    modelCode,
    smallModel: picked.smallModel ?? chooseSmallModel(plan, modelCode, exhausted),
  }
}

/** Route of a tool: the selected one if the tool supports it, else the current one, else the default. */
const getRoute = ({ routes, applied }: ToolView, requestedRoute: Route | undefined): Route =>
  routes.find((route) => route === (requestedRoute ?? applied?.route)) ?? routes[0] ?? 'gateway'

/** Routes that several tools can use, the route they have in common, and tools that support only another one. */
export function manyRoutes(tools: readonly ToolView[], requestedRoute: Route | undefined) {
  const toolsWithRoutes = tools.filter(({ routes }) => routes.length > 1)
  const routesOfTools = new Set(toolsWithRoutes.map((tool) => getRoute(tool, requestedRoute)))
  const [firstRoute] = routesOfTools
  const route = routesOfTools.size === 1 ? firstRoute : undefined
  return {
    routes: toolsWithRoutes[0]?.routes ?? [],
    route,
    /** Tools that do not support the chosen route. */
    bound: tools.filter(({ routes }) => routes.length < 2 && route !== undefined && !routes.includes(route)),
  }
}

/**
 * Input for the preview of several tools. Undefined without tools or while a model code is missing. For each tool,
 * the best key delivery is used.
 */
export function buildBulkInput(
  tools: readonly ToolView[],
  choice: BulkForm | undefined,
  picked: BulkFormOverrides,
): MethodInput<'tools.previewMany'> | undefined {
  if (!choice || tools.length === 0 || !isModelCode(choice.modelCode)) return undefined
  const { plan, keyId, smallModel } = choice
  if (smallModel !== sameModelOption && !isModelCode(smallModel)) return undefined
  return {
    choices: tools.map((tool) => {
      const [delivery] = listDeliveries(tool)
      const smallSlots = smallModel === sameModelOption ? [] : tool.slots.filter(({ isSmall }) => isSmall)
      const { moveCommentsToCopy, settingsToRemove = [] } = picked.single?.[tool.id] ?? {}
      return {
        toolId: tool.id,
        planId: plan.id,
        ...keyChoice(plan, keyId),
        modelCode: choice.modelCode.trim(),
        ...(smallSlots.length > 0 && {
          slots: Object.fromEntries(smallSlots.map(({ id }) => [id, smallModel.trim()])),
        }),
        ...(delivery && { delivery }),
        ...routeChoice(tool, getRoute(tool, picked.route)),
        ...(moveCommentsToCopy && { moveCommentsToCopy }),
        ...(settingsToRemove.length > 0 && { settingsToRemove: [...settingsToRemove] }),
      }
    }),
  }
}
