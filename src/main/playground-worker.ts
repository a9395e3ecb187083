import { parentPort, workerData } from 'node:worker_threads'
import { PlaygroundHost } from './playground/store/host'
import { storeName } from './playground/store/store'
import { answerQuestions } from './worker-thread'

// The thread of the playground's database.
if (parentPort) answerQuestions(parentPort, new PlaygroundHost(workerData), storeName)
