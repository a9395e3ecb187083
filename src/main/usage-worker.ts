import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { serveWorkerCalls } from './core/worker-thread'
import { type LedgerCalls, LedgerHost } from './usage/ledger/ledger-host'
import { ledgerName } from './usage/ports'

// Only on Linux. There, the priority applies to the current thread. On other systems, it would apply to the whole
// process.
if (workerData.isBackground && process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW)
if (parentPort) serveWorkerCalls<LedgerCalls>(parentPort, new LedgerHost(workerData), ledgerName)
