import { hourMs, minuteMs } from '@shared/durations'
import type { Failure } from '@shared/failure'
import { toFailure } from '../../core/log'
import type { RotationRecord } from '../../core/settings/records'
import { isProcessAlive } from '../../core/sqlite/process-lock'
import { isEnded, nextStep, type RotationJournal } from './journal'
import type { RotationEvent, RotationLease, RotationPorts } from './ports'
import {
  disableAtMs,
  forwardSteps,
  isSwitchStep,
  type Run,
  type Step,
  type StepOutcome,
  undoSteps,
  updateComputers,
} from './steps'

/** Treat a rotation as abandoned when its process has not reported for this long: process ids are reused. */
const runnerTimeoutMs = 15 * minuteMs

/** Max retries after a concurrent change before asking the user. */
const maxRetries = 3

/** Runs rotation steps with a write-ahead journal, so a killed run can resume, and continues waiting rotations when they are due. */
export class RotationEngine {
  readonly #runs = new Map<string, Promise<void>>()
  readonly #computersReadMs = new Map<string, number>()
  readonly #ending = new AbortController()
  #pause = new AbortController()
  #isFollowing = false

  constructor(
    private readonly ports: RotationPorts,
    private readonly journal: RotationJournal,
  ) {}

  /** Starts or continues a rotation, unless this process already runs it. The journal has the result. */
  start(id: string): void {
    void this.#run(id).then(() => this.#pause.abort())
  }

  /** Resolves when this process no longer works on the rotation. */
  async settled(id: string): Promise<void> {
    await this.#runs.get(id)
  }

