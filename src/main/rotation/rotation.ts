import { randomUUID } from 'node:crypto'
import type { rotation as contract, Handover, RotationView } from '@shared/contract'
import { RotationStepId, RotationUndoStepId } from '@shared/contract/rotation'
import { AppError, type Failure } from '@shared/failure'
import type { z } from 'zod'
import type { RotatedToolRecord, RotationRecord } from '../settings/records'
import type { PlanRecord } from '../settings/settings'
import type { WrittenSetup } from '../setups/setup-views'
import { eventFor, RotationEngine, requireOldKey } from './engine'
import { isEnded, nextStep, RotationJournal } from './journal'
import type { RotationPorts, SharedRotation } from './ports'
import { loadRotationContext, newRecord, previewRotation } from './rotation-preview'
import { findHandover, isDue, RotationScheduler } from './rotation-scheduler'
import { isSameTool, usersNow } from './switch-key'

type Contract = typeof contract
type Input<N extends keyof Contract> = z.output<Contract[N]['input']>
type Output<N extends keyof Contract> = z.output<Contract[N]['output']>
type View = Output<'rotation.start'>
type OfRotation = Input<'rotation.resume'>

/** Keys give way to new ones (spec, "States", Subscription key): add, point everything at it, disable, delete. */
export class Rotation {
  readonly #ports: RotationPorts
  readonly #journal: RotationJournal
  readonly #engine: RotationEngine
  readonly #follower: RotationScheduler

