import type { ApiStandard, MethodInput, MethodOutput, PlanView, PlaygroundTarget } from '@shared/contract'
import { findUsableModel } from '@shared/model-quota'
import i18next from 'i18next'
import { Check, ChevronDown, Trash2 } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useState } from 'react'
import { ExplainedFailure } from '../../failures'
import { useAction, useCall } from '../../ipc'
import { useCurrentPlan } from '../../session'
import { joinClassNames } from '../../ui/cn'
import { FieldGroup, TextField } from '../../ui/field'
import { IconButton } from '../../ui/icon-button'
import { PasteBox } from '../../ui/paste-box'
import { SelectField } from '../../ui/select'
import { findDefaultKey, useKeyHint } from '../connections/account'
import { type ModelQuotas, useModelQuotas } from '../usage/quota'

const t = i18next.getFixedT(null, 'playground')

const standards: readonly ApiStandard[] = ['chat-completions', 'messages']

function TargetSummary({ target, isChat }: { target: PlaygroundTarget | undefined; isChat: boolean }) {
  const texts = useTargetTexts()
  if (!target) return <span className="flex-1 text-faint">{t('target.choose')}</span>
  const { where, standard } = texts(target)
  const targetLabel = isChat || target.kind === 'platform' ? `${where} · ${standard}` : where
  return (
    <span className="flex min-w-0 flex-1 flex-col leading-4.25" title={`${target.modelCode}\n${targetLabel}`}>
      <span className="truncate font-medium">{target.modelCode}</span>
      <span className="truncate text-muted text-sm">{targetLabel}</span>
    </span>
  )
}

