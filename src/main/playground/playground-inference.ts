import type { MethodInput, MethodOutput, PlaygroundRun } from '@shared/contract'
import { embeddingView, similarities } from './embeddings'
import { completionJob, embeddingsJob } from './jobs'
import type { PlaygroundContext } from './playground-context'
import { newRun } from './runs'

/** Text completions and embeddings: single requests that belong to no conversation. */
export class PlaygroundAsking {
  readonly #ground: Pick<PlaygroundContext, 'store' | 'runs' | 'open' | 'clock'>

  constructor(ground: Pick<PlaygroundContext, 'store' | 'runs' | 'open' | 'clock'>) {
    this.#ground = ground
  }

  /** Begins a text completion. Fails before anything is sent when it cannot be. */
  async complete({ target: wanted, ...words }: MethodInput<'playground.complete'>): Promise<PlaygroundRun> {
    const { store, runs, open, clock } = this.#ground
    const target = await open(wanted, 'completion')
    const run = newRun(target, 'completion', clock())
    const job = completionJob({ run, target }, words)
    await store.saveRun({ run, answer: { text: '' } })
    void runs.start(job)
    return run
  }

  /** Asks for embeddings and compares them; what the server refuses is told by the run. */
  async embed(
    { target: wanted, inputs }: Omit<MethodInput<'playground.embed'>, 'callId'>,
    signal: AbortSignal,
  ): Promise<MethodOutput<'playground.embed'>> {
    const { store, runs, open, clock } = this.#ground
    const target = await open(wanted, 'embeddings')
    const run = newRun(target, 'embeddings', clock())
    const { job, embeddings } = embeddingsJob({ run, target }, inputs)
    await store.saveRun({ run, answer: { text: '' } })
    const over = runs.start(job)
    const stop = (): void => void runs.stop([run.id])
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    const ended = await over.finally(() => signal.removeEventListener('abort', stop))
    const vectors = embeddings()
    return { run: ended.run, embeddings: vectors.map(embeddingView), similarity: similarities(vectors) }
  }
}
