import { parentPort, workerData } from 'node:worker_threads'
import { answerQuestions } from './core/worker-thread'
import { PlaygroundHost } from './playground/store/host'
import { storeName } from './playground/store/store'

if (parentPort) answerQuestions(parentPort, new PlaygroundHost(workerData), storeName)
