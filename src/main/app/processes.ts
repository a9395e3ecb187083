import { AppError } from '@shared/failure'
import { type UtilityProcess, utilityProcess } from 'electron'
import { engineFlags } from '../relay/engine-flags'
import type { RelayHost, RelayStatus } from '../routing/relay-host'
import { RelayEvent, tableMessage } from '../routing/relay-protocol'
import { SandboxFailed, type SandboxHost, SandboxReady } from '../sandbox/host'

const startLimitMs = 15_000
const stopLimitMs = 2000

/** Runs the built sandbox (`program`) as an Electron utility process, its state in `stateFile`. */
export function sandboxProcess(program: string, stateFile: string): SandboxHost {
  let running: UtilityProcess | undefined
  let whenEnded = (): void => undefined
  return {
    onExit: (listener) => {
      whenEnded = listener
    },
    async start({ gatewayPort, platformPort }) {
      const args = ['--gateway-port', `${gatewayPort}`, '--platform-port', `${platformPort}`, '--state', stateFile]
      const child = utilityProcess.fork(program, args, {
        serviceName: 'sandbox',
        stdio: 'ignore',
      })
      running = child
      const ready = await firstSandboxMessage(child)
      child.on('exit', () => {
        if (running !== child) return
        running = undefined
        whenEnded()
      })
      return ready
    },
    async stop() {
      const child = running
      running = undefined
      if (!child?.pid) return
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill()
      // While the app itself quits, the word of the child's end may not arrive any more.
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, stopLimitMs))])
    },
  }
}

function firstSandboxMessage(child: UtilityProcess): Promise<SandboxReady> {
  return new Promise((resolve, reject) => {
    const fail = (error: AppError): void => {
      clearTimeout(timer)
      reject(error)
    }
    const timer = setTimeout(
      () => fail(new AppError('sandbox.failed', 'The sandbox did not start in time.')),
      startLimitMs,
    )
    child.once('exit', (code) => fail(new AppError('sandbox.failed', `The sandbox ended at its start (code ${code}).`)))
    child.once('message', (message: unknown) => {
      const ready = SandboxReady.safeParse(message)
      if (!ready.success) return fail(refusalOf(message))
      clearTimeout(timer)
      resolve(ready.data)
    })
  })
}

function refusalOf(message: unknown): AppError {
  const failed = SandboxFailed.safeParse(message)
  if (failed.data?.code === 'stateInUse')
    return new AppError('sandbox.stateInUse', failed.data.message ?? 'Another sandbox uses the same state file.')
  if (!failed.success || failed.data.code !== 'portInUse')
    return new AppError('sandbox.failed', 'The sandbox could not start.')
  const port = failed.data.port ?? 'the usual one'
  return new AppError(
    'sandbox.portInUse',
    `Port ${port} is taken by another program. Use another port, or end that program.`,
  )
}

/** Runs the built relay (`program`) as an Electron utility process; its ledger is in `dataDir`. */
export function relayProcess(program: string, dataDir: string): RelayHost {
  let running: UtilityProcess | undefined
  let whenEnded = (): void => undefined
  let whenChanged = (_: RelayStatus): void => undefined
  return {
    onExit: (listener) => {
      whenEnded = listener
    },
    onStatus: (listener) => {
      whenChanged = listener
    },
    async start({ port, table, caFiles }) {
      const child = utilityProcess.fork(program, [], {
        serviceName: 'relay',
        stdio: 'ignore',
        execArgv: [`--js-flags=${engineFlags.join(' ')}`],
      })
      running = child
      child.postMessage({ kind: 'start', port, table: tableMessage(table), caFiles, dataDir })
      const ready = await firstRelayEvent(child).catch((error: unknown) => {
        running = undefined
        child.kill()
        throw error
      })
      child.on('message', (message: unknown) => {
        const word = RelayEvent.safeParse(message)
        if (word.success && word.data.kind === 'status') whenChanged(word.data)
      })
      child.on('exit', () => {
        if (running !== child) return
        running = undefined
        whenEnded()
      })
      return ready
    },
    setTable: (table) => running?.postMessage({ kind: 'table', table: tableMessage(table) }),
    async stop() {
      const child = running
      running = undefined
      if (!child?.pid) return
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.postMessage({ kind: 'stop' })
      // While the app itself quits, the word of the child's end may not arrive any more.
      const late = new Promise((resolve) => setTimeout(resolve, stopLimitMs))
      await Promise.race([ended, late])
      child.kill()
    },
  }
}

function firstRelayEvent(child: UtilityProcess): Promise<{ readonly port: number }> {
  return new Promise((resolve, reject) => {
    const fail = (error: AppError): void => {
      clearTimeout(timer)
      reject(error)
    }
    const late = (): void => fail(new AppError('relay.failed', 'The relay did not start in time.'))
    const timer = setTimeout(late, startLimitMs)
    child.once('exit', (code) => fail(new AppError('relay.failed', `The relay ended at its start (code ${code}).`)))
    child.on('message', (message: unknown) => {
      const word = RelayEvent.safeParse(message)
      if (!word.success) return
      if (word.data.kind === 'failed') fail(new AppError(word.data.failure.code, word.data.failure.message))
      if (word.data.kind !== 'ready') return
      clearTimeout(timer)
      resolve({ port: word.data.port })
    })
  })
}
