import { AppError } from '@shared/failure'
import { type UtilityProcess, utilityProcess } from 'electron'
import { engineFlags } from './relay/engine-flags'
import type { RelayHost, RelayStatus } from './routing/relay-host'
import { RelayWord, tableMessage } from './routing/relay-messages'

const startLimitMs = 15_000
const stopLimitMs = 2000

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
      const ready = await firstWord(child).catch((error: unknown) => {
        running = undefined
        child.kill()
        throw error
      })
      child.on('message', (message: unknown) => {
        const word = RelayWord.safeParse(message)
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

function firstWord(child: UtilityProcess): Promise<{ readonly port: number }> {
  return new Promise((resolve, reject) => {
    const fail = (error: AppError): void => {
      clearTimeout(timer)
      reject(error)
    }
    const late = (): void => fail(new AppError('relay.failed', 'The relay did not start in time.'))
    const timer = setTimeout(late, startLimitMs)
    child.once('exit', (code) => fail(new AppError('relay.failed', `The relay ended at its start (code ${code}).`)))
    child.on('message', (message: unknown) => {
      const word = RelayWord.safeParse(message)
      if (!word.success) return
      if (word.data.kind === 'failed') fail(new AppError(word.data.failure.code, word.data.failure.message))
      if (word.data.kind !== 'ready') return
      clearTimeout(timer)
      resolve({ port: word.data.port })
    })
  })
}
