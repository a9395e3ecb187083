import { isDeepStrictEqual } from 'node:util'
import type { CheckView, RotationStepId, RotationUndoStepId, SubscriptionKeyView } from '@shared/contract'
import { memoryOverlapMs, minuteMs } from '@shared/durations'
import { AppError, toAppError, undefinedIfFailed } from '@shared/failure'
import type { RotatedToolRecord, RotationRecord } from '../../core/settings/records'
import { mayHaveAddedKey } from '../../plans/account/console-client'
import type { WrittenSetup } from '../../tools/setups/setup-views'
import type { RotationJournal } from './journal'
import {
  createKeyMatcher,
  createModifiedFailure,
  findKeyUsers,
  isAccepted,
  isSameTool,
  isSwitchedByRoute,
  isUnused,
  type KeyUsingSetups,
  manualDelivery,
  switchProfilesAndRoutes,
  switchTool,
  type ToolRef,
  testTool,
  toSwitchedTool,
} from './key-switch'
import type { AccountKey, RotationPorts } from './ports'

export interface Run {
  readonly id: string
  readonly ports: RotationPorts
  readonly journal: RotationJournal
  readonly signal: AbortSignal
  record(): RotationRecord
}

/**
 * `toolFailed`: the other tools continue with the next step. `blocked`: no further step because of failed tools.
 * `switchAgain`: repeat from the switch of the tools. `wait`: for time or holders.
 */
export type StepOutcome = 'done' | 'skipped' | 'wait' | 'toolFailed' | 'blocked' | 'switchAgain'

/** An idempotent step. Checks the current state and does the missing work. Fails with an `AppError`. */
export interface Step {
  readonly id: RotationStepId | RotationUndoStepId
  readonly run: (run: Run) => Promise<StepOutcome>
}

type KeyRole = 'old' | 'new'

export const forwardSteps: readonly Step[] = [
  { id: 'add', run: add },
  { id: 'keep', run: storeNewKey },
  { id: 'check', run: check },
  { id: 'repoint', run: (run) => switchToKey(run, 'new') },
  { id: 'verify', run: (run) => testTools(run, 'new') },
  { id: 'disable', run: disableOldKey },
  { id: 'confirm', run: confirm },
  { id: 'grace', run: waitForGrace },
  { id: 'delete', run: deleteOldKey },
]

export const undoSteps: readonly Step[] = [
  { id: 'enable', run: reenableKey },
  { id: 'giveBack', run: (run) => switchToKey(run, 'old') },
  { id: 'verifyBack', run: (run) => testTools(run, 'old') },
  { id: 'remove', run: removeNewKey },
]

/** Whether a step switches the tools to another key. */
export const isSwitchStep = ({ id }: { readonly id: string }): boolean => id === 'repoint' || id === 'giveBack'

async function add(run: Run): Promise<StepOutcome> {
  const { account } = run.ports
  const { origin, newKey } = run.record()
  const newKeyAccess =
    (await findNewKey(run)) ??
    (await account.addKey({ ...origin, name: newKey.name }).catch(async (error: unknown) => {
      const existingKey = mayHaveAddedKey(error) ? await findNewKey(run) : undefined
      if (existingKey === undefined) throw error
      return existingKey
    }))
  run.journal.patch(run.id, { newKey: { ...newKey, keyId: newKeyAccess.keyId } })
  return 'done'
}

async function storeNewKey(run: Run): Promise<StepOutcome> {
  const { newKey } = run.record()
  run.journal.patch(run.id, { newKey: { ...newKey, id: await requireSavedKey(run, newKey.keyId ?? '', newKey.name) } })
  return 'done'
}

/** Reads a key from the keychain, or fetches it from the account again. Returns its local id. Fails with `vault.*`. */
async function requireSavedKey(run: Run, keyId: string, name: string): Promise<string> {
  const { plans, account } = run.ports
  const findSecretText = async (): Promise<string | undefined> => {
    const localKeyRecord = localKey(run, keyId)
    if (localKeyRecord?.kept !== 'keychain') return undefined
    const plan = plans.find(run.record().planId)
    return (await undefinedIfFailed('vault.keyMissing', plans.readSecret(plan, localKeyRecord.id))) && localKeyRecord.id
  }
  const existingKey = await findSecretText()
  if (existingKey) return existingKey
  await account.keepKey(toAccountKey(run, keyId))
  const savedKey = await findSecretText()
  if (savedKey) return savedKey
  const message = `The key ${name} could not be saved to the keychain. No tool was switched to it. Unlock the keychain, then continue.`
  throw new AppError('vault.unavailable', message)
}

async function check(run: Run): Promise<StepOutcome> {
  const { newKey, planId } = run.record()
  const [modelCode] = run.ports.plans.find(planId).models
  await requireKeyAccepted(run, () => checkKey(run, newKey.keyId ?? '', modelCode))
  return 'done'
}

