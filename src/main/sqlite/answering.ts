import type { MessagePort } from 'node:worker_threads'
import { AppError, type Failure } from '@shared/failure'
import type { Call, CallsOf, DatabaseName, Question } from './protocol'

/** The inside of a database's thread: answers one question after the other. */
export function answerQuestions<Calls extends CallsOf<Calls>>(
  port: MessagePort,
  host: { answer(call: Call<Calls>): Promise<unknown> },
  { name }: DatabaseName,
): void {
  port.on('message', ({ number, call }: Question<Calls>) => {
    host.answer(call).then(
      (value) => port.postMessage({ number, value }),
      (error: unknown) => port.postMessage({ number, failure: failureOf(error, name) }),
    )
  })
}

function failureOf(error: unknown, name: string): Failure {
  if (error instanceof AppError) return error.failure
  const reason = error instanceof Error ? error.name : 'unknown'
  return { code: 'internal.unexpected', message: `The ${name} failed unexpectedly (${reason}).` }
}
