import type { BudgetSubject, BudgetView, MetricsView, WebhookView } from '@shared/contract'
import { BudgetInput, WebhookFormat } from '@shared/contract/quota'
import { OtlpInput } from '@shared/contract/relay'
import { InvalidArgumentError } from 'commander'
import type { AlertWatch } from '../compose/alert-watch'
import { formatExactTime } from '../core/local-time'
import { type Sleep, sleepMs, withAbort } from '../core/net/deadline'
import { toAlertMessage } from '../core/notices'
import { Secret } from '../core/secret'
import { type AlertMessage, emptyAlertMemory } from '../core/settings/records'
import { resolveLocale } from '../core/settings/window-settings'
import type { Budgets } from '../relay/budgets/budgets'
import type { Ledger } from '../usage/ledger-client'
import { alertIntervalMs } from '../usage/quota/alerts'
import type { QuotaService } from '../usage/quota/quota'
import type { CommandContext, CommandOptions, ContextCommand, Program } from './context'
import { defineUsageCommand } from './lazy-commands'
import { findPlanKey } from './options'
import {
  type Columns,
  formatInteger,
  inputError,
  jsonText,
  listLines,
  listResult,
  printOutput,
  type Result,
  toSingleLine,
} from './output'
import type { UsageContext } from './usage-show'

/** `companion usage`. `--line` loads as little as possible, because shells run it with every prompt. */
export function addUsageCommand(program: ContextCommand<UsageContext>): void {
  defineUsageCommand(program).perform(async (context, options) => {
    if (!options.line) return (await import('./usage-show')).showUsage(context, options)
    const line = await context.tightestLine(options.plan)
    // Print nothing for unknown quotas, because shell prompts include the line.
    printOutput(context.output, { line: line ?? null }, () => (line === undefined ? [] : [toSingleLine(line)]))
  })
}

type BudgetContext = Pick<CommandContext, 'core' | 'output' | 'budgets' | 'close'>

export function addBudgetCommands(program: ContextCommand<BudgetContext>): void {
  const budget = program.add('budget', 'limits for requests through the relay')
  for (const [name, description, columns] of [
    ['list', 'list the budgets', budgetColumns],
    ['status', 'show how much of each budget is used', statusColumns],
  ] as const)
    budget.add(name, description).run(async ({ budgets }) => {
      const emptyText = 'There are no budgets yet. "companion budget set NAME --limit TOKENS" adds one.'
      return listResult(await (await budgets()).list(), columns, emptyText)
    })
  defineSetCommand(budget).run(setBudget)
  budget.add('remove <budget>', 'remove a budget', 'name or id').run(async (parts, nameOrId) => {
    const budgets = await parts.budgets()
    const { id, name } = budgets.find(nameOrId)
    budgets.remove(id)
    return [{ removed: id }, [`Removed budget ${name}.`]]
  })
}

const defineSetCommand = (budget: ContextCommand<BudgetContext>) =>
  budget
    .add('set <name>', 'add or change a budget', 'new name, or name or id of an existing budget')
    .value('--limit <amount>', 'number of tokens or requests (20000, 20k, 1.5M)', readLimit)
    .value('--unit <unit>', 'unit (default: tokens)', ['tokens', 'requests'])
    .value('--per <period>', 'period (default: day)', ['day', 'week', 'cycle'])
    .value('--action <action>', 'what the relay does when it is used up (default: warn)', ['warn', 'refuse'])
    .value('--plan <plan>', 'limit this plan (name or id)')
    .value('--key <key>', 'limit this key of --plan (name or id)')
    .value('--tool <id>', 'limit this tool')
    .value('--model <code>', 'limit this model')
    .value('--person <name>', 'limit the keys of this holder')
    .value('--rename <name>', 'new name')

type BudgetOptions = CommandOptions<ReturnType<typeof defineSetCommand>>