async function disableOldKey(run: Run): Promise<StepOutcome> {
  if (await isPossiblyInUse(run, 'old')) return 'switchAgain'
  const previousKey = await findOldKey(run)
  if (previousKey === undefined || !run.record().oldKey.wasActive) return 'skipped'
  if (previousKey.status === 'DISABLED') return 'done'
  const { disableBy, disableAfterMs } = run.record()
  const hasDisableTime = disableBy !== undefined || disableAfterMs !== undefined
  const isDue = (): boolean =>
    (disableAtMs(run.record(), run.ports) ?? Number.POSITIVE_INFINITY) <= run.ports.clock().getTime()
  // Waits for the reports of the team's other computers, unless the time that the person chose has come.
  const canDisable = (hasDisableTime && isDue()) || ((await updateComputers(run)) && isDue())
  if (!canDisable) return 'wait'
  await waitForOldRequests(run)
  await run.ports.account.setKeyStatus({ ...toAccountKey(run, previousKey.keyId), status: 'DISABLED' })
  return 'done'
}

/** Reads which other computers use the old key. False if that is unknown, because the lead space is unavailable. */
export async function updateComputers(run: Run): Promise<boolean> {
  const { id, ports, journal, record } = run
  try {
    const computers = await ports.findOtherUses?.(toAccountKey(run, record().oldKey.keyId))
    if (!isDeepStrictEqual(computers, record().computers)) journal.patch(id, { computers: computers && [...computers] })
    return true
  } catch (error) {
    if (error instanceof AppError && error.failure.code.startsWith('team.')) return false
    throw error
  }
}

/** Time to disable the old key in ms since 1970. 0 means now, undefined after all holders and computers confirmed. */
export function disableAtMs(
  record: RotationRecord,
  { listHandovers }: Pick<RotationPorts, 'listHandovers'>,
): number | undefined {
  const { steps, tools, disableBy, disableAfterMs, computers = [] } = record
  const switchedAt = steps.find(({ id }) => id === 'verify')?.at ?? record.startedAt
  const toMsAfterSwitch = (ms: number): number => (ms === 0 ? 0 : Date.parse(switchedAt) + ms)
  if (disableAfterMs !== undefined) return toMsAfterSwitch(disableAfterMs)
  const latestMs = disableBy === undefined ? undefined : Date.parse(disableBy)
  const handover = listHandovers(record)
  const hasOtherUsers = handover.length + computers.length > 0
  const isUnconfirmed = computers.length > 0 || handover.some(({ state }) => state !== 'confirmed')
  if (isUnconfirmed || (latestMs !== undefined && !hasOtherUsers)) return latestMs
  const overlapMs = tools.some(({ needsRestart }) => needsRestart) ? memoryOverlapMs : 0
  return Math.min(toMsAfterSwitch(overlapMs), latestMs ?? Number.POSITIVE_INFINITY)
}

async function confirm(run: Run): Promise<StepOutcome> {
  const { oldKey } = run.record()
  if ((await findOldKey(run)) === undefined) return 'skipped'
  const answer = await repeatCheckUntil(isKeyRejected, () => checkKey(run, oldKey.keyId), run)
  if (isKeyRejected(answer)) return 'done'
  if (!answer.ok && !isAccepted(answer)) throw toAppError(answer.failure)
  const message = `The key ${oldKey.name} is disabled at the account, but the gateway still accepts it.`
  throw new AppError('rotation.oldKeyStillWorks', message)
}

async function waitForGrace({ id, journal, record, ports: { clock } }: Run): Promise<StepOutcome> {
  const { graceMs, deleteAt } = record()
  if (graceMs === 0) return 'skipped'
  const nowMs = clock().getTime()
  if (deleteAt !== undefined) return nowMs < Date.parse(deleteAt) ? 'wait' : 'done'
  journal.patch(id, { deleteAt: new Date(nowMs + graceMs).toISOString() })
  return 'wait'
}

async function deleteOldKey(run: Run): Promise<StepOutcome> {
  const { oldKey } = run.record()
  if (await isPossiblyInUse(run, 'old')) return 'switchAgain'
  if ((await findOldKey(run))?.status === 'ACTIVE') {
    const message = `The key ${oldKey.name} was enabled again, so it was not deleted. Continue to disable it, or undo.`
    throw new AppError('rotation.oldKeyStillWorks', message)
  }
  await dropKey(run, oldKey.keyId)
  return 'done'
}

