import { randomUUID } from 'node:crypto'
import type {
  MethodInput,
  MethodOutput,
  RotationSchedule,
  RotationScheduleInput,
  RotationView,
  SubscriptionKeyView,
} from '@shared/contract'
import { RotationStepId, RotationUndoStepId } from '@shared/contract/rotation'
import { dayMs } from '@shared/durations'
import { AppError } from '@shared/failure'
import { findFreeName } from '@shared/hidden-characters'
import { planRefText } from '@shared/key-ids'
import { limits } from '@shared/limits'
import { toFailure } from '../../core/log'
import type { RotationRecord, RotationScheduleRecord } from '../../core/settings/records'
import type { KeyRecord, PlanRecord, SettingsStore } from '../../core/settings/settings'
import type { UsablePlan } from '../../plans/plan-directory'
import { listUpstreams as listKeys } from '../../relay/routing/routes'
import { RotationEngine } from './engine'
import { isEnded, RotationJournal } from './journal'
import { createKeyMatcher, findKeyUsers, isSameTool, toSwitchedTool } from './key-switch'
import type { RotationPorts, SharedRotation } from './ports'
import { disableAtMs, findRunKeyUsers, isSwitchStep, requireOldKey } from './steps'

type RotationRef = MethodInput<'rotation.resume'>

/** Progress of a rotation before its first step. */
const emptyProgress = {
  steps: RotationStepId.options.map((id) => ({ id, state: 'pending' as const })),
  undoSteps: RotationUndoStepId.options.map((id) => ({ id, state: 'pending' as const })),
  tools: [],
  profiles: [],
  isStopWanted: false,
}

/** Replaces keys with new ones (spec, "States", Subscription key): create, switch everything, disable, delete. */
export class Rotation {
  readonly #journal: RotationJournal
  readonly engine: RotationEngine
  readonly schedules: RotationSchedules

