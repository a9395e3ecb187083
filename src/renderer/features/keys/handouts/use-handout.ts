import type {
  HandoutRequest,
  HandoutResult,
  Holder,
  ImportedKeyView,
  KeyFileLock,
  PlanView,
  ToolView,
} from '@shared/contract'
import { planRefText } from '@shared/key-ids'
import { keepPreviousData } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { create } from 'zustand'
import { useAction, useCall } from '../../../ipc'
import { isCurrentKey, useAccountPlans, useConsole, useDebouncedValue } from '../../connections/account'
import { listSetups } from '../../tools'

export const listPlanTools = (tools: readonly ToolView[], planId: string | undefined): readonly string[] =>
  tools
    .filter((tool) => listSetups(tool).some(({ applied }) => applied !== undefined && applied.planId === planId))
    .map(({ id }) => id)

interface HandoutStart {
  readonly plans: readonly PlanView[]
  readonly tools: readonly ToolView[]
  readonly first: HandoutDraft
  readonly onMade: (result: HandoutResult) => void
}

export function useHandout({ plans, tools, first, onMade }: HandoutStart) {
  const [draft, setDraft] = useState(first)
  const plan = choosePlan(plans, draft.planId)
  const toolIds = draft.toolIds ?? listPlanTools(tools, plan?.id)
  const name = useDebouncedValue(draft.name.trim()).slice(0, 100)
  const keyId = plan && chosenKey(plan, draft)
  const canPreviewHandout = plan !== undefined && name !== '' && (keyId !== undefined || isKeyCreated(plan, draft))
  const { data } = useCall(
    'handouts.preview',
    { planId: plan?.id ?? '', keyId, holder: { kind: draft.kind, name: name === '' ? '-' : name } },
    { enabled: canPreviewHandout, placeholderData: keepPreviousData, staleTime: 0 },
  )
  const preview = canPreviewHandout ? data : undefined
  const createHandoutAction = useAction('handouts.create', {
    invalidates: ['register', 'account', 'plans', 'audit'],
    onSuccess: (result) => {
      addHandouts([result])
      if (result.state === 'written') onMade(result)
    },
  })
  const hasNoFreeSlot = preview?.makesKey === true && preview.freeSlots === 0
  const handoutRequest = plan && !hasNoFreeSlot ? toHandoutRequest(plan, draft, toolIds) : undefined
  const { mutate, isPending } = createHandoutAction
  const change = (changes: Partial<HandoutDraft>): void => {
    createHandoutAction.reset()
    setDraft({ ...draft, ...changes })
  }
  return {
    draft,
    change,
    plan,
    toolIds,
    preview,
    isFull: hasNoFreeSlot,
    creating: createHandoutAction,
    missing: plan ? listMissingFields(plan, draft) : [],
    create: handoutRequest && !isPending ? () => mutate(handoutRequest) : undefined,
  }
}

export type Handout = ReturnType<typeof useHandout>

interface HandoutDraft {
  readonly planId: string | undefined
  /** `own`: create a new key for the holder. `existing`: hand out an existing key. */
  readonly source: 'own' | 'existing'
  readonly keyId: string | undefined
  /** Id of an existing holder, which stays the same after a rename. */
  readonly holderId: string | undefined
  readonly kind: Holder['kind']
  readonly name: string
  readonly purpose: string
  /** Undefined selects the tools that use the plan on this computer. */
  readonly toolIds: readonly string[] | undefined
  readonly lock: KeyFileLock['kind']
  readonly recipient: string
}

export const emptyDraft = (start: Partial<HandoutDraft>): HandoutDraft => ({
  planId: undefined,
  source: start.keyId === undefined ? 'own' : 'existing',
  keyId: undefined,
  holderId: undefined,
  kind: 'person',
  name: '',
  purpose: '',
  toolIds: undefined,
  lock: 'passphrase',
  recipient: '',
  ...start,
})

/** Maximum text lengths (contract). */
export const maxLengths = { name: 100, purpose: 200 } as const

export const canCreateKeys = ({ origin }: PlanView): boolean => origin !== undefined

/** Keys that can be handed out: saved on this computer, and neither disabled nor replaced. */
export const listIssuableKeys = ({ keys }: PlanView): PlanView['keys'] =>
  keys.filter((key) => key.kept !== 'missing' && isCurrentKey(key))

