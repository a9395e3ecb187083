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
import { getToolStatusKind } from '@shared/tool-status'
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
import { getToolStatus, listSetups } from '../tools'

type Check = NonNullable<PlanView['lastCheck']>

interface PlanName {
  readonly id: string
  readonly name: string
}

/** A plan with its end, and how far the server's clock is ahead. */
type EndingPlan = PlanName & Pick<AccountPlanView, 'expiresAt' | 'aheadMs'>

interface ModelShortage {
  readonly plan: PlanName
  readonly model: string
  readonly modelCode: string
  readonly allowance: AllowanceKind
  /** Names of the plan's models that still have quota. */
  readonly usableModels: readonly string[]
}

/** Data for the text and button of each kind of problem. */
interface Needs {
  toolUnreadable: { readonly tool: ToolView; readonly problem: Failure | undefined }
  keyStopped: { readonly tool: ToolView; readonly setup: SetupView; readonly problem: KeyProblem }
  keyMissing: { readonly plan: PlanView }
  planFailing: { readonly plan: PlanView; readonly check: Check & { readonly ok: false } }
  rotationStuck: { readonly rotation: RotationView }
  rotationWaiting: { readonly rotation: RotationView }
  keyImported: { readonly imported: ImportedKeyView }
  /** Another computer rotated a key, and the tools of this computer could not be switched to the new key. */
  keySwitch: { readonly rotation: TeamRotation; readonly failure: Failure }
  relayOff: { readonly tools: readonly ToolView[] }
  toolDrifted: { readonly tool: ToolView }
  toolOverridden: { readonly tool: ToolView }
  toolFailing: { readonly tool: ToolView; readonly check: Check & { readonly ok: false } }
  sandboxStopped: { readonly plan: PlanView; readonly failure: Failure | undefined }
  consoleFailing: { readonly connection: ConnectionView; readonly failure: Failure }
  noKeychain: { readonly platform: AppView['platform'] }
  planExpiring: { readonly plan: EndingPlan }
  planExpired: { readonly plan: EndingPlan }
  renewalFailing: { readonly plan: EndingPlan }
  /** The plan ends within a week and does not renew. */
  endsSoon: { readonly plan: EndingPlan }
  /** Credits do not cover the renewal within a week. `missing` is in VND. */
  creditsShort: { readonly plan: EndingPlan; readonly missing: number }
  exhausted: ModelShortage & { readonly localPlanId: string | undefined }
  nearlyExhausted: ModelShortage
  /** Several plans with the same problem. `names`: those of the first plans. */
  many: (typeof groupedKinds)[number] & { readonly count: number; readonly names: readonly string[] }
}

export type AttentionItemOfKind<K extends keyof Needs> = { [Kind in K]: { readonly kind: Kind } & Needs[Kind] }[K]

/** A problem that the user should solve. */
export type AttentionItem = AttentionItemOfKind<keyof Needs>

interface ConsoleState {
  readonly connection: ConnectionView
  readonly plans: readonly AccountPlanView[]
  readonly account: AccountView | undefined
  readonly failure: Failure | undefined
}

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
  const { expiresAt, lastCheck } = plan
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
  if (expiresAt !== undefined && remainingMs <= 0) return { kind: 'planExpired', plan: { ...plan, expiresAt } }
  if (lastCheck?.ok === false) return { kind: 'planFailing', plan, check: lastCheck }
  return expiresAt !== undefined && remainingMs <= expiringSoonMs
    ? { kind: 'planExpiring', plan: { ...plan, expiresAt } }
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

/** Kinds that are combined when several plans have the problem, and the part of the plan list that shows them. */
const groupedKinds = [
  { what: 'keyMissing', filter: 'all', sortBy: 'status' },
  { what: 'planFailing', filter: 'all', sortBy: 'status' },
  { what: 'planExpiring', filter: 'expiring', sortBy: 'expires' },
  { what: 'planExpired', filter: 'expired', sortBy: 'expires' },
  { what: 'renewalFailing', filter: 'active', sortBy: 'status' },
  { what: 'exhausted', filter: 'active', sortBy: 'left' },
  { what: 'nearlyExhausted', filter: 'active', sortBy: 'left' },
  { what: 'endsSoon', filter: 'expiring', sortBy: 'expires' },
  { what: 'creditsShort', filter: 'expiring', sortBy: 'expires' },
] as const

/** An expiry is reported for this time in ms if no local tool uses the plan. */
const recentMs = 30 * dayMs

function findModelShortage(plan: AccountPlanView, level: 'out' | 'low'): ModelShortage | undefined {
  const model = tightestModel(plan.models)
  const shortAllowance = model && allowanceKinds.find((kind) => readAllowance(model, kind).level === level)
  return (
    shortAllowance && {
      plan: toEndingPlan(plan),
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

const toEndingPlan = ({ planId: id, name, expiresAt, aheadMs }: AccountPlanView): EndingPlan => {
  return { id, name, expiresAt, aheadMs }
}

function findEndNeed(plan: AccountPlanView, { credits, currentTime }: AccountState): AttentionItem | undefined {
  if (Date.parse(plan.expiresAt) - currentTime.getTime() > expiringSoonMs) return undefined
  if (!plan.autoRenew) return { kind: 'endsSoon', plan: toEndingPlan(plan) }
  const missing = credits === undefined ? 0 : plan.total - credits
  return missing > 0 ? { kind: 'creditsShort', plan: toEndingPlan(plan), missing } : undefined
}

function findAccountPlanNeed(plan: AccountPlanView, moment: AccountState): AttentionItem | undefined {
  if (plan.status === 'EXPIRED') {
    const isRecent = moment.currentTime.getTime() - Date.parse(plan.expiresAt) <= recentMs
    return isRecent || plan.usedBy.length > 0 ? { kind: 'planExpired', plan: toEndingPlan(plan) } : undefined
  }
  if (plan.renewal) return { kind: 'renewalFailing', plan: toEndingPlan(plan) }
  const exhaustedShortage = findModelShortage(plan, 'out')
  if (exhaustedShortage) return { kind: 'exhausted', localPlanId: plan.localPlanId, ...exhaustedShortage }
  const end = findEndNeed(plan, moment)
  if (end) return end
  const lowShortage = findModelShortage(plan, 'low')
  return lowShortage && { kind: 'nearlyExhausted', ...lowShortage }
}

/** Maximum number of plans with the same problem that get an item each. */
const maxSeparateItems = 3

/** Maximum names in a combined item. */
const maxNamedPlans = 2

/** Combines items of more than three plans with the same problem into one, so that other items stay visible. */
function groupNeeds(needs: readonly AttentionItem[]): readonly AttentionItem[] {
  const groups = groupedKinds.flatMap((group): AttentionItemOfKind<'many'>[] => {
    const names = needs.flatMap((need) => (need.kind === group.what ? [need.plan.name] : []))
    return names.length > maxSeparateItems
      ? [{ kind: 'many', ...group, count: names.length, names: names.slice(0, maxNamedPlans) }]
      : []
  })
  return [...needs.filter(({ kind }) => !groups.some(({ what }) => what === kind)), ...groups]
}
