import type { MetricsView } from '@shared/contract'
import { OtlpInput } from '@shared/contract/metrics'
import { AppError } from '@shared/failure'
import { type Command, Option } from 'commander'
import type { Core } from '../compose/compose'
import { Secret } from '../core/secret'
import type { CommandContext } from './output'
import { printOutput, toSingleLine } from './output'

interface SendOptions {
  readonly spans?: boolean
  readonly auth: 'none' | 'bearer' | 'basic' | 'header'
  readonly header?: string
  readonly secretStdin?: boolean
  readonly yes?: boolean
}

export function addMetricsCommands(program: Command, context: () => CommandContext): void {
  const showAfter = (change: (metrics: Core['metrics']) => MetricsView | Promise<MetricsView>) => async () => {
    const commandContext = context()
    show(commandContext, await change(commandContext.core.metrics))
  }
  const metrics = program.command('metrics').description('relay metrics for Prometheus and OpenTelemetry')
  metrics
    .command('status')
    .description('show where metrics go')
    .action(showAfter((settings) => settings.get()))
  for (const isEnabled of [true, false]) {
    metrics
      .command(isEnabled ? 'on' : 'off')
      .description(isEnabled ? 'serve /metrics for Prometheus on the port of the relay' : 'stop serving /metrics')
      .action(showAfter((settings) => settings.setPrometheus({ isOn: isEnabled })))
  }
  metrics
    .command('token')
    .description('print the token for /metrics (for a scrape configuration)')
    .action(async () => {
      const { core, output } = context()
      output.out(`${(await core.metrics.token()).expose()}\n`)
    })
  metrics
    .command('send')
    .argument('<endpoint>', 'address of a collector, such as https://collector.example.com:4318')
    .option('--spans', 'also send one span per request')
    .addOption(
      new Option('--auth <kind>', 'how to sign in').choices(['none', 'bearer', 'basic', 'header']).default('none'),
    )
    .option('--header <name>', 'name of the header, with --auth header')
    .option('--secret-stdin', 'read the token, base64 text or header value from standard input')
    .option('--yes', 'do not ask (for scripts)')
    .description('send metrics by OTLP (HTTP/protobuf) every minute')
    .action((endpoint: string, options: SendOptions) => send(context(), endpoint, options))
  metrics
    .command('stop')
    .description('stop sending metrics by OTLP')
    .action(showAfter((settings) => settings.removeOtlp()))
}

async function send(context: CommandContext, endpoint: string, options: SendOptions): Promise<void> {
  const { core, readStdin } = context
  const { auth, header, spans = false, secretStdin, yes } = options
  const kind = auth === 'header' ? { kind: auth, name: header ?? '' } : { kind: auth }
  const input = OtlpInput.safeParse({ endpoint, sendsSpans: spans, ...(auth === 'none' ? {} : { auth: kind }) })
  const message = 'Set the header name with --header: letters, digits and dashes.'
  if (!input.success) throw new AppError('input.invalid', message, { field: 'header' })
  const secret = secretStdin ? new Secret((await readStdin()).trim()) : undefined
  show(context, await core.metrics.setOtlp(input.data, secret, yes))
}

function show({ output }: Pick<CommandContext, 'output'>, view: MetricsView): void {
  const { prometheus, otlp } = view
  const spans = otlp?.sendsSpans ? ', with spans' : ''
  printOutput(output, view, () => [
    prometheus.isOn ? `Prometheus: on, at ${prometheus.address}` : 'Prometheus: off',
    otlp ? `OTLP: sent to ${toSingleLine(otlp.endpoint)}${spans}` : 'OTLP: off',
  ])
}
