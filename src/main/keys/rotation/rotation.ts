import { randomUUID } from 'node:crypto'
import type { rotation as contract, RotationView } from '@shared/contract'
import { RotationStepId } from '@shared/contract/rotation'
import { AppError } from '@shared/failure'
import { planRefText } from '@shared/key-ids'
import type { z } from 'zod'
import type { RotationRecord } from '../../core/settings/records'
import { RotationEngine, toEvent } from './engine'
import { isEnded, RotationJournal } from './journal'
import { isSameTool } from './key-switch'
import type { RotationPorts, SharedRotation } from './ports'
import { loadRotationContext, newRecord, previewRotation } from './rotation-preview'
import { RotationSchedules } from './schedule'
import { disableAtMs, findHandover, findRunKeyUsers, requireOldKey } from './steps'

type Contract = typeof contract
type Input<N extends keyof Contract> = z.output<Contract[N]['input']>
type Output<N extends keyof Contract> = z.output<Contract[N]['output']>
type View = Output<'rotation.start'>
type RotationRef = Input<'rotation.resume'>

/** Replaces keys with new ones (spec, "States", Subscription key): create, switch everything, disable, delete. */
export class Rotation {
  readonly #journal: RotationJournal
  readonly #engine: RotationEngine
  readonly schedules: RotationSchedules

  constructor(private readonly ports: RotationPorts) {
    this.#journal = new RotationJournal(ports)
    this.#engine = new RotationEngine(ports, this.#journal)
    this.schedules = new RotationSchedules({ ...ports, start: (request) => this.start(request) })
  }

