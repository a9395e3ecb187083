import type { Delivery, MethodInput, PlanView, Route, ToolChoice, ToolView } from '@shared/contract'
import { findSmallModel, findUsableModel } from '@shared/model-quota'
import { useSearchParams } from 'react-router'
import { create } from 'zustand'
import { useCall } from '../../ipc'
import { useCurrentPlan } from '../../session'
import type { DiffLayout } from '../../ui/diff-view'
import { isCurrentKey } from '../connections/account'
import { useModelQuotas } from '../usage/quota'
import { type SiteTool, setupKey, type ToolSearch, userSite } from './setups'

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

export const readRoute = (text: string | null): Route | undefined =>
  (['gateway', 'relay'] as const).find((route) => route === text)

/** Routes of a tool, default first. Not the relay in WSL: it listens only on the loopback interface of Windows. */
export const listRoutes = (tool: ToolView | SiteTool): readonly Route[] =>
  'site' in tool && tool.site.kind === 'wsl' ? tool.routes.filter((route) => route !== 'relay') : tool.routes

/** Route of a tool: the selected one if the tool supports it, else the current one, else the default. */
function getRoute(tool: ToolView, requestedRoute: Route | undefined): Route {
  const routes = listRoutes(tool)
  return routes.find((route) => route === (requestedRoute ?? tool.applied?.route)) ?? routes[0] ?? 'gateway'
}

/** A plan, with the key and the model to use. */
export interface PlanChoice {
  readonly plan: PlanView
  /** Id of the key. Undefined when the plan has no key. */
  readonly keyId: string | undefined
  readonly modelCode: string
}

export interface CompletedToolForm extends PlanChoice {
  /** Model code of each slot (secondary model), or `sameModelOption` to use the main model. */
  readonly slots: Readonly<Record<string, string>>
  readonly delivery: Delivery
  readonly route: Route
}

interface FormInput<Overrides> {
  readonly plans: readonly PlanView[]
  readonly currentPlan: PlanView | undefined
  readonly picked: Overrides
  /** Codes of a plan's models without remaining quota, which are no defaults. */
  readonly listExhausted?: (planId: string) => ReadonlySet<string>
}

const listNone = (): ReadonlySet<string> => new Set()

/** The first of these plans that exists, or else the current or first plan. */
const findPlan = (
  { plans, currentPlan }: FormInput<unknown>,
  ids: readonly (string | undefined)[],
): PlanView | undefined =>
  [...ids, currentPlan?.id].flatMap((id) => plans.find((plan) => plan.id === id) ?? [])[0] ?? plans[0]

/** A model whose name indicates a small model. `sameModelOption` if the plan has none with quota left. */
const chooseSmallModel = ({ models }: PlanView, modelCode: string, exhausted: ReadonlySet<string>): string =>
  findSmallModel(models, modelCode, exhausted) ?? sameModelOption

/** Id of the key, or of the plan's default key if the key is disabled, replaced or deleted. */
export const findWorkingKey = ({ keys, defaultKeyId }: PlanView, usedKeyId: string | undefined): string | undefined =>
  keys.find((key) => key.id === usedKeyId && isCurrentKey(key))?.id ?? defaultKeyId

/** Finds a key of a plan. Falls back to the plan's default key. */
export const chooseKey = ({ keys, defaultKeyId }: PlanView, requestedKeyId: string | undefined): string | undefined =>
  keys.find(({ id }) => id === requestedKeyId)?.id ?? defaultKeyId

/** State of a tool's form. Defaults come from the setup in use, else from the current plan and best delivery. */
export function resolveToolForm(
  props: FormInput<FormOverrides> & { readonly tool: ToolView },
): CompletedToolForm | undefined {
  const { tool, ...input } = props
  const { picked, listExhausted = listNone } = input
  const { applied } = tool
  const plan = findPlan(input, [picked.planId, applied?.planId])
  if (!plan) return undefined
  const exhausted = listExhausted(plan.id)
  const appliedToPlan = applied?.planId === plan.id ? applied : undefined
  const modelCode = picked.modelCode ?? appliedToPlan?.modelCode ?? findUsableModel(plan.models, exhausted) ?? ''
  const getUsedModel = (slotId: string): string | undefined =>
    appliedToPlan && appliedToPlan.slots[slotId] === appliedToPlan.modelCode
      ? sameModelOption
      : appliedToPlan?.slots[slotId]
  const slots = tool.slots.map(({ id, isSmall }) => [
    id,
    picked.slots?.[id] ??
      getUsedModel(id) ??
      (isSmall ? chooseSmallModel(plan, modelCode, exhausted) : sameModelOption),
  ])
  const offeredDeliveries = listDeliveries(tool)
  const isOffered = (delivery: Delivery | undefined): boolean =>
    delivery !== undefined && offeredDeliveries.includes(delivery)
  return {
    plan,
    keyId: picked.keyId ?? findWorkingKey(plan, appliedToPlan?.keyId),
    modelCode,
    slots: Object.fromEntries(slots),
    delivery: [picked.delivery, appliedToPlan?.delivery].find(isOffered) ?? offeredDeliveries[0] ?? 'plain',
    route: getRoute(tool, picked.route),
  }
}

