import { AppError, type Failure } from '@shared/failure'
import type { RunningRelay } from '../relay/ports'
import { startRelay } from '../relay/start-relay'
import { TokenCounter } from '../tokens/token-counter'
import type { LedgerEntry } from '../usage/entry'
import { createLedger } from '../usage/ledger-client'
import type { Ledger } from '../usage/ports'
import { RelayOrder, type RelayWord } from './relay-messages'
import { Traffic } from './traffic'

export interface ProgramPorts {
  /** The built file of the ledger's thread, and of the one that counts tokens. */
  readonly workerPath: string
  readonly countPath: string
  readonly say: (word: RelayWord) => void
  /** Ends the process. */
  readonly exit: () => void
}

type StartOrder = Extract<RelayOrder, { kind: 'start' }>

/** How often the status may be told, in ms. */
const statusMs = 250
const graceMs = 500

/** The relay as a process: it starts with the first order, follows those behind it, and ends with `stop`. */
export function runRelayProcess({ workerPath, countPath, say, exit }: ProgramPorts): { hear(message: unknown): void } {
  const traffic = new Traffic()
  const counter = new TokenCounter(countPath)
  let relay: RunningRelay | undefined
  let ledger: Ledger | undefined
  let told = ''
  const tellStatus = (): void => {
    const status = { open: relay?.open() ?? 0, tools: traffic.tools() }
    const text = JSON.stringify(status)
    if (text === told) return
    told = text
    say({ kind: 'status', ...status })
  }
  const timer = setInterval(tellStatus, statusMs)

  const start = async ({ dataDir, ...order }: StartOrder): Promise<void> => {
    const opened = createLedger({ dataDir, workerPath, isBackground: true })
    ledger = opened
    const record = (entry: LedgerEntry): void => {
      traffic.note(entry)
      opened.add([entry])
    }
    relay = await startRelay({ ...optionsOf(order), record, countTokens: (texts) => counter.count(texts) })
    say({ kind: 'ready', port: relay.port })
  }
  const stop = async (): Promise<void> => {
    clearInterval(timer)
    await relay?.close(graceMs)
    await counter.end()
    await ledger?.close()
    exit()
  }
  const follow = async (order: RelayOrder): Promise<void> => {
    if (order.kind === 'start') await start(order)
    if (order.kind === 'table') relay?.setTable(order.table)
    if (order.kind === 'stop') await stop()
  }
  return {
    hear(message) {
      const order = RelayOrder.safeParse(message)
      if (!order.success) return
      follow(order.data).catch((error: unknown) => {
        say({ kind: 'failed', failure: failureOf(error) })
        exit()
      })
    },
  }
}

const optionsOf = ({ port, table, caFiles }: Omit<StartOrder, 'dataDir'>) => ({ port, table, caFiles })

function failureOf(error: unknown): Failure {
  if (error instanceof AppError) return error.failure
  return { code: 'relay.failed', message: error instanceof Error ? error.message : String(error) }
}