  constructor(private readonly ports: RotationPorts) {
    this.#journal = new RotationJournal(ports)
    this.engine = new RotationEngine(ports, this.#journal)
    this.schedules = new RotationSchedules({ ...ports, start: (request) => this.start(request) })
  }

  /** Previews a rotation. Fails with `rotation.notAtAccount` or `rotation.underWay`. */
  async preview(key: MethodInput<'rotation.preview'>): Promise<MethodOutput<'rotation.preview'>> {
    const { plan, key: localKey, keys, maxKeys, newKeyName } = await this.#loadContext(key)
    const { listHandovers, tools, findOtherUses } = this.ports
    const { setups, profiles } = await findKeyUsers(this.ports, createKeyMatcher(plan, localKey.id))
    const handovers = listHandovers({ planId: plan.id, oldKey: localKey, newKey: {} })
    // If the lead space is offline, the rotation queries it again before it disables the key.
    const computers = await findOtherUses?.({ ...plan.origin, ...localKey.origin }).catch(() => undefined)
    return {
      planId: plan.id,
      planName: plan.name,
      keyId: localKey.id,
      keyName: localKey.name,
      newKeyName,
      slots: { used: keys.length, max: maxKeys },
      freeable: await this.#findFreeableKeys({ plan, key: localKey, keys }),
      tools: setups.map(toSwitchedTool),
      unknownTools: [...(await tools.unknownSetups())],
      profiles: profiles.map(({ name }) => name),
      holders: handovers.map(({ holder }) => holder.name),
      computers: computers && [...computers],
    }
  }

  /** Fails as `preview` does, with `account.keyLimitReached`, or with `input.invalid` for a taken name. */
  async start(request: MethodInput<'rotation.start'>): Promise<RotationView> {
    const { graceMs, newKeyName, disableBy, disableAfterMs } = request
    const context = await this.#loadContext(request)
    const { plan, keys, maxKeys, key, oldKey } = context
    if (keys.length >= maxKeys) {
      const message = `The plan ${plan.name} has all of its ${maxKeys} keys. Disabled keys count too. Delete one first.`
      throw new AppError('account.keyLimitReached', message)
    }
    if (keys.some(({ name }) => name === newKeyName)) {
      const message = `The plan ${plan.name} has a key named ${newKeyName} already. Choose another name.`
      throw new AppError('input.invalid', message, { field: 'newKeyName' })
    }
    const record: RotationRecord = {
      ...emptyProgress,
      id: randomUUID(),
      planId: plan.id,
      planName: plan.name,
      origin: plan.origin,
      oldKey: { id: key.id, keyId: oldKey.keyId, name: key.name, wasActive: oldKey.status !== 'DISABLED' },
      newKey: { name: newKeyName ?? context.newKeyName },
      direction: 'forward',
      state: 'running',
      startedAt: this.ports.clock().toISOString(),
      graceMs,
      disableBy,
      disableAfterMs,
    }
    await this.#addLeased(record)
    this.ports.notify({ what: 'rotationStarted', record })
    return this.#begin(record.id)
  }

  /** Schedules rotations of a key. Fails as `preview` does, or with `input.invalid` for a time in the past. */
  async schedule(input: MethodInput<'rotation.schedule'>): Promise<MethodOutput<'rotation.schedule'>> {
    const { plan, key } = await this.#loadContext(input)
    this.schedules.set({ ...input, planId: plan.id, keyId: key.id })
    return this.schedules.list()
  }

  unschedule(key: MethodInput<'rotation.unschedule'>): MethodOutput<'rotation.unschedule'> {
    this.schedules.remove(key)
    return this.schedules.list()
  }

  /** Runs rotations in sequence. Stopping one cancels the rest; those that fail to start are reported. */
  async startMany({ keys, ...options }: MethodInput<'rotation.startMany'>): Promise<RotationView[]> {
    const views: RotationView[] = []
    for (const key of keys) {
      const view = await this.#startOne({ ...key, ...options })
      views.push(view)
      if (this.#journal.all().some(({ id, isStopWanted }) => id === view.id && isStopWanted)) break
    }
    return views
  }

  /** Continues a rotation that another computer of the lead space began. Fails with `plan.notFound`, or as `start` does. */
  async takeOver(shared: SharedRotation): Promise<RotationView> {
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
      ...emptyProgress,
      ...rest,
      state: 'stopped',
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
  list(): RotationView[] {
    return this.#journal.all().map((record) => this.#toRotationView(record))
  }

  /** Finds a rotation. Fails with `rotation.notFound`. */
  find(id: string): RotationView {
    return this.#toRotationView(this.#journal.find(id))
  }

  /** Resolves when this process no longer works on the rotation. */
  async settled(id: string): Promise<RotationView> {
    await this.engine.settled(id)
    return this.find(id)
  }

  /** Stops after the current step, until it is resumed or undone. The end of the grace period does not continue it. */
  async stop({ id }: RotationRef): Promise<RotationView> {
    if (isEnded(this.#journal.find(id))) return this.find(id)
    this.#journal.patch(id, { isStopWanted: true })
    await this.engine.settled(id)
    const record = this.#journal.find(id)
    if (this.engine.isHeld(record) || !['running', 'waiting'].includes(record.state)) return this.find(id)
    this.#journal.patch(id, { state: 'stopped', runner: undefined })
    this.ports.notify({ what: 'rotationStopped', record })
    return this.find(id)
  }

  /** Continues a stopped rotation or its undo, and finds the key's users again. A waiting one continues when due. */
  resume({ id }: RotationRef): RotationView {
    const record = this.#free(id)
    const { state, direction, steps, undoSteps, computers = [] } = record
    const isWaiting = state === 'waiting' && computers.length === 0 && !this.engine.isDue(record)
    if (isEnded(record) || isWaiting) return this.find(id)
    const isForward = direction === 'forward'
    if (state !== 'waiting')
      this.#journal.patch(id, isForward ? { steps: restartSteps(steps) } : { undoSteps: restartSteps(undoSteps) })
    return this.#begin(id)
  }

  /** Returns to the old key; stops a running rotation first. Fails with `rotation.cannotUndo` once the old key is deleted. */
  async undo({ id }: RotationRef): Promise<RotationView> {
    if (this.find(id).state === 'running') await this.stop({ id })
    const record = this.#free(id)
    if (record.state === 'undone') return this.find(id)
    if (record.state === 'done') {
      throw new AppError('rotation.cannotUndo', `The key ${record.oldKey.name} is deleted and can't be restored.`)
    }
    if (record.direction === 'back') return this.resume({ id })
    const run = this.engine.createRun(id)
    await requireOldKey(run)
    // Only tools that already use the new key need an undo.
    const { setups } = await findRunKeyUsers(run, 'new')
    const tools = record.tools.filter((tool) => setups.some(isSameTool(tool)))
    this.#journal.patch(id, { direction: 'back', state: 'stopped', deleteAt: undefined, tools })
    return this.#begin(id)
  }

  /** Records that the user replaced the key where this app cannot write. Fails with `input.invalid` otherwise. */
  confirmTool({ id, ...ref }: MethodInput<'rotation.confirmTool'>): RotationView {
    const { tools, direction } = this.#free(id)
    const waitingTool = tools.find((tool) => isSameTool(ref)(tool) && tool.failure?.code === 'rotation.keyByHand')
    if (!waitingTool) throw new AppError('input.invalid', 'This tool does not wait for a key.', { field: 'toolId' })
    const { failure: _, ...tool } = waitingTool
    const confirmedTool = { ...tool, hand: direction === 'forward' ? 'new' : 'old', state: 'repointed' } as const
    this.#journal.patch(id, { tools: tools.map((other) => (other === waitingTool ? confirmedTool : other)) })
    return this.find(id)
  }

  /** Disables the old key now, even if holders have not confirmed. */
  endHandover({ id }: RotationRef): RotationView {
    if (isEnded(this.#free(id))) return this.find(id)
    this.#journal.patch(id, { disableBy: undefined, disableAfterMs: 0 })
    return this.resume({ id })
  }

  /** Tools that used the old key after the switch. Running instances may keep it in memory. */
  async oldKeyUses({ id }: RotationRef): Promise<MethodOutput<'rotation.oldKeyUses'>> {
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

  async #addLeased(record: RotationRecord): Promise<void> {
    const lease = await this.ports.lease?.()
    await lease?.take(record)
    try {
      this.#journal.add(record)
    } catch (error) {
      await lease?.leave({ ...record, state: 'undone' })
      throw error
    }
  }

  #begin(id: string): RotationView {
    this.engine.start(id)
    return this.find(id)
  }

  /** Runs one rotation of a bulk rotation. One that could not start is only in the report. */
  async #startOne(request: MethodInput<'rotation.start'>): Promise<RotationView> {
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
        steps: emptyProgress.steps.map((step) =>
          step.id === 'add' ? { ...step, state: 'failed', at: startedAt, failure } : step,
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

  /** Fails with `*.notFound`, `rotation.notAtAccount`, `rotation.underWay`, or the account's failure. */
  async #loadContext({ planId, keyId }: KeyRef): Promise<RotationContext> {
    const { account, plans, clock } = this.ports
    const { origin, ...plan } = plans.find(planId)
    const key = plan.keys.find(({ id }) => id === keyId)
    if (key === undefined) throw new AppError('key.notFound', `The plan ${plan.name} has no such key.`)
    if (origin === undefined || key.origin === undefined) {
      const message = `The key ${key.name} of ${plan.name} was added by key, so the app can't create a new one. Ask the person who issued it, and paste the new key.`
      throw new AppError('rotation.notAtAccount', message)
    }
    const accountKeyId = key.origin.keyId
    this.#journal.requireNotRotating(plan.id, key)
    const openRotations = this.#openRotations().filter((rotation) => rotation.planId === plan.id)
    const [{ maxKeys, status }, keys] = await Promise.all([account.plan(origin), account.keys(origin)])
    if (status === 'EXPIRED') {
      const message = `The plan ${plan.name} (${origin.planId}) has expired, so its keys can't be rotated.`
      throw new AppError('account.planExpired', message)
    }
    const oldKey = keys.find((accountKey) => accountKey.keyId === accountKeyId)
    if (!oldKey) throw new AppError('rotation.notAtAccount', `The account no longer has the key ${key.name}.`)
    const usedNames = [...keys.map(({ name }) => name), ...openRotations.map(({ newKey }) => newKey.name)]
    const newKeyName = createKeyName(key.name, usedNames, clock())
    return { plan: { ...plan, origin }, key: { ...key, origin: key.origin }, oldKey, keys, maxKeys, newKeyName }
  }

  /** Keys of the account that this computer does not use and that have no known holder, oldest first. */
  async #findFreeableKeys({ plan, key, keys }: Pick<RotationContext, 'plan' | 'key' | 'keys'>) {
    const { setups, profiles, ways } = await findKeyUsers(this.ports, ({ planId }) => planId === plan.id)
    const setupChoices = setups.map(({ choice }) => choice)
    const choices = [...setupChoices, ...profiles.flatMap(({ entries }) => entries), ...ways.flatMap(listKeys)]
    const isUsedHere = ({ id }: KeyRecord): boolean => choices.some(createKeyMatcher(plan, id))
    const neededKeyIds = new Set([
      key.origin.keyId,
      ...plan.keys.filter(isUsedHere).flatMap(({ origin }) => origin?.keyId ?? []),
      ...this.#openRotations().flatMap(({ oldKey, newKey }) => [oldKey.keyId, newKey.keyId ?? '']),
    ])
    const isFreeable = ({ keyId }: SubscriptionKeyView): boolean =>
      !neededKeyIds.has(keyId) && this.ports.listHolders({ ...plan.origin, keyId }).length === 0
    return keys
      .filter(isFreeable)
      .toSorted((a, b) => a.createdAt.localeCompare(b.createdAt))
      .map(({ keyId, name, status, createdAt }) => ({ keyId, name, status, createdAt }))
  }

  #openRotations(): readonly RotationRecord[] {
    return this.#journal.all().filter((rotation) => !isEnded(rotation))
  }

  /** Finds a rotation that no process is working on. Fails with `rotation.underWay`. */
  #free(id: string): RotationRecord {
    const record = this.#journal.find(id)
    if (this.engine.isHeld(record)) throw createInProgressError()
    return record
  }

  #toRotationView(record: RotationRecord): RotationView {
    const isHeld = this.engine.isHeld(record)
    const handover = this.ports.listHandovers(record)
    const atMs = disableAtMs(record, this.ports)
    const {
      origin: _,
      oldKey,
      newKey,
      direction,
      undoSteps,
      deleteAt,
      isStopWanted: __,
      runner: ___,
      ...shared
    } = record
    const state = record.state === 'running' && !isHeld ? 'stopped' : record.state
    const pauseRunningStep = <T extends { readonly state: RotationView['steps'][number]['state'] }>(step: T) =>
      step.state === 'running' && !isHeld && state !== 'waiting' ? { ...step, state: 'pending' as const } : step
    return {
      ...shared,
      oldKeyId: oldKey.id,
      oldKeyName: oldKey.name,
      newKeyId: newKey.id,
      newKeyName: newKey.name,
      state,
      steps: record.steps.map(pauseRunningStep),
      ...(direction === 'back' ? { undoSteps: undoSteps.map(pauseRunningStep) } : {}),
      tools: record.tools.map(({ hand: _hand, ...tool }) => tool),
      ...(state === 'waiting' && deleteAt !== undefined ? { deleteAt } : {}),
      ...(handover.length > 0 ? { handover: [...handover] } : {}),
      ...(atMs && state === 'waiting' && deleteAt === undefined ? { disableAt: new Date(atMs).toISOString() } : {}),
      canResume:
        !isHeld && (state === 'stopped' || state === 'failed' || (state === 'waiting' && this.engine.isDue(record))),
      canUndo: !isEnded(record) && direction === 'forward',
    }
  }
}

const createInProgressError = (): AppError =>
  new AppError('rotation.underWay', 'This rotation is in progress. Stop it first.')

/** Resets the steps from the switch of the tools on, because other tools may use the key by then, or all before it. */
function restartSteps<T extends { readonly id: string; readonly state: string }>(steps: readonly T[]) {
  const switchIndex = steps.findIndex(isSwitchStep)
  const isSwitchReached = steps.slice(0, switchIndex).every(({ state }) => state === 'done' || state === 'skipped')
  return steps.map((step, index) =>
    isSwitchReached && index < switchIndex
      ? step
      : { ...step, state: 'pending' as const, at: undefined, failure: undefined },
  )
}

/** A key of this computer that also exists at the account, with its state at the account. */
interface RotationContext {
  readonly plan: UsablePlan & { readonly origin: NonNullable<PlanRecord['origin']> }
  readonly key: KeyRecord & { readonly origin: NonNullable<KeyRecord['origin']> }
  readonly oldKey: SubscriptionKeyView
  readonly keys: readonly SubscriptionKeyView[]
  readonly maxKeys: number
  readonly newKeyName: string
}

/** A free name: the old key's name with the UTC day of the rotation, which replaces the day of an earlier one. */
function createKeyName(oldName: string, takenNames: readonly string[], currentTime: Date): string {
  const [base = ''] = oldName.split(/-\d{4}-\d{2}-\d{2}(?:-\d+)?$/)
  const day = currentTime.toISOString().slice(0, 10)
  return findFreeName(
    (name) => takenNames.includes(name),
    (mark) => {
      const suffix = `-${day}${mark}`
      return [...base].slice(0, limits.nameCharacters - suffix.length).join('') + suffix
    },
  )
}

type KeyRef = Pick<RotationScheduleInput, 'planId' | 'keyId'>

interface ScheduleDeps extends Pick<RotationPorts, 'settings' | 'clock' | 'log'> {
  readonly start: (request: Omit<RotationScheduleInput, 'at' | 'everyDays'>) => Promise<unknown>
}

/** Rotations that start at a time, once or every few days. They are started while the app or `companion rotate due` runs. */
class RotationSchedules {
  constructor(private readonly deps: ScheduleDeps) {}

  /** The next one first. Omits keys that are no longer on this computer. */
  list(): RotationSchedule[] {
    const { plans, rotationSchedules } = this.deps.settings.read()
    return rotationSchedules
      .flatMap((schedule) => {
        const plan = plans.find(({ id }) => id === schedule.planId)
        const key = plan?.keys.find(({ id }) => id === schedule.keyId)
        return plan && key ? [{ ...schedule, planName: plan.name, keyName: key.name }] : []
      })
      .toSorted((a, b) => a.at.localeCompare(b.at))
  }

  /** Replaces the schedule of a key. Fails with `input.invalid` for a time in the past. */
  set(schedule: RotationScheduleInput): void {
    if (Date.parse(schedule.at) <= this.deps.clock().getTime())
      throw new AppError('input.invalid', 'Choose a time in the future.', { field: 'at' })
    this.#replace(schedule, [schedule])
  }

  remove(key: KeyRef): void {
    this.#replace(key, [])
  }

  /** Starts the rotations that are due. Returns them, and those that could not start for a new reason. */
  async startDue(): Promise<RotationSchedule[]> {
    const nowMs = this.deps.clock().getTime()
    const startedSchedules: RotationSchedule[] = []
    for (const { failure: failureBefore, ...schedule } of this.list().filter(({ at }) => Date.parse(at) <= nowMs)) {
      const { planName: _, keyName: __, ...record } = schedule
      // Advance before the start, so that a killed process does not start the rotation twice.
      this.#replace(schedule, getNext(record, nowMs))
      try {
        await this.deps.start(record)
        startedSchedules.push(schedule)
      } catch (error) {
        const message = 'The rotation could not start. The log has the details.'
        const failure = toFailure(error, this.deps.log, 'rotation.schedule', message)
        // Without a network, as at sign-in, only try again.
        const isOffline = failure.code.startsWith('net.')
        this.#replace(schedule, [isOffline ? record : { ...record, failure }])
        if (!isOffline && failure.code !== failureBefore?.code) startedSchedules.push({ ...schedule, failure })
      }
    }
    return startedSchedules
  }

  #replace(key: KeyRef, schedules: readonly RotationScheduleRecord[]): void {
    this.deps.settings.update(({ rotationSchedules }) => ({
      rotationSchedules: [
        ...rotationSchedules.filter(({ planId, keyId }) => planId !== key.planId || keyId !== key.keyId),
        ...schedules,
      ],
    }))
  }
}

function getNext(schedule: RotationScheduleRecord, nowMs: number): RotationScheduleRecord[] {
  if (schedule.everyDays === undefined) return []
  const intervalMs = schedule.everyDays * dayMs
  const atMs = Date.parse(schedule.at)
  const missedCount = Math.floor((nowMs - atMs) / intervalMs)
  return [{ ...schedule, at: new Date(atMs + (missedCount + 1) * intervalMs).toISOString() }]
}

/** Lets the schedule of a rotated key continue with its replacement. */
export function followScheduledKey(
  settings: Pick<SettingsStore, 'update'>,
  { oldKeyId, newKeyId }: { readonly oldKeyId: string; readonly newKeyId: string },
): void {
  settings.update(({ rotationSchedules }) => ({
    rotationSchedules: rotationSchedules.map((schedule) =>
      schedule.keyId === oldKeyId ? { ...schedule, keyId: newKeyId } : schedule,
    ),
  }))
}
