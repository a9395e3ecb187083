import { hourMs, minuteMs } from '@shared/durations'
import { type Locale, translator } from '../core/i18n'
import { type FoundNotices, findNotices, type Subject, toAlertMessage } from '../core/notices'
import type { Clock, Log } from '../core/ports'
import { type AlertMemory, type AlertMessage, emptyAlertMemory } from '../core/settings/records'
import type { Settings } from '../core/settings/settings'
import { yieldToEventLoop } from '../core/work-queue'
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
import type { Ledger } from '../usage/ports'
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

/** Data of accounts, read once an hour. */
interface AccountFacts {
  readonly plans: readonly ReminderPlan[]
  readonly keys: readonly KeyAge[]
}

/** Time span in ms in which many failed requests cause an alert. */
const burstMs = 10 * minuteMs

/**
 * Watches quota, budgets, failing requests, expiring plans, failed rotations and keys. Delivers notices once per
 * episode, also to the webhook, which has its own memory.
 */
export class AlertWatch {
  #account: { readonly atMs: number; readonly maxAgeMs: number; readonly facts: AccountFacts } | undefined

  constructor(
    private readonly core: AlertCore,
    private readonly parts: AlertWatchParts,
  ) {}

  /** Everything that applies now. Sends and remembers nothing. */
  async list(): Promise<readonly AlertMessage[]> {
    const find = await this.#readSubjects()
    return find('oldKey')(emptyAlertMemory).notices.map((notice) => toAlertMessage(notice, this.parts.clock()))
  }

  /** Delivers new notices, and begins to send them to the webhook. */
  async check(): Promise<void> {
    const { webhook } = this.core
    const { deliver, omittedKind } = this.parts
    const find = await this.#readSubjects()
    deliver(find(omittedKind))
    if (!webhook.isOn()) return
    webhook.enqueue(find('oldKey'))
    void webhook.flush()
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
    const options = { nowMs, locale: this.parts.locale(), toCurrentKey: (of: string) => identity.renamed(of) }
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
    const { connections } = this.core
    const identity = new PlanIdentity(
      this.core.plans.list(),
      (id) => connections.list().find((connection) => connection.id === id)?.addresses.consoleUrl,
    )
    return { plans, requests, budgets: limits, identity, nowMs }
  }

  async #readAccount(): Promise<AccountFacts> {
    const nowMs = this.parts.clock().getTime()
    const sinceMs = nowMs - (this.#account?.atMs ?? Number.NEGATIVE_INFINITY)
    if (this.#account && sinceMs >= 0 && sinceMs < this.#account.maxAgeMs) return this.#account.facts
    const { plans, account, connections, settings } = this.core
    const [expiring, keys] = await Promise.allSettled([
      settings.read().reminders.enabled
        ? reminderPlans({ plans, account, connectionIds: () => connections.consoleIds() })
        : { plans: [], isComplete: true },
      this.#readKeys(settings.read()),
    ])
    for (const result of [expiring, keys])
      if (result.status === 'rejected') this.parts.log.error('alerts.account', result.reason)
    const facts = {
      plans: expiring.status === 'fulfilled' ? expiring.value.plans : [],
      keys: keys.status === 'fulfilled' ? keys.value.keys : [],
    }
    const isComplete = [expiring, keys].every((result) => result.status === 'fulfilled' && result.value.isComplete)
    // While accounts are unreachable, for example before the network is up, read them again with the next check.
    this.#account = { atMs: nowMs, maxAgeMs: isComplete ? hourMs : minuteMs, facts }
    return facts
  }

  /** Keys that are old or not confirmed. Those of other computers only for a lead. */
  async #readKeys({ team, register: notes, handouts }: Settings) {
    const { loadTeam, loadTools, plans } = this.core
    const isLead = team !== undefined
    const isWaiting = notes.some((note) => note.handedOutAt && !note.acknowledgedAt)
    // Another lead may have entered a confirmation code, so remind of none while the team database is unreachable.
    const isCurrent = !isLead || !isWaiting || (await isResolved((await loadTeam()).sync()))
    const entries = isLead || isWaiting ? await (await loadTools()).register.list() : []
    const keys = [
      ...localKeyAges(plans.list()),
      ...(isLead ? remoteKeyAges(entries) : []),
      ...(isCurrent ? unconfirmedKeyAges(entries, handouts) : []),
    ]
    return { keys, isComplete: isCurrent }
  }
}

const isResolved = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  )

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