/** Finds the old key at the account. Fails with `rotation.cannotUndo` when the account no longer has the old key. */
export async function requireOldKey(run: Run): Promise<SubscriptionKeyView> {
  const previousKey = await findOldKey(run)
  if (previousKey) return previousKey
  const { oldKey } = run.record()
  throw new AppError('rotation.cannotUndo', `The key ${oldKey.name} is deleted at the account and can't be restored.`)
}

async function reenableKey(run: Run): Promise<StepOutcome> {
  const { account } = run.ports
  const { keyId, status } = await requireOldKey(run)
  await requireSavedKey(run, keyId, run.record().oldKey.name)
  // Does not enable an old key that was disabled before the rotation.
  if (!run.record().oldKey.wasActive) return 'skipped'
  if (status === 'DISABLED') await account.setKeyStatus({ ...toAccountKey(run, keyId), status: 'ACTIVE' })
  await requireKeyAccepted(run, () => checkKey(run, keyId))
  return 'done'
}

async function removeNewKey(run: Run): Promise<StepOutcome> {
  if (await isPossiblyInUse(run, 'new')) return 'switchAgain'
  const keyId = (await findNewKey(run))?.keyId ?? run.record().newKey.keyId
  if (keyId === undefined) return 'skipped'
  await waitForOldRequests(run)
  await dropKey(run, keyId)
  return 'done'
}

async function findOldKey(run: Run): Promise<SubscriptionKeyView | undefined> {
  const { origin, oldKey } = run.record()
  return (await run.ports.account.keys(origin)).find(({ keyId }) => keyId === oldKey.keyId)
}

/** The new key at the account. If the creation response was lost, it is found by its unique name. */
async function findNewKey(run: Run): Promise<SubscriptionKeyView | undefined> {
  const { origin, newKey } = run.record()
  const keys = await run.ports.account.keys(origin)
  return keys.find(({ keyId }) => keyId === newKey.keyId) ?? keys.find(({ name }) => name === newKey.name)
}

const toAccountKey = (run: Run, keyId: string): AccountKey => ({ ...run.record().origin, keyId })

function localKey({ ports, record }: Run, keyId: string) {
  return ports.plans.view(record().planId).keys.find(({ origin }) => origin?.keyId === keyId)
}

/** Sends one small request with an account key. Without a model, the request costs nothing. */
async function checkKey(run: Run, keyId: string, modelCode?: string): Promise<CheckView> {
  const { plans, account, check } = run.ports
  const { gatewayUrl: url } = plans.find(run.record().planId)
  const key = await account.readSecret(toAccountKey(run, keyId))
  return check({ url, standard: 'chat-completions', key, modelCode, signal: run.signal })
}

async function dropKey(run: Run, keyId: string): Promise<void> {
  const { account, plans } = run.ports
  await undefinedIfFailed('api.notFound', account.deleteKey(toAccountKey(run, keyId)))
  const localKeyRecord = localKey(run, keyId)
  if (localKeyRecord) await plans.removeKey(run.record().planId, localKeyRecord.id)
}

const defaultGatewayTimeoutMs = minuteMs
const minRetryDelayMs = 250
const maxRetryDelayMs = 4_000
const isKeyRejected = (check: CheckView): boolean => !check.ok && check.failure.code === 'gateway.keyRejected'

/** Polls the gateway until it gives the expected answer or the timeout ends. Resolves with the last answer. */
async function repeatCheckUntil(
  isExpected: (check: CheckView) => boolean,
  runCheck: () => Promise<CheckView>,
  { ports: { clock, sleep, gatewayTimeoutMs = defaultGatewayTimeoutMs }, signal }: Run,
): Promise<CheckView> {
  const deadline = clock().getTime() + gatewayTimeoutMs
  for (let delayMs = minRetryDelayMs; ; delayMs = Math.min(2 * delayMs, maxRetryDelayMs)) {
    const answer = await runCheck()
    if (isExpected(answer) || clock().getTime() + delayMs > deadline) return answer
    await sleep(delayMs, signal)
  }
}

/** Resolves when the gateway accepts a key, because a new one takes time to propagate. Fails with its answer. */
async function requireKeyAccepted(run: Run, runCheck: () => Promise<CheckView>): Promise<void> {
  const check = await repeatCheckUntil((answer) => !isKeyRejected(answer), runCheck, run)
  if (!check.ok && !isAccepted(check)) throw toAppError(check.failure)
}

/** Waits until tools have finished requests with the key that the next step disables or deletes. */
async function waitForOldRequests({ ports: { sleep }, signal, record }: Run): Promise<void> {
  // Maximum time between a tool's reading of the key and its request.
  if (record().tools.length > 0) await sleep(2_000, signal)
}

function findKey({ record }: Run, role: KeyRole): { readonly id: string; readonly name: string } | undefined {
  const { oldKey, newKey } = record()
  if (role === 'old') return oldKey
  return newKey.id === undefined ? undefined : { id: newKey.id, name: newKey.name }
}

