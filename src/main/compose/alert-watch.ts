import { hourMs, minuteMs } from '@shared/durations'
import { type Locale, translator } from '../core/i18n'
import { type FoundNotices, findNotices, type Subject, toAlertMessage } from '../core/notices'
import type { Clock, Log } from '../core/ports'
import { type AlertEpisode, type AlertMemory, type AlertMessage, emptyAlertMemory } from '../core/settings/records'
import type { Settings } from '../core/settings/settings'
import { isFulfilled, yieldToEventLoop } from '../core/work-queue'
import {
  type KeyAge,
  listKeySubjects,
  localKeyAges,
  remoteKeyAges,
  unconfirmedKeyAges,
} from '../keys/rotation/stale-keys'
import { listExpirySubjects, type ReminderPlan, reminderPlans } from '../plans/account/reminders'
import { PlanIdentity } from '../plans/plan-directory'
import type { Budgets } from '../relay/budgets/budgets'
import type { Ledger } from '../usage/ledger-client'
import { type AlertInput, listAlertSubjects } from '../usage/quota/alerts'
import type { QuotaService } from '../usage/quota/quota'
import type { Core } from './compose'

type AlertCore = Pick<Core, 'account' | 'connections' | 'loadTeam' | 'loadTools' | 'plans' | 'settings' | 'webhook'>

/** Finds the notices that are due, given the memory of earlier ones. */
type FindNotices = (memory: AlertMemory) => FoundNotices

interface AlertWatchParts {
  readonly quota: Pick<QuotaService, 'list'>
  readonly ledger: Pick<Ledger, 'countSince'>
  readonly budgets: Pick<Budgets, 'list'>
  readonly log: Log
  readonly clock: Clock
  readonly locale: () => Locale
  /** Subjects that are not delivered. The webhook gets none of old keys, and the window shows failed rotations itself. */
  readonly omittedKind: 'oldKey' | 'rotation'
  readonly deliver: (find: FindNotices) => void
}

/** Kinds of episodes that are identified by a plan. */
const planKinds: readonly Subject['kind'][] = ['threshold', 'forecast', 'errorBurst']

/** Time span in ms in which many failed requests cause an alert. */
const burstMs = 10 * minuteMs

/**
 * Watches quota, budgets, failing requests, expiring plans, failed rotations and keys. Delivers notices once per
 * episode, also to the webhook, which has its own memory.
 */
export class AlertWatch {
  /** Last read of the accounts. */
  #accountRead: { readonly atMs: number; readonly isComplete: boolean } | undefined

  constructor(
    private readonly core: AlertCore,
    private readonly parts: AlertWatchParts,
  ) {}

  /** Everything that applies now. Sends and remembers nothing. */
  async list(): Promise<readonly AlertMessage[]> {
    const find = await this.#readSubjects()
    return find('oldKey')(emptyAlertMemory).notices.map((notice) => toAlertMessage(notice, this.parts.clock()))
  }

  /** Delivers new notices, and begins to send those for the webhook. Reads accounts once an hour. */
  async check(): Promise<void> {
    const { webhook } = this.core
    const { deliver, omittedKind } = this.parts
    const find = await this.#readSubjects()
    deliver(find(omittedKind))
    if (webhook.isOn() && webhook.enqueue(find('oldKey'))) void webhook.flush()
  }

  async #readSubjects(): Promise<(omittedKind: Subject['kind']) => FindNotices> {
    const [alertInput, { plans, keys }] = await Promise.all([this.#readAlertInput(), this.#readAccount()])
    const { alerts, reminders, keyReminders, rotations } = this.core.settings.read()
    const { nowMs, identity } = alertInput
    const subjects = [
      ...(alerts.settings.enabled ? listAlertSubjects(alertInput, alerts.settings) : []),
      ...(reminders.enabled ? listExpirySubjects(plans, reminders.days, nowMs) : []),
      ...rotations.flatMap(toRotationSubjects),
      ...listKeySubjects(keys, keyReminders.days, nowMs),
    ]
    const toCurrentKey = ({ kind, of }: AlertEpisode) => (planKinds.includes(kind) ? identity.renamed(of) : of)
    const options = { nowMs, locale: this.parts.locale(), toCurrentKey }
    return (omittedKind) => (memory) =>
      findNotices(
        subjects.filter(({ kind }) => kind !== omittedKind),
        memory,
        options,
      )
  }

  /** Reads quotas, budgets and failed requests. Leaves out a source that fails. */
  async #readAlertInput(): Promise<AlertInput> {
    const { clock, log, quota, ledger, budgets } = this.parts
    const nowMs = clock().getTime()
    const listOrLog = <T>(list: Promise<readonly T[]>): Promise<readonly T[]> =>
      list.catch((error: unknown) => {
        log.error('alerts.look', error)
        return []
      })
    const [plans, requests, limits] = await Promise.all([
      listOrLog(quota.list()),
      listOrLog(ledger.countSince(nowMs - burstMs)),
      listOrLog(budgets.list()),
    ])
    await yieldToEventLoop()
    const connections = this.core.connections.list()
    const consoleUrls = new Map(connections.map(({ id, addresses }) => [id, addresses.consoleUrl]))
    const identity = new PlanIdentity(this.core.plans.list(), (id) => consoleUrls.get(id))
    return { plans, requests, budgets: limits, identity, nowMs }
  }

