import type { CheckView, RotationStepId, RotationUndoStepId, SubscriptionKeyView } from '@shared/contract'
import { minuteMs } from '@shared/durations'
import { AppError, type Failure, type FailureCode } from '@shared/failure'
import type { RotationRecord } from '../settings/records'
import type { WrittenSetup } from '../setups/setup-views'
import { isProcessAlive } from '../sqlite/process-lock'
import { nextStep, type RotationJournal } from './journal'
import {
  type AccountKey,
  done,
  type RotationEvent,
  type RotationLease,
  type RotationPorts,
  type Run,
  type Step,
  type StepOutcome,
  skipped,
} from './ports'
import { waitsForHolders } from './rotation-scheduler'
import { changedSince, isSameTool, keyHere, mayUse, noteTool, switchToKey, usersNow, type Which } from './switch-key'

/** After so long without a word from it, another process is not believed to work on a rotation: its id may be another's. */
const silentMs = 15 * minuteMs

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
    return silentForMs < silentMs && isProcessAlive(runner.pid)
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
    const lease = await this.#takeLease(run)
    if (lease === 'refused') return
    try {
      await this.#makeSteps(run, lease)
    } finally {
      await lease?.leave(run.record())
    }
  }

  async #takeLease(run: Run): Promise<RotationLease | undefined | 'refused'> {
    const { record } = run
    try {
      const lease = await this.#ports.lease?.()
      await lease?.take(record())
      return lease
    } catch (error) {
      const stepId = nextStep(record())?.id
      if (stepId) this.#journal.note(run.id, stepId, { state: 'failed', failure: this.#failureOf(error) })
      this.#leave(run, 'failed', stepId)
      return 'refused'
    }
  }

  async #makeSteps(run: Run, lease: RotationLease | undefined): Promise<void> {
    const steps: readonly Step[] = run.record().direction === 'forward' ? forwardSteps : undoSteps
    const isDone = (step: Step) => ['done', 'skipped'].includes(stateOf(run.record(), step.id))
    let turns = 0
    for (let next = 0; next < steps.length; next += 1) {
      const step = steps[next]
      if (step === undefined || isDone(step)) continue
      if (run.signal.aborted) return
      if (run.record().isStopWanted) return this.#leave(run, 'stopped', step.id)
      const outcome = await this.#attempt(run, step, lease)
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
  async #attempt(
    run: Run,
    { id: stepId, run: work }: Step,
    lease: RotationLease | undefined,
  ): Promise<StepOutcome | undefined> {
    const { id } = run
    this.#journal.note(id, stepId, { state: 'running' })
    try {
      await lease?.keep(run.record())
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
    return { code: 'internal.unexpected', message: 'Something failed unexpectedly. The log has the details.' }
  }
}