async function setBudget(context: BudgetContext, name: string, options: BudgetOptions): Promise<Result> {
  const budgets = await context.budgets()
  const allBudgets = await budgets.list()
  const existingBudget =
    allBudgets.find(({ id }) => id === name) ??
    allBudgets.find((budget) => budget.name.toLowerCase() === name.toLowerCase())
  const subject = toSubject(context, options) ?? existingBudget?.subject
  const limit = options.limit ?? existingBudget?.limit
  if (subject === undefined)
    throw inputError('Choose what to limit: --plan, --plan with --key, --tool, --model or --person.', 'plan')
  if (limit === undefined) throw inputError('Set the limit with --limit.', 'limit')
  const parsedInput = BudgetInput.safeParse({
    ...(existingBudget ? { id: existingBudget.id } : {}),
    name: options.rename ?? existingBudget?.name ?? name,
    subject,
    limit,
    unit: options.unit ?? existingBudget?.unit ?? 'tokens',
    period: options.per ?? existingBudget?.period ?? 'day',
    action: options.action ?? existingBudget?.action ?? 'warn',
  })
  if (!parsedInput.success) throw inputError(nameRuleMessage, String(parsedInput.error.issues[0]?.path[0] ?? 'name'))
  const { id } = await budgets.save(parsedInput.data)
  const savedBudget = (await budgets.list()).find((budget) => budget.id === id)
  return [savedBudget, listLines(savedBudget ? [savedBudget] : [], budgetColumns)]
}

function toSubject(
  { core }: BudgetContext,
  { plan, key, tool, model, person }: BudgetOptions,
): BudgetSubject | undefined {
  const subjectOptions = [plan, tool, model, person].filter((option) => option !== undefined)
  if (subjectOptions.length > 1 || (key !== undefined && plan === undefined))
    throw inputError('A budget has one subject: --plan, --plan with --key, --tool, --model or --person.', 'plan')
  if (tool !== undefined) return { kind: 'tool', toolId: tool }
  if (model !== undefined) return { kind: 'model', modelCode: model }
  if (person !== undefined) return { kind: 'person', name: person }
  if (plan === undefined) return undefined
  const foundPlan = core.plans.find(plan)
  const { id: planId } = foundPlan
  return key === undefined ? { kind: 'plan', planId } : { kind: 'key', planId, keyId: findPlanKey(foundPlan, key).id }
}

const nameRuleMessage = 'Invalid name: 1 to 60 characters (holders 100). Model codes contain no spaces.'

const budgetColumns: Columns<BudgetView> = {
  BUDGET: ({ name }) => name,
  FOR: ({ subject, subjectName }) => `${subject.kind} ${subjectName ?? '(removed)'}`,
  LIMIT: ({ limit, unit }) => `${formatInteger(limit)} ${unit}`,
  PER: ({ period }) => period,
  'WHEN USED UP': ({ action }) => action,
  ID: ({ id }) => id,
}

const statusColumns: typeof budgetColumns = {
  BUDGET: ({ name }) => name,
  USED: ({ used }) => formatInteger(used),
  LIMIT: ({ limit, unit }) => `${formatInteger(limit)} ${unit}`,
  PERCENT: ({ used, limit }) => `${Math.floor((used / limit) * 100)}%`,
  UNTIL: ({ to }) => formatExactTime(to),
  STATE: ({ used, limit, action }) => (used < limit ? 'ok' : action === 'refuse' ? 'refusing' : 'used up'),
}

const multipliers: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, b: 1e9 }

function readLimit(text: string): number {
  const [, digits, letter = ''] = /^(\d{1,13}(?:\.\d{1,3})?)([kmb]?)$/i.exec(text) ?? []
  const limit = Math.round(Number(digits) * (multipliers[letter.toLowerCase()] ?? 1) * 1000) / 1000
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= 1e12) return limit
  throw new InvalidArgumentError('Enter a whole number from 1 to 1,000,000,000,000, such as 20000, 20k or 1.5M.')
}

interface AlertContext extends Pick<CommandContext, 'core' | 'output' | 'readStdin' | 'close'> {
  readonly quota: (timeoutMs: number) => Promise<Pick<QuotaService, 'list'>>
  readonly budgets: () => Promise<Pick<Budgets, 'list'>>
  readonly ledger: () => Promise<Pick<Ledger, 'countSince'>>
}

