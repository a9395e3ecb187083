import type { MetricsView } from '@shared/contract'
import { OtlpInput } from '@shared/contract/relay'
import { AppError } from '@shared/failure'
import { type Command, Option } from 'commander'
import { Secret } from '../core/secret'
import { addCommand, type CommandContext, type Result, toSingleLine } from './output'

interface SendOptions {
  readonly spans?: boolean
  readonly auth: 'none' | 'bearer' | 'basic' | 'header'
  readonly header?: string
  readonly secretStdin?: boolean
  readonly yes?: boolean
}

export function addMetricsCommands(program: Command, context: () => CommandContext): void {
  const metrics = addCommand(program, 'metrics', context).description('relay metrics for Prometheus and OpenTelemetry')
  metrics
    .command('status')
    .description('show where metrics go')
    .run(({ core }) => formatMetrics(core.metrics.get()))
  for (const isEnabled of [true, false]) {
    metrics
      .command(isEnabled ? 'on' : 'off')
      .description(isEnabled ? 'serve /metrics for Prometheus on the port of the relay' : 'stop serving /metrics')
      .run(async ({ core }) => formatMetrics(await core.metrics.setPrometheus({ isOn: isEnabled })))
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
    .run(async ({ core, readStdin }, endpoint: string, options: SendOptions) => {
      const { auth, header, spans = false, secretStdin, yes } = options
      const kind = auth === 'header' ? { kind: auth, name: header ?? '' } : { kind: auth }
      const input = OtlpInput.safeParse({ endpoint, sendsSpans: spans, ...(auth === 'none' ? {} : { auth: kind }) })
      const message = 'Set the header name with --header: letters, digits and dashes.'
      if (!input.success) throw new AppError('input.invalid', message, { field: 'header' })
      const secret = secretStdin ? new Secret((await readStdin()).trim()) : undefined
      return formatMetrics(await core.metrics.setOtlp(input.data, secret, yes))
    })
  metrics
    .command('stop')
    .description('stop sending metrics by OTLP')
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