  isHeld({ id, state, runner }: RotationRecord): boolean {
    if (this.#runs.has(id)) return true
    if (state !== 'running' || runner === undefined || runner.pid === process.pid) return false
    const idleMs = this.ports.clock().getTime() - Date.parse(runner.at)
    return idleMs < runnerTimeoutMs && isProcessAlive(runner.pid)
  }

  createRun(id: string): Run {
    const { signal } = this.#ending
    return { id, ports: this.ports, journal: this.journal, signal, record: () => this.journal.find(id) }
  }

  /** Continues waiting rotations when they are due, from now on. Called after each change of the settings. */
  follow(): void {
    this.#pause.abort()
    if (this.#isFollowing) return
    this.#isFollowing = true
    void this.#pursue().catch((error: unknown) => this.ports.log.error('rotation.follow', error))
  }

  /** Checks immediately whether a followed rotation is due, and which computers use its old key, as after a confirmation. */
  wake(): void {
    this.#computersReadMs.clear()
    this.#pause.abort()
  }

  /** Stops at exit: starts no further step. The journal has the progress. */
  async end(): Promise<void> {
    this.#ending.abort()
    this.#pause.abort()
    await Promise.all(this.#runs.values())
  }

  isDue(record: RotationRecord): boolean {
    return (this.#dueMs(record) ?? Number.POSITIVE_INFINITY) <= this.ports.clock().getTime()
  }

  async #pursue(): Promise<void> {
    const { sleep } = this.ports
    while (!this.#ending.signal.aborted) {
      this.#pause = new AbortController()
      for (const record of this.journal.all()) {
        if (this.#ending.signal.aborted) return
        if (waitsForOtherComputers(record)) await this.#readComputers(record)
        const currentRecord = this.journal.all().find(({ id }) => id === record.id)
        if (currentRecord && !this.isHeld(currentRecord) && this.isDue(currentRecord)) await this.#run(record.id)
      }
      if (!this.#ending.signal.aborted) await sleep(this.#nextDueMs(), this.#pause.signal).catch(() => undefined)
    }
  }

  /** Reads which other computers use the old key. Skips a second read within half a minute. */
  async #readComputers({ id }: RotationRecord): Promise<void> {
    const { clock, log } = this.ports
    const nowMs = clock().getTime()
    if (nowMs - (this.#computersReadMs.get(id) ?? Number.NEGATIVE_INFINITY) < minuteMs / 2) return
    this.#computersReadMs.set(id, nowMs)
    await updateComputers(this.createRun(id)).catch((error: unknown) => log.error('rotation.computers', error))
  }

  /** Delay in ms. At most an hour, because the computer may sleep and other processes write. */
  #nextDueMs(): number {
    const nowMs = this.ports.clock().getTime()
    const records = this.journal.all()
    const delaysMs = records.map((record) => (this.#dueMs(record) ?? 0) - nowMs).filter((ms) => ms > 0)
    return Math.min(records.some(waitsForOtherComputers) ? minuteMs : hourMs, ...delaysMs)
  }

  /** Time to disable or delete the old key, in ms since 1970. Undefined if manual or unknown. */
  #dueMs(record: RotationRecord): number | undefined {
    const { deleteAt, direction, state, steps, planId, oldKey } = record
    const nextStepId = nextStep(record)?.id
    if (state === 'waiting' && nextStepId === 'disable') {
      const plan = this.ports.settings.read().plans.find(({ id }) => id === planId)
      // The old key may already be disabled, for example because its holder left.
      const isDisabled = plan?.keys.some(({ id, status }) => id === oldKey.id && status === 'DISABLED')
      return isDisabled ? 0 : disableAtMs(record, this.ports)
    }
    if (direction === 'back' || nextStepId === undefined || isEnded(record) || state === 'stopped') return undefined
    const { at: failedAt, failure } = (state === 'failed' && steps.find(({ id }) => id === nextStepId)) || {}
    const wasOffline = failure?.code.startsWith('net.') || failure?.code === 'account.unknownOutcome'
    if (nextStepId === 'disable' || nextStepId === 'confirm')
      return failedAt !== undefined && wasOffline ? Date.parse(failedAt) + minuteMs : undefined
    if (deleteAt === undefined || (nextStepId !== 'grace' && nextStepId !== 'delete')) return undefined
    return failedAt === undefined ? Date.parse(deleteAt) : Date.parse(failedAt) + (wasOffline ? minuteMs : hourMs)
  }

  #run(id: string): Promise<void> {
    const activeRun = this.#runs.get(id)
    if (activeRun) return activeRun
    if (this.#ending.signal.aborted) return Promise.resolve()
    const run = this.#carryOut(this.createRun(id))
      .catch((error: unknown) => this.ports.log.error('rotation', error))
      .finally(() => this.#runs.delete(id))
    this.#runs.set(id, run)
    return run
  }

  async #carryOut(run: Run): Promise<void> {
    const { id, record } = run
    if (!this.journal.claim(id, (claimed) => this.isHeld(claimed))) return
    let lease: RotationLease | undefined
    try {
      lease = await this.ports.lease?.()
      await lease?.take(record())
    } catch (error) {
      return this.#fail(run, nextStep(record())?.id, error)
    }
    try {
      await this.#makeSteps(run, lease)
    } finally {
      await lease?.leave(record())
    }
  }

  #fail(run: Run, stepId: Step['id'] | undefined, error: unknown): void {
    const failure = toFailure(error, this.ports.log, 'rotation.step')
    if (stepId) this.journal.note(run.id, stepId, { state: 'failed', failure })
    this.#finish(run, 'failed', stepId)
  }

  async #makeSteps(run: Run, lease: RotationLease | undefined): Promise<void> {
    const steps = run.record().direction === 'forward' ? forwardSteps : undoSteps
    let retries = 0
    for (let stepIndex = 0; stepIndex < steps.length; stepIndex += 1) {
      const step = steps[stepIndex]
      const saved = [...run.record().steps, ...run.record().undoSteps].find(({ id }) => id === step?.id)
      if (step === undefined || saved?.state === 'done' || saved?.state === 'skipped') continue
      if (run.signal.aborted) return
      if (run.record().isStopWanted) return this.#finish(run, 'stopped', step.id)
      const outcome = await this.#attempt(run, step, lease)
      if (outcome === undefined) return
      if (outcome === 'switchAgain') {
        retries += 1
        if (retries > maxRetries) return this.#finish(run, 'stopped', step.id)
        const firstIndex = steps.findIndex(isSwitchStep)
        for (const { id } of steps.slice(firstIndex)) this.journal.note(run.id, id, { state: 'pending' })
        stepIndex = firstIndex - 1
      }
      if (outcome === 'wait') return this.#finish(run, 'waiting', step.id)
      if (outcome === 'blocked') return this.#finish(run, 'stopped', step.id)
    }
    this.#finish(run, run.record().direction === 'forward' ? 'done' : 'undone')
  }

  /** Runs one step. Undefined when the step failed or the program exits. */
  async #attempt(run: Run, step: Step, lease: RotationLease | undefined): Promise<StepOutcome | undefined> {
    const { id } = run
    this.journal.note(id, step.id, { state: 'running' })
    try {
      await lease?.keep(run.record())
      const outcome = await step.run(run)
      const state = stateByOutcome[outcome]
      const failure = state === 'failed' ? toBlockedFailure(run.record()) : undefined
      this.journal.note(id, step.id, { state, failure })
      if (outcome === 'done') this.ports.notify({ what: 'rotationStep', record: run.record(), step: step.id })
      return outcome
    } catch (error) {
      if (!run.signal.aborted) this.#fail(run, step.id, error)
      return undefined
    }
  }

  #finish({ id, record }: Run, state: RotationRecord['state'], step?: string): void {
    this.journal.patch(id, { state, runner: undefined })
    const what = eventByState[state]
    if (what) this.ports.notify({ what, record: record(), step })
  }
}

const waitsForOtherComputers = (record: RotationRecord): boolean =>
  record.state === 'waiting' && nextStep(record)?.id === 'disable' && (record.computers ?? []).length > 0

const eventByState: Partial<Record<RotationRecord['state'], RotationEvent['what']>> = {
  stopped: 'rotationStopped',
  failed: 'rotationStopped',
  done: 'rotationDone',
  undone: 'rotationUndone',
}

const stateByOutcome = {
  done: 'done',
  skipped: 'skipped',
  wait: 'running',
  toolFailed: 'failed',
  blocked: 'failed',
  switchAgain: 'pending',
} as const

function toBlockedFailure({ tools }: RotationRecord): Failure {
  const failedTools = tools.filter(({ failure }) => failure !== undefined)
  const names = failedTools.map(({ toolName }) => toolName).join(', ')
  const { code = 'internal.unexpected', message = '' } = failedTools[0]?.failure ?? {}
  return { code, message: `Both keys stay active because of ${names}. ${message}`.trim() }
}
