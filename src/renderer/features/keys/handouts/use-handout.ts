import type {
  HandoutRequest,
  HandoutResult,
  Holder,
  ImportedKeyView,
  KitLock,
  PlanView,
  ToolView,
} from '@shared/contract'
import { planRefText } from '@shared/contract/common'
import { keepPreviousData } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { create } from 'zustand'
import { useAction, useCall } from '../../../ipc'
import { isCurrentKey, useAccountPlans, useConsole } from '../../connections/account'
import { listSetups } from '../../tools'

const settleMs = 250

/** A text once it has stood still for a moment. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    if (text === settled) return
    const timer = setTimeout(() => setSettled(text), settleMs)
    return () => clearTimeout(timer)
  }, [text, settled])
  return settled
}

/** The tools that use a plan on this computer. */
export const toolsOfPlan = (tools: readonly ToolView[], planId: string | undefined): readonly string[] =>
  tools
    .filter((tool) => listSetups(tool).some(({ applied }) => applied !== undefined && applied.planId === planId))
    .map(({ id }) => id)

/** What to know before: whom the key serves already, how many places are free, what a new key is called. */
function useHandoutPreview(plan: PlanView | undefined, draft: HandoutDraft) {
  const name = useSettled(draft.name.trim()).slice(0, 100)
  const keyId = plan && chosenKey(plan, draft)
  const isAskable = plan !== undefined && name !== '' && (keyId !== undefined || willMake(plan, draft))
  const { data } = useCall(
    'handouts.preview',
    {
      planId: plan?.id ?? '',
      ...(keyId === undefined ? {} : { keyId }),
      holder: { kind: draft.kind, name: name === '' ? '-' : name },
    },
    { enabled: isAskable, placeholderData: keepPreviousData, staleTime: 0 },
  )
  return isAskable ? data : undefined
}

/** What the form of a hand-out begins with, and what follows it. */
export interface HandoutStart {
  readonly plans: readonly PlanView[]
  readonly tools: readonly ToolView[]
  readonly first: HandoutDraft
  readonly onMade: (result: HandoutResult) => void
}

/** The form of a hand-out: what stands in it, what is missing, what to know, and the press that makes the kit. */
export function useHandout({ plans, tools, first, onMade }: HandoutStart) {
  const [draft, setDraft] = useState(first)
  const add = useHandoutsStore((store) => store.add)
  const plan = choosePlan(plans, draft.planId)
  const toolIds = draft.toolIds ?? toolsOfPlan(tools, plan?.id)
  const preview = useHandoutPreview(plan, draft)
  const creating = useAction('handouts.create', {
    invalidates: ['register', 'account', 'plans', 'audit'],
    onSuccess: (result) => {
      add([result])
      if (result.state === 'written') onMade(result)
    },
  })
  const isFull = preview?.makesKey === true && preview.freeSlots === 0
  const wish = plan && !isFull ? toHandoutRequest(plan, draft, toolIds) : undefined
  const { mutate, isPending } = creating
  const change = (part: Partial<HandoutDraft>): void => {
    creating.reset()
    setDraft({ ...draft, ...part })
  }
  return {
    ...{ draft, change, plan, toolIds, preview, isFull, creating },
    missing: plan ? listMissing(plan, draft) : [],
    create: wish && !isPending ? () => mutate(wish) : undefined,
  }
}

export type Handout = ReturnType<typeof useHandout>

/** What the form holds, as it is typed. */
interface HandoutDraft {
  readonly planId: string | undefined
  /** A key that is there, or one that is made. */
  readonly source: 'own' | 'existing'
  readonly keyId: string | undefined
  /** Of a holder who was renamed. */
  readonly holderId: string | undefined
  readonly kind: Holder['kind']
  readonly name: string
  readonly purpose: string
  /** Nothing chosen yet: those that use the plan here. */
  readonly toolIds: readonly string[] | undefined
  readonly lock: KitLock['kind']
  readonly recipient: string
}

/** What a form begins with: what the address of the page says, and who is to have the key. */
type DraftStart = Partial<Pick<HandoutDraft, 'planId' | 'keyId' | 'holderId' | 'kind' | 'name' | 'purpose'>>

/** A form with nothing in it but what is `given`. */
export const emptyDraft = (given: DraftStart = {}): HandoutDraft => ({
  planId: given.planId,
  source: given.keyId === undefined ? 'own' : 'existing',
  keyId: given.keyId,
  holderId: given.holderId,
  kind: given.kind ?? 'person',
  name: given.name ?? '',
  purpose: given.purpose ?? '',
  toolIds: undefined,
  lock: 'passphrase',
  recipient: '',
})

/** How long the texts may be (contract). */
export const maxLengths = { name: 100, purpose: 200 } as const

/** Whether a key can be made for the plan: an account does it. */
export const makesKeys = ({ origin }: PlanView): boolean => origin !== undefined

/** Keys that can be handed out: the app has them, they work, and none took their place. */
export const givableKeys = ({ keys }: PlanView): PlanView['keys'] =>
  keys.filter((key) => key.kept !== 'missing' && isCurrentKey(key))

