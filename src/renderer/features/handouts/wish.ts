import type { HandoutWish, Holder, KitLock, PlanView } from '@shared/contract'
import { problemOfRecipient } from './recipient'

/** What the form holds, as it is typed. */
export interface HandoutDraft {
  readonly planId: string | undefined
  /** A key that is there, or one that is made. */
  readonly source: 'own' | 'existing'
  readonly keyId: string | undefined
  readonly kind: Holder['kind']
  readonly name: string
  readonly purpose: string
  /** Nothing chosen yet: those that use the plan here. */
  readonly toolIds: readonly string[] | undefined
  readonly lock: KitLock['kind']
  readonly recipient: string
}

/** An empty form; `given` is what the address of the page says. */
export const emptyDraft = (given: { readonly planId?: string; readonly keyId?: string } = {}): HandoutDraft => ({
  planId: given.planId,
  source: given.keyId === undefined ? 'own' : 'existing',
  keyId: given.keyId,
  kind: 'person',
  name: '',
  purpose: '',
  toolIds: undefined,
  lock: 'passphrase',
  recipient: '',
})

/** How long the texts may be (contract). */
export const longest = { name: 100, purpose: 200 } as const

/** Whether a key can be made for the plan: an account does it. */
export const makesKeys = ({ origin }: PlanView): boolean => origin !== undefined

/** Keys that can be handed out: the app has them. */
export const givableKeys = ({ keys }: PlanView): PlanView['keys'] => keys.filter(({ kept }) => kept !== 'missing')

/** The plan to begin with: the one asked for, or the first for which keys can be made. */
export const planOf = (plans: readonly PlanView[], planId: string | undefined): PlanView | undefined =>
  plans.find(({ id, origin }) => id === planId || (planId !== undefined && origin?.planId === planId)) ??
  plans.find(makesKeys) ??
  plans[0]

/** The key that is handed out; nothing for one that is to be made, or while none is chosen. */
export function chosenKey(plan: PlanView, { source, keyId }: HandoutDraft): string | undefined {
  if (source === 'own' && makesKeys(plan)) return undefined
  const keys = givableKeys(plan)
  const chosen = keys.find(({ id, origin }) => id === keyId || (keyId !== undefined && origin?.keyId === keyId))
  return chosen?.id ?? (keys.length === 1 ? keys[0]?.id : undefined)
}

/** Whether a key will be made. */
export const willMake = (plan: PlanView, { source }: HandoutDraft): boolean => source === 'own' && makesKeys(plan)

/** What can be missing. */
export type Missing = 'missingName' | 'missingKey' | 'missingRecipient'

/** What cannot be left out and is not there yet, in the order of the form. */
export function missingOf(plan: PlanView, draft: HandoutDraft): readonly Missing[] {
  const lacks: readonly (readonly [boolean, Missing])[] = [
    [draft.name.trim() === '', 'missingName'],
    [!willMake(plan, draft) && chosenKey(plan, draft) === undefined, 'missingKey'],
    [draft.lock === 'recipient' && problemOfRecipient(draft.recipient) === 'empty', 'missingRecipient'],
  ]
  return lacks.filter(([isMissing]) => isMissing).map(([, what]) => what)
}

/** What is asked of main, or nothing while something is missing or does not fit. */
export function wishOf(plan: PlanView, draft: HandoutDraft, toolIds: readonly string[]): HandoutWish | undefined {
  const { kind, lock } = draft
  const [name, purpose, recipient] = [draft.name.trim(), draft.purpose.trim(), draft.recipient.trim()]
  if (missingOf(plan, draft).length > 0 || name.length > longest.name || purpose.length > longest.purpose)
    return undefined
  if (lock === 'recipient' && problemOfRecipient(recipient)) return undefined
  const keyId = chosenKey(plan, draft)
  return {
    planId: plan.id,
    ...(keyId === undefined ? {} : { keyId }),
    holder: { kind, name },
    ...(purpose === '' ? {} : { purpose }),
    toolIds: [...toolIds],
    lock: lock === 'recipient' ? { kind: lock, recipient } : { kind: lock },
  }
}
