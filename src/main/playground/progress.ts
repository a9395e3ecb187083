import type { PlaygroundProgress } from '@shared/contract'
import type { LiveRun } from './live-run'

/** How long news of all runs gather: two frames of a screen. */
const gatherMs = 33

interface Told {
  readonly live: LiveRun
  text: number
  thinking: number
  toolCalls: LiveRun['toolCalls']
  hasRun: boolean
}

/** Tells what is new of all runs in one message, at most every 33 ms. */
export class Progress {
  readonly #tell: (news: PlaygroundProgress[]) => void
  readonly #told = new Map<string, Told>()
  readonly #changed = new Set<Told>()
  #timer: NodeJS.Timeout | undefined

  constructor(tell: (news: PlaygroundProgress[]) => void) {
    this.#tell = tell
  }

  /** More has come; with `hasRun` the run itself is told too. */
  note(live: LiveRun, { hasRun = false } = {}): void {
    const { id } = live.run
    const told = this.#told.get(id) ?? { live, text: 0, thinking: 0, toolCalls: undefined, hasRun: false }
    this.#told.set(id, told)
    if (hasRun) told.hasRun = true
    this.#changed.add(told)
    this.#timer ??= setTimeout(() => this.#flush(), gatherMs)
  }

  /** Tells the last news of a run now, and forgets it. */
  end(live: LiveRun): void {
    this.note(live, { hasRun: true })
    this.#flush()
    this.#told.delete(live.run.id)
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const news = [...this.#changed].map(newsOf)
    this.#changed.clear()
    if (news.length > 0) this.#tell(news)
  }
}

function newsOf(told: Told): PlaygroundProgress {
  const { live, text, thinking, toolCalls, hasRun } = told
  Object.assign(told, {
    text: live.text.length,
    thinking: live.thinking.length,
    toolCalls: live.toolCalls,
    hasRun: false,
  })
  return {
    runId: live.run.id,
    ...(live.text.length > text ? { text: { at: text, piece: live.text.slice(text) } } : {}),
    ...(live.thinking.length > thinking ? { thinking: { at: thinking, piece: live.thinking.slice(thinking) } } : {}),
    ...(live.toolCalls !== toolCalls && live.toolCalls ? { toolCalls: [...live.toolCalls] } : {}),
    ...(hasRun ? { run: live.run } : {}),
  }
}
