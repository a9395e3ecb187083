import type { ApiStandard, PlaygroundTarget } from '@shared/contract'
import { Check, ChevronDown, Trash2 } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ExplainedFailure } from '../../failures'
import { useAction, useCall } from '../../ipc'
import { joinClassNames } from '../../ui/cn'
import { Field, FieldGroup, TextInput } from '../../ui/field'
import { IconButton } from '../../ui/icon-button'
import { PasteBox } from '../../ui/paste-box'
import { Select } from '../../ui/select'
import { findDefaultKey, useKeyHint } from '../connections/account'
import {
  createDraftAt,
  listPlaces,
  localPlaceId,
  type PlaygroundConnection,
  type TargetDraft,
  type TargetKind,
  type TargetSources,
  toModelSource,
  toTarget,
  toTargetDraft,
  useTargetSources,
  useTargetTexts,
} from './targets'

const allTargetKinds: readonly TargetKind[] = ['plan', 'platform', 'local']
const allStandards: readonly ApiStandard[] = ['chat-completions', 'messages']

interface TargetSelectProps {
  readonly value: PlaygroundTarget | undefined
  readonly onChange: (target: PlaygroundTarget) => void
  /** Label of the button for screen readers, which read it before the selected value. */
  readonly label: string
  readonly targetKinds?: readonly TargetKind[]
  readonly standards?: readonly ApiStandard[]
  readonly disabled?: boolean
  /** Element id of the button, so that the button of a failure can focus it. */
  readonly buttonId?: string
}

interface TargetSummaryProps {
  readonly target: PlaygroundTarget | undefined
  /** Whether the user can choose among several API standards. */
  readonly hasStandards: boolean
}

function TargetSummary({ target, hasStandards }: TargetSummaryProps) {
  const { t } = useTranslation('playground')
  const texts = useTargetTexts()
  if (!target) return <span className="flex-1 text-faint">{t('target.choose')}</span>
  const { where, standard } = texts(target)
  const targetLabel = hasStandards || target.kind === 'platform' ? `${where} · ${standard}` : where
  return (
    <span className="flex min-w-0 flex-1 flex-col leading-4.25" title={`${target.modelCode}\n${targetLabel}`}>
      <span className="truncate font-medium">{target.modelCode}</span>
      <span className="truncate text-muted text-sm">{targetLabel}</span>
    </span>
  )
}

export function TargetSelect(props: TargetSelectProps) {
  const {
    value,
    onChange,
    label,
    targetKinds = allTargetKinds,
    standards = allStandards,
    disabled = false,
    buttonId,
  } = props
  const [draft, setDraft] = useState<TargetDraft>()
  const places = useTargetSources()
  const firstTargetPlace = listPlaces(places, targetKinds)[0]
  const startNewTarget = (open: boolean): void => {
    const apiStandard = standards[0] ?? 'chat-completions'
    if (!open) setDraft(undefined)
    else if (value && targetKinds.includes(value.kind)) setDraft(toTargetDraft(value))
    else if (firstTargetPlace) setDraft(createDraftAt(firstTargetPlace.place, places, apiStandard))
  }
  const change = (nextDraft: TargetDraft): void => {
    setDraft(nextDraft)
    const target = toTarget(nextDraft)
    if (target) onChange(target)
  }
  return (
    <Popover.Root open={draft !== undefined} onOpenChange={startNewTarget}>
      <Popover.Trigger
        id={buttonId}
        className={joinClassNames(
          'flex min-h-11 w-full min-w-0 items-center gap-2 rounded-md border border-border-control bg-surface',
          'py-1 pr-2 pl-2.5 text-left transition-colors hover:border-faint disabled:opacity-50',
        )}
        disabled={disabled}
      >
        <span className="sr-only">{label}: </span>
        <TargetSummary target={value} hasStandards={standards.length > 1} />
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
              <TargetForm
                draft={draft}
                onChange={change}
                onDone={() => startNewTarget(false)}
                {...{ places, targetKinds, standards }}
              />
            </FieldGroup>
          ) : null}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

interface TargetFormProps {
  readonly draft: TargetDraft
  readonly onChange: (draft: TargetDraft) => void
  /** Closes the picker after a model was selected. Most models need no further choice. */
  readonly onDone: () => void
  readonly places: TargetSources
  readonly targetKinds: readonly TargetKind[]
  readonly standards: readonly ApiStandard[]
}