/** Plans for which keys can be issued: local plans first, followed by account plans without a local key. */
export function useIssuePlans() {
  const query = useCall('plans.list', {})
  const { connectionId = '' } = useConsole()
  const { data: account } = useAccountPlans(connectionId)
  const data = useMemo(() => {
    const localPlans = query.data
    const knownPlans = new Set(localPlans?.map(({ origin }) => origin && planRefText(origin)))
    const unsavedPlans = (account ?? []).flatMap(
      ({ planId, status, name, label, gatewayUrl, purchasedAt }): readonly PlanView[] => {
        const origin = { connectionId, planId }
        const id = planRefText(origin)
        if (status !== 'ACTIVE' || knownPlans.has(id)) return []
        const texts = { id, name, ...(label !== undefined && { label }), gatewayUrl, createdAt: purchasedAt }
        return [{ ...texts, source: 'console', origin, models: [], contextTokens: 0, keys: [], usedBy: [] }]
      },
    )
    return localPlans && [...localPlans, ...unsavedPlans]
  }, [query.data, account, connectionId])
  return { ...query, data }
}

/** The requested plan, else the first that can create keys. */
export function choosePlan(plans: readonly PlanView[], planId = ''): PlanView | undefined {
  const isRequested = ({ id, origin }: PlanView): boolean =>
    id === planId || (origin !== undefined && [origin.planId, planRefText(origin)].includes(planId))
  return plans.find(isRequested) ?? plans.find(canCreateKeys) ?? plans[0]
}

export function chosenKey(plan: PlanView, { source, keyId }: HandoutDraft): string | undefined {
  if (source === 'own' && canCreateKeys(plan)) return undefined
  const keys = listIssuableKeys(plan)
  const chosenKey = keys.find(({ id, origin }) => id === keyId || (keyId !== undefined && origin?.keyId === keyId))
  return chosenKey?.id ?? (keys.length === 1 ? keys[0]?.id : undefined)
}

export const isKeyCreated = (plan: PlanView, { source }: HandoutDraft): boolean =>
  source === 'own' && canCreateKeys(plan)

function listMissingFields(plan: PlanView, draft: HandoutDraft) {
  const lacksKey = !isKeyCreated(plan, draft) && chosenKey(plan, draft) === undefined
  const lacksRecipient = draft.lock === 'recipient' && findRecipientProblem(draft.recipient) === 'empty'
  return [
    ...(draft.name.trim() === '' ? (['missingName'] as const) : []),
    ...(lacksKey ? (['missingKey'] as const) : []),
    ...(lacksRecipient ? (['missingRecipient'] as const) : []),
  ]
}

/** Converts the draft to a request. Undefined while a field is missing or invalid. */
function toHandoutRequest(plan: PlanView, draft: HandoutDraft, toolIds: readonly string[]): HandoutRequest | undefined {
  const { kind, lock, holderId: id } = draft
  const [name, purpose, recipient] = [draft.name.trim(), draft.purpose.trim(), draft.recipient.trim()]
  if (listMissingFields(plan, draft).length > 0 || name.length > maxLengths.name || purpose.length > maxLengths.purpose)
    return undefined
  if (lock === 'recipient' && findRecipientProblem(recipient)) return undefined
  return {
    planId: plan.id,
    keyId: chosenKey(plan, draft),
    holder: { kind, name, ...(id === undefined ? {} : { id }) },
    ...(purpose === '' ? {} : { purpose }),
    toolIds: [...toolIds],
    lock: lock === 'recipient' ? { kind: lock, recipient } : { kind: lock },
  }
}

/** Checks the format only. `secret` is an age secret key pasted by mistake. */
export function findRecipientProblem(text: string): 'empty' | 'secret' | 'wrong' | undefined {
  const recipient = text.trim()
  if (recipient === '') return 'empty'
  if (/age-secret-key-/i.test(recipient)) return 'secret'
  return /^age1[a-z0-9]{20,}$/.test(recipient) ? undefined : 'wrong'
}

/** Results of hand-outs and imports since the window opened. Contains no keys and no passphrases. */
export const useHandoutsStore = create<{
  /** Key files created since the window opened, newest first. The main process stores their passphrases. */
  readonly made: readonly HandoutResult[]
  readonly names: string
  readonly results: readonly HandoutResult[]
  readonly accepted: ImportedKeyView | undefined
  /** Ids of results whose passphrase was copied or printed. */
  readonly taken: ReadonlyMap<string, 'isCopied' | 'isPrinted'>
}>(() => ({ made: [], names: '', results: [], accepted: undefined, taken: new Map() }))

export const addHandouts = (results: readonly HandoutResult[]): void =>
  useHandoutsStore.setState(({ made }) => {
    const writtenResults = results.filter(
      ({ id, state }) => state === 'written' && !made.some((result) => result.id === id),
    )
    return { made: [...writtenResults, ...made] }
  })
