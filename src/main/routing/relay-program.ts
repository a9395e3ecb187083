import { AppError, type Failure } from '@shared/failure'
import type { RunningRelay } from '../relay/ports'
import { startRelay } from '../relay/start-relay'
import { createLedger } from '../usage/ledger-client'
import type { Ledger } from '../usage/ports'
import { RelayOrder, type RelayWord } from './relay-messages'
import { Traffic } from './traffic'

export interface ProgramPorts {
  /** The built file of the ledger's thread. */
  readonly workerPath: string
  readonly say: (word: RelayWord) => void
  /** Ends the process. */
  readonly exit: () => void
}

/** How often the status may be told, in ms. */
const statusMs = 250
const graceMs = 500

/** The relay as a process: it starts with the first order, follows those behind it, and ends with `stop`. */
export function runRelayProcess({ workerPath, say, exit }: ProgramPorts): { hear(message: unknown): void } {
  const traffic = new Traffic()
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

  const start = async ({ port, table, caFiles, dataDir }: Extract<RelayOrder, { kind: 'start' }>): Promise<void> => {
    const opened = createLedger({ dataDir, workerPath })
    ledger = opened
    relay = await startRelay({
      port,
      table,
      caFiles,
      record: (entry) => {
        traffic.note(entry)
        opened.add([entry])
      },
    })
    say({ kind: 'ready', port: relay.port })
  }
  const stop = async (): Promise<void> => {
    clearInterval(timer)
    await relay?.close(graceMs)
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

function failureOf(error: unknown): Failure {
  if (error instanceof AppError) return error.failure
  return { code: 'relay.failed', message: error instanceof Error ? error.message : String(error) }
}
