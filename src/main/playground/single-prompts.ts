import type { PlaygroundParameters, PlaygroundProgress, PlaygroundTarget } from '@shared/contract'
import { AppError } from '@shared/failure'
import type { PlaygroundContext } from './playground-context'
import { chatJob, chatValue } from './playground-inference'
import type { KeptRun } from './ports'
import { newRun } from './runs'

interface SinglePrompt {
  readonly target: PlaygroundTarget
  readonly prompt: string
  readonly system: string
  readonly parameters: PlaygroundParameters
}

/** Prompts outside of any conversation: each is one request, counted in the ledger and kept nowhere. */
export class SinglePrompts {
  readonly #listeners = new Map<string, (piece: string) => void>()

  /** Takes the progress of the playground's runs. */
  tell(news: readonly PlaygroundProgress[]): void {
    for (const { runId, text } of news) if (text) this.#listeners.get(runId)?.(text.piece)
  }

  /** Resolves with the whole answer. Fails as the request does, and with `net.cancelled` when it is stopped. */
  async ask(
    { open, clock, runs }: Pick<PlaygroundContext, 'open' | 'clock' | 'runs'>,
    { target, prompt, system, parameters }: SinglePrompt,
    { signal, onText }: { readonly signal: AbortSignal; readonly onText: (piece: string) => void },
  ): Promise<KeptRun> {
    const opened = await open(target, 'chat')
    signal.throwIfAborted()
    const messages = [{ role: 'user', parts: [{ kind: 'text', text: prompt }] }] as const
    const value = chatValue(opened, { system, parameters, messages })
    const run = newRun(opened, 'chat', clock())
    const stop = (): void => void runs.stop([run.id])
    this.#listeners.set(run.id, onText)
    signal.addEventListener('abort', stop, { once: true })
    try {
      const kept = await runs.start({
        ...chatJob({ run, target: opened }, () => value),
        isKept: false,
        isLimited: true,
      })
      if (signal.aborted) throw new AppError('net.cancelled', 'The request was stopped.')
      const { failure } = kept.run
      if (failure) throw new AppError(failure.code, failure.message, failure)
      return kept
    } finally {
      this.#listeners.delete(run.id)
      signal.removeEventListener('abort', stop)
    }
  }
}