export function TargetSelect(props: {
  readonly value: PlaygroundTarget | undefined
  readonly onChange: (target: PlaygroundTarget) => void
  /** Label of the button for screen readers, which read it before the selected value. */
  readonly label: string
  /** Whether the target is for a chat. Other requests support no plans and only chat-completions. */
  readonly isChat?: boolean
  /** Element id of the button, so that the button of a failure can focus it. */
  readonly buttonId?: string
}) {
  const { value, onChange, label, isChat = true, buttonId } = props
  const [draft, setDraft] = useState<PlaygroundTarget>()
  const places = useTargetSources()
  const openForm = (open: boolean): void => {
    const [firstPlace] = listPlaces(places, isChat, 'chat-completions')
    setDraft(open ? (value ?? firstPlace?.initial) : undefined)
  }
  const change = (nextDraft: PlaygroundTarget): void => {
    setDraft(nextDraft)
    const target = toCompleteTarget(nextDraft)
    if (target) onChange(target)
  }
  return (
    <Popover.Root open={draft !== undefined} onOpenChange={openForm}>
      <Popover.Trigger
        id={buttonId}
        className={joinClassNames(
          'flex min-h-11 w-full min-w-0 items-center gap-2 rounded-md border border-border-control bg-surface',
          'py-1 pr-2 pl-2.5 text-left transition-colors hover:border-faint disabled:opacity-50',
        )}
      >
        <span className="sr-only">{label}: </span>
        <TargetSummary target={value} isChat={isChat} />
        <ChevronDown size={14} aria-hidden="true" className="text-faint" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className={joinClassNames(
            'z-50 max-h-(--radix-popover-content-available-height) w-80 overflow-auto',
            'rounded-lg border bg-raised p-3.5 shadow-float outline-none',
          )}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label={label}
        >
          {draft ? (
            <FieldGroup>
              <TargetForm {...{ draft, places, isChat }} onChange={change} onDone={() => openForm(false)} />
            </FieldGroup>
          ) : null}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

interface TargetFormProps {
  /** Target that may lack a model code or address. */
  readonly draft: PlaygroundTarget
  readonly onChange: (draft: PlaygroundTarget) => void
  /** Closes the picker after a model was selected. Most models need no further choice. */
  readonly onDone: () => void
  readonly places: TargetSources
  readonly isChat: boolean
}

/** Option value for the plan's default key. Real key ids never start with a space. */
const defaultKey = ' default'

function PlaceField({ draft, onChange, places, isChat }: TargetFormProps) {
  const offeredPlaces = listPlaces(places, isChat, getStandard(draft))
  const findPlace = (id: string) => offeredPlaces.find(({ initial }) => toPlaceId(initial) === id)
  return (
    <SelectField
      label={t('target.place')}
      value={findPlace(toPlaceId(draft)) && toPlaceId(draft)}
      placeholder={t('target.goneOrNone')}
      onValueChange={(id) => onChange(findPlace(id)?.initial ?? draft)}
      options={offeredPlaces.map(({ name, initial }) => ({
        value: toPlaceId(initial),
        label: name ?? t('target.local'),
        hint: t(`target.kinds.${initial.kind}`),
      }))}
    />
  )
}

function KeyField({ draft, onChange, places }: TargetFormProps) {
  const getKeyHint = useKeyHint()
  if (draft.kind !== 'plan') return null
  const { keyId, ...target } = draft
  const plan = places.plans.find(({ id }) => id === target.planId)
  if (!plan || plan.keys.length < 2) return null
  return (
    <SelectField
      label={t('target.key')}
      value={keyId ?? defaultKey}
      onValueChange={(id) => onChange(id === defaultKey ? target : { ...target, keyId: id })}
      options={[
        { value: defaultKey, label: t('target.defaultKey'), hint: findDefaultKey(plan)?.name },
        ...plan.keys.map((key) => ({ value: key.id, label: key.name, hint: getKeyHint(key) })),
      ]}
    />
  )
}

function ModelField({ draft, onChange, onDone, places, listUrl }: TargetFormProps & { readonly listUrl: string }) {
  const plan = draft.kind === 'plan' ? places.plans.find(({ id }) => id === draft.planId) : undefined
  const list = useCall('playground.models', toModelSource(draft, listUrl))
  const models = plan?.models ?? list.data?.map(({ modelCode }) => modelCode) ?? []
  /** Context size and remaining quota of a model. Undefined while unknown. */
  const describe = (code: string) => {
    const facts = list.data?.find(({ modelCode }) => modelCode === code)
    return places.quotas.describe(plan?.id ?? '', code, facts)
  }
  const emptyHint = t(list.isLoading ? 'target.loading' : 'target.typeModel')
  return (
    <div className="flex flex-col gap-1.5">
      <TextField
        label={t('target.model')}
        hint={models.length === 0 ? emptyHint : undefined}
        mono
        value={draft.modelCode}
        placeholder={t('target.modelCode')}
        onChange={(modelCode) => onChange({ ...draft, modelCode })}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onDone()
        }}
      />
      {models.length > 0 ? (
        <ul className="-mx-1.5 max-h-55 overflow-auto" aria-label={t('target.models')}>
          {models.map((code) => (
            <li key={code}>
              <button
                type="button"
                className="flex min-h-7 w-full items-center gap-1.5 rounded-[5px] px-1.5 py-0.75 text-left hover:bg-hover"
                aria-pressed={code === draft.modelCode}
                onClick={() => {
                  onChange({ ...draft, modelCode: code })
                  onDone()
                }}
              >
                <span className="w-3.5 text-accent-text">
                  {code === draft.modelCode ? <Check size={14} aria-hidden="true" /> : null}
                </span>
                <span className="min-w-0 flex-1 truncate font-mono text-sm">{code}</span>
                <span className="flex-none text-muted text-xs">{describe(code)}</span>
              </button>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}

/** Form to edit a target. Every change is applied immediately. */
function TargetForm(props: TargetFormProps) {
  const { draft, onChange, places, isChat } = props
  const url = draft.kind === 'local' ? draft.url : ''
  // Keep the address while the user types, because each one would get a request for its models.
  const [urlBeforeEdit, setUrlBeforeEdit] = useState<string>()
  const connection =
    draft.kind === 'platform' && places.connections.find(({ connectionId }) => connectionId === draft.connectionId)
  return (
    <>
      <PlaceField {...props} />
      {draft.kind === 'local' ? (
        <TextField
          label={t('target.address')}
          hint={t('target.addressHint')}
          mono
          value={url}
          onChange={(nextUrl) => onChange({ ...draft, url: nextUrl })}
          onFocus={() => setUrlBeforeEdit(url)}
          onBlur={() => setUrlBeforeEdit(undefined)}
        />
      ) : null}
      {draft.kind !== 'platform' && isChat ? (
        <SelectField
          label={t('target.standard')}
          value={draft.standard}
          onValueChange={(standard) => onChange({ ...draft, standard })}
          options={standards.map((value) => ({ value, label: t(`target.standards.${value}`) }))}
        />
      ) : null}
      <KeyField {...props} />
      {draft.kind === 'platform' && connection ? <ApiKeyField {...{ connection, draft, onChange }} /> : null}
      <ModelField {...props} listUrl={urlBeforeEdit ?? url} />
    </>
  )
}

/** The main process reads a platform API key from the clipboard and saves it. The window only gets the masked key. */
function StoredKeyNotice({ connectionId, kept }: PlaygroundConnection) {
  const saveApiKey = useAction('playground.keepApiKey', { invalidates: ['playground'] })
  const readKeyFromClipboard = useAction('plans.takeKeyFromClipboard', {
    onSuccess: ({ pendingId }) => saveApiKey.mutate({ connectionId, pendingId }),
  })
  const forgetApiKey = useAction('playground.forgetApiKey', { invalidates: ['playground'] })
  const failure = (readKeyFromClipboard.error ?? saveApiKey.error ?? forgetApiKey.error)?.failure
  return (
    <div className="flex items-start gap-2">
      <div className="min-w-0 flex-1">
        <PasteBox
          label={t('target.apiKey')}
          masked={kept}
          how={t(kept === undefined ? 'target.apiKeyHow' : 'target.apiKeyKept')}
          button={t('target.apiKeyPaste')}
          busy={readKeyFromClipboard.isPending || saveApiKey.isPending}
          onTake={() => readKeyFromClipboard.mutate({})}
        >
          <ExplainedFailure failure={failure} tone="warning" />
        </PasteBox>
      </div>
      {kept === undefined ? null : (
        <IconButton
          icon={Trash2}
          size="sm"
          label={t('target.apiKeyForget')}
          onClick={() => forgetApiKey.mutate({ connectionId })}
        />
      )}
    </div>
  )
}

/** Choice of the credential for platform inference: the sign-in or an API key. Subscription keys cannot be used. */
function ApiKeyField(props: {
  readonly connection: PlaygroundConnection
  readonly draft: Extract<PlaygroundTarget, { kind: 'platform' }>
  readonly onChange: TargetFormProps['onChange']
}) {
  const { connection, draft, onChange } = props
  const { hasIam, kept } = connection
  const options = [
    { value: 'iam', label: t('target.iam'), hint: hasIam ? undefined : t('target.noIam'), disabled: !hasIam },
    { value: 'apiKey', label: t('target.apiKey'), hint: kept },
  ] as const
  return (
    <>
      <SelectField
        label={t('target.credential')}
        value={draft.credential}
        onValueChange={(credential) => onChange({ ...draft, credential })}
        options={options}
      />
      {draft.credential === 'apiKey' ? <StoredKeyNotice {...connection} /> : null}
    </>
  )
}

type PlaygroundConnection = MethodOutput<'playground.connections'>[number]

interface TargetSources {
  readonly plans: readonly PlanView[]
  readonly connections: readonly PlaygroundConnection[]
  readonly quotas: ModelQuotas
  readonly isLoading: boolean
}

/** Id of the plan, platform connection or local server of a target, as a form option. */
export function toPlaceId(target: PlaygroundTarget): string {
  if (target.kind === 'plan') return `plan:${target.planId}`
  return target.kind === 'platform' ? `platform:${target.connectionId}` : 'local'
}

/** Source of the model list of a target. Undefined without an address. */
function toModelSource(target: PlaygroundTarget, localUrl: string): MethodInput<'playground.models'> | undefined {
  if (target.kind === 'plan') return { kind: 'plan', planId: target.planId }
  if (target.kind === 'platform') return { kind: 'platform', connectionId: target.connectionId }
  return localUrl.trim() === '' ? undefined : { kind: 'local', url: localUrl }
}

interface Place {
  /** Undefined for a local address. */
  readonly name?: string
  /** Target with the defaults of the place, which may lack a model. */
  readonly initial: PlaygroundTarget
}

function listPlaces(
  { plans, connections, quotas }: TargetSources,
  isChat: boolean,
  standard: ApiStandard,
): readonly Place[] {
  return [
    ...(isChat ? plans : []).map(({ id, name, models }) => {
      const modelCode = findUsableModel(models, quotas.listExhausted(id)) ?? ''
      return { name, initial: { kind: 'plan', planId: id, standard, modelCode } as const }
    }),
    ...connections.map(({ connectionId, name, hasIam }) => {
      const credential = hasIam ? 'iam' : 'apiKey'
      return { name, initial: { kind: 'platform', connectionId, credential, modelCode: '' } as const }
    }),
    // Default address of Ollama.
    { initial: { kind: 'local', url: 'http://127.0.0.1:11434/v1', standard, modelCode: '' } },
  ]
}

/** Trims a target that the user has typed. Undefined while the model code or address is missing. */
function toCompleteTarget(target: PlaygroundTarget): PlaygroundTarget | undefined {
  const modelCode = target.modelCode.trim()
  if (modelCode === '' || /\s/.test(modelCode)) return undefined
  if (target.kind !== 'local') return { ...target, modelCode }
  const url = target.url.trim()
  return url === '' ? undefined : { ...target, url, modelCode }
}

export interface TargetChange {
  readonly modelCode?: string
  readonly keyId?: string
}

/** Returns a target with another model or, for a plan, another key. */
export const withTargetChange = (target: PlaygroundTarget, { modelCode, keyId }: TargetChange): PlaygroundTarget => ({
  ...target,
  ...(modelCode !== undefined && { modelCode }),
  ...(keyId !== undefined && target.kind === 'plan' && { keyId }),
})

export const getStandard = (target: PlaygroundTarget | undefined): ApiStandard =>
  target && target.kind !== 'platform' ? target.standard : 'chat-completions'

export function useTargetSources(): TargetSources {
  const plans = useCall('plans.list', {})
  const connections = useCall('playground.connections', {})
  return {
    plans: plans.data ?? [],
    connections: connections.data ?? [],
    quotas: useModelQuotas(),
    isLoading: plans.isPending || connections.isPending,
  }
}

/** Default target: the first model of the current plan that has quota left. */
export function useDefaultTarget(): PlaygroundTarget | undefined {
  const plan = useCurrentPlan()
  const { listExhausted } = useModelQuotas()
  const modelCode = plan && findUsableModel(plan.models, listExhausted(plan.id))
  if (!plan || modelCode === undefined) return undefined
  return { kind: 'plan', planId: plan.id, standard: 'chat-completions', modelCode }
}

export function useTargetTexts(): (target: PlaygroundTarget) => { readonly where: string; readonly standard: string } {
  const { plans, connections } = useTargetSources()
  return (target) => {
    const apiStandard = t(`target.standards.${getStandard(target)}`)
    if (target.kind === 'plan') {
      const plan = plans.find(({ id }) => id === target.planId)
      return { standard: apiStandard, where: plan?.name ?? t('target.gonePlan') }
    }
    if (target.kind === 'local') return { standard: apiStandard, where: target.url.replace(/^https?:\/\//, '') }
    const targetConnection = connections.find(({ connectionId }) => connectionId === target.connectionId)
    return { standard: t('target.platform'), where: targetConnection?.name ?? t('target.goneConnection') }
  }
}