/** Maximum wait for a console in ms. */
const consoleTimeoutMs = 10_000

/** `companion alerts` and `companion webhook`. */
export function addAlertCommands(program: ContextCommand<AlertContext>, sleep: Sleep = sleepMs): void {
  program
    .add('alerts', 'list what needs attention: quota, budgets, expiry, failed rotations, unconfirmed keys')
    .flag('--watch', 'check every 5 minutes, print new alerts and send them to the webhook until Ctrl+C')
    .perform(async (context, { watch }) => {
      if (watch) return watchAlerts(context, sleep)
      const messages = await (await createWatch(context)).list()
      printOutput(context.output, messages, () => (messages.length === 0 ? ['No alerts.'] : messages.map(toLine)))
    })
  const webhook = program.add('webhook', 'send alerts to Slack, Microsoft Teams or your own service')
  webhook
    .add('status', 'show where alerts go and the last delivery')
    .run(({ core }) => formatWebhook(core.webhook.get()))
  webhook
    .add('set', 'set the webhook. Reads its address from the first line of standard input')
    .valueOr('--format <format>', 'receiver', WebhookFormat.options, 'json')
    .flag('--token', 'send a bearer token, on the second line of standard input')
    .flag('--yes', 'do not ask (for scripts)')
    .run(async ({ core, readStdin }, { format, token: hasToken = false, yes }) => {
      const [address = '', token = ''] = (await readStdin()).split(/\r?\n/).map((line) => line.trim())
      if (address === '') throw inputError('Give the address on standard input.', 'address')
      const given = {
        address: new Secret(address),
        ...(hasToken && token !== '' ? { token: new Secret(token) } : {}),
      }
      return formatWebhook(await core.webhook.set({ format, hasToken }, given, yes))
    })
  webhook.add('test', 'send a test message').run(async ({ core }) => {
    const { createTestMessage } = await import('../compose/alert-watch')
    const result = await core.webhook.test(createTestMessage(findLocale(core)))
    return [result, [`Test message delivered (${result.durationMs} ms).`]]
  })
  webhook
    .add('remove', 'stop sending, and delete the address and the token')
    .run(async ({ core }) => formatWebhook(await core.webhook.remove()))
}

const findLocale = ({ settings }: CommandContext['core']) =>
  resolveLocale(settings.read().language, [process.env.LC_ALL || process.env.LC_MESSAGES || process.env.LANG || ''])

function formatWebhook(view: WebhookView): Result {
  if (view.webhook === undefined) return [view, ['Webhook: off']]
  const { origin, format, hasToken, pendingCount, lastSentAt, lastFailure } = view.webhook
  const lines = [
    `Webhook: ${toSingleLine(origin)} (${format}${hasToken ? ', with a token' : ''})`,
    `Last delivery: ${lastSentAt === undefined ? 'none' : formatExactTime(lastSentAt)}`,
    ...(pendingCount === 0 ? [] : [`Waiting: ${pendingCount}`]),
    ...(lastFailure === undefined
      ? []
      : [`Last failure: ${formatExactTime(lastFailure.at)}: ${toSingleLine(lastFailure.failure.message)}`]),
  ]
  return [view, lines]
}

/** Creates a watch that adds new alerts to `newMessages`. */
async function createWatch(parts: AlertContext, newMessages: AlertMessage[] = []): Promise<AlertWatch> {
  const { core } = parts
  const { AlertWatch } = await import('../compose/alert-watch')
  const clock = (): Date => new Date()
  let printed = emptyAlertMemory
  return new AlertWatch(core, {
    quota: await parts.quota(consoleTimeoutMs),
    ledger: await parts.ledger(),
    budgets: await parts.budgets(),
    log: core.log,
    clock,
    locale: () => findLocale(core),
    omittedKind: 'oldKey',
    deliver: (find) => {
      const { notices, memory } = find(printed)
      newMessages.push(...notices.map((notice) => toAlertMessage(notice, clock())))
      printed = memory
    },
  })
}

