import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { timeZone } from '../../../../../src/main/core/local-time'
import { createLedger, type LedgerProblem } from '../../../../../src/main/usage/ledger-client'

/**
 * Modes of this program: add requests until killed, until the disk is full, or add 500 requests while other processes
 * do too.
 */
export interface ChildOrders {
  readonly dataDir: string
  readonly workerPath: string
  readonly until: 'killed' | 'full' | 'added'
}

/** Sent to the parent, with the number of added requests and the time, or the outcome. */
export type Message =
  | { readonly added: number }
  | { readonly zone: string }
  | { readonly full: unknown; readonly afterwards: unknown }

const sendMessage = (message: Message): void => {
  process.send?.(message)
}

async function run({ dataDir, workerPath, until }: ChildOrders): Promise<void> {
  const problems: string[] = []
  const onLedgerProblem = ({ kind }: LedgerProblem) => void problems.push(kind)
  const ledger = createLedger({
    dataDir,
    workerPath,
    zone: process.env.TZ === undefined ? 'UTC' : undefined,
    retryMs: 100,
    onTrouble: onLedgerProblem,
  })
  let addedCount = 0
  const add = (count: number): void => {
    const entryMs = Date.now()
    const entry = (n: number) =>
      ({ id: `app-${process.pid}-${n}`, at: entryMs, source: 'app', modelCode: 'model-a', outputTokens: 1 }) as const
    ledger.add(Array.from({ length: count }, (_, n) => entry(addedCount + n)))
    addedCount += count
    sendMessage({ added: addedCount })
  }
  await ledger.storage()
  if (until === 'killed') {
    setInterval(() => add(5), 10)
    return
  }
  if (until === 'added') {
    while (addedCount < 500) {
      add(20)
      await ledger.flush()
    }
    await ledger.close()
    sendMessage({ zone: timeZone() })
    process.disconnect()
    return
  }
  let storage = await ledger.storage()
  while (storage.state === 'ready') {
    add(1000)
    await ledger.flush().catch(() => {})
    storage = await ledger.storage()
  }
  const { requests } = await ledger.getSpan('app')
  const storageReport = { ...storage, requests: requests > 0 && requests < addedCount }
  for (const suffix of ['', '-wal', '-shm']) await rm(`${join(dataDir, 'usage.sqlite')}${suffix}`, { force: true })
  await ledger.flush()
  const { state, requests: savedCount } = await ledger.storage()
  sendMessage({
    full: storageReport,
    afterwards: { state, hasRest: savedCount === addedCount - requests, troubles: problems },
  })
  await ledger.close()
  process.disconnect()
}

process.once('message', (orders: ChildOrders) => void run(orders))
