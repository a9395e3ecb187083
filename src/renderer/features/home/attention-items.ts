import type {
  AccountPlanView,
  AccountView,
  AppView,
  ConnectionView,
  ImportedKeyView,
  KeyProblem,
  PlanView,
  RotationView,
  SandboxView,
  SetupView,
  TeamRotation,
  TeamView,
  ToolView,
} from '@shared/contract'
import { dayMs } from '@shared/durations'
import type { Failure } from '@shared/failure'
import { toServerTime } from '../../relative-time'
import {
  type AllowanceKind,
  allowanceKinds,
  expiringSoonMs,
  modelShare,
  readAllowance,
  tightestModel,
} from '../connections/account'
import { isHandoverOpen, needsUserAction } from '../keys/rotation'
import { getToolStatus, getToolStatusKind, listSetups } from '../tools'

type Check = NonNullable<PlanView['lastCheck']>

/** A problem that the user should solve, with the data for its text and button. */
export type AttentionItem =
  | { readonly kind: 'toolUnreadable'; readonly tool: ToolView; readonly problem: Failure | undefined }
  | { readonly kind: 'keyStopped'; readonly tool: ToolView; readonly setup: SetupView; readonly problem: KeyProblem }
  | { readonly kind: 'keyMissing'; readonly plan: PlanView }
  | { readonly kind: 'planFailing'; readonly plan: PlanView; readonly check: Check & { readonly ok: false } }
  | { readonly kind: 'rotationStuck'; readonly rotation: RotationView }
  | { readonly kind: 'rotationWaiting'; readonly rotation: RotationView }
  | { readonly kind: 'keyImported'; readonly imported: ImportedKeyView }
  /** Another computer rotated a key, and the tools of this computer could not be switched to the new key. */
  | { readonly kind: 'keySwitch'; readonly rotation: TeamRotation; readonly failure: Failure }
  | { readonly kind: 'relayOff'; readonly tools: readonly ToolView[] }
  | { readonly kind: 'toolDrifted'; readonly tool: ToolView }
  | { readonly kind: 'toolOverridden'; readonly tool: ToolView }
  | { readonly kind: 'toolFailing'; readonly tool: ToolView; readonly check: Check & { readonly ok: false } }
  | { readonly kind: 'sandboxStopped'; readonly plan: PlanView; readonly failure: Failure | undefined }
  | ({ readonly kind: 'planExpiring'; readonly plan: PlanName } & PlanEnd)
  | { readonly kind: 'consoleFailing'; readonly connection: ConnectionView; readonly failure: Failure }
  | { readonly kind: 'noKeychain'; readonly platform: AppView['platform'] }
  | AccountNeed
  | NeedGroup

interface ConsoleState {
  readonly connection: ConnectionView
  readonly plans: readonly AccountPlanView[]
  readonly account: AccountView | undefined
  readonly failure: Failure | undefined
}

export type AttentionItemOfKind<K extends AttentionItem['kind']> = Extract<AttentionItem, { readonly kind: K }>

/** Data about this computer. Undefined while loading. */
interface AttentionInput {
  readonly app?: AppView | undefined
  readonly plans?: readonly PlanView[] | undefined
  readonly tools?: readonly ToolView[] | undefined
  readonly sandbox?: SandboxView | undefined
  /** Responses of the active connection's console. Undefined if it has not responded. */
  readonly console?: ConsoleState | undefined
  readonly rotations?: readonly RotationView[] | undefined
  readonly team?: TeamView | undefined
  readonly imported?: readonly ImportedKeyView[] | undefined
  /** Result of the last verification since the window opened, by tool id. */
  readonly verifications?: Readonly<Record<string, Check | undefined>> | undefined
}

function findPlanNeed(plan: PlanView, sandbox: SandboxView | undefined, currentTime: Date): AttentionItem | undefined {
  const { expiresAt, lastCheck, aheadMs } = plan
  if (plan.keys.length === 0 || plan.keys.some(({ kept }) => kept === 'missing')) return { kind: 'keyMissing', plan }
  // If the sandbox is stopped, its gateway is unreachable, which causes all other problems of its plan. Report only
  // this one.
  if (plan.source === 'sandbox' && sandbox?.state !== 'running') {
    const isSandboxDown = sandbox?.state === 'stopped' || sandbox?.state === 'failed'
    return isSandboxDown ? { kind: 'sandboxStopped', plan, failure: sandbox.failure } : undefined
  }
  const remainingMs =
    expiresAt === undefined
      ? Number.POSITIVE_INFINITY
      : Date.parse(expiresAt) - toServerTime(currentTime, plan).getTime()
  if (expiresAt !== undefined && remainingMs <= 0) return { kind: 'planExpired', plan, expiresAt, aheadMs }
  if (lastCheck?.ok === false) return { kind: 'planFailing', plan, check: lastCheck }
  return expiresAt !== undefined && remainingMs <= expiringSoonMs
    ? { kind: 'planExpiring', plan, expiresAt, aheadMs }
    : undefined
}

