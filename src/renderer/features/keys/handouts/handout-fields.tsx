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
import i18next from 'i18next'
import { Check, Copy, Eye, KeyRound, Printer } from 'lucide-react'
import { useMemo, useState } from 'react'
import { create } from 'zustand'
import { formatDuration, formatList } from '../../../format'
import { useAction, useCall } from '../../../ipc'
import { planPath } from '../../../paths'
import { useToastAction } from '../../../toast-actions'
import { Badge } from '../../../ui/badge'
import { Button, renderActions } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Chips } from '../../../ui/chips'
import { IconButton } from '../../../ui/icon-button'
import { RadioCards } from '../../../ui/radio-cards'
import { SelectField } from '../../../ui/select'
import { Hint } from '../../../ui/text'
import { toast } from '../../../ui/toast'
import { isCurrentKey, useAccountPlans, useConsole, useDebouncedValue } from '../../connections/account'
import { isOnComputer, listSetups } from '../../tools'

const t = i18next.getFixedT(null, 'handouts')

export const listPlanTools = (tools: readonly ToolView[], planId: string | undefined): readonly string[] =>
  tools
    .filter((tool) => listSetups(tool).some(({ applied }) => applied !== undefined && applied.planId === planId))
    .map(({ id }) => id)

interface HandoutStart {
  readonly plans: readonly PlanView[]
  readonly first: HandoutDraft
  readonly onMade: (result: HandoutResult) => void
}

