import { parentPort } from 'node:worker_threads'
import { countOf } from './tokens/count'
import type { CountQuestion, CountReply } from './tokens/token-counter'

/** The thread that counts tokens: answers one question after the other. */
parentPort?.on('message', ({ number, texts }: CountQuestion) => {
  const reply: CountReply = { number, counts: texts.map(countOf) }
  parentPort?.postMessage(reply)
})
