import type { Delivery, MethodInput, PlanView, Route, ToolChoice, ToolView } from '@shared/contract'
import { findSmallModel } from '@shared/small-model'
import { isCurrentKey } from '../connections/account'
import { type ToolHere, userSite } from './sites'

/** Explicit choices. Everything else has defaults from tool and plan. */
export interface FormOverrides {
  readonly planId?: string | undefined
  readonly keyId?: string | undefined
  readonly modelCode?: string | undefined
  /** By slot: a code, or `sameModel`. */
  readonly slots?: Readonly<Record<string, string>> | undefined
  readonly delivery?: Delivery | undefined
  readonly route?: Route | undefined
  readonly moveCommentsToCopy?: boolean | undefined
  /** Consent to a key in plain text. */
  readonly plainTextAccepted?: boolean | undefined
  /** Conflicting settings to remove, as dotted paths. */
  readonly takeOut?: readonly string[] | undefined
}

/** Value for "same as the model". No model code begins with a space. */
export const sameModel = ' same'

const bestFirst: readonly Delivery[] = ['helper', 'file', 'envFile', 'env', 'inTool', 'plain']

/** The ways a tool can get the key, the best first. */
export const listDeliveries = ({ deliveries }: Pick<ToolView, 'deliveries'>): readonly Delivery[] =>
  bestFirst.filter((delivery) => deliveries.includes(delivery))

const allRoutes = ['gateway', 'relay'] as const satisfies readonly Route[]

/** The route that a text names. */
export const readRoute = (text: string | null): Route | undefined => allRoutes.find((route) => route === text)

/** The ways a tool's requests can go, the usual one first: the relay listens for this system alone, not for one inside it. */
export const listRoutes = (tool: ToolView | ToolHere): readonly Route[] =>
  'site' in tool && tool.site.kind === 'wsl' ? tool.routes.filter((route) => route !== 'relay') : tool.routes

/** The route as main wants it named: only where it is not the tool's usual one. */
const routeChoice = ({ routes }: Pick<ToolView, 'routes'>, route: Route): Pick<ToolChoice, 'route'> =>
  routes.includes(route) && route !== routes[0] ? { route } : {}

/** A complete choice. */
export interface ToolFormState {
  readonly plan: PlanView
  /** Missing when the plan has no key. */
  readonly keyId: string | undefined
  readonly modelCode: string
  /** By slot: a code, or `sameModel`. */
  readonly slots: Readonly<Record<string, string>>
  readonly delivery: Delivery
  readonly route: Route
}

interface ToolFormInput {
  readonly tool: ToolView
  readonly plans: readonly PlanView[]
  /** The plan that the rest of the window works with. */
  readonly currentPlan: PlanView | undefined
  readonly picked: FormOverrides
}

/** The plan's model that is named like a small one, or `sameModel` where none is. */
const chooseSmallModel = ({ models }: PlanView, modelCode: string): string =>
  findSmallModel(models, modelCode) ?? sameModel

/** The key that is in use, unless it is disabled, replaced or gone: then the plan's default. */
export const findWorkingKey = ({ keys, defaultKeyId }: PlanView, used: string | undefined): string | undefined =>
  keys.find((key) => key.id === used && isCurrentKey(key))?.id ?? defaultKeyId

/** The key to use: the wanted one where the plan has it, else its default. */
export const chooseKey = ({ keys, defaultKeyId }: PlanView, wanted: string | undefined): string | undefined =>
  keys.find(({ id }) => id === wanted)?.id ?? defaultKeyId

type Applied = NonNullable<ToolView['applied']>

function chooseSlots(
  { tool, picked }: ToolFormInput,
  plan: PlanView,
  chosen: { modelCode: string; inUse: Applied | undefined },
) {
  const { modelCode, inUse } = chosen
  const used = (id: string): string | undefined =>
    inUse?.slots[id] === inUse?.modelCode ? inUse && sameModel : inUse?.slots[id]
  return Object.fromEntries(
    tool.slots.map(({ id, isSmall }) => [
      id,
      picked.slots?.[id] ?? used(id) ?? (isSmall ? chooseSmallModel(plan, modelCode) : sameModel),
    ]),
  )
}