  /** Previews a rotation. Fails with `rotation.notAtAccount` or `rotation.underWay`. */
  async preview(key: Input<'rotation.preview'>): Promise<Output<'rotation.preview'>> {
    return previewRotation(await loadRotationContext(key, this.ports, this.#journal), this.ports, this.#journal)
  }

  /** Fails as `preview` does, with `account.keyLimitReached`, or with `input.invalid` for a taken name. */
  async start({ graceMs, newKeyName, disableBy, disableAfterMs, ...key }: Input<'rotation.start'>): Promise<View> {
    const context = await loadRotationContext(key, this.ports, this.#journal)
    const { plan, keys, maxKeys } = context
    if (keys.length >= maxKeys) {
      const message = `The plan ${plan.name} has all of its ${maxKeys} keys. Disabled keys count too. Delete one first.`
      throw new AppError('account.keyLimitReached', message)
    }
    if (keys.some(({ name }) => name === newKeyName)) {
      const message = `The plan ${plan.name} has a key named ${newKeyName} already. Choose another name.`
      throw new AppError('input.invalid', message, { field: 'newKeyName' })
    }
    const options = { graceMs, newKeyName: newKeyName ?? context.newKeyName, disableBy, disableAfterMs }
    const record = await this.#addLeased(newRecord(context, options, this.ports.clock()))
    this.ports.notify(toEvent(record, 'rotationStarted'))
    return this.#begin(record.id)
  }

  /** Schedules rotations of a key. Fails as `preview` does, or with `input.invalid` for a time in the past. */
  async schedule(input: Input<'rotation.schedule'>): Promise<Output<'rotation.schedule'>> {
    const { plan, key } = await loadRotationContext(input, this.ports, this.#journal)
    this.schedules.set({ ...input, planId: plan.id, keyId: key.id })
    return this.schedules.list()
  }

  unschedule(key: Input<'rotation.unschedule'>): Output<'rotation.unschedule'> {
    this.schedules.remove(key)
    return this.schedules.list()
  }

  /** Runs rotations in sequence. Stopping one cancels the rest; those that fail to start are reported. */
  async startMany({ keys, ...options }: Input<'rotation.startMany'>): Promise<View[]> {
    const views: View[] = []
    for (const key of keys) {
      const view = await this.#startOne({ ...key, ...options })
      views.push(view)
      if (this.#journal.all().some(({ id, isStopWanted }) => id === view.id && isStopWanted)) break
    }
    return views
  }

  /** Continues a rotation that another computer of the lead space began. Fails with `plan.notFound`, or as `start` does. */
  async takeOver(shared: SharedRotation): Promise<View> {
    const { id, origin, oldKeyId, oldKeyName, wasActive, newKey, ...rest } = shared
    if (this.#journal.all().some((rotation) => rotation.id === id)) return this.resume({ id })
    const plan = this.ports.settings
      .read()
      .plans.find((localPlan) => localPlan.origin && planRefText(localPlan.origin) === planRefText(origin))
    if (plan === undefined) {
      const message = `The plan of the key ${oldKeyName} is not on this computer. Add it from the account first.`
      throw new AppError('plan.notFound', message)
    }
    const findLocalId = (keyId: string | undefined) =>
      plan.keys.find((key) => keyId !== undefined && key.origin?.keyId === keyId)?.id
    await this.#addLeased({
      ...rest,
      id,
      origin,
      planId: plan.id,
      planName: plan.name,
      oldKey: { id: findLocalId(oldKeyId) ?? oldKeyId, keyId: oldKeyId, name: oldKeyName, wasActive },
      newKey: { ...newKey, id: findLocalId(newKey.keyId) },
    })
    return this.#begin(id)
  }

  /** Newest first. */
  list(): View[] {
    return this.#journal.all().map((record) => this.#toRotationView(record))
  }

  /** Finds a rotation. Fails with `rotation.notFound`. */
  find(id: string): View {
    return this.#toRotationView(this.#journal.find(id))
  }

  /** Resolves when this process no longer works on the rotation. */
  async settled(id: string): Promise<View> {
    await this.#engine.settled(id)
    return this.find(id)
  }

  /** Stops after the current step, until it is resumed or undone. The end of the grace period does not continue it. */
  async stop({ id }: RotationRef): Promise<View> {
    if (isEnded(this.#journal.find(id))) return this.find(id)
    this.#journal.patch(id, { isStopWanted: true })
    await this.#engine.settled(id)
    const record = this.#journal.find(id)
    if (this.#engine.isHeld(record) || !['running', 'waiting'].includes(record.state)) return this.find(id)
    this.#journal.patch(id, { state: 'stopped', runner: undefined })
    this.ports.notify(toEvent(record, 'rotationStopped'))
    return this.find(id)
  }

  /** Continues a stopped rotation or its undo, and finds the key's users again. A waiting one continues when due. */
  resume({ id }: RotationRef): View {
    const record = this.#free(id)
    const { state, direction, steps, undoSteps, computers = [] } = record
    const isWaiting = state === 'waiting' && computers.length === 0 && !this.#engine.isDue(record)
    if (isEnded(record) || isWaiting) return this.find(id)
    const restartedSteps =
      direction === 'forward'
        ? { steps: restartSteps(steps, 'repoint') }
        : { undoSteps: restartSteps(undoSteps, 'giveBack') }
    if (state !== 'waiting') this.#journal.patch(id, restartedSteps)
    return this.#begin(id)
  }

  /** Returns to the old key; stops a running rotation first. Fails with `rotation.cannotUndo` once the old key is deleted. */
  async undo({ id }: RotationRef): Promise<View> {
    if (this.find(id).state === 'running') await this.stop({ id })
    const record = this.#free(id)
    if (record.state === 'undone') return this.find(id)
    if (record.state === 'done') {
      throw new AppError('rotation.cannotUndo', `The key ${record.oldKey.name} is deleted and can't be restored.`)
    }
    if (record.direction === 'back') return this.resume({ id })
    const run = this.#engine.createRun(id)
    await requireOldKey(run)
    // Only tools that already use the new key need an undo.
    const { setups } = await findRunKeyUsers(run, 'new')
    const tools = record.tools.filter((tool) => setups.some(isSameTool(tool)))
    this.#journal.patch(id, { direction: 'back', state: 'stopped', deleteAt: undefined, tools })
    return this.#begin(id)
  }

  /** Records that the user replaced the key where this app cannot write. Fails with `input.invalid` otherwise. */
  confirmTool({ id, ...ref }: Input<'rotation.confirmTool'>): View {
    const { tools, direction } = this.#free(id)
    const waitingTool = tools.find((tool) => isSameTool(ref)(tool) && tool.failure?.code === 'rotation.keyByHand')
    if (!waitingTool) throw new AppError('input.invalid', 'This tool does not wait for a key.', { field: 'toolId' })
    const { failure: _, ...tool } = waitingTool
    const confirmedTool = { ...tool, hand: direction === 'forward' ? 'new' : 'old', state: 'repointed' } as const
    this.#journal.patch(id, { tools: tools.map((other) => (other === waitingTool ? confirmedTool : other)) })
    return this.find(id)
  }

  /** Disables the old key now, even if holders have not confirmed. */
  endHandover({ id }: RotationRef): View {
    if (isEnded(this.#free(id))) return this.find(id)
    this.#journal.patch(id, { disableBy: undefined, disableAfterMs: 0 })
    return this.resume({ id })
  }

  /** Tools that used the old key after the switch. Running instances may keep it in memory. */
  async oldKeyUses({ id }: RotationRef): Promise<Output<'rotation.oldKeyUses'>> {
    const { planId, oldKey, steps } = this.#journal.find(id)
    const switchedAt = steps.find((step) => step.id === 'verify' && step.state !== 'pending')?.at
    if (switchedAt === undefined) return []
    return (await this.ports.keyUsesSince?.({ planId, keyId: oldKey.id }, new Date(switchedAt))) ?? []
  }

  /** Removes a rotation from the list. Fails with `rotation.underWay` while it runs or waits. */
  dismiss({ id }: RotationRef): void {
    if (this.#free(id).state === 'waiting') throw createInProgressError()
    this.#journal.remove(id)
  }

  getReminders(): Output<'rotation.getReminders'> {
    return this.ports.settings.read().keyReminders
  }

  setReminders({ days }: Input<'rotation.setReminders'>): Output<'rotation.setReminders'> {
    this.ports.settings.update({ keyReminders: { days: [...new Set(days)].sort((a, b) => a - b) } })
    return this.getReminders()
  }

  /** Continues waiting rotations when they are due, from now on. */
  follow(): void {
    this.#engine.follow()
  }

  /** Checks immediately whether a followed rotation is due, for example after a holder confirmed a key. */
  wake(): void {
    this.#engine.wake()
  }

  /** Stops at exit: starts no further step. The journal has the progress. */
  end(): Promise<void> {
    return this.#engine.end()
  }

  async #addLeased(record: RotationRecord): Promise<RotationRecord> {
    const lease = await this.ports.lease?.()
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
    return this.find(id)
  }

  /** Runs one rotation of a bulk rotation. One that could not start is only in the report. */
  async #startOne(request: Input<'rotation.start'>): Promise<View> {
    try {
      return await this.settled((await this.start(request)).id)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const { failure } = error
      const { planId, keyId, graceMs } = request
      const plan = this.ports.settings.read().plans.find(({ id }) => id === planId)
      const startedAt = this.ports.clock().toISOString()
      return {
        id: randomUUID(),
        planId,
        planName: plan?.name ?? planId,
        oldKeyId: keyId,
        oldKeyName: plan?.keys.find(({ id }) => id === keyId)?.name ?? keyId,
        newKeyName: '',
        state: 'failed',
        steps: RotationStepId.options.map((id) =>
          id === 'add' ? { id, state: 'failed', at: startedAt, failure } : { id, state: 'pending' },
        ),
        tools: [],
        profiles: [],
        startedAt,
        graceMs,
        canResume: false,
        canUndo: false,
      }
    }
  }

  /** Finds a rotation that no process is working on. Fails with `rotation.underWay`. */
  #free(id: string): RotationRecord {
    const record = this.#journal.find(id)
    if (this.#engine.isHeld(record)) throw createInProgressError()
    return record
  }

  #toRotationView(record: RotationRecord): RotationView {
    const isHeld = this.#engine.isHeld(record)
    const handover = findHandover(record, this.ports.listHandovers)
    const atMs = disableAtMs(record, this.ports)
    const { id, planId, planName, oldKey, newKey, tools, profiles, startedAt, graceMs, deleteAt, direction } = record
    const { disableBy, disableAfterMs, computers } = record
    const state = record.state === 'running' && !isHeld ? 'stopped' : record.state
    const pauseRunningStep = <T extends { readonly state: RotationView['steps'][number]['state'] }>(step: T) =>
      step.state === 'running' && !isHeld && state !== 'waiting' ? { ...step, state: 'pending' as const } : step
    return {
      id,
      planId,
      planName,
      oldKeyId: oldKey.id,
      oldKeyName: oldKey.name,
      newKeyId: newKey.id,
      newKeyName: newKey.name,
      state,
      steps: record.steps.map(pauseRunningStep),
      ...(direction === 'back' ? { undoSteps: record.undoSteps.map(pauseRunningStep) } : {}),
      tools: tools.map(({ hand: _, ...tool }) => tool),
      profiles: [...profiles],
      startedAt,
      graceMs,
      ...(state === 'waiting' && deleteAt !== undefined ? { deleteAt } : {}),
      ...(handover.length > 0 ? { handover: [...handover] } : {}),
      computers,
      ...(atMs && state === 'waiting' && deleteAt === undefined ? { disableAt: new Date(atMs).toISOString() } : {}),
      disableBy,
      disableAfterMs,
      canResume:
        !isHeld && (state === 'stopped' || state === 'failed' || (state === 'waiting' && this.#engine.isDue(record))),
      canUndo: !isEnded(record) && direction === 'forward',
    }
  }
}

const createInProgressError = (): AppError =>
  new AppError('rotation.underWay', 'This rotation is in progress. Stop it first.')

/** Resets the steps from the switch of the tools on, because other tools may use the key by then, or all before it. */
function restartSteps<T extends { readonly id: string; readonly state: string }>(
  steps: readonly T[],
  switchId: T['id'],
) {
  const switchIndex = steps.findIndex(({ id }) => id === switchId)
  const isSwitchReached = steps.slice(0, switchIndex).every(({ state }) => state === 'done' || state === 'skipped')
  return steps.map((step, index) =>
    isSwitchReached && index < switchIndex
      ? step
      : { ...step, state: 'pending' as const, at: undefined, failure: undefined },
  )
}