/** What is told of a rotation. */
export function eventFor(
  { planId, planName, origin, oldKey, newKey }: RotationRecord,
  what: RotationEvent['what'],
  step?: string,
): RotationEvent {
  const keys = { oldKeyId: oldKey.id, oldKeyName: oldKey.name, newKeyId: newKey.id, newKeyName: newKey.name }
  const newKeyAt = newKey.keyId === undefined ? undefined : { ...origin, keyId: newKey.keyId }
  return { what, planId, planName, ...keys, newKeyAt, step }
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

/** From the old key to the new one. */
const forwardSteps: readonly (Step & { readonly id: RotationStepId })[] = [
  { id: 'add', run: add },
  { id: 'keep', run: keep },
  { id: 'check', run: check },
  { id: 'repoint', run: (run) => switchToKey(run, 'new') },
  { id: 'verify', run: (run) => verifyWith(run, 'new') },
  { id: 'disable', run: disable },
  { id: 'confirm', run: confirm },
  { id: 'grace', run: grace },
  { id: 'delete', run: deleteOldKey },
]

/** After these the key may have been made all the same. */
const doubtful: readonly FailureCode[] = ['account.unknownOutcome', 'account.keyNotKept']

async function add(run: Run): Promise<StepOutcome> {
  const { account } = run.ports
  const { origin, newKey } = run.record()
  const made = (await newKeyAt(run)) ?? (await account.addKey({ ...origin, name: newKey.name }).catch(lookAgain(run)))
  run.journal.patch(run.id, { newKey: { ...newKey, keyId: made.keyId } })
  return done
}

const lookAgain = (run: Run) => async (error: unknown) => {
  const isDoubtful = error instanceof AppError && doubtful.includes(error.failure.code)
  const made = isDoubtful ? await newKeyAt(run) : undefined
  if (made === undefined) throw error
  return made
}

async function keep(run: Run): Promise<StepOutcome> {
  const { newKey } = run.record()
  const { keyId = '' } = newKey
  const isKept = ['keychain', 'session'].includes(localKey(run, keyId)?.kept ?? 'missing')
  if (!isKept) await run.ports.account.keepKey(addressOf(run, keyId))
  const local = localKey(run, keyId)
  if (local === undefined) throw new AppError('key.notFound', `${newKey.name} could not be saved on this computer.`)
  run.journal.patch(run.id, { newKey: { ...newKey, id: local.id } })
  return done
}

async function check(run: Run): Promise<StepOutcome> {
  const { newKey, planId } = run.record()
  const [modelCode] = run.ports.plans.find(planId).models
  await requireAccepted(run, () => ask(run, newKey.keyId ?? '', modelCode))
  return done
}

async function disable(run: Run): Promise<StepOutcome> {
  if (await mayUse(run, 'old')) return { kind: 'back', to: 'repoint' }
  const old = await oldKeyAt(run)
  if (old === undefined || !run.record().oldKey.wasActive) return skipped
  if (old.status === 'DISABLED') return done
  if (waitsForHolders(run.record(), run.ports)) return { kind: 'wait' }
  await drain(run)
  await run.ports.account.setKeyStatus({ ...addressOf(run, old.keyId), status: 'DISABLED' })
  return done
}

async function confirm(run: Run): Promise<StepOutcome> {
  const { oldKey } = run.record()
  if ((await oldKeyAt(run)) === undefined) return skipped
  const answer = await askUntil(isRefused, () => ask(run, oldKey.keyId), run)
  if (isRefused(answer)) return done
  if (!answer.ok && !isAccepted(answer)) throw thrown(answer.failure)
  throw stillWorks(`The key ${oldKey.name} is disabled at the account, but the gateway still accepts it.`)
}

/** The old key can be enabled again until the moment that is noted at the first time. */
async function grace({ id, journal, record, ports: { clock } }: Run): Promise<StepOutcome> {
  const { graceMs, deleteAt } = record()
  if (graceMs === 0) return skipped
  const nowMs = clock().getTime()
  if (deleteAt !== undefined) return nowMs < Date.parse(deleteAt) ? { kind: 'wait' } : done
  journal.patch(id, { deleteAt: new Date(nowMs + graceMs).toISOString() })
  return { kind: 'wait' }
}

async function deleteOldKey(run: Run): Promise<StepOutcome> {
  const { oldKey } = run.record()
  if (await mayUse(run, 'old')) return { kind: 'back', to: 'repoint' }
  const old = await oldKeyAt(run)
  if (old?.status === 'ACTIVE') {
    throw stillWorks(
      `The key ${oldKey.name} was enabled again, so it was not deleted. Continue to disable it, or undo.`,
    )
  }
  await dropKey(run, oldKey.keyId)
  return done
}

const stillWorks = (message: string): AppError => new AppError('rotation.oldKeyStillWorks', message)

/** From the new key back to the old one. */
const undoSteps: readonly (Step & { readonly id: RotationUndoStepId })[] = [
  { id: 'enable', run: enable },
  { id: 'giveBack', run: (run) => switchToKey(run, 'old') },
  { id: 'verifyBack', run: (run) => verifyWith(run, 'old') },
  { id: 'remove', run: removeNewKey },
]

/** Fails with `rotation.cannotUndo` when the account no longer has the old key. */
export async function requireOldKey(run: Run) {
  const old = await oldKeyAt(run)
  if (old) return old
  const { oldKey } = run.record()
  throw new AppError('rotation.cannotUndo', `The key ${oldKey.name} is deleted at the account and can't be restored.`)
}

async function enable(run: Run): Promise<StepOutcome> {
  const { account } = run.ports
  const { keyId, status } = await requireOldKey(run)
  const address = addressOf(run, keyId)
  if (localKey(run, keyId)?.kept === 'missing') await account.keepKey(address)
  // A key that did not work before either is left as it was.
  if (!run.record().oldKey.wasActive) return skipped
  if (status === 'DISABLED') await account.setKeyStatus({ ...address, status: 'ACTIVE' })
  await requireAccepted(run, () => ask(run, keyId))
  return done
}

async function removeNewKey(run: Run): Promise<StepOutcome> {
  if (await mayUse(run, 'new')) return { kind: 'back', to: 'giveBack' }
  const keyId = (await newKeyAt(run))?.keyId ?? run.record().newKey.keyId
  if (keyId === undefined) return skipped
  await drain(run)
  await dropKey(run, keyId)
  return done
}

/** The old key as the account has it; undefined when it is gone there. */
async function oldKeyAt(run: Run): Promise<SubscriptionKeyView | undefined> {
  const { origin, oldKey } = run.record()
  return (await run.ports.account.keys(origin)).find(({ keyId }) => keyId === oldKey.keyId)
}

/** The new key as the account has it: also one whose answer was lost, known by its name, which no other key had. */
async function newKeyAt(run: Run): Promise<SubscriptionKeyView | undefined> {
  const { origin, newKey } = run.record()
  const keys = await run.ports.account.keys(origin)
  return keys.find(({ keyId }) => keyId === newKey.keyId) ?? keys.find(({ name }) => name === newKey.name)
}

/** A key of the rotation's plan, as its account is asked about it. */
const addressOf = (run: Run, keyId: string): AccountKey => ({ ...run.record().origin, keyId })

/** The key of this machine that is a key of the account. */
function localKey({ ports, record }: Run, keyId: string | undefined) {
  return ports.plans.view(record().planId).keys.find(({ origin }) => origin?.keyId === keyId)
}

/** One real small request with a key of the account; without a model, which costs nothing, unless one is wanted. */
async function ask(run: Run, keyId: string, modelCode?: string): Promise<CheckView> {
  const { plans, account, check } = run.ports
  const { gatewayUrl: url } = plans.find(run.record().planId)
  const key = await account.secretOf(addressOf(run, keyId))
  return check({ url, standard: 'chat-completions', key, modelCode, signal: run.signal })
}

/** Deletes a key at the account, if it is still there, and forgets it here. */
async function dropKey(run: Run, keyId: string): Promise<void> {
  const { account, plans } = run.ports
  await unless('api.notFound', () => account.deleteKey(addressOf(run, keyId)))
  const left = localKey(run, keyId)
  if (left) await plans.removeKey(run.record().planId, left.id)
}

async function unless(code: FailureCode, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof AppError && error.failure.code === code)) throw error
  }
}