/** The plans to issue keys of: those on this computer, then the account's of which no key is saved here. */
export function useIssuePlans() {
  const query = useCall('plans.list', {})
  const console = useConsole()
  const connectionId = console.kind === 'there' ? console.connection.id : ''
  const { data: account } = useAccountPlans(connectionId === '' ? undefined : connectionId)
  const data = useMemo(() => {
    const local = query.data
    const known = new Set(local?.map(({ origin }) => origin && planRefText(origin)))
    const unsaved = (account ?? []).filter(
      ({ planId, status }) => status === 'ACTIVE' && !known.has(planRefText({ connectionId, planId })),
    )
    const others = unsaved.map(
      ({ planId, name, label, gatewayUrl, purchasedAt }): PlanView => ({
        ...{ id: planRefText({ connectionId, planId }), name, ...(label === undefined ? {} : { label }) },
        ...{ source: 'console', origin: { connectionId, planId }, gatewayUrl, models: [], contextTokens: 0 },
        ...{ createdAt: purchasedAt, keys: [], usedBy: [] },
      }),
    )
    return local && [...local, ...others]
  }, [query.data, account, connectionId])
  return { ...query, data }
}

/** The plan to begin with: the one asked for, or the first for which keys can be made. */
export const choosePlan = (plans: readonly PlanView[], planId: string | undefined): PlanView | undefined =>
  plans.find(
    ({ id, origin }) =>
      id === planId || (planId !== undefined && origin && [origin.planId, planRefText(origin)].includes(planId)),
  ) ??
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
type Missing = 'missingName' | 'missingKey' | 'missingRecipient'

/** What cannot be left out and is not there yet, in the order of the form. */
export function listMissing(plan: PlanView, draft: HandoutDraft): readonly Missing[] {
  const lacks: readonly (readonly [boolean, Missing])[] = [
    [draft.name.trim() === '', 'missingName'],
    [!willMake(plan, draft) && chosenKey(plan, draft) === undefined, 'missingKey'],
    [draft.lock === 'recipient' && problemOfRecipient(draft.recipient) === 'empty', 'missingRecipient'],
  ]
  return lacks.filter(([isMissing]) => isMissing).map(([, what]) => what)
}

/** What is asked of main, or nothing while something is missing or does not fit. */
export function toHandoutRequest(
  plan: PlanView,
  draft: HandoutDraft,
  toolIds: readonly string[],
): HandoutRequest | undefined {
  const { kind, lock, holderId: id } = draft
  const [name, purpose, recipient] = [draft.name.trim(), draft.purpose.trim(), draft.recipient.trim()]
  if (listMissing(plan, draft).length > 0 || name.length > maxLengths.name || purpose.length > maxLengths.purpose)
    return undefined
  if (lock === 'recipient' && problemOfRecipient(recipient)) return undefined
  const keyId = chosenKey(plan, draft)
  return {
    planId: plan.id,
    ...(keyId === undefined ? {} : { keyId }),
    holder: { kind, name, ...(id === undefined ? {} : { id }) },
    ...(purpose === '' ? {} : { purpose }),
    toolIds: [...toolIds],
    lock: lock === 'recipient' ? { kind: lock, recipient } : { kind: lock },
  }
}

/** What is wrong with a text that should be an age public key; `empty` while there is none. */
type RecipientProblem = 'empty' | 'secret' | 'wrong'

/** Looks at the form of an age public key only; main tells whether it is one. */
export function problemOfRecipient(text: string): RecipientProblem | undefined {
  const recipient = text.trim()
  if (recipient === '') return 'empty'
  if (/age-secret-key-/i.test(recipient)) return 'secret'
  return /^age1[a-z0-9]{20,}$/.test(recipient) ? undefined : 'wrong'
}

interface HandoutsStore {
  /** Kits that were made since the window opened, newest first; their passphrases are with main. */
  readonly made: readonly HandoutResult[]
  readonly names: string
  readonly results: readonly HandoutResult[]
  readonly accepted: ImportedKeyView | undefined
  /** Ids of results whose passphrase was copied. */
  readonly copied: ReadonlySet<string>
  readonly noteCopied: (ids: readonly string[]) => void
  readonly add: (results: readonly HandoutResult[]) => void
  readonly name: (names: string) => void
  readonly report: (results: readonly HandoutResult[]) => void
  readonly accept: (imported: ImportedKeyView | undefined) => void
}

/** What was handed out and received since the window opened: never a key, never a passphrase. */
export const useHandoutsStore = create<HandoutsStore>((set) => ({
  made: [],
  names: '',
  results: [],
  accepted: undefined,
  copied: new Set(),
  noteCopied: (ids) => set(({ copied }) => ({ copied: new Set([...copied, ...ids]) })),
  add: (results) =>
    set(({ made }) => {
      const written = results.filter(({ id, state }) => state === 'written' && !made.some((one) => one.id === id))
      return { made: [...written, ...made] }
    }),
  name: (names) => set({ names }),
  report: (results) => set({ results }),
  accept: (accepted) => set({ accepted }),
}))
