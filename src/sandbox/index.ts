import { parseArgs } from 'node:util'
import { z } from 'zod'
import { PortInUse } from './http'
import {
  type FailedMessage,
  type ReadyMessage,
  type Sandbox,
  type SandboxMessage,
  type SandboxOptions,
  startSandbox,
} from './sandbox'
import { StateInUseError } from './state/state-file'
import { loadTokenizer } from './text-model'

const usage =
  'Usage: sandbox [--gateway-port P] [--platform-port P] [--state FILE] [--seed TEXT] [--json]\n' +
  '  (port 0 takes a free one; the same seed gives the same world again, unless the state file holds one)'

/** Delay before exit, so that the last message to the parent is delivered. */
const shutdownTimeoutMs = 100
const maxShutdownMs = 3_000

/** Delay in ms before loading the tokenizer's table, which would block the first responses. */
const idleMs = 1_000

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new TypeError(`${text} is not a port.`)
  return port
}

function readArguments(args: readonly string[] | undefined): SandboxOptions & { readonly isJson: boolean } {
  const { values } = parseArgs({
    args: args && [...args],
    options: {
      'gateway-port': { type: 'string' },
      'platform-port': { type: 'string' },
      state: { type: 'string' },
      seed: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  })
  if (values.seed === '') throw new TypeError('--seed needs a text.')
  return {
    gatewayPort: readPort(values['gateway-port']),
    platformPort: readPort(values['platform-port']),
    stateFile: values.state,
    seed: values.seed,
    isJson: values.json,
  }
}

function sendMessage(message: SandboxMessage, isJson: boolean, port: ParentPort | undefined): void {
  if (port) port.postMessage(message)
  else if (isJson) process.stdout.write(`${JSON.stringify(message)}\n`)
  else if (message.kind === 'ready') process.stdout.write(`${describeReadySandbox(message)}\n`)
  else {
    const reason =
      message.code === 'portInUse'
        ? `port ${message.port} is in use. Stop the program that uses it, or choose another port (0: any free port).`
        : message.message
    process.stderr.write(`Couldn't start the sandbox: ${reason}\n`)
  }
}

function failure(error: unknown): FailedMessage {
  if (error instanceof PortInUse) return { kind: 'failed', code: 'portInUse', port: error.port }
  if (error instanceof StateInUseError) return { kind: 'failed', code: 'stateInUse', message: error.message }
  return { kind: 'failed', code: 'unexpected', message: error instanceof Error ? error.message : String(error) }
}

const StopRequest = z.object({ data: z.object({ kind: z.literal('stop') }) })

/** Exits on the first signal, stop message or disconnect. Drops output that cannot be written in time. */
function shutDownOnSignal(sandbox: Sandbox, port: ParentPort | undefined): void {
  let isShuttingDown = false
  const shutDown = () => {
    if (isShuttingDown) return
    isShuttingDown = true
    setTimeout(() => process.exit(1), maxShutdownMs).unref()
    void sandbox.close().finally(() => process.exit(0))
  }
  process.on('SIGINT', shutDown).on('SIGTERM', shutDown).on('disconnect', shutDown)
  port?.on('close', shutDown)
  // A message, since Windows has no signal that can be handled.
  port?.on('message', (event) => {
    if (StopRequest.safeParse(event).success) shutDown()
  })
}

async function run(args: readonly string[] | undefined): Promise<void> {
  const port = findParentPort()
  const { isJson, ...options } = readArguments(args)
  try {
    const sandbox = await startSandbox({
      ...options,
      controlToken: process.env.COMPANION_SANDBOX_CONTROL_TOKEN,
      notify: (text) => process.stderr.write(`${text}\n`),
    })
    shutDownOnSignal(sandbox, port)
    sendMessage(sandbox.ready, isJson, port)
    setTimeout(() => void loadTokenizer(), idleMs).unref()
  } catch (error) {
    sendMessage(failure(error), isJson, port)
    setTimeout(() => process.exit(1), shutdownTimeoutMs)
  }
}

/** Runs the sandbox in this process until it is stopped. Exported for `companion sandbox`, which loads the built file by its path. */
export const main = (args?: readonly string[]): Promise<void> =>
  run(args).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}\n`)
    process.exitCode = 2
  })

// Runs only if started directly or as a utility process, not if a command loads this file.
if (require.main === module || findParentPort()) {
  // Electron 37 and later only warn about an unhandled rejection in a utility process.
  process.on('unhandledRejection', (reason) => {
    throw reason
  })
  void main()
}

function describeReadySandbox({ gatewayUrl, plans, addresses, iam }: ReadyMessage): string {
  const plan = plans.find(({ status }) => status === 'ACTIVE')
  const key = plan?.keys.find(({ status }) => status === 'ACTIVE')
  const models = plan?.models.map(({ modelCode }) => modelCode) ?? []
  const body = JSON.stringify({ model: models[0] ?? '', messages: [{ role: 'user', content: 'Say hello' }] })
  return [
    '',
    '  The sandbox is running. Only this computer can reach it.',
    '',
    `  Gateway address     ${gatewayUrl}`,
    `  Chat-completions    ${gatewayUrl}/v1   (base address for tools of this standard)`,
    `  Messages            ${gatewayUrl}      (base address for tools of this standard)`,
    '',
    `  Plan                ${plan?.name ?? 'none is active'}`,
    `  Models              ${models.join(', ')}`,
    `  Key                 ${key?.key ?? 'none is active'}`,
    '',
    `  Console             ${addresses.consoleUrl}`,
    `  Token address       ${iam.tokenUrl}`,
    `  Client              ${iam.clientId}, secret ${iam.clientSecret}`,
    '',
    '  Use it in a coding tool:',
    '',
    `  printf %s '${key?.key ?? ''}' | companion plan add --name sandbox --gateway ${gatewayUrl} ${models.map((code) => `--model ${code}`).join(' ')} --key-stdin`,
    '  companion configure claude-code --plan sandbox',
    '  companion verify claude-code',
    '',
    '  Or send one request:',
    '',
    `  curl ${gatewayUrl}/v1/chat/completions -H 'Content-Type: application/json' \\`,
    `    -H 'Authorization: Bearer ${key?.key ?? ''}' \\`,
    `    -d '${body}'`,
    '',
    '  Stop it with Ctrl+C.',
    '',
  ].join('\n')
}

/** Connection to the app when the sandbox runs as its utility process. */
interface ParentPort {
  readonly postMessage: (message: unknown) => void
  readonly on: (event: 'message' | 'close', listener: (event: unknown) => void) => unknown
}

/** The parent's port, or `undefined` in plain Node. */
function findParentPort(): ParentPort | undefined {
  return Reflect.get(process, 'parentPort') ?? undefined
}
