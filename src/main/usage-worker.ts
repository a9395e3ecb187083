import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { answerQuestions } from './core/worker-thread'
import { LedgerHost } from './usage/ledger/host'
import { type Calls, ledgerName } from './usage/ledger/protocol'

// The thread of the usage ledger. On Linux a priority is the calling thread's own; elsewhere it would be the whole process's.
if (workerData.isBackground && process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW)
if (parentPort) answerQuestions<Calls>(parentPort, new LedgerHost(workerData), ledgerName)