const toLine = ({ title, text }: AlertMessage): string => toSingleLine(`${title}: ${text}`)

/** Checks until a signal. Prints one line per new alert, and each new failure of the webhook to standard error. */
async function watchAlerts(parts: AlertContext, sleep: Sleep): Promise<void> {
  const { core, output } = parts
  const ending = new AbortController()
  const stop = (): void => {
    core.webhook.stop()
    ending.abort()
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const newMessages: AlertMessage[] = []
  const alertWatch = await createWatch(parts, newMessages)
  let lastFailedAt: string | undefined
  const check = async (): Promise<void> => {
    await alertWatch.check()
    await core.webhook.flush()
    for (const message of newMessages.splice(0))
      output.out(`${output.isJson ? jsonText(message) : `${formatExactTime(message.at)} ${toLine(message)}`}\n`)
    const failed = core.webhook.get().webhook?.lastFailure
    if (failed && failed.at !== lastFailedAt) output.err(`companion: ${toSingleLine(failed.failure.message)}\n`)
    lastFailedAt = failed?.at
  }
  try {
    for (;;) {
      await withAbort(check(), ending.signal)
      await sleep(alertIntervalMs, ending.signal)
    }
  } catch (error) {
    if (!ending.signal.aborted) throw error
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
  }
}

export function addMetricsCommands(program: Program): void {
  const metrics = program.add('metrics', 'relay metrics for Prometheus and OpenTelemetry')
  metrics.add('status', 'show where metrics go').run(({ core }) => formatMetrics(core.metrics.get()))
  for (const isEnabled of [true, false]) {
    metrics
      .add(
        isEnabled ? 'on' : 'off',
        isEnabled ? 'serve /metrics for Prometheus on the port of the relay' : 'stop serving /metrics',
      )
      .run(async ({ core }) => formatMetrics(await core.metrics.setPrometheus({ isOn: isEnabled })))
  }
  metrics
    .add('token', 'print the token for /metrics (for a scrape configuration)')
    .perform(async ({ core, output }) => {
      output.out(`${(await core.metrics.token()).expose()}\n`)
    })
  metrics
    .add(
      'send <endpoint>',
      'send metrics by OTLP (HTTP/protobuf) every minute',
      'address of a collector, such as https://collector.example.com:4318',
    )
    .flag('--spans', 'also send one span per request')
    .valueOr('--auth <kind>', 'how to sign in', ['none', 'bearer', 'basic', 'header'], 'none')
    .value('--header <name>', 'name of the header, with --auth header')
    .flag('--secret-stdin', 'read the token, base64 text or header value from standard input')
    .flag('--yes', 'do not ask (for scripts)')
    .run(async ({ core, readStdin }, endpoint, options) => {
      const { auth, header, spans = false, secretStdin, yes } = options
      const kind = auth === 'header' ? { kind: auth, name: header ?? '' } : { kind: auth }
      const input = OtlpInput.safeParse({ endpoint, sendsSpans: spans, ...(auth === 'none' ? {} : { auth: kind }) })
      const message = 'Set the header name with --header: letters, digits and dashes.'
      if (!input.success) throw inputError(message, 'header')
      const secret = secretStdin ? new Secret((await readStdin()).trim()) : undefined
      return formatMetrics(await core.metrics.setOtlp(input.data, secret, yes))
    })
  metrics
    .add('stop', 'stop sending metrics by OTLP')
    .run(async ({ core }) => formatMetrics(await core.metrics.removeOtlp()))
}

function formatMetrics(view: MetricsView): Result {
  const { prometheus, otlp } = view
  const spans = otlp?.sendsSpans ? ', with spans' : ''
  const lines = [
    prometheus.isOn ? `Prometheus: on, at ${prometheus.address}` : 'Prometheus: off',
    otlp ? `OTLP: sent to ${toSingleLine(otlp.endpoint)}${spans}` : 'OTLP: off',
  ]
  return [view, lines]
}
