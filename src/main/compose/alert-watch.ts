import { randomUUID } from 'node:crypto'
import { hourMs } from '@shared/durations'
import { type Locale, translator } from '../core/i18n'
import { type AlertMemory, type AlertMessage, emptyAlertMemory } from '../core/settings/records'
import type { Settings } from '../core/settings/settings'
import {
  findAgedKeys,
  formatKeyReminder,
  type KeyAge,
  unconfirmedKeyAges,
  updateShownReminders,
} from '../keys/rotation/stale-keys'
import {
  addShownReminders,
  findReminders,
  formatReminder,
  type NotificationText,
  type ReminderPlan,
  reminderPlans,
} from '../plans/account/reminders'
import {
  type Alert,
  type AlertInput,
  type AlertSources,
  findAlerts,
  formatAlert,
  readAlertInput,
} from '../usage/quota/alerts'
import type { DueMessages } from '../usage/quota/webhook'
import type { Core } from './compose'

type AlertCore = Pick<Core, 'account' | 'connections' | 'loadTeam' | 'loadTools' | 'plans' | 'settings' | 'webhook'>

interface AlertWatchParts extends Pick<AlertSources, 'quota' | 'ledger' | 'budgets' | 'log' | 'clock'> {
  readonly locale: () => Locale
}

/** Data of accounts, read once an hour. */
interface AccountFacts {
  readonly plans: readonly ReminderPlan[]
  readonly keys: readonly KeyAge[]
}

type MessageFields = Omit<AlertMessage, 'id' | 'title' | 'text' | 'at'>

interface AlertFacts extends AccountFacts {
  readonly alertInput: AlertInput
}

/**
 * Alerts for the webhook and `companion alerts`: quota, budgets, failing requests, expiring plans, failed rotations and
 * unconfirmed keys. Uses the settings of the notifications, but has its own memory.
 */
export class AlertWatch {
  #memory: AlertMemory = emptyAlertMemory
  #account: { readonly atMs: number; readonly facts: AccountFacts } | undefined

  constructor(
    private readonly core: AlertCore,
    private readonly parts: AlertWatchParts,
  ) {}

  /** Everything that applies now. Sends and remembers nothing. */
  async list(): Promise<readonly AlertMessage[]> {
    return this.#findDue(await this.#readFacts(), emptyAlertMemory).messages
  }

  /** Sends new messages to the webhook, if there is one. Returns the messages that this object did not return yet. */
  async check(): Promise<readonly AlertMessage[]> {
    const { webhook } = this.core
    const facts = await this.#readFacts()
    const findDue = (memory: AlertMemory): DueMessages => this.#findDue(facts, memory)
    webhook.enqueue(findDue)
    await webhook.flush()
    const { messages, memory } = findDue(this.#memory)
    this.#memory = memory
    return messages
  }

  async #readFacts(): Promise<AlertFacts> {
    const { plans, connections, settings } = this.core
    const getPlatformAddress = (id: string) =>
      connections.list().find((connection) => connection.id === id)?.addresses.consoleUrl
    const [alertInput, accountFacts] = await Promise.all([
      readAlertInput({ ...this.parts, plans, getPlatformAddress }),
      this.#readAccount(settings.read()),
    ])
    return { alertInput, ...accountFacts }
  }

  async #readAccount(settings: Settings): Promise<AccountFacts> {
    const nowMs = this.parts.clock().getTime()
    const sinceMs = nowMs - (this.#account?.atMs ?? Number.NEGATIVE_INFINITY)
    if (this.#account && sinceMs >= 0 && sinceMs < hourMs) return this.#account.facts
    const { plans, account, connections } = this.core
    const connectionIds = () => connections.consoleIds()
    const [expiring, keys] = await Promise.allSettled([
      reminderPlans({ plans, account, connectionIds, getPath: () => '' }),
      this.#readUnconfirmedKeys(settings),
    ])
    for (const result of [expiring, keys])
      if (result.status === 'rejected') this.parts.log.error('alerts.account', result.reason)
    const facts = {
      plans: expiring.status === 'fulfilled' ? expiring.value.plans : [],
      keys: keys.status === 'fulfilled' ? keys.value : [],
    }
    const isComplete = expiring.status === 'fulfilled' && expiring.value.isComplete && keys.status === 'fulfilled'
    this.#account = isComplete ? { atMs: nowMs, facts } : undefined
    return facts
  }

  async #readUnconfirmedKeys({ register, handouts, team }: Settings): Promise<readonly KeyAge[]> {
    if (!register.some((note) => note.handedOutAt && !note.acknowledgedAt)) return []
    // Another lead may have entered a confirmation code. Fails if the lead space does not respond.
    if (team !== undefined) await (await this.core.loadTeam()).sync()
    return unconfirmedKeyAges(await (await this.core.loadTools()).register.list(), handouts)
  }

