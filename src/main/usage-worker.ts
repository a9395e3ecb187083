import { parentPort, workerData } from 'node:worker_threads'
import { AppError, type Failure } from '@shared/failure'
import { LedgerHost } from './usage/ledger/host'
import type { Question, ThreadOptions } from './usage/ledger/protocol'

/** The thread of the usage ledger: answers one question after the other. */
function runThread(port: NonNullable<typeof parentPort>, options: ThreadOptions): void {
  const host = new LedgerHost(options)
  port.on('message', ({ number, call }: Question) => {
    host.answer(call).then(
      (value) => port.postMessage({ number, value }),
      (error: unknown) => port.postMessage({ number, failure: failureOf(error) }),
    )
  })
}

function failureOf(error: unknown): Failure {
  if (error instanceof AppError) return error.failure
  const reason = error instanceof Error ? error.name : 'unknown'
  return { code: 'internal.unexpected', message: `The usage ledger failed unexpectedly (${reason}).` }
}

if (parentPort) runThread(parentPort, workerData)
