import type { CheckView, SubscriptionKeyView } from '@shared/contract'
import { AppError, type FailureCode } from '@shared/failure'
import type { AccountKey } from './ports'
import type { Run } from './step'

/** The old key as the account has it; undefined when it is gone there. */
export async function oldKeyAt(run: Run): Promise<SubscriptionKeyView | undefined> {
  const { origin, oldKey } = run.record()
  return (await run.ports.account.keys(origin)).find(({ keyId }) => keyId === oldKey.keyId)
}

/** The new key as the account has it: also one whose answer was lost, known by its name, which no other key had. */
export async function newKeyAt(run: Run): Promise<SubscriptionKeyView | undefined> {
  const { origin, newKey } = run.record()
  const keys = await run.ports.account.keys(origin)
  return keys.find(({ keyId }) => keyId === newKey.keyId) ?? keys.find(({ name }) => name === newKey.name)
}

/** A key of the rotation's plan, as its account is asked about it. */
export const addressOf = (run: Run, keyId: string): AccountKey => ({ ...run.record().origin, keyId })

/** The key of this machine that is a key of the account. */
export function localKey({ ports, record }: Run, keyId: string | undefined) {
  return ports.plans.view(record().planId).keys.find(({ origin }) => origin?.keyId === keyId)
}

/** One real small request with a key of the account; without a model, which costs nothing, unless one is wanted. */
export async function ask(run: Run, keyId: string, modelCode?: string): Promise<CheckView> {
  const { plans, account, check } = run.ports
  const { gatewayUrl: url } = plans.find(run.record().planId)
  const key = await account.secretOf(addressOf(run, keyId))
  return check({ url, standard: 'chat-completions', key, modelCode, signal: run.signal })
}

/** Deletes a key at the account, if it is still there, and forgets it here. */
export async function dropKey(run: Run, keyId: string): Promise<void> {
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
