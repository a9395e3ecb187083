import type { WebhookFormat, WebhookView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { type Command, Option } from 'commander'
import type { AlertWatch } from '../compose/alert-watch'
import { formatExactTime } from '../core/local-time'
import { type Sleep, sleepMs, withAbort } from '../core/net/deadline'
import { Secret } from '../core/secret'
import type { AlertMessage } from '../core/settings/records'
import { resolveLocale } from '../core/settings/window-settings'
import type { Budgets } from '../relay/budgets/budgets'
import type { Ledger } from '../usage/ports'
import { alertIntervalMs } from '../usage/quota/alerts'
import type { QuotaService } from '../usage/quota/quota'
import { addCommand, type CommandContext, jsonText, printOutput, type Result, toSingleLine } from './output'
import type { UsageSession } from './usage-session'

interface AlertContext extends Pick<UsageSession, 'core' | 'output' | 'close'> {
  readonly quota: (timeoutMs: number) => Promise<Pick<QuotaService, 'list'>>
  readonly budgets: () => Promise<Pick<Budgets, 'list'>>
  readonly ledger: () => Promise<Pick<Ledger, 'errorsSince'>>
}

/** Maximum wait for a console in ms. */
const consoleTimeoutMs = 10_000

/** `companion alerts` and `companion webhook`. */
export function addAlertCommands(
  program: Command,
  context: () => CommandContext,
  openUsage: () => AlertContext,
  sleep: Sleep = sleepMs,
): void {
  program
    .command('alerts')
    .option('--watch', 'check every 5 minutes, print new alerts and send them to the webhook until Ctrl+C')
    .description('list what needs attention: quota, budgets, expiry, failed rotations, unconfirmed keys')
    .action(async ({ watch }: { watch?: boolean }) => {
      const parts = openUsage()
      try {
        if (watch) return await watchAlerts(parts, sleep)
        const messages = await (await createWatch(parts)).list()
        printOutput(parts.output, messages, () => (messages.length === 0 ? ['No alerts.'] : messages.map(toLine)))
      } finally {
        await parts.close()
      }
    })
  const webhook = addCommand(program, 'webhook', context).description(
    'send alerts to Slack, Microsoft Teams or your own service',
  )
  webhook
    .command('status')
    .description('show where alerts go and the last delivery')
    .run(({ core }) => formatWebhook(core.webhook.get()))
  webhook
    .command('set')
    .addOption(new Option('--format <format>', 'receiver').choices(['json', 'slack', 'teams']).default('json'))
    .option('--token', 'send a bearer token, on the second line of standard input')
    .option('--yes', 'do not ask (for scripts)')
    .description('set the webhook. Reads its address from the first line of standard input')
    .run(async ({ core, readStdin }, options: { format: WebhookFormat; token?: boolean; yes?: boolean }) => {
      const { format, token: hasToken = false, yes } = options
      const [address = '', token = ''] = (await readStdin()).split(/\r?\n/).map((line) => line.trim())
      if (address === '')
        throw new AppError('input.invalid', 'Give the address on standard input.', { field: 'address' })
      const given = {
        address: new Secret(address),
        ...(hasToken && token !== '' ? { token: new Secret(token) } : {}),
      }
      return formatWebhook(await core.webhook.set({ format, hasToken }, given, yes))
    })
  webhook
    .command('test')
    .description('send a test message')
    .run(async ({ core }) => {
      const { createTestMessage } = await import('../compose/alert-watch')
      const result = await core.webhook.test(createTestMessage(findLocale(core)))
      return [result, [`Test message delivered (${result.durationMs} ms).`]]
    })
  webhook
    .command('remove')
    .description('stop sending, and delete the address and the token')
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

async function createWatch(parts: AlertContext): Promise<AlertWatch> {
  const { core } = parts
  const { AlertWatch } = await import('../compose/alert-watch')
  return new AlertWatch(core, {
    quota: await parts.quota(consoleTimeoutMs),
    ledger: await parts.ledger(),
    budgets: await parts.budgets(),
    log: core.log,
    clock: () => new Date(),
    locale: () => findLocale(core),
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
  const alertWatch = await createWatch(parts)
  let lastFailedAt: string | undefined
  const check = async (): Promise<void> => {
    for (const message of await alertWatch.check())
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
