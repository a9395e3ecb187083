import { AppError } from '@shared/failure'
import { type UtilityProcess, utilityProcess } from 'electron'
import { z } from 'zod'
import { engineFlags } from '../relay/ports'
import { RelayCommand, RelayEvent, type RelayHost, type ToolTraffic } from '../relay/routing/relay-protocol'
import { SandboxFailedMessage, type SandboxHost, SandboxReady } from './sandbox'

/** Startup timeout. The sandbox computes 40 days of usage before it is ready. */
const startTimeoutMs = 60_000
const stopTimeoutMs = 2000

/** A built program as an Electron utility process, at most one at a time. A failed start has the code `failed`. */
class ProgramProcess<Ready> {
  #running: UtilityProcess | undefined
  #onEnd = (): void => undefined

  constructor(
    private readonly program: string,
    private readonly options: {
      readonly serviceName: string
      readonly execArgv?: string[]
      readonly failed: 'sandbox.failed' | 'relay.failed'
      /** Reads a message of the starting process. Undefined means to wait for the next message. */
      readonly readFirst: (message: unknown) => Ready | AppError | undefined
    },
  ) {}

  readonly onExit = (listener: () => void): void => {
    this.#onEnd = listener
  }

  /** Starts the process and resolves when it is ready. `begin` can send its first message. */
  async start(args: readonly string[], begin: (child: UtilityProcess) => void = () => undefined): Promise<Ready> {
    const { serviceName, execArgv } = this.options
    const ownExecArgv = execArgv && { execArgv }
    const child = utilityProcess.fork(this.program, [...args], { serviceName, stdio: 'ignore', ...ownExecArgv })
    this.#running = child
    begin(child)
    const readyMessage = await this.#ready(child).catch((error: unknown) => {
      if (this.#running === child) this.#running = undefined
      child.kill()
      throw error
    })
    child.on('exit', () => {
      if (this.#running !== child) return
      this.#running = undefined
      this.#onEnd()
    })
    return readyMessage
  }

  send(message: unknown): void {
    this.#running?.postMessage(message)
  }

  /** Sends the message `word` and waits until the process has ended. Without a message, kills the process. */
  async stop(word?: unknown): Promise<void> {
    const child = this.#running
    this.#running = undefined
    if (!child?.pid) return
    const exitPromise = new Promise((resolve) => child.once('exit', resolve))
    if (word === undefined) child.kill()
    else child.postMessage(word)
    // Wait with a timeout, because the exit event may not arrive while the app quits.
    await Promise.race([exitPromise, new Promise((resolve) => setTimeout(resolve, stopTimeoutMs))])
    child.kill()
  }

  #ready(child: UtilityProcess): Promise<Ready> {
    const { serviceName, failed, readFirst } = this.options
    return new Promise((resolve, reject) => {
      const finishStart = (outcome: Ready | AppError | undefined): void => {
        if (outcome === undefined) return
        clearTimeout(timer)
        child.off('message', receiveMessage)
        if (outcome instanceof AppError) reject(outcome)
        else resolve(outcome)
      }
      const receiveMessage = (message: unknown): void => finishStart(readFirst(message))
      const failStart = (problem: string): void => finishStart(new AppError(failed, `The ${serviceName} ${problem}.`))
      const timer = setTimeout(() => failStart('did not start in time'), startTimeoutMs)
      child.once('exit', (code) => failStart(`ended at its start (code ${code})`))
      child.on('message', receiveMessage)
    })
  }
}

export function sandboxProcess(program: string, stateFile: string): SandboxHost {
  const sandbox = new ProgramProcess(program, {
    serviceName: 'sandbox',
    failed: 'sandbox.failed',
    readFirst: (message) => SandboxReady.safeParse(message).data ?? toStartError(message),
  })
  return {
    onExit: sandbox.onExit,
    start: ({ gatewayPort, platformPort }) =>
      sandbox.start(['--gateway-port', `${gatewayPort}`, '--platform-port', `${platformPort}`, '--state', stateFile]),
    stop: () => sandbox.stop(),
  }
}

function toStartError(message: unknown): AppError {
  const failed = SandboxFailedMessage.safeParse(message).data
  if (failed?.code === 'stateInUse')
    return new AppError('sandbox.stateInUse', failed.message ?? 'Another sandbox uses the same state file.')
  if (failed?.code !== 'portInUse') return new AppError('sandbox.failed', 'The sandbox could not start.')
  const text = `Port ${failed.port ?? 'the usual one'} is used by another program. Use another port, or stop that program.`
  return new AppError('sandbox.portInUse', text)
}

export function relayProcess(program: string, dataDir: string): RelayHost {
  let onChange = (_: readonly ToolTraffic[]): void => undefined
  const relay = new ProgramProcess(program, {
    serviceName: 'relay',
    execArgv: [`--js-flags=${engineFlags.join(' ')}`],
    failed: 'relay.failed',
    readFirst(message) {
      const event = RelayEvent.safeParse(message).data
      if (event?.kind === 'failed') return new AppError(event.failure.code, event.failure.message)
      return event?.kind === 'ready' ? { port: event.port } : undefined
    },
  })
  return {
    onExit: relay.onExit,
    onStatus: (listener) => {
      onChange = listener
    },
    start: ({ port, table, caFiles }) =>
      relay.start([], (child) => {
        child.on('message', (message: unknown) => {
          const event = RelayEvent.safeParse(message).data
          if (event?.kind === 'status') onChange(event.tools)
        })
        child.postMessage(z.encode(RelayCommand, { kind: 'start', port, table, caFiles: [...caFiles], dataDir }))
      }),
    setRemaining: (samples) => relay.send({ kind: 'remaining', samples }),
    setTable: (table) => relay.send(z.encode(RelayCommand, { kind: 'table', table })),
    stop: () => relay.stop({ kind: 'stop' }),
  }
}
