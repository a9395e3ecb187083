import { parentPort, workerData } from 'node:worker_threads'
import { serveWorkerCalls } from './core/worker-thread'
import { PlaygroundHost } from './playground/store/host'
import { storeName } from './playground/store/store'

if (parentPort) serveWorkerCalls(parentPort, new PlaygroundHost(workerData), storeName)
