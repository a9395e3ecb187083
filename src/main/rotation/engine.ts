import { AppError, type Failure } from '@shared/failure'
import { isRunning } from '../is-running'
import type { RotationRecord } from '../settings/rotation-record'
import { forwardSteps } from './forward-steps'
import type { RotationJournal } from './journal'
import type { RotationEvent, RotationPorts } from './ports'
import type { Run, Step, StepOutcome } from './step'
import { undoSteps } from './undo-steps'

/** After so long without a word from it, another process is not believed to work on a rotation: its id may be another's. */
const silentMs = 15 * 60_000

/** How often a run may go back for what others did meanwhile, before it leaves that to a person. */
const mostTurns = 3

/** Carries out the steps of rotations, each noted before and after it; what it was killed at is found in the journal. */
export class RotationEngine {
  readonly #ports: RotationPorts
  readonly #journal: RotationJournal
  readonly #runs = new Map<string, Promise<void>>()
  readonly #ending = new AbortController()

  constructor(ports: RotationPorts, journal: RotationJournal) {
    this.#ports = ports
    this.#journal = journal
  }

  /** Begins or goes on, unless it runs here already; what comes of it is in the journal. */
  start(id: string): void {
    if (this.#runs.has(id) || this.#ending.signal.aborted) return
    const run = this.#carryOut(this.contextOf(id))
      .catch((error: unknown) => this.#ports.log.error('rotation', error))
      .finally(() => this.#runs.delete(id))
    this.#runs.set(id, run)
  }

  /** Resolves once nothing is done here for a rotation any more. */
  async settled(id: string): Promise<void> {
    await this.#runs.get(id)
  }

  /** True while this process, or another one, works on it. */
  isHeld({ id, state, runner }: RotationRecord): boolean {
    if (this.#runs.has(id)) return true
    if (state !== 'running' || runner === undefined || runner.pid === process.pid) return false
    const silentForMs = this.#ports.clock().getTime() - Date.parse(runner.at)
    return silentForMs < silentMs && isRunning(runner.pid)
  }

  /** What a step of a rotation works with. */
  contextOf(id: string): Run {
    const { signal } = this.#ending
    return { id, ports: this.#ports, journal: this.#journal, signal, record: () => this.#journal.find(id) }
  }

  /** Begins no further step; what waits is given up. Where it stands is in the journal. */
  async end(): Promise<void> {
    this.#ending.abort()
    await Promise.all(this.#runs.values())
  }

  async #carryOut(run: Run): Promise<void> {
    const { id } = run
    if (!this.#journal.claim(id, (record) => this.isHeld(record))) return
    const steps: readonly Step[] = run.record().direction === 'forward' ? forwardSteps : undoSteps
    const isDone = (step: Step) => ['done', 'skipped'].includes(stateOf(run.record(), step.id))
    let turns = 0
    for (let next = 0; next < steps.length; next += 1) {
      const step = steps[next]
      if (step === undefined || isDone(step)) continue
      if (run.signal.aborted) return
      if (run.record().isStopWanted) return this.#leave(run, 'stopped', step.id)
      const outcome = await this.#attempt(run, step)
      if (outcome === undefined) return
      if (outcome.kind === 'back') {
        turns += 1
        if (turns > mostTurns) return this.#leave(run, 'stopped', step.id)
        next = this.#goBack(run, steps, outcome.to) - 1
      }
      if (outcome.kind === 'wait') return this.#leave(run, 'waiting', step.id)
      if (outcome.kind === 'blocked' && outcome.isLast) return this.#leave(run, 'stopped', step.id)
    }
    this.#leave(run, run.record().direction === 'forward' ? 'done' : 'undone')
  }

  /** Undefined when the step failed, or was given up for the end of the program. */
  async #attempt(run: Run, { id: stepId, run: work }: Step): Promise<StepOutcome | undefined> {
    const { id } = run
    this.#journal.note(id, stepId, { state: 'running' })
    try {
      const outcome = await work(run)
      this.#journal.note(id, stepId, noteOf(outcome, run.record()))
      if (outcome.kind === 'done') this.#tell(run, 'rotationStep', stepId)
      return outcome
    } catch (error) {
      if (run.signal.aborted) return undefined
      this.#journal.note(id, stepId, { state: 'failed', failure: this.#failureOf(error) })
      this.#leave(run, 'failed', stepId)
      return undefined
    }
  }

  #goBack({ id }: Run, steps: readonly Step[], to: string): number {
    const from = steps.findIndex((step) => step.id === to)
    for (const step of steps.slice(from)) this.#journal.note(id, step.id, { state: 'pending' })
    return from
  }

  #leave(run: Run, state: RotationRecord['state'], stepId?: string): void {
    this.#journal.patch(run.id, { state, runner: undefined })
    const what = eventOf[state]
    if (what) this.#tell(run, what, stepId)
  }

  #tell({ record }: Run, what: RotationEvent['what'], step?: string): void {
    this.#ports.tell(eventFor(record(), what, step))
  }

  #failureOf(error: unknown): Failure {
    if (error instanceof AppError) return error.failure
    this.#ports.log.error('rotation.step', error)
    return { code: 'internal.unexpected', message: 'Something failed unexpectedly; the log says more.' }
  }
}

/** What is told of a rotation. */
export function eventFor(
  { planId, planName, oldKey, newKey }: RotationRecord,
  what: RotationEvent['what'],
  step?: string,
): RotationEvent {
  const keys = { oldKeyId: oldKey.id, oldKeyName: oldKey.name, newKeyId: newKey.id, newKeyName: newKey.name }
  return { what, planId, planName, ...keys, step }
}

const eventOf: Partial<Record<RotationRecord['state'], RotationEvent['what']>> = {
  stopped: 'rotationStopped',
  failed: 'rotationStopped',
  done: 'rotationDone',
  undone: 'rotationUndone',
}

/** The next step's state, for who looks from outside. */
const stateOf = ({ steps, undoSteps }: RotationRecord, stepId: string): string =>
  [...steps, ...undoSteps].find(({ id }) => id === stepId)?.state ?? 'pending'

function noteOf(outcome: StepOutcome, { tools }: RotationRecord) {
  switch (outcome.kind) {
    case 'done':
    case 'skipped':
      return { state: outcome.kind }
    case 'blocked':
      return { state: 'failed' as const, failure: blockedBy(tools) }
    case 'back':
      return { state: 'pending' as const }
    case 'wait':
      return { state: 'running' as const }
  }
}

function blockedBy(tools: RotationRecord['tools']): Failure {
  const failed = tools.filter(({ failure }) => failure !== undefined)
  const names = failed.map(({ toolName }) => toolName).join(', ')
  const code = failed[0]?.failure?.code ?? 'internal.unexpected'
  return { code, message: `Both keys stay alive because of ${names}. ${failed[0]?.failure?.message ?? ''}`.trim() }
}