export function findRunKeyUsers(run: Run, role: KeyRole): Promise<KeyUsingSetups> {
  const plan = run.ports.plans.find(run.record().planId)
  return findKeyUsers(run.ports, createKeyMatcher(plan, findKey(run, role)?.id))
}

/** Whether a tool may still use the key. A damaged tool record counts as a use. */
async function isPossiblyInUse(run: Run, role: KeyRole): Promise<boolean> {
  return !isUnused(await findRunKeyUsers(run, role)) || (await run.ports.tools.unknownSetups()).length > 0
}

/** Switches each tool and profile that uses the other key separately. Failures go into the record. */
async function switchToKey(run: Run, targetRole: KeyRole): Promise<StepOutcome> {
  const { id, ports, journal } = run
  const key = findKey(run, targetRole)
  if (key === undefined) return 'skipped'
  const { oldKey, newKey, planId, tools: toolRecords } = run.record()
  // Ensure that the key is saved, because a killed process may have held it only in memory.
  await requireSavedKey(run, (targetRole === 'new' ? newKey.keyId : oldKey.keyId) ?? '', key.name)
  // A write that was killed half-way must be rolled back before the next one.
  await ports.tools.recover()
  const otherRole: KeyRole = targetRole === 'old' ? 'new' : 'old'
  const toolsWithTargetKey = await findRunKeyUsers(run, targetRole)
  const toolsUsingOtherKey = await findRunKeyUsers(run, otherRole)
  const settledTools = toolsWithTargetKey.setups.flatMap((setup) => {
    const toolBefore = toolRecords.find(isSameTool(setup))
    return toolBefore ? [markToolsSwitched(toolBefore, setup, targetRole)] : []
  })
  const pendingTools = toolsUsingOtherKey.setups.map(
    (setup): RotatedToolRecord => ({
      ...toSwitchedTool(setup),
      state: 'pending',
      hand: toolRecords.find(isSameTool(setup))?.hand ?? otherRole,
    }),
  )
  const unknownTools = (await ports.tools.unknownSetups()).map((tool): RotatedToolRecord => {
    const message = `Which key ${tool.toolName} uses is unknown: its record of changes is damaged. Check which key it has, then delete ${tool.recordPath} and continue.`
    return { ...tool, state: 'failed', failure: { code: 'rotation.toolUnknown', message } }
  })
  journal.patch(id, { tools: [...settledTools, ...pendingTools, ...unknownTools] })
  const names = await switchProfilesAndRoutes(ports, planId, { from: findKey(run, otherRole)?.id, to: key })
  journal.patch(id, { profiles: [...new Set([...run.record().profiles, ...names])] })
  for (const setup of toolsUsingOtherKey.setups) {
    const failure = isSwitchedByRoute(toolsUsingOtherKey.ways)(setup)
      ? undefined
      : await switchTool(ports, setup, key.id)
    updateToolRecord(run, setup, (tool) =>
      failure ? { ...tool, state: 'failed', failure } : markToolsSwitched(tool, setup, targetRole),
    )
  }
  const { tools } = run.record()
  if (tools.some(({ state }) => state === 'failed')) return 'toolFailed'
  return tools.length === 0 && isUnused(toolsUsingOtherKey) ? 'skipped' : 'done'
}

function updateToolRecord(
  { id, journal, record }: Run,
  ref: ToolRef,
  change: (tool: RotatedToolRecord) => RotatedToolRecord,
): void {
  journal.patch(id, { tools: record().tools.map((tool) => (isSameTool(ref)(tool) ? change(tool) : tool)) })
}

function markToolsSwitched(
  { failure: _, ...tool }: RotatedToolRecord,
  setup: WrittenSetup,
  targetRole: KeyRole,
): RotatedToolRecord {
  const failure = tool.hand === targetRole ? undefined : manualDelivery(setup)
  return failure ? { ...tool, state: 'failed', failure } : { ...tool, state: 'repointed' }
}

async function testTools(run: Run, role: KeyRole): Promise<StepOutcome> {
  const { setups } = await findRunKeyUsers(run, role)
  for (const tool of run.record().tools) {
    if (tool.state !== 'repointed') continue
    const setup = setups.find(isSameTool(tool))
    const failure = setup ? await testTool(run.ports, setup) : createModifiedFailure(tool.toolName)
    updateToolRecord(run, tool, ({ failure: _, ...switched }) =>
      failure ? { ...switched, state: 'failed', failure } : { ...switched, state: 'verified' },
    )
  }
  const { tools } = run.record()
  if (tools.some(({ state }) => state !== 'verified')) return 'blocked'
  return tools.length === 0 || findKey(run, role) === undefined ? 'skipped' : 'done'
}