export function useHandout({ plans, first, onMade }: HandoutStart) {
  const { data: tools = [] } = useCall('tools.list', {})
  const [draft, setDraft] = useState(first)
  const plan = choosePlan(plans, draft.planId)
  const toolIds = draft.toolIds ?? listPlanTools(tools, plan?.id)
  const name = useDebouncedValue(draft.name.trim()).slice(0, 100)
  const keyId = plan && chosenKey(plan, draft)
  const canPreviewHandout = plan !== undefined && name !== '' && (keyId !== undefined || isKeyCreated(plan, draft))
  const { data } = useCall(
    'handouts.preview',
    canPreviewHandout ? { planId: plan.id, keyId, holder: { kind: draft.kind, name } } : undefined,
    { placeholderData: keepPreviousData, staleTime: 0 },
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

const canCreateKeys = ({ origin }: PlanView): boolean => origin !== undefined

/** Keys that can be handed out: saved on this computer, and neither disabled nor replaced. */
const listIssuableKeys = ({ keys }: PlanView): PlanView['keys'] =>
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

function chosenKey(plan: PlanView, { source, keyId }: HandoutDraft): string | undefined {
  if (source === 'own' && canCreateKeys(plan)) return undefined
  const keys = listIssuableKeys(plan)
  const chosenKey = keys.find(({ id, origin }) => id === keyId || (keyId !== undefined && origin?.keyId === keyId))
  return chosenKey?.id ?? (keys.length === 1 ? keys[0]?.id : undefined)
}

const isKeyCreated = (plan: PlanView, { source }: HandoutDraft): boolean => source === 'own' && canCreateKeys(plan)

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

interface PartProps {
  readonly form: Handout
  readonly plan: PlanView
}

export function PlanField(props: {
  readonly plans: readonly PlanView[]
  readonly plan: PlanView
  readonly onPlan: (planId: string) => void
}) {
  const { plans, plan, onPlan } = props
  return (
    <SelectField
      label={t('form.plan')}
      hint={t('form.planHint')}
      value={plan.id}
      onValueChange={onPlan}
      options={plans.map((planOption) => ({
        value: planOption.id,
        label: planOption.label ?? planOption.name,
        hint: canCreateKeys(planOption) ? undefined : t('form.cannotMake'),
      }))}
    />
  )
}

function Preview({ form, plan }: PartProps) {
  const { preview, isFull } = form
  if (!preview) return null
  const { alsoServes, makesKey, keyName, freeSlots } = preview
  if (isFull) {
    const actions = [{ label: t('form.toKeys'), to: `${planPath(plan.id)}?tab=keys` }]
    return (
      <Callout tone="warning" title={t('form.noFree')} actions={actions}>
        {t('form.noFreeText')}
      </Callout>
    )
  }
  if (alsoServes.length > 0) {
    const names = formatList(alsoServes)
    return (
      <Callout tone="warning" title={t('form.serves', { names })}>
        {t('form.servesText')}
      </Callout>
    )
  }
  return makesKey ? (
    <Hint role="status">
      {t('form.willBe', { key: keyName })} {freeSlots === undefined ? null : t('form.free', { count: freeSlots })}
    </Hint>
  ) : null
}

export function KeyFields({ form, plan }: PartProps) {
  const { draft, change } = form
  return (
    <>
      {canCreateKeys(plan) ? (
        <RadioCards
          label={t('form.key')}
          columns={2}
          value={draft.source}
          onValueChange={(source) => change({ source })}
          options={[
            {
              value: 'own',
              label: t('form.own'),
              hint: t('form.ownHint'),
              badge: <Badge tone="accent">{t('form.recommended')}</Badge>,
            },
            { value: 'existing', label: t('form.existing'), hint: t('form.existingHint') },
          ]}
        />
      ) : (
        <Callout tone="warning" title={t('form.noOwn')} />
      )}
      {isKeyCreated(plan, draft) ? null : (
        <SelectField
          label={t('form.whichKey')}
          required
          value={chosenKey(plan, draft)}
          placeholder={t('form.choose')}
          onValueChange={(keyId) => change({ keyId })}
          options={listIssuableKeys(plan).map(({ id, name, masked }) => ({ value: id, label: name, hint: masked }))}
        />
      )}
      <Preview form={form} plan={plan} />
    </>
  )
}

export function PassphraseButtons({ result }: { readonly result: HandoutResult }) {
  const { copy, show } = usePassphrases([result])
  return (
    <>
      <Button icon={Copy} variant="primary" {...copy}>
        {t('result.copyPassphrase')}
      </Button>
      <Button icon={Eye} {...show}>
        {t('result.showPassphrase')}
      </Button>
    </>
  )
}

export function CompactPassphraseButtons({ result }: { readonly result: HandoutResult }) {
  const { copy, show, taken } = usePassphrases([result])
  if (!result.hasPassphrase) return null
  const holder = result.holder.name
  return (
    <>
      {taken ? <Badge tone="success">{t(`result.${taken}`)}</Badge> : null}
      <IconButton
        icon={taken ? Check : KeyRound}
        size="sm"
        label={t('result.copyPassphraseOf', { holder })}
        {...copy}
      />
      <IconButton icon={Eye} size="sm" label={t('result.showPassphraseOf', { holder })} {...show} />
    </>
  )
}

export function PassphraseListButtons({ results }: { readonly results: readonly HandoutResult[] }) {
  const lockedResults = results.filter(({ hasPassphrase }) => hasPassphrase)
  const { copy, show, print } = usePassphrases(lockedResults)
  if (lockedResults.length < 2) return null
  return renderActions(
    [
      { label: t('result.copyAll'), icon: Copy, ...copy },
      { label: t('result.showAll'), icon: Eye, ...show },
      { label: t('result.printAll'), icon: Printer, ...print },
    ],
    'sm',
  )
}

/** The main process copies, prints or shows passphrases, so that they never enter the window. */
function usePassphrases(results: readonly HandoutResult[]) {
  const taken = useHandoutsStore((store) => store.taken)
  const ids = results.map(({ id }) => id)
  const noteTaken = (method: 'isCopied' | 'isPrinted'): void =>
    useHandoutsStore.setState({ taken: new Map([...taken, ...ids.map((id) => [id, method] as const)]) })
  const copyPassphrasesAction = useToastAction('handouts.copyPassphrases', {
    onSuccess: ({ clearsAfterMs }) => {
      noteTaken('isCopied')
      const description = t('result.copiedHint', { time: formatDuration(clearsAfterMs) })
      void toast(t('result.copied', { count: ids.length }), { description })
    },
  })
  const showPassphrases = useToastAction('handouts.showPassphrases')
  const printPassphrases = useToastAction('handouts.printPassphrases', {
    onSuccess: ({ outcome }) => {
      if (outcome === 'printed') {
        noteTaken('isPrinted')
        void toast(t('result.printed', { count: ids.length }))
      }
      if (outcome === 'failed') void toast(t('result.printFailed'), { tone: 'danger' })
    },
  })
  const toButton = (action: { readonly isPending: boolean; readonly mutate: (input: { ids: string[] }) => void }) => ({
    busy: action.isPending,
    onClick: () => action.mutate({ ids }),
  })
  return {
    taken: ids[0] === undefined ? undefined : taken.get(ids[0]),
    copy: toButton(copyPassphrasesAction),
    show: toButton(showPassphrases),
    print: toButton(printPassphrases),
  }
}

/** Tools for which the key file contains instructions. Others than on this computer are shown on demand. */
export function ToolsField(props: {
  readonly chosen: readonly string[]
  readonly onChange: (toolIds: readonly string[]) => void
}) {
  const { chosen, onChange } = props
  const { data: tools = [] } = useCall('tools.list', {})
  const [isAll, setIsAll] = useState(false)
  const usableTools = tools
    .filter(({ kind, routes }) => kind === 'guided' || (kind === 'written' && routes.includes('gateway')))
    .toSorted((a, b) => Number(isOnComputer(b)) - Number(isOnComputer(a)) || a.name.localeCompare(b.name))
  const firstTools = usableTools.filter((tool) => isOnComputer(tool) || chosen.includes(tool.id))
  const shownTools = isAll || firstTools.length === 0 ? usableTools : firstTools
  const moreCount = usableTools.length - shownTools.length
  return (
    <div className="flex flex-col gap-1.5">
      <p className="font-medium">{t('form.tools')}</p>
      <div className="flex flex-wrap items-start gap-1.5">
        <Chips
          label={t('form.tools')}
          chips={shownTools.map(({ id, name }) => ({ value: id, label: name }))}
          chosen={chosen}
          onChange={onChange}
        />
        {moreCount > 0 ? (
          <Button size="sm" variant="ghost" onClick={() => setIsAll(true)}>
            {t('form.moreTools', { count: moreCount })}
          </Button>
        ) : null}
      </div>
      <Hint>{t('form.toolsHint')}</Hint>
    </div>
  )
}