  /** Reads plans and keys. Empty between two reads, because older data may cause a wrong reminder. */
  async #readAccount(): Promise<{ readonly plans: readonly ReminderPlan[]; readonly keys: readonly KeyAge[] }> {
    const nowMs = this.parts.clock().getTime()
    // While accounts are unreachable, for example before the network is up, read them again with the next check.
    const pauseMs = this.#accountRead?.isComplete ? hourMs : minuteMs
    const elapsedMs = nowMs - (this.#accountRead?.atMs ?? Number.NEGATIVE_INFINITY)
    if (elapsedMs >= 0 && elapsedMs < pauseMs) return { plans: [], keys: [] }
    const { plans, account, connections, settings } = this.core
    const [expiring, keys] = await Promise.allSettled([
      settings.read().reminders.enabled
        ? reminderPlans({ plans: plans.list(), account, connectionIds: connections.consoleIds() })
        : { plans: [], isComplete: true },
      this.#readKeys(settings.read()),
    ])
    for (const result of [expiring, keys])
      if (result.status === 'rejected') this.parts.log.error('alerts.account', result.reason)
    const isComplete = [expiring, keys].every((result) => result.status === 'fulfilled' && result.value.isComplete)
    this.#accountRead = { atMs: nowMs, isComplete }
    return {
      plans: expiring.status === 'fulfilled' ? expiring.value.plans : [],
      keys: keys.status === 'fulfilled' ? keys.value.keys : [],
    }
  }

  /** Keys that are old or not confirmed. Those of other computers only for a lead. */
  async #readKeys({ team, register: notes, handouts }: Settings) {
    const { loadTeam, loadTools, plans } = this.core
    const isLead = team !== undefined
    const isWaiting = notes.some((note) => note.handedOutAt && !note.acknowledgedAt)
    // Another lead may have entered a confirmation code, so remind of none while the team database is unreachable.
    const isCurrent = !isLead || !isWaiting || (await isFulfilled((await loadTeam()).sync()))
    const entries = isLead || isWaiting ? await (await loadTools()).register.list() : []
    const keys = [
      ...localKeyAges(plans.list()),
      ...(isLead ? remoteKeyAges(entries) : []),
      ...(isCurrent ? unconfirmedKeyAges(entries, handouts) : []),
    ]
    return { keys, isComplete: isCurrent }
  }
}

function toRotationSubjects({
  id,
  planName: plan,
  oldKey,
  state,
  steps,
  undoSteps,
  tools,
}: Settings['rotations'][number]) {
  const isStuck = state === 'stopped' && tools.some((tool) => tool.state === 'failed')
  if (state !== 'failed' && !isStuck) return []
  const failedSteps = [...steps, ...undoSteps].filter((step) => step.state === 'failed')
  const values = { plan, key: oldKey.name }
  const subject: Subject = {
    kind: 'rotation',
    of: [id, ...failedSteps.map((step) => step.id)].join(' '),
    rank: 1,
    describe: (locale) => ({
      title: translator(locale)('rotationFailed.title', values),
      body: translator(locale)('rotationFailed.body', values),
      path: '/register/rotations',
      name: oldKey.name,
      group: 'rotations',
      facts: { kind: 'rotation', ...values },
    }),
  }
  return [subject]
}

/** A message that shows whether the webhook works. */
export function createTestMessage(locale: Locale): AlertMessage {
  const t = translator(locale)
  return toAlertMessage(
    { title: t('webhookTest.title'), body: t('webhookTest.body'), facts: { kind: 'test' } },
    new Date(),
  )
}