const defaultPatienceMs = minuteMs
const firstPauseMs = 250
const longestPauseMs = 4_000
/** A tool that has read its key sends with it within this time, all but ever. */
const drainMs = 2_000

/** These the gateway says only once it has accepted the key. */
const saidOfGoodKeys: readonly FailureCode[] = ['gateway.modelNotInPlan', 'gateway.quotaExhausted']

/** True when the gateway accepts the key, whatever else it says. */
const isAccepted = (check: CheckView): boolean => check.ok || saidOfGoodKeys.includes(check.failure.code)

/** True when the gateway refuses the key itself. */
const isRefused = (check: CheckView): boolean => !check.ok && check.failure.code === 'gateway.keyRejected'

/** Asks the gateway until the answer is the wanted one, or patience ends; resolves with the last answer. */
async function askUntil(
  isIt: (check: CheckView) => boolean,
  ask: () => Promise<CheckView>,
  { ports: { clock, sleep, patienceMs = defaultPatienceMs }, signal }: Run,
): Promise<CheckView> {
  const until = clock().getTime() + patienceMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const answer = await ask()
    if (isIt(answer) || clock().getTime() + pauseMs > until) return answer
    await sleep(pauseMs, signal)
  }
}

/** Resolves once the gateway accepts a key. Fails with what it says instead. */
async function requireAccepted(run: Run, ask: () => Promise<CheckView>): Promise<void> {
  // A key that was just made or enabled may not have reached every part of the gateway yet.
  const check = await askUntil((answer) => !isRefused(answer), ask, run)
  if (!check.ok && !isAccepted(check)) throw thrown(check.failure)
}

/** Lets requests get through that tools have begun with the key they had, before that key is taken away. */
async function drain({ ports: { sleep }, signal, record }: Run): Promise<void> {
  if (record().tools.length > 0) await sleep(drainMs, signal)
}

/** A failure as it is thrown. */
function thrown({ code, message, ...details }: Extract<CheckView, { ok: false }>['failure']): AppError {
  return new AppError(code, message, details)
}

/** One real small request of each tool that was pointed at a key; what fails is in the record, and blocks. */
async function verifyWith(run: Run, which: Which): Promise<StepOutcome> {
  const { setups } = await usersNow(run, which)
  for (const tool of run.record().tools) {
    if (tool.state !== 'repointed') continue
    const setup = setups.find(isSameTool(tool))
    const failure = setup ? await failureOf(run, setup) : changedSince(tool.toolName)
    noteTool(run, tool, ({ failure: _, ...noted }) =>
      failure ? { ...noted, state: 'failed', failure } : { ...noted, state: 'verified' },
    )
  }
  const { tools } = run.record()
  if (tools.some(({ state }) => state !== 'verified')) return { kind: 'blocked', isLast: true }
  return tools.length === 0 || keyHere(run, which) === undefined ? skipped : done
}

async function failureOf({ ports: { tools } }: Run, setup: WrittenSetup): Promise<Failure | undefined> {
  const { toolId, toolName, site, status, problem } = setup
  if (status !== 'configured') return problem ?? changedSince(toolName)
  try {
    const check = await tools.verify({ toolId, site })
    return check.ok || isAccepted(check) ? undefined : check.failure
  } catch (error) {
    if (error instanceof AppError) return error.failure
    throw error
  }
}