/** Option value for the plan's default key. Real key ids never start with a space. */
const defaultKey = ' default'

function ModelList(props: {
  readonly models: readonly string[]
  readonly value: string
  /** Context size and remaining quota of a model. Undefined while unknown. */
  readonly describe: (code: string) => string | undefined
  readonly onPick: (code: string) => void
}) {
  const { t } = useTranslation('playground')
  const { models, value, describe, onPick } = props
  return (
    <ul className="-mx-1.5 max-h-55 overflow-auto" aria-label={t('target.models')}>
      {models.map((code) => (
        <li key={code}>
          <button
            type="button"
            className="flex min-h-7 w-full items-center gap-1.5 rounded-[5px] px-1.5 py-0.75 text-left hover:bg-hover"
            aria-pressed={code === value}
            onClick={() => onPick(code)}
          >
            <span className="w-3.5 text-accent-text">
              {code === value ? <Check size={14} aria-hidden="true" /> : null}
            </span>
            <span className="min-w-0 flex-1 truncate font-mono text-sm">{code}</span>
            <span className="flex-none text-muted text-xs">{describe(code)}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}

function PlaceField({ draft, onChange, places, targetKinds, standards }: TargetFormProps) {
  const { t } = useTranslation('playground')
  const availablePlaces = listPlaces(places, targetKinds)
  const options = availablePlaces.map(({ place, kind, name }) => ({
    value: place,
    label: name ?? t('target.local'),
    hint: t(`target.kinds.${kind}`),
  }))
  const isTargetMissing = !availablePlaces.some(({ place }) => place === draft.place)
  const apiStandard = standards.includes(draft.standard) ? draft.standard : (standards[0] ?? 'chat-completions')
  return (
    <Field label={t('target.place')}>
      <Select
        value={isTargetMissing ? undefined : draft.place}
        placeholder={t('target.goneOrNone')}
        onValueChange={(place) => onChange(createDraftAt(place, places, apiStandard))}
        options={options}
      />
    </Field>
  )
}

function StandardField({ draft, onChange, standards }: TargetFormProps) {
  const { t } = useTranslation('playground')
  const chooseStandard = (value: string): void => {
    const apiStandard = standards.find((candidate) => candidate === value)
    if (apiStandard) onChange({ ...draft, standard: apiStandard })
  }
  return (
    <Field label={t('target.standard')}>
      <Select
        value={draft.standard}
        onValueChange={chooseStandard}
        options={standards.map((value) => ({ value, label: t(`target.standards.${value}`) }))}
      />
    </Field>
  )
}

function KeyField({ draft, onChange, places }: TargetFormProps) {
  const { t } = useTranslation('playground')
  const getKeyHint = useKeyHint()
  const plan = places.plans.find(({ id }) => draft.place === `plan:${id}`)
  if (!plan || plan.keys.length < 2) return null
  return (
    <Field label={t('target.key')}>
      <Select
        value={draft.keyId ?? defaultKey}
        onValueChange={(id) => onChange({ ...draft, keyId: id === defaultKey ? undefined : id })}
        options={[
          { value: defaultKey, label: t('target.defaultKey'), hint: findDefaultKey(plan)?.name },
          ...plan.keys.map((key) => ({ value: key.id, label: key.name, hint: getKeyHint(key) })),
        ]}
      />
    </Field>
  )
}

function ModelField({ draft, onChange, onDone, places, listUrl }: TargetFormProps & { readonly listUrl: string }) {
  const { t } = useTranslation('playground')
  const plan = places.plans.find(({ id }) => draft.place === `plan:${id}`)
  const source = toModelSource(draft.place, listUrl)
  const list = useCall('playground.models', source ?? { kind: 'local', url: '' }, { enabled: source !== undefined })
  const models = plan?.models ?? list.data?.map(({ modelCode }) => modelCode) ?? []
  const describe = (code: string) =>
    places.quotas.describe(
      plan?.id ?? '',
      code,
      list.data?.find(({ modelCode }) => modelCode === code),
    )
  const emptyHint = t(list.isLoading ? 'target.loading' : 'target.typeModel')
  const pickModel = (modelCode: string): void => {
    onChange({ ...draft, modelCode })
    onDone()
  }
  return (
    <div className="flex flex-col gap-1.5">
      <Field label={t('target.model')} hint={models.length === 0 ? emptyHint : undefined}>
        <TextInput
          mono
          value={draft.modelCode}
          placeholder={t('target.modelCode')}
          onChange={(event) => onChange({ ...draft, modelCode: event.target.value })}
          onKeyDown={(event) => {
            if (event.key === 'Enter') onDone()
          }}
        />
      </Field>
      {models.length > 0 ? (
        <ModelList models={models} value={draft.modelCode} describe={describe} onPick={pickModel} />
      ) : null}
    </div>
  )
}

/** Form to edit a target. Every change is applied immediately. */
function TargetForm(props: TargetFormProps) {
  const { t } = useTranslation('playground')
  const { draft, onChange, places, standards } = props
  const connection = places.connections.find(({ connectionId }) => draft.place === `platform:${connectionId}`)
  // Not while the user types, because each address would get a request.
  const [listUrl, setListUrl] = useState(draft.url)
  return (
    <>
      <PlaceField {...props} />
      {draft.place === localPlaceId ? (
        <Field label={t('target.address')} hint={t('target.addressHint')}>
          <TextInput
            mono
            value={draft.url}
            onChange={(event) => onChange({ ...draft, url: event.target.value })}
            onBlur={() => setListUrl(draft.url)}
          />
        </Field>
      ) : null}
      {!connection && standards.length > 1 ? <StandardField {...props} /> : null}
      <KeyField {...props} />
      {connection ? (
        <ApiKeyField
          connection={connection}
          credential={draft.credential}
          onChange={(credential) => onChange({ ...draft, credential })}
        />
      ) : null}
      <ModelField {...props} listUrl={listUrl} />
    </>
  )
}

interface ApiKeyFieldProps {
  readonly connection: PlaygroundConnection
  readonly credential: 'iam' | 'apiKey'
  readonly onChange: (credential: 'iam' | 'apiKey') => void
}

/** The main process reads a platform API key from the clipboard and saves it. The window only gets the masked key. */
function StoredKeyNotice({ connection }: Pick<ApiKeyFieldProps, 'connection'>) {
  const { t } = useTranslation('playground')
  const { connectionId, kept } = connection
  const saveApiKey = useAction('playground.keepApiKey', { invalidates: ['playground'] })
  const readKeyFromClipboard = useAction('plans.takeKeyFromClipboard', {
    onSuccess: ({ pendingId }) => saveApiKey.mutate({ connectionId, pendingId }),
  })
  const forgetApiKey = useAction('playground.forgetApiKey', { invalidates: ['playground'] })
  const failure = (readKeyFromClipboard.error ?? saveApiKey.error ?? forgetApiKey.error)?.failure
  const pasteKey = (): void => {
    if (!readKeyFromClipboard.isPending) readKeyFromClipboard.mutate({})
  }
  return (
    <div className="flex items-start gap-2">
      <div className="min-w-0 flex-1">
        <PasteBox
          label={t('target.apiKey')}
          state={kept === undefined ? 'open' : 'held'}
          masked={kept}
          how={t(kept === undefined ? 'target.apiKeyHow' : 'target.apiKeyKept')}
          keysHint={t('target.apiKeyKeys')}
          button={t(kept === undefined ? 'target.apiKeyPaste' : 'target.apiKeyReplace')}
          taken={t('target.apiKeyTaken', { masked: kept })}
          busy={readKeyFromClipboard.isPending || saveApiKey.isPending}
          onTake={pasteKey}
        >
          {failure ? <ExplainedFailure failure={failure} tone="warning" /> : null}
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
function ApiKeyField({ connection, credential, onChange }: ApiKeyFieldProps) {
  const { t } = useTranslation('playground')
  const options = [
    { value: 'iam', label: t('target.iam'), hint: connection.hasIam ? undefined : t('target.noIam') },
    { value: 'apiKey', label: t('target.apiKey'), hint: connection.kept },
  ]
  return (
    <>
      <Field label={t('target.credential')}>
        <Select
          value={credential}
          onValueChange={(value) => onChange(value === 'apiKey' ? 'apiKey' : 'iam')}
          options={options.map((option) => ({ ...option, disabled: option.value === 'iam' && !connection.hasIam }))}
        />
      </Field>
      {credential === 'apiKey' ? <StoredKeyNotice connection={connection} /> : null}
    </>
  )
}
