import type { AppView, PlanView, SandboxView, ToolView } from '@shared/contract'
import type { Failure } from '@shared/failure'

type Check = NonNullable<PlanView['lastCheck']>

/** Something that wants a person's hand now, with all that its words and its remedy need. */
export type Need =
  | { readonly kind: 'toolUnreadable'; readonly tool: ToolView; readonly problem: Failure | undefined }
  | { readonly kind: 'keyMissing'; readonly plan: PlanView }
  | { readonly kind: 'planExpired'; readonly plan: PlanView; readonly expiresAt: string }
  | { readonly kind: 'planFailing'; readonly plan: PlanView; readonly check: Check & { readonly ok: false } }
  | { readonly kind: 'toolDrifted'; readonly tool: ToolView }
  | { readonly kind: 'toolFailing'; readonly tool: ToolView; readonly check: Check & { readonly ok: false } }
  | { readonly kind: 'sandboxStopped'; readonly plan: PlanView; readonly failure: Failure | undefined }
  | { readonly kind: 'planExpiring'; readonly plan: PlanView; readonly expiresAt: string }
  | { readonly kind: 'noKeychain'; readonly platform: AppView['platform'] }

/** What is known about the machine; absent while it is being asked for. */
export interface Situation {
  readonly app?: AppView | undefined
  readonly plans?: readonly PlanView[] | undefined
  readonly tools?: readonly ToolView[] | undefined
  readonly sandbox?: SandboxView | undefined
  /** The last verification of each tool in this session, by tool id. */
  readonly verifications?: Readonly<Record<string, Check | undefined>> | undefined
}

/** From how long before its end a plan is worth a word, in ms. */
export const expiryNoticeMs = 7 * 24 * 3_600_000

/** What is wrong with one plan: at most one thing, the first cause. */
function needOfPlan(plan: PlanView, sandbox: SandboxView | undefined, now: Date): Need | undefined {
  const { expiresAt, lastCheck } = plan
  if (plan.keys.length === 0 || plan.keys.some(({ kept }) => kept === 'missing')) return { kind: 'keyMissing', plan }
  // Its gateway is only there while the sandbox runs: until then no other word about it says anything.
  if (plan.source === 'sandbox' && sandbox?.state !== 'running') {
    const isDown = sandbox?.state === 'stopped' || sandbox?.state === 'failed'
    return isDown ? { kind: 'sandboxStopped', plan, failure: sandbox.failure } : undefined
  }
  const leftMs = expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - now.getTime()
  if (expiresAt !== undefined && leftMs <= 0) return { kind: 'planExpired', plan, expiresAt }
  if (lastCheck?.ok === false) return { kind: 'planFailing', plan, check: lastCheck }
  return expiresAt !== undefined && leftMs <= expiryNoticeMs ? { kind: 'planExpiring', plan, expiresAt } : undefined
}

function needOfTool(tool: ToolView, check: Check | undefined): Need | undefined {
  if (tool.status === 'unreadable') return { kind: 'toolUnreadable', tool, problem: tool.problem }
  if (tool.status === 'drifted') return { kind: 'toolDrifted', tool }
  return tool.status === 'configured' && check?.ok === false ? { kind: 'toolFailing', tool, check } : undefined
}

const order: readonly Need['kind'][] = [
  'toolUnreadable',
  'keyMissing',
  'planExpired',
  'planFailing',
  'toolFailing',
  'toolDrifted',
  'sandboxStopped',
  'planExpiring',
  'noKeychain',
]

/** What needs a person now, what stops work first; empty when all is in order. */
export function needsNow(
  { app, plans = [], tools = [], sandbox, verifications = {} }: Situation,
  now: Date,
): readonly Need[] {
  const found = [
    ...tools.map((tool) => needOfTool(tool, verifications[tool.id])),
    ...plans.map((plan) => needOfPlan(plan, sandbox, now)),
    app?.vault.kind === 'session' ? ({ kind: 'noKeychain', platform: app.platform } as const) : undefined,
  ].filter((need) => need !== undefined)
  return found.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
}