  constructor(ports: RotationPorts) {
    this.#ports = ports
    this.#journal = new RotationJournal(ports)
    this.#engine = new RotationEngine(ports, this.#journal)
    this.#follower = new RotationScheduler(ports, {
      records: () => this.#journal.all(),
      run: (record) => this.#deleteNow(record),
    })
  }

  /** What rotating a key will do; nothing is changed. Fails with `rotation.notAtAccount` or `rotation.underWay`. */
  async preview(key: Input<'rotation.preview'>): Promise<Output<'rotation.preview'>> {
    return previewRotation(await loadRotationContext(key, this.#ports, this.#journal), this.#ports, this.#journal)
  }

  /** Begins; `settled` tells when nothing more happens. Fails as `preview` does, with `account.keyLimitReached`, or `input.invalid` for a name that is taken. */
  async start({ graceMs, newKeyName, disableBy, ...key }: Input<'rotation.start'>): Promise<View> {
    const situation = await loadRotationContext(key, this.#ports, this.#journal)
    const { plan, keys, mostKeys } = situation
    if (keys.length >= mostKeys) {
      const message = `The plan ${plan.name} has all of its ${mostKeys} keys. Disabled keys count too. Delete one first.`
      throw new AppError('account.keyLimitReached', message)
    }
    if (keys.some(({ name }) => name === newKeyName)) {
      const message = `The plan ${plan.name} has a key named ${newKeyName} already. Choose another name.`
      throw new AppError('input.invalid', message, { field: 'newKeyName' })
    }
    const wish = { graceMs, newKeyName: newKeyName ?? situation.newKeyName, disableBy, now: this.#ports.clock() }
    const record = await this.#addLeased(newRecord(situation, wish))
    this.#ports.tell(eventFor(record, 'rotationStarted'))
    return this.#begin(record.id)
  }

  /** One after the other; what cannot be begun is in the report as well. Stopping the one that runs stops those behind it. */
  async startMany({ keys, ...wish }: Input<'rotation.startMany'>): Promise<View[]> {
    const views: View[] = []
    for (const key of keys) {
      const view = await this.#oneOfMany({ ...key, ...wish })
      views.push(view)
      if (this.#journal.all().some(({ id, isStopWanted }) => id === view.id && isStopWanted)) break
    }
    return views
  }

  /** Goes on here with a rotation that another computer of the team began. Fails with `plan.notFound`, or as `start` does. */
  async takeOver(shared: SharedRotation): Promise<View> {
    const { id, origin, oldKeyId, oldKeyName, wasActive, newKey, ...rest } = shared
    if (this.#journal.all().some((one) => one.id === id)) return this.resume({ id })
    const plan = this.#ports.settings
      .read()
      .plans.find((one) => one.origin?.connectionId === origin.connectionId && one.origin.planId === origin.planId)
    if (plan === undefined) {
      const message = `The plan of the key ${oldKeyName} is not on this computer. Add it from the account first.`
      throw new AppError('plan.notFound', message)
    }
    const localIdOf = (keyId: string | undefined) => plan.keys.find((key) => key.origin?.keyId === keyId)?.id
    const [oldId, newId] = [localIdOf(oldKeyId), newKey.keyId === undefined ? undefined : localIdOf(newKey.keyId)]
    await this.#addLeased({
      ...{ ...rest, id, origin, planId: plan.id, planName: plan.name },
      oldKey: { id: oldId ?? oldKeyId, keyId: oldKeyId, name: oldKeyName, wasActive },
      newKey: { ...newKey, id: newId },
    })
    return this.#begin(id)
  }

  /** The newest first. */
  list(): View[] {
    return this.#journal.all().map((record) => this.#toRotationView(record))
  }

  /** Fails with `rotation.notFound`. */
  find(id: string): View {
    return this.#toRotationView(this.#journal.find(id))
  }

  /** Resolves once this process does nothing more for it: it has ended, waits, was stopped or failed. */
  async settled(id: string): Promise<View> {
    await this.#engine.settled(id)
    return this.find(id)
  }

  /** Behind the step that runs; nothing happens to it until it is resumed or undone, not even at the end of its grace period. */
  async stop({ id }: OfRotation): Promise<View> {
    if (isEnded(this.#journal.find(id))) return this.find(id)
    this.#journal.patch(id, { isStopWanted: true })
    await this.#engine.settled(id)
    const record = this.#journal.find(id)
    if (this.#engine.isHeld(record) || !['running', 'waiting'].includes(record.state)) return this.find(id)
    this.#journal.patch(id, { state: 'stopped', runner: undefined })
    this.#ports.tell(eventFor(record, 'rotationStopped'))
    return this.find(id)
  }

  /** Goes on in the direction it went in; what uses the keys is looked at anew. One that waits goes on when its time has come. */
  resume({ id }: OfRotation): View {
    const record = this.#free(id)
    const mustWait = record.state === 'waiting' && !isDue(record, this.#ports)
    if (isEnded(record) || mustWait) return this.find(id)
    if (record.state !== 'waiting') this.#journal.patch(id, restarted(record))
    return this.#begin(id)
  }

  /** Back to the old key; one that runs here is stopped first. Fails with `rotation.cannotUndo` once the old key is deleted. */
  async undo({ id }: OfRotation): Promise<View> {
    if (this.find(id).state === 'running') await this.stop({ id })
    const record = this.#free(id)
    if (record.state === 'undone') return this.find(id)
    if (record.state === 'done') {
      throw new AppError('rotation.cannotUndo', `The key ${record.oldKey.name} is deleted and can't be restored.`)
    }
    if (record.direction === 'back') return this.resume({ id })
    const run = this.#engine.contextOf(id)
    await requireOldKey(run)
    const { setups } = await usersNow(run, 'new')
    this.#journal.patch(id, turnedBack(record, setups))
    return this.#begin(id)
  }

  /** Notes that the person has put the key where this app cannot write. Fails with `input.invalid` when nothing waits for that. */
  confirmTool({ id, ...at }: Input<'rotation.confirmTool'>): View {
    const { tools, direction } = this.#free(id)
    const isIt = (tool: RotationRecord['tools'][number]) =>
      isSameTool(at)(tool) && tool.failure?.code === 'rotation.keyByHand'
    if (!tools.some(isIt))
      throw new AppError('input.invalid', 'This tool does not wait for a key.', { field: 'toolId' })
    const hand = direction === 'forward' ? 'new' : 'old'
    const confirmed = ({ failure: _, ...tool }: RotationRecord['tools'][number]) =>
      ({ ...tool, hand, state: 'repointed' }) as const
    this.#journal.patch(id, { tools: tools.map((tool) => (isIt(tool) ? confirmed(tool) : tool)) })
    return this.find(id)
  }

  /** Disables the old key now, whoever has not confirmed the new one. */
  endHandover({ id }: OfRotation): View {
    if (isEnded(this.#free(id))) return this.find(id)
    this.#journal.patch(id, { disableBy: this.#ports.clock().toISOString() })
    return this.resume({ id })
  }

  /** Takes one off the list that neither runs nor waits. Fails with `rotation.underWay`. */
  dismiss({ id }: OfRotation): void {
    if (this.#free(id).state === 'waiting') throw underWay()
    this.#journal.remove(id)
  }

  reminders(): Output<'rotation.getReminders'> {
    return this.#ports.settings.read().keyReminders
  }

  setReminders({ days }: Input<'rotation.setReminders'>): Output<'rotation.setReminders'> {
    this.#ports.settings.update({ keyReminders: { days: [...new Set(days)].sort((a, b) => a - b) } })
    return this.reminders()
  }

  /** Deletes old keys at the end of their grace period, from now on; called again, it looks at once. */
  follow(): void {
    this.#follower.look()
  }

  /** Looks whether one of those that are followed can go on, as when a holder has confirmed a key. */
  wake(): void {
    this.#follower.wake()
  }

  /** Begins nothing more; where it stands is in the journal. */
  async end(): Promise<void> {
    this.#follower.end()
    await this.#engine.end()
  }

  async #addLeased(record: RotationRecord): Promise<RotationRecord> {
    const lease = await this.#ports.lease?.()
    await lease?.take(record)
    try {
      return this.#journal.add(record)
    } catch (error) {
      await lease?.leave({ ...record, state: 'undone' })
      throw error
    }
  }

  #begin(id: string): View {
    this.#engine.start(id)
    void this.#engine.settled(id).then(() => this.#follower.wake())
    return this.find(id)
  }

  async #deleteNow(record: RotationRecord): Promise<void> {
    if (this.#engine.isHeld(record)) return
    this.#engine.start(record.id)
    await this.#engine.settled(record.id)
  }

  async #oneOfMany(wish: Input<'rotation.start'>): Promise<View> {
    try {
      return await this.settled((await this.start(wish)).id)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const plan = this.#ports.settings.read().plans.find(({ id }) => id === wish.planId)
      return refusedView(wish, { plan, failure: error.failure, now: this.#ports.clock() })
    }
  }

  /** The record of a rotation that nobody works on. Fails with `rotation.underWay`. */
  #free(id: string): RotationRecord {
    const record = this.#journal.find(id)
    if (this.#engine.isHeld(record)) throw underWay()
    return record
  }

  #toRotationView(record: RotationRecord): View {
    return toRotationView(record, {
      isHeld: this.#engine.isHeld(record),
      isDue: isDue(record, this.#ports),
      handover: findHandover(record, this.#ports),
    })
  }
}

const underWay = (): AppError => new AppError('rotation.underWay', 'This rotation is in progress. Stop it first.')

/** What only the running program knows. */
interface RotationProgress {
  /** A process works on it now. */
  readonly isHeld: boolean
  /** What it waits for has come. */
  readonly isDue: boolean
  readonly handover: readonly Handover[]
}

/** A rotation as it may be shown; one whose process was killed is `stopped`. */
function toRotationView(record: RotationRecord, { isHeld, isDue, handover }: RotationProgress): RotationView {
  const { id, planId, planName, oldKey, newKey, tools, profiles, startedAt, graceMs, deleteAt, disableBy, direction } =
    record
  const state = record.state === 'running' && !isHeld ? 'stopped' : record.state
  const shown = <T extends { readonly state: RotationView['steps'][number]['state'] }>(step: T) =>
    step.state === 'running' && !isHeld && state !== 'waiting' ? { ...step, state: 'pending' as const } : step
  return {
    id,
    planId,
    planName,
    oldKeyId: oldKey.id,
    oldKeyName: oldKey.name,
    ...(newKey.id === undefined ? {} : { newKeyId: newKey.id }),
    newKeyName: newKey.name,
    state,
    steps: record.steps.map(shown),
    ...(direction === 'back' ? { undoSteps: record.undoSteps.map(shown) } : {}),
    tools: tools.map(toolView),
    profiles: [...profiles],
    startedAt,
    graceMs,
    ...(state === 'waiting' && deleteAt !== undefined ? { deleteAt } : {}),
    ...(handover.length > 0 ? { handover: [...handover] } : {}),
    ...(disableBy === undefined ? {} : { disableBy }),
    canResume: !isHeld && (state === 'stopped' || state === 'failed' || (state === 'waiting' && isDue)),
    canUndo: !isEnded(record) && direction === 'forward',
  }
}

const toolView = ({ hand: _, ...tool }: RotatedToolRecord): RotationView['tools'][number] => tool

/** Why a rotation of many could not be begun. */
interface FailedStart {
  /** Absent when it is not on this machine any more. */
  readonly plan: PlanRecord | undefined
  readonly failure: Failure
  readonly now: Date
}

/** A rotation that could not be begun, for the report of many; it is on no list. */
function refusedView(
  { planId, keyId, graceMs }: Readonly<Record<'planId' | 'keyId', string>> & { readonly graceMs: number },
  { plan, failure, now }: FailedStart,
): RotationView {
  return {
    id: randomUUID(),
    planId,
    planName: plan?.name ?? planId,
    oldKeyId: keyId,
    oldKeyName: plan?.keys.find(({ id }) => id === keyId)?.name ?? keyId,
    newKeyName: '',
    state: 'failed',
    steps: RotationStepId.options.map((id) =>
      id === 'add' ? { id, state: 'failed', at: now.toISOString(), failure } : { id, state: 'pending' },
    ),
    tools: [],
    profiles: [],
    startedAt: now.toISOString(),
    graceMs,
    canResume: false,
    canUndo: false,
  }
}

const pending = { state: 'pending', at: undefined, failure: undefined } as const

/** Steps that are made again when a rotation goes on: what uses the keys may have changed since. */
const looksAgainFrom = { forward: 'repoint', back: 'giveBack' } as const

/** What changes when a rotation goes on; a step that comes before the tools goes on with all that leads to it. */
function restarted(record: RotationRecord): Pick<RotationRecord, 'steps' | 'undoSteps'> {
  const next = nextStep(record)?.id
  const ids: readonly string[] = [...RotationStepId.options, ...RotationUndoStepId.options]
  const looksAgain = looksAgainFrom[record.direction]
  const isEarly = next !== undefined && ids.indexOf(next) < ids.indexOf(looksAgain)
  const list = record.direction === 'forward' ? RotationStepId.options : RotationUndoStepId.options
  const from = isEarly ? (list[0] ?? looksAgain) : looksAgain
  const reset = <T extends { readonly id: string }>(steps: readonly T[]) =>
    steps.map((step) => (ids.indexOf(step.id) < ids.indexOf(from) ? step : { ...step, ...pending }))
  return record.direction === 'forward'
    ? { steps: reset(record.steps), undoSteps: record.undoSteps }
    : { steps: record.steps, undoSteps: reset(record.undoSteps) }
}

/** What changes when a rotation is turned back: only tools that use the new key now have something to go back from. */
function turnedBack(
  { tools }: RotationRecord,
  users: readonly WrittenSetup[],
): Pick<RotationRecord, 'direction' | 'state' | 'tools' | 'deleteAt'> {
  return {
    direction: 'back',
    state: 'stopped',
    deleteAt: undefined,
    tools: tools.filter((tool) => users.some(isSameTool(tool))),
  }
}
