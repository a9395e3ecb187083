import type { RotationStepId } from '@shared/contract'
import { AppError, type FailureCode } from '@shared/failure'
import { addressOf, ask, dropKey, localKey, newKeyAt, oldKeyAt } from './account-keys'
import { mayUse, repointTo } from './repoint'
import { askUntil, drain, isAccepted, isRefused, requireAccepted, thrown } from './settle'
import { done, type Run, type Step, type StepOutcome, skipped } from './step'
import { verifyWith } from './verify'

/** From the old key to the new one. */
export const forwardSteps: readonly (Step & { readonly id: RotationStepId })[] = [
  { id: 'add', run: add },
  { id: 'keep', run: keep },
  { id: 'check', run: check },
  { id: 'repoint', run: (run) => repointTo(run, 'new') },
  { id: 'verify', run: (run) => verifyWith(run, 'new') },
  { id: 'disable', run: disable },
  { id: 'confirm', run: confirm },
  { id: 'grace', run: grace },
  { id: 'delete', run: remove },
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
  if (local === undefined) throw new AppError('key.notFound', `${newKey.name} could not be kept on this machine.`)
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
  throw stillWorks(`The key ${oldKey.name} is disabled at the account, but the gateway has not refused it yet.`)
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

async function remove(run: Run): Promise<StepOutcome> {
  const { oldKey } = run.record()
  if (await mayUse(run, 'old')) return { kind: 'back', to: 'repoint' }
  const old = await oldKeyAt(run)
  if (old?.status === 'ACTIVE') {
    throw stillWorks(`The key ${oldKey.name} was enabled again, so it was not deleted. Go on to disable it, or undo.`)
  }
  await dropKey(run, oldKey.keyId)
  return done
}

const stillWorks = (message: string): AppError => new AppError('rotation.oldKeyStillWorks', message)