function findToolNeed(tool: ToolView, check: Check | undefined): AttentionItem | undefined {
  const mainSetup = getToolStatus(tool)
  const { status, problem } = mainSetup
  if (status === 'unreadable') return { kind: 'toolUnreadable', tool, problem }
  const keyProblem = status === 'configured' ? mainSetup.applied?.keyProblem : undefined
  if (keyProblem) return { kind: 'keyStopped', tool, setup: mainSetup, problem: keyProblem }
  if (status === 'drifted') return { kind: 'toolDrifted', tool }
  if (getToolStatusKind(mainSetup) === 'overridden') return { kind: 'toolOverridden', tool }
  return tool.status === 'configured' && !tool.relayOff && check?.ok === false
    ? { kind: 'toolFailing', tool, check }
    : undefined
}

/** Problems of plans. If account and local data disagree, uses the account's data. */
function listPlanNeeds(
  { plans = [], sandbox, console }: AttentionInput,
  currentTime: Date,
): readonly (AttentionItem | undefined)[] {
  const localPlansById = new Map(plans.map((plan) => [plan.id, plan]))
  const consolePlans = console?.plans ?? []
  const joinedIds = new Set(consolePlans.map(({ localPlanId }) => localPlanId))
  return [
    ...consolePlans.map((plan) => {
      const localPlan = localPlansById.get(plan.localPlanId ?? '')
      const accountNeed = findAccountPlanNeed(plan, {
        credits: console?.account?.credits,
        currentTime: toServerTime(currentTime, plan),
      })
      if (!localPlan || accountNeed?.kind === 'planExpired') return accountNeed
      const localNeed = findPlanNeed({ ...localPlan, expiresAt: undefined }, sandbox, currentTime)
      // The account's problem replaces a failed local check, but not a missing key or a stopped sandbox.
      return localNeed?.kind === 'planFailing' ? (accountNeed ?? localNeed) : (localNeed ?? accountNeed)
    }),
    ...plans.filter(({ id }) => !joinedIds.has(id)).map((plan) => findPlanNeed(plan, sandbox, currentTime)),
  ]
}

/** Tone of each kind of problem, most urgent first. */
export const needTones: Readonly<Record<Exclude<AttentionItem['kind'], 'many'>, 'danger' | 'warning'>> = {
  toolUnreadable: 'danger',
  keyStopped: 'danger',
  keyMissing: 'danger',
  relayOff: 'danger',
  rotationStuck: 'warning',
  keySwitch: 'danger',
  planExpired: 'danger',
  renewalFailing: 'danger',
  exhausted: 'danger',
  planFailing: 'danger',
  toolFailing: 'danger',
  toolOverridden: 'danger',
  toolDrifted: 'warning',
  keyImported: 'warning',
  rotationWaiting: 'warning',
  sandboxStopped: 'warning',
  consoleFailing: 'warning',
  planExpiring: 'warning',
  endsSoon: 'warning',
  creditsShort: 'warning',
  nearlyExhausted: 'warning',
  noKeychain: 'warning',
}

const order = Object.keys(needTones)

/** Sort position of an item. An item for several plans has the position of its kind of problem. */
const getOrderIndex = (need: AttentionItem): number => order.indexOf(need.kind === 'many' ? need.what : need.kind)

/** All attention items, most urgent first. Empty if everything is fine. */
export function listAttentionItems(situation: AttentionInput, currentTime: Date): readonly AttentionItem[] {
  const teamRotations = situation.team?.state === 'joined' ? situation.team.rotations : []
  const { app, tools = [], verifications = {}, rotations = [], imported = [], console, sandbox } = situation
  const relayTools = tools.filter((tool) => listSetups(tool).some(({ relayOff }) => relayOff))
  // The console of a stopped sandbox cannot respond.
  const isConsoleExpected = console && (!console.connection.isBuiltIn || sandbox?.state === 'running')
  const allNeeds = [
    ...tools.map((tool) => findToolNeed(tool, verifications[tool.id])),
    relayTools.length > 0 ? ({ kind: 'relayOff', tools: relayTools } as const) : undefined,
    ...listPlanNeeds(situation, currentTime),
    ...rotations.filter(needsUserAction).map((rotation): AttentionItem => ({ kind: 'rotationStuck', rotation })),
    ...rotations.filter(isHandoverOpen).map((rotation): AttentionItem => ({ kind: 'rotationWaiting', rotation })),
    ...imported.map((importedKey): AttentionItem => ({ kind: 'keyImported', imported: importedKey })),
    ...teamRotations.flatMap((rotation): AttentionItem[] => {
      const failure = rotation.switchHere?.failure
      return failure ? [{ kind: 'keySwitch', rotation, failure }] : []
    }),
    isConsoleExpected && console.failure
      ? ({ kind: 'consoleFailing', connection: console.connection, failure: console.failure } as const)
      : undefined,
    app?.vault.kind === 'session' ? ({ kind: 'noKeychain', platform: app.platform } as const) : undefined,
  ].filter((need) => need !== undefined)
  return groupNeeds(allNeeds).toSorted((a, b) => getOrderIndex(a) - getOrderIndex(b))
}

