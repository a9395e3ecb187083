import type { Holder, MethodInput, RegisterEntry } from '@shared/contract'
import { registerId } from '@shared/key-ids'
import i18next from 'i18next'
import { useMemo, useState } from 'react'
import { ExplainedFailure } from '../../../failures'
import { getEndOfDay, toDateField, toSearchText } from '../../../format'
import { useAction, useCall } from '../../../ipc'
import { PlatformTime, RelativeTime } from '../../../relative-time'
import { StatusDot } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Sheet } from '../../../ui/dialog'
import { TextField } from '../../../ui/field'
import { FactsCard, Section } from '../../../ui/page'
import { SegmentedField } from '../../../ui/radio-cards'
import { closeWithToast } from '../../../ui/toast'
import { useReplacements } from '../../connections/account'
import { listHolders, statusTones, useLastUses } from './entries'

const t = i18next.getFixedT(null, ['register', 'common'])

const holderKinds = ['person', 'tool', 'nobody'] as const
interface Draft {
  readonly kind: (typeof holderKinds)[number]
  readonly name: string
  readonly purpose: string
  readonly machine: string
  readonly endsOn: string
}

const maxLengths = { name: 100, purpose: 200, machine: 100 } as const

/** Converts the draft to a change. Undefined while a field is invalid. */
function toChange(entry: RegisterEntry, draft: Draft): MethodInput<'register.update'> | undefined {
  const { kind, purpose, machine, endsOn } = draft
  const name = draft.name.trim()
  const areFieldsValid = (['name', 'purpose', 'machine'] as const).every(
    (field) => draft[field].trim().length <= maxLengths[field],
  )
  if (isEndOver(entry, draft) || !areFieldsValid || (kind !== 'nobody' && name === '')) return undefined
  return {
    ...registerId(entry),
    holder: kind === 'nobody' ? null : { kind, name },
    purpose: purpose.trim(),
    machine: machine.trim(),
    ...(endsOn === toDateField(entry.endsAt) ? {} : { endsAt: getEndOfDay(endsOn) ?? null }),
  }
}

const isEndOver = ({ endsAt }: RegisterEntry, { endsOn }: Draft): boolean =>
  endsOn !== '' && endsOn !== toDateField(endsAt) && (getEndOfDay(endsOn) ?? '') <= new Date().toISOString()

export function EditSheet({ entry, onClose }: { readonly entry: RegisterEntry; readonly onClose: () => void }) {
  const { holder, purpose = '', machine = '', endsAt } = entry
  const [draft, setDraft] = useState<Draft>({
    kind: holder?.kind ?? 'nobody',
    name: holder?.name ?? '',
    purpose,
    machine,
    endsOn: toDateField(endsAt),
  })
  const change = toChange(entry, draft)
  const { data: entries = [] } = useCall('register.list', {})
  const saveEntry = useAction('register.update', {
    invalidates: ['register', 'audit'],
    onSuccess: () => closeWithToast(onClose, t('register:sheet.saved')),
  })
  const submit = (): void => {
    if (change && !saveEntry.isPending) saveEntry.mutate(change)
  }
  const update = (changes: Partial<Draft>): void => setDraft({ ...draft, ...changes })
  const suggested = suggestHolder(entry, entries)
  const toField = (field: keyof typeof maxLengths) => {
    const max = maxLengths[field]
    return {
      label: t(`register:sheet.${field}`),
      value: draft[field],
      error: draft[field].trim().length > max ? t('register:sheet.tooLong', { max }) : undefined,
      onChange: (text: string) => update({ [field]: text }),
    }
  }
  return (
    <Sheet
      onClose={onClose}
      title={t('register:sheet.title', { key: entry.keyName })}
      busy={saveEntry.isPending}
      action={{ label: t('common:save'), onSubmit: submit, disabled: !change }}
    >
      <SegmentedField
        label={t('register:sheet.kind')}
        value={draft.kind}
        onValueChange={(kind) => update({ kind })}
        segments={holderKinds.map((value) => ({
          value,
          label: t(value === 'nobody' ? 'register:sheet.nobody' : `register:kinds.${value}`),
        }))}
      />
      {draft.kind === 'nobody' && suggested ? (
        <Button size="sm" className="self-start" onClick={() => update(suggested)}>
          {t('register:sheet.suggested', { holder: suggested.name })}
        </Button>
      ) : null}
      {draft.kind === 'nobody' ? null : (
        <TextField
          {...toField('name')}
          required
          hint={t(draft.kind === 'person' ? 'register:sheet.personHint' : 'register:sheet.toolHint')}
        />
      )}
      <TextField {...toField('purpose')} optional hint={t('register:sheet.purposeHint')} />
      <TextField {...toField('machine')} optional hint={t('register:sheet.machineHint')} />
      {entry.origin ? (
        <TextField
          label={t('register:sheet.endsOn')}
          optional
          hint={t('register:sheet.endsOnHint')}
          error={isEndOver(entry, draft) ? t('register:sheet.endsOver') : undefined}
          type="date"
          value={draft.endsOn}
          onChange={(endsOn) => update({ endsOn })}
        />
      ) : null}
      <ExplainedFailure failure={saveEntry.error?.failure} />
      <Section title={t('register:sheet.facts')}>
        <KeyFacts entry={entry} />
      </Section>
    </Sheet>
  )
}