  #findDue({ alertInput, plans, keys }: AlertFacts, memory: AlertMemory): DueMessages {
    const { alerts: record, reminders, rotations } = this.core.settings.read()
    const locale = this.parts.locale()
    const t = translator(locale)
    const { nowMs } = alertInput
    const at = new Date(nowMs).toISOString()
    const toMessage = ({ title, body }: NotificationText, fields: MessageFields): AlertMessage => ({
      id: randomUUID(),
      ...fields,
      title,
      text: body,
      at,
    })
    const { settings } = record
    const { alerts, episodes } = settings.enabled
      ? findAlerts(alertInput, { settings, episodes: memory.episodes })
      : { alerts: [], episodes: memory.episodes }
    const { pendingReminders, newReminders } = findReminders(reminders.enabled ? plans : [], {
      days: reminders.days,
      shown: memory.reminders,
      localMs: nowMs,
    })
    const unconfirmedKeys = findAgedKeys(keys, [], { currentTime: new Date(nowMs), shown: memory.keys })
    const failedRotations = rotations.flatMap((rotation) => {
      const isStuck = rotation.state === 'stopped' && rotation.tools.some(({ state }) => state === 'failed')
      if (rotation.state !== 'failed' && !isStuck) return []
      const steps = [...rotation.steps, ...rotation.undoSteps].filter(({ state }) => state === 'failed')
      return [{ rotation, mark: [rotation.id, ...steps.map(({ id }) => id)].join(' ') }]
    })
    return {
      messages: [
        ...alerts.map((alert) => toMessage(formatAlert(alert, locale), describeAlert(alert))),
        ...pendingReminders.map((reminder) =>
          toMessage(formatReminder(reminder, locale), { kind: 'expiry', plan: reminder.planName }),
        ),
        ...failedRotations
          .filter(({ mark }) => !memory.rotations.includes(mark))
          .map(({ rotation: { planName: plan, oldKey } }) => {
            const values = { plan, key: oldKey.name }
            const text = { title: t('rotationFailed.title', values), body: t('rotationFailed.body', values) }
            return toMessage(text, { kind: 'rotation', ...values })
          }),
        ...unconfirmedKeys.map((key) =>
          toMessage(formatKeyReminder(key, locale), { kind: 'key', plan: key.planName, key: key.keyName }),
        ),
      ],
      memory: {
        episodes: [...episodes],
        reminders: addShownReminders(memory.reminders, newReminders, nowMs),
        // Without an answer of the account the keys are unknown, so forget none.
        keys: keys.length === 0 ? memory.keys : updateShownReminders(memory.keys, unconfirmedKeys, keys),
        rotations: failedRotations.map(({ mark }) => mark),
      },
    }
  }
}

function describeAlert(alert: Alert): MessageFields {
  if (alert.kind === 'budget') return { kind: 'budget', budget: alert.budget.name, percent: alert.percent }
  const { planName: plan, modelCode: model } = alert
  if (alert.kind === 'threshold') return { kind: 'quota', plan, model, percent: alert.percent }
  return { kind: alert.kind === 'forecast' ? 'forecast' : 'errors', plan, model }
}

/** A message that shows whether the webhook works. */
export function createTestMessage(locale: Locale): AlertMessage {
  const t = translator(locale)
  const [title, text] = [t('webhookTest.title'), t('webhookTest.body')]
  return { id: randomUUID(), kind: 'test', title, text, at: new Date().toISOString() }
}