/** Whether a text is a model code. Ignores surrounding blanks. */
export const isModelCode = (text: string): boolean => text.trim() !== '' && !/\s/.test(text.trim())

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
  // The contract requires slots that use the main model to be omitted.
  const slots = Object.entries(choice.slots).flatMap(([id, code]) =>
    code === sameModelOption ? [] : [[id, code.trim()] as const],
  )
  if (![choice.modelCode, ...slots.map(([, code]) => code)].every(isModelCode)) return undefined
  const site = 'site' in tool ? tool.site : userSite
  return {
    toolId: tool.id,
    ...(site.kind !== 'user' && { site }),
    planId: plan.id,
    ...keyChoice(plan, keyId),
    modelCode: choice.modelCode.trim(),
    ...(slots.length > 0 && { slots: Object.fromEntries(slots) }),
    delivery,
    // The contract requires the tool's default route to be omitted.
    ...(tool.routes.includes(route) && route !== tool.routes[0] && { route }),
    ...(picked.moveCommentsToCopy && { moveCommentsToCopy: true }),
    ...(picked.settingsToRemove?.length && { settingsToRemove: [...picked.settingsToRemove] }),
  }
}

export interface BulkFormOverrides extends Pick<FormOverrides, 'planId' | 'keyId' | 'modelCode' | 'route'> {
  /** Model code for the small-model slots of all tools, or `sameModelOption` to use the main model. */
  readonly smallModel?: string | undefined
  readonly single?:
    | Readonly<Record<string, Pick<FormOverrides, 'moveCommentsToCopy' | 'settingsToRemove'> | undefined>>
    | undefined
}

export interface BulkForm extends PlanChoice {
  readonly smallModel: string
}

/** State of the form for several tools. Defaults: the current plan, its default key and models with quota left. */
export function resolveBulkForm(input: FormInput<BulkFormOverrides>): BulkForm | undefined {
  const { picked, listExhausted = listNone } = input
  const plan = findPlan(input, [picked.planId])
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

/** Preview of several tools, with the best key delivery of each. Undefined without tools or a model code. */
export function buildBulkInput(
  tools: readonly ToolView[],
  choice: BulkForm | undefined,
  picked: BulkFormOverrides,
): MethodInput<'tools.previewMany'> | undefined {
  if (!choice || tools.length === 0 || ![choice.modelCode, choice.smallModel].every(isModelCode)) return undefined
  const choices = tools.flatMap((tool) => {
    const smallSlots = tool.slots.filter(({ isSmall }) => isSmall).map(({ id }) => [id, choice.smallModel])
    const [delivery = 'plain'] = listDeliveries(tool)
    const toolForm = { ...choice, slots: Object.fromEntries(smallSlots), delivery, route: getRoute(tool, picked.route) }
    return previewInput(tool, toolForm, picked.single?.[tool.id] ?? {}) ?? []
  })
  return { choices }
}

interface ToolsStore {
  readonly layout: DiffLayout
  /** By `setupKey`: values that the user has selected in a form but not applied. */
  readonly picked: Readonly<Record<string, FormOverrides | undefined>>
  readonly sought: ToolSearch
  readonly showsOthers: boolean
}

export const useToolsStore = create<ToolsStore>(() => ({
  layout: 'inline',
  picked: {},
  sought: { text: '', filter: 'all' },
  showsOthers: false,
}))

const { setState } = useToolsStore

/** Changes values in the form of a setup, given by its `setupKey`. */
export const pickInForm = (setup: string, change: FormOverrides): void =>
  setState(({ picked }) => ({ picked: { ...picked, [setup]: { ...picked[setup], ...change } } }))

export const resetForm = (setup: string): void =>
  setState(({ picked }) => ({ picked: { ...picked, [setup]: undefined } }))

export const searchTools = (change: Partial<ToolSearch>): void =>
  setState(({ sought }) => ({ sought: { ...sought, ...change } }))

/** State of a setup's form. Plan and model in the page address are preselected. */
export function useToolForm(tool: SiteTool) {
  const key = setupKey(tool.id, tool.site)
  const [query] = useSearchParams()
  const pickedInForm = useToolsStore((store) => store.picked[key])
  const picked: FormOverrides = {
    planId: query.get('plan') ?? undefined,
    modelCode: query.get('model') ?? undefined,
    ...pickedInForm,
  }
  const { data: plans = [] } = useCall('plans.list', {})
  const { listExhausted } = useModelQuotas()
  const choice = resolveToolForm({ tool, plans, currentPlan: useCurrentPlan(), picked, listExhausted })
  return { choice, picked, pick: (change: FormOverrides): void => pickInForm(key, change) }
}