interface PlanName {
  readonly id: string
  readonly name: string
}

interface ModelShortage {
  readonly model: string
  readonly modelCode: string
  readonly allowance: AllowanceKind
  /** Names of the plan's models that still have quota. */
  readonly usableModels: readonly string[]
}

export type PlanEnd = Pick<AccountPlanView, 'expiresAt' | 'aheadMs'>

type AccountNeed =
  | ({ readonly kind: 'planExpired'; readonly plan: PlanName } & PlanEnd)
  | ({ readonly kind: 'renewalFailing'; readonly plan: PlanName } & PlanEnd)
  | ({ readonly kind: 'exhausted'; readonly plan: PlanName; readonly localPlanId: string | undefined } & ModelShortage)
  | ({ readonly kind: 'nearlyExhausted'; readonly plan: PlanName } & ModelShortage)
  /** The plan ends within a week and does not renew. */
  | ({ readonly kind: 'endsSoon'; readonly plan: PlanName } & PlanEnd)
  /** Credits do not cover the renewal within a week. `missing` is in VND. */
  | ({ readonly kind: 'creditsShort'; readonly plan: PlanName; readonly missing: number } & PlanEnd)

/** Kinds that are combined into one item when several plans have the problem. */
const groupedKinds = [
  'keyMissing',
  'planFailing',
  'planExpiring',
  'planExpired',
  'renewalFailing',
  'exhausted',
  'nearlyExhausted',
  'endsSoon',
  'creditsShort',
] as const

/** A single item for several plans with the same problem. */
interface NeedGroup {
  readonly kind: 'many'
  readonly what: (typeof groupedKinds)[number]
  readonly count: number
  /** Names of the first plans or tools of the combined item. */
  readonly names: readonly string[]
}

/** An expiry is reported for this time in ms if no local tool uses the plan. */
const recentMs = 30 * dayMs

function findModelShortage(plan: AccountPlanView, level: 'out' | 'low'): ModelShortage | undefined {
  const model = tightestModel(plan.models)
  const shortAllowance = model && allowanceKinds.find((kind) => readAllowance(model, kind).level === level)
  return (
    shortAllowance && {
      model: model.displayName,
      modelCode: model.modelCode,
      allowance: shortAllowance,
      usableModels: plan.models.filter((other) => modelShare(other) > 0).map(({ displayName }) => displayName),
    }
  )
}

interface AccountState {
  /** Credits in VND. Undefined while unknown. */
  readonly credits: number | undefined
  /** Current time by the server's clock. */
  readonly currentTime: Date
}

function findEndNeed(plan: AccountPlanView, { credits, currentTime }: AccountState): AccountNeed | undefined {
  const { planId: id, name, expiresAt, aheadMs, autoRenew, total } = plan
  if (Date.parse(expiresAt) - currentTime.getTime() > expiringSoonMs) return undefined
  if (!autoRenew) return { kind: 'endsSoon', plan: { id, name }, expiresAt, aheadMs }
  const missingCredits = credits === undefined ? 0 : total - credits
  return missingCredits > 0
    ? { kind: 'creditsShort', plan: { id, name }, expiresAt, aheadMs, missing: missingCredits }
    : undefined
}

function findAccountPlanNeed(plan: AccountPlanView, moment: AccountState): AccountNeed | undefined {
  const { expiresAt, aheadMs } = plan
  const name = { id: plan.planId, name: plan.name }
  if (plan.status === 'EXPIRED') {
    const isRecent = moment.currentTime.getTime() - Date.parse(expiresAt) <= recentMs
    return isRecent || plan.usedBy.length > 0 ? { kind: 'planExpired', plan: name, expiresAt, aheadMs } : undefined
  }
  if (plan.renewal) return { kind: 'renewalFailing', plan: name, expiresAt, aheadMs }
  const exhaustedShortage = findModelShortage(plan, 'out')
  if (exhaustedShortage) return { kind: 'exhausted', plan: name, localPlanId: plan.localPlanId, ...exhaustedShortage }
  const end = findEndNeed(plan, moment)
  if (end) return end
  const lowShortage = findModelShortage(plan, 'low')
  return lowShortage && { kind: 'nearlyExhausted', plan: name, ...lowShortage }
}

/** Maximum number of plans with the same problem that get an item each. */
const maxSeparateItems = 3

/** Maximum names in a combined item. */
const maxNamedPlans = 2

/** Combines items of more than three plans with the same problem into one, so that other items stay visible. */
function groupNeeds<N extends { readonly kind: string; readonly plan?: PlanName }>(
  needs: readonly N[],
): readonly (N | NeedGroup)[] {
  const groupNeeds = groupedKinds.flatMap((needKind): NeedGroup[] => {
    const names = needs.flatMap(({ kind, plan }) => (kind === needKind && plan ? [plan.name] : []))
    return names.length > maxSeparateItems
      ? [{ kind: 'many', what: needKind, count: names.length, names: names.slice(0, maxNamedPlans) }]
      : []
  })
  return [...needs.filter(({ kind }) => !groupNeeds.some(({ what }) => what === kind)), ...groupNeeds]
}