/** Fills in defaults: plan in use or current plan, its default key, first model, small model by name, best key delivery. */
export function resolveToolForm(ground: ToolFormInput): ToolFormState | undefined {
  const { tool, plans, currentPlan, picked } = ground
  const { applied } = tool
  const byId = (id: string | undefined): PlanView | undefined => plans.find((plan) => plan.id === id)
  const plan = byId(picked.planId) ?? byId(applied?.planId) ?? byId(currentPlan?.id) ?? plans[0]
  if (!plan) return undefined
  const inUse = applied?.planId === plan.id ? applied : undefined
  const modelCode = picked.modelCode ?? inUse?.modelCode ?? plan.models[0] ?? ''
  const offered = listDeliveries(tool)
  const isOffered = (delivery: Delivery | undefined): boolean => delivery !== undefined && offered.includes(delivery)
  const routes = listRoutes(tool)
  return {
    plan,
    keyId: picked.keyId ?? findWorkingKey(plan, inUse?.keyId),
    modelCode,
    slots: chooseSlots(ground, plan, { modelCode, inUse }),
    delivery: [picked.delivery, inUse?.delivery].find(isOffered) ?? offered[0] ?? 'plain',
    route: routes.find((route) => route === (picked.route ?? applied?.route)) ?? routes[0] ?? 'gateway',
  }
}

/** Whether a text can be a model code, once spaces around it are gone. */
export const isModelCode = (text: string): boolean => text.trim() !== '' && !/\s/.test(text.trim())

/** The chosen codes by slot as main wants them: those that are the model's own are left out. */
const slotCodes = (slots: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(slots).flatMap(([id, code]) => (code === sameModel ? [] : [[id, code.trim()] as const])),
  )

/** The key as main wants it named: only where a plan has several. */
export const keyChoice = (plan: PlanView, keyId: string | undefined): Pick<ToolChoice, 'keyId'> =>
  plan.keys.length > 1 && keyId !== undefined ? { keyId } : {}

/** The choice as the main process wants it, or nothing while a model code is missing. */
export function previewInput(
  tool: ToolView | ToolHere,
  choice: ToolFormState | undefined,
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
    ...(picked.takeOut && picked.takeOut.length > 0 && { takeOut: [...picked.takeOut] }),
  }
}

/** Choices for several tools and for single ones. */
export interface BulkFormOverrides
  extends Pick<FormOverrides, 'planId' | 'keyId' | 'modelCode' | 'route' | 'plainTextAccepted'> {
  /** For every slot for small jobs: a code, or `sameModel`. */
  readonly smallModel?: string | undefined
  readonly single?:
    | Readonly<Record<string, Pick<FormOverrides, 'moveCommentsToCopy' | 'takeOut'> | undefined>>
    | undefined
}

/** A complete choice for several tools. */
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
}

/** Fills in defaults: current plan, its default key, first model, small model by name. */
export function completeMany({ plans, currentPlan, picked }: BulkFormInput): BulkForm | undefined {
  const byId = (id: string | undefined): PlanView | undefined => plans.find((plan) => plan.id === id)
  const plan = byId(picked.planId) ?? byId(currentPlan?.id) ?? plans[0]
  if (!plan) return undefined
  const modelCode = picked.modelCode ?? plan.models[0] ?? ''
  return {
    plan,
    keyId: chooseKey(plan, picked.keyId),
    modelCode,
    smallModel: picked.smallModel ?? chooseSmallModel(plan, modelCode),
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
  choice: BulkForm | undefined,
  picked: BulkFormOverrides,
): MethodInput<'tools.previewMany'> | undefined {
  if (!choice || tools.length === 0 || !isModelCode(choice.modelCode)) return undefined
  const { plan, keyId, smallModel } = choice
  if (smallModel !== sameModel && !isModelCode(smallModel)) return undefined
  return {
    choices: tools.map((tool) => {
      const [delivery] = listDeliveries(tool)
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