function KeyFacts({ entry }: { readonly entry: RegisterEntry }) {
  const { planName, planLabel, masked, status, tools, alsoServes, origin } = entry
  const { createdAt, handedOutAt, acknowledgedAt, rotatedAt } = entry
  const queriedEntries = useMemo(() => [entry], [entry])
  const { lastUsedAt, lastUsedFrom } = useLastUses(queriedEntries)[0] ?? entry
  const replacement = useReplacements()(entry.keyId)
  const renderTime = (time: string | undefined) => (time === undefined ? t('sheet.never') : <RelativeTime at={time} />)
  const createdTime =
    createdAt !== undefined && origin ? (
      <PlatformTime at={createdAt} connectionId={origin.connectionId} />
    ) : (
      renderTime(createdAt)
    )
  return (
    <FactsCard
      items={[
        { label: t('sheet.fields.plan'), value: planLabel ?? planName },
        masked !== undefined && { label: t('sheet.fields.key'), value: <code>{masked}</code> },
        {
          label: t('sheet.fields.status'),
          value: (
            <>
              <StatusDot tone={statusTones[status]} label={t(`register:statuses.${status}`)} />
              {replacement ? <span className="block text-muted text-sm">{replacement.text}</span> : null}
            </>
          ),
        },
        { label: t('sheet.fields.created'), value: createdAt === undefined ? t('register:unknownTime') : createdTime },
        { label: t('sheet.fields.handedOut'), value: renderTime(handedOutAt) },
        { label: t('sheet.fields.acknowledged'), value: renderTime(acknowledgedAt) },
        { label: t('sheet.fields.rotated'), value: renderTime(rotatedAt) },
        {
          label: t('sheet.fields.lastUsed'),
          value: (
            <>
              {lastUsedAt === undefined && lastUsedFrom ? t('register:notUsedLately') : renderTime(lastUsedAt)}
              <span className="block text-faint text-sm">
                {lastUsedFrom ? t(`register:usedFrom.${lastUsedFrom}`) : t('sheet.lastUsedHint')}
              </span>
            </>
          ),
        },
        { label: t('sheet.fields.tools'), value: tools.length === 0 ? t('sheet.none') : tools.join(', ') },
        alsoServes.length > 0 && { label: t('sheet.fields.serves'), value: alsoServes.join(', ') },
      ]}
    />
  )
}

const machineTerms = ['laptop', 'desktop', 'pc', 'mac', 'macbook', 'imac', 'thinkpad', 'phone', 'home', 'office']

const toolKeywords = ['ci', 'cd', 'bot', 'pipeline', 'cron', 'server', 'agent', 'runner', 'github', 'gitlab', 'jenkins']

/** Finds a known holder in the key's name, else a person for "lan-laptop" or a tool for "shop-pipeline". */
function suggestHolder({ keyName, holder }: RegisterEntry, entries: readonly RegisterEntry[]): Holder | undefined {
  if (holder) return undefined
  const splitWords = (text: string): readonly string[] =>
    toSearchText(text)
      .split(/[^\p{L}\p{N}]+/u)
      .filter(Boolean)
  const terms = splitWords(keyName)
  const matchingHolder = listHolders(entries).find(({ holder: { name } }) =>
    splitWords(name).some((word) => word.length > 1 && terms.includes(word)),
  )
  if (matchingHolder) return matchingHolder.holder
  if (terms.some((word) => toolKeywords.includes(word))) return { kind: 'tool', name: keyName }
  const [name = ''] = terms
  const isPersonMachine =
    terms.length > 1 && !machineTerms.includes(name) && terms.slice(1).every((word) => machineTerms.includes(word))
  return isPersonMachine ? { kind: 'person', name: name.charAt(0).toUpperCase() + name.slice(1) } : undefined
}
