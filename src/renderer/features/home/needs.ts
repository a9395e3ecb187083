import type {
  AccountPlanView,
  AccountView,
  AppView,
  ConnectionView,
  PlanView,
  RotationView,
  SandboxView,
  ToolView,
} from '@shared/contract'
import type { Failure } from '@shared/failure'
import { nowThere } from '../../relative-time'
import { needsPerson } from '../rotation/progress'
import { setupsOf } from '../tools/sites'
import { getToolStatus } from '../tools/tool-status'
import {
  type AccountNeed,
  type End,
  type ManyNeed,
  manyAsOne,
  needOfAccountPlan,
  type PlanName,
  soonMs,
} from './account-needs'

type Check = NonNullable<PlanView['lastCheck']>

/** Something that wants a person's hand now, with all that its words and its remedy need. */
export type Need =
  | { readonly kind: 'toolUnreadable'; readonly tool: ToolView; readonly problem: Failure | undefined }
  | { readonly kind: 'keyMissing'; readonly plan: PlanView }
  | ({ readonly kind: 'planExpired'; readonly plan: PlanName } & End)
  | { readonly kind: 'planFailing'; readonly plan: PlanView; readonly check: Check & { readonly ok: false } }
  | { readonly kind: 'rotationStuck'; readonly rotation: RotationView }
  | { readonly kind: 'relayOff'; readonly tools: readonly ToolView[] }
  | { readonly kind: 'toolDrifted'; readonly tool: ToolView }
  | { readonly kind: 'toolFailing'; readonly tool: ToolView; readonly check: Check & { readonly ok: false } }
  | { readonly kind: 'sandboxStopped'; readonly plan: PlanView; readonly failure: Failure | undefined }
  | ({ readonly kind: 'planExpiring'; readonly plan: PlanName } & End)
  | { readonly kind: 'consoleFailing'; readonly connection: ConnectionView; readonly failure: Failure }
  | { readonly kind: 'noKeychain'; readonly platform: AppView['platform'] }
  | AccountNeed
  | ManyNeed

/** What a connection's console told, or why it did not. */
export interface ConsoleSituation {
  readonly connection: ConnectionView
  readonly plans: readonly AccountPlanView[]
  readonly account: AccountView | undefined
  readonly failure: Failure | undefined
}

/** What is known about the machine; absent while it is being asked for. */
export interface Situation {
  readonly app?: AppView | undefined
  readonly plans?: readonly PlanView[] | undefined
  readonly tools?: readonly ToolView[] | undefined
  readonly sandbox?: SandboxView | undefined
  /** The console of the connection in use, as far as it answered. */
  readonly console?: ConsoleSituation | undefined
  readonly rotations?: readonly RotationView[] | undefined
  /** The last verification of each tool in this session, by tool id. */
  readonly verifications?: Readonly<Record<string, Check | undefined>> | undefined
}

/** What is wrong with one plan: at most one thing, the first cause. */
function needOfPlan(plan: PlanView, sandbox: SandboxView | undefined, now: Date): Need | undefined {
  const { expiresAt, lastCheck, aheadMs } = plan
  if (plan.keys.length === 0 || plan.keys.some(({ kept }) => kept === 'missing')) return { kind: 'keyMissing', plan }
  // Its gateway is only there while the sandbox runs: until then no other word about it says anything.
  if (plan.source === 'sandbox' && sandbox?.state !== 'running') {
    const isDown = sandbox?.state === 'stopped' || sandbox?.state === 'failed'
    return isDown ? { kind: 'sandboxStopped', plan, failure: sandbox.failure } : undefined
  }
  const leftMs =
    expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - nowThere(now, plan).getTime()
  if (expiresAt !== undefined && leftMs <= 0) return { kind: 'planExpired', plan, expiresAt, aheadMs }
  if (lastCheck?.ok === false) return { kind: 'planFailing', plan, check: lastCheck }
  return expiresAt !== undefined && leftMs <= soonMs ? { kind: 'planExpiring', plan, expiresAt, aheadMs } : undefined
}

function needOfTool(tool: ToolView, check: Check | undefined): Need | undefined {
  const { status, problem } = getToolStatus(tool)
  if (status === 'unreadable') return { kind: 'toolUnreadable', tool, problem }
  if (status === 'drifted') return { kind: 'toolDrifted', tool }
  return tool.status === 'configured' && !tool.relayOff && check?.ok === false
    ? { kind: 'toolFailing', tool, check }
    : undefined
}

/** One line for all tools that go through a relay that does not run. */
function needOfRelay(tools: readonly ToolView[]): Need | undefined {
  const stuck = tools.filter((tool) => setupsOf(tool).some(({ relayOff }) => relayOff))
  return stuck.length === 0 ? undefined : { kind: 'relayOff', tools: stuck }
}

/** The needs of all plans: the account's word on a plan goes before what is known of it here. */
function needsOfPlans({ plans = [], sandbox, console }: Situation, now: Date): readonly (Need | undefined)[] {
  const local = new Map(plans.map((plan) => [plan.id, plan]))
  const told = console?.plans ?? []
  const joined = new Set(told.map(({ localPlanId }) => localPlanId))
  return [
    ...told.map((plan) => {
      const here = local.get(plan.localPlanId ?? '')
      const need = needOfAccountPlan(plan, { credits: console?.account?.credits, now: nowThere(now, plan) })
      if (!here || need?.kind === 'planExpired') return need
      const needHere = needOfPlan({ ...here, expiresAt: undefined }, sandbox, now)
      // A failed check tells less than what the account says; a key that is gone, or a sandbox that does not run, more.
      return needHere?.kind === 'planFailing' ? (need ?? needHere) : (needHere ?? need)
    }),
    ...plans.filter(({ id }) => !joined.has(id)).map((plan) => needOfPlan(plan, sandbox, now)),
  ]
}

/** A console that does not answer; that of a sandbox which does not run is no news. */
function needOfConsole({ console, sandbox }: Situation): Need | undefined {
  if (!console?.failure || (console.connection.isBuiltIn && sandbox?.state !== 'running')) return undefined
  return { kind: 'consoleFailing', connection: console.connection, failure: console.failure }
}

const order: readonly Need['kind'][] = [
  'toolUnreadable',
  'keyMissing',
  'relayOff',
  'rotationStuck',
  'planExpired',
  'renewalFailing',
  'exhausted',
  'planFailing',
  'toolFailing',
  'toolDrifted',
  'sandboxStopped',
  'consoleFailing',
  'planExpiring',
  'endsSoon',
  'creditsShort',
  'nearlyExhausted',
  'noKeychain',
]

/** A line for many stands where each of them would. */
const placeOf = (need: Need): number => order.indexOf(need.kind === 'many' ? need.what : need.kind)

/** What needs a person now, what stops work first; empty when all is in order. */
export function needsNow(situation: Situation, now: Date): readonly Need[] {
  const { app, tools = [], verifications = {}, rotations = [] } = situation
  const found = [
    ...tools.map((tool) => needOfTool(tool, verifications[tool.id])),
    needOfRelay(tools),
    ...needsOfPlans(situation, now),
    ...rotations.filter(needsPerson).map((rotation): Need => ({ kind: 'rotationStuck', rotation })),
    needOfConsole(situation),
    app?.vault.kind === 'session' ? ({ kind: 'noKeychain', platform: app.platform } as const) : undefined,
  ].filter((need) => need !== undefined)
  return manyAsOne(found).toSorted((a, b) => placeOf(a) - placeOf(b))
}
