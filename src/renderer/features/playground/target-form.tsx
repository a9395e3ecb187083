import type { Standard } from '@shared/contract'
import { Check } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Field, TextInput } from '../../ui/field'
import { Select } from '../../ui/select'
import { ApiKeyField } from './api-key-field'
import styles from './target-select.module.css'
import { draftAt, localPlace, type Places, placesOf, type TargetDraft, type TargetKind } from './targets'

interface TargetFormProps {
  readonly draft: TargetDraft
  readonly onChange: (draft: TargetDraft) => void
  /** A model was pressed: nothing more to choose for most. */
  readonly onDone: () => void
  readonly places: Places
  readonly kinds: readonly TargetKind[]
  readonly standards: readonly Standard[]
}

/** Stands for "the first key"; no key has this id. */
const firstKey = ' first'

function ModelList(props: {
  readonly models: readonly string[]
  readonly value: string
  readonly onPick: (code: string) => void
}) {
  const { t } = useTranslation('playground')
  const { models, value, onPick } = props
  return (
    <ul className={styles.models} aria-label={t('target.models')}>
      {models.map((code) => (
        <li key={code}>
          <button type="button" className={styles.pick} aria-pressed={code === value} onClick={() => onPick(code)}>
            <span className={styles.check}>{code === value ? <Check size={14} aria-hidden="true" /> : null}</span>
            <span className={styles.code}>{code}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}

function PlaceField({ draft, onChange, places, kinds, standards }: TargetFormProps) {
  const { t } = useTranslation('playground')
  const known = placesOf(places, kinds)
  const options = known.map(({ place, kind, name }) => ({
    value: place,
    label: name ?? t('target.local'),
    hint: t(`target.kinds.${kind}`),
  }))
  const isGone = !known.some(({ place }) => place === draft.place)
  const standard = standards.includes(draft.standard) ? draft.standard : (standards[0] ?? 'chat-completions')
  return (
    <Field label={t('target.place')}>
      <Select
        value={isGone ? undefined : draft.place}
        placeholder={t('target.goneOrNone')}
        onValueChange={(place) => onChange(draftAt(place, places, standard))}
        options={options}
      />
    </Field>
  )
}

function StandardField({ draft, onChange, standards }: TargetFormProps) {
  const { t } = useTranslation('playground')
  const choose = (value: string): void => {
    const standard = standards.find((one) => one === value)
    if (standard) onChange({ ...draft, standard })
  }
  return (
    <Field label={t('target.standard')}>
      <Select
        value={draft.standard}
        onValueChange={choose}
        options={standards.map((value) => ({ value, label: t(`target.standards.${value}`) }))}
      />
    </Field>
  )
}

function KeyField({ draft, onChange, places }: TargetFormProps) {
  const { t } = useTranslation('playground')
  const plan = places.plans.find(({ id }) => draft.place === `plan:${id}`)
  if (!plan || plan.keys.length < 2) return null
  return (
    <Field label={t('target.key')}>
      <Select
        value={draft.keyId ?? firstKey}
        onValueChange={(id) => onChange({ ...draft, keyId: id === firstKey ? undefined : id })}
        options={[
          { value: firstKey, label: t('target.firstKey') },
          ...plan.keys.map(({ id, name, masked }) => ({ value: id, label: name, hint: masked })),
        ]}
      />
    </Field>
  )
}

function ModelField({ draft, onChange, onDone, places }: TargetFormProps) {
  const { t } = useTranslation('playground')
  const models = places.plans.find(({ id }) => draft.place === `plan:${id}`)?.models ?? []
  const pick = (modelCode: string): void => {
    onChange({ ...draft, modelCode })
    onDone()
  }
  return (
    <div className={styles.model}>
      <Field label={t('target.model')} hint={models.length === 0 ? t('target.typeModel') : undefined}>
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
      {models.length > 0 ? <ModelList models={models} value={draft.modelCode} onPick={pick} /> : null}
    </div>
  )
}

/** Where a request goes and which model answers; every change counts at once. */
export function TargetForm(props: TargetFormProps) {
  const { t } = useTranslation('playground')
  const { draft, onChange, places, standards } = props
  const connection = places.connections.find(({ connectionId }) => draft.place === `platform:${connectionId}`)
  return (
    <>
      <PlaceField {...props} />
      {draft.place === localPlace ? (
        <Field label={t('target.address')} hint={t('target.addressHint')}>
          <TextInput mono value={draft.url} onChange={(event) => onChange({ ...draft, url: event.target.value })} />
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
      <ModelField {...props} />
    </>
  )
}
