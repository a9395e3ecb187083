import { parentPort, workerData } from 'node:worker_threads'
import { answerQuestions } from './sqlite/answering'
import { LedgerHost } from './usage/ledger/host'
import { type Calls, ledgerName } from './usage/ledger/protocol'

// The thread of the usage ledger.
if (parentPort) answerQuestions<Calls>(parentPort, new LedgerHost(workerData), ledgerName)
