import type { HandoutResult, Handover, RotationView } from '@shared/contract'
import { dayMs } from '@shared/durations'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { endOfDay, formatList, toDateField, useFormats } from '../../format'
import { useAction, useCall } from '../../ipc'
import { enterCodePath, handoutPath } from '../../paths'
import { StatusDot, type Tone } from '../../ui/badge'
import { Button, ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { ConfirmDialog } from '../../ui/dialog'
import { Field, TextInput } from '../../ui/field'
import { Section } from '../../ui/page'
import { Segmented } from '../../ui/radio-cards'
import { Facts, Row, RowMark, Rows } from '../../ui/rows'
import { findRegisterEntry, holderIcon } from '../account'
import { ExplainedFailure } from '../failures'
import { BulkResults, toolsOfPlan, useHandoutsStore } from '../handouts'
import { usePutRotation } from './rotations'

/** How long the old key works for those who hold it: until they have confirmed the new one, to the end of a day, or not at all. */
interface HolderWait {
  readonly chosen: 'confirmed' | 'day' | 'now'
  /** As a date field has it. */
  readonly day: string
}

/** How many days a holder has by default. */
const usualDays = 7

export const firstWait = (now = new Date()): HolderWait => ({
  chosen: 'confirmed',
  day: toDateField(new Date(now.getTime() + usualDays * dayMs).toISOString()),
})

const choices = ['confirmed', 'day', 'now'] as const

/** What main wants to know of it; nothing while the day is missing or over. */
export function toDisableBy({ chosen, day }: HolderWait, now = new Date()): { disableBy?: string } | undefined {
  if (chosen === 'confirmed') return {}
  const disableBy = chosen === 'now' ? now.toISOString() : endOfDay(day)
  return disableBy === undefined || disableBy < now.toISOString() ? undefined : { disableBy }
}

interface HolderFieldProps {
  /** Names of those who hold the keys elsewhere. */
  readonly holders: readonly string[]
  readonly wait: HolderWait
  readonly onChange: (wait: HolderWait) => void
}

/** Who holds the old key, and how long it works for them; nothing for a key that nobody holds. */
export function HolderField({ holders, wait, onChange }: HolderFieldProps) {
  const { t } = useTranslation('rotation')
  const { locale } = useFormats()
  if (holders.length === 0) return null
  const names = formatList(holders, locale)
  return (
    <Callout tone="warning" title={t('holders.title', { count: holders.length, names })}>
      <div className="flex flex-col items-start gap-1.5">
        <p>{t(`holders.hints.${wait.chosen}`)}</p>
        <p className="font-medium">{t('holders.label')}</p>
        <Segmented
          label={t('holders.label')}
          value={wait.chosen}
          onValueChange={(value) =>
            onChange({ ...wait, chosen: choices.find((choice) => choice === value) ?? 'confirmed' })
          }
          segments={choices.map((value) => ({ value, label: t(`holders.choices.${value}`) }))}
        />
        {wait.chosen === 'day' ? (
          <Field
            label={t('holders.day')}
            error={wait.day !== '' && toDisableBy(wait) === undefined ? t('holders.dayOver') : undefined}
          >
            <TextInput
              type="date"
              value={wait.day}
              onChange={(event) => onChange({ ...wait, day: event.target.value })}
            />
          </Field>
        ) : null}
      </div>
    </Callout>
  )
}

const tones: Record<Handover['state'], Tone> = { open: 'warning', handedOut: 'accent', confirmed: 'success' }

/** A new key and one who is to have it. */
interface Due extends Handover {
  readonly rotation: RotationView
  readonly keyId: string
}

/** The new keys of rotations, each with those who are to have it. */
const dueOf = (rotations: readonly RotationView[]): readonly Due[] =>
  rotations.flatMap((rotation) => {
    const { newKeyId: keyId, handover = [], undoSteps } = rotation
    return keyId === undefined || undoSteps ? [] : handover.map((one) => ({ ...one, rotation, keyId }))
  })

function useMakeKits(open: readonly Due[]) {
  const [results, setResults] = useState<readonly HandoutResult[]>([])
  const { data: tools = [] } = useCall('tools.list', {})
  const { data: entries = [] } = useCall('register.list', {})
  const add = useHandoutsStore((store) => store.add)
  const making = useAction('handouts.createForKeys', {
    invalidates: ['register', 'rotation', 'audit', 'handouts'],
    onSuccess: (made) => {
      add(made.filter(({ state }) => state === 'written'))
      setResults(made.filter(({ state }) => state !== 'cancelled'))
    },
  })
  const make = (): void =>
    making.mutate({
      keys: open.map(({ holder, keyId, rotation: { planId } }) => {
        const { purpose } = findRegisterEntry(entries, { planId, keyId }) ?? {}
        return { planId, keyId, holder, ...(purpose && { purpose }), toolIds: [...toolsOfPlan(tools, planId)] }
      }),
      lock: { kind: 'passphrase' },
    })
  return { making, make, results }
}

function DueRow({ due }: { readonly due: Due }) {
  const { t } = useTranslation('rotation')
  const { holder, state, keyId, rotation } = due
  const { planId, planName, newKeyName } = rotation
  return (
    <Row
      leading={<RowMark icon={holderIcon(holder)} />}
      title={holder.name}
      description={<Facts items={[newKeyName, planName]} />}
      trailing={
        <>
          <StatusDot tone={tones[state]} label={t(`handover.states.${state}`)} />
          {state === 'handedOut' ? (
            <ButtonLink size="sm" to={enterCodePath} aria-label={t('handover.enterCodeOf', { name: holder.name })}>
              {t('handover.enterCode')}
            </ButtonLink>
          ) : state === 'open' ? (
            <ButtonLink
              size="sm"
              to={handoutPath({ planId, keyId })}
              aria-label={t('handover.handOutTo', { key: newKeyName, name: holder.name })}
            >
              {t('handover.handOut')}
            </ButtonLink>
          ) : null}
        </>
      }
    />
  )
}

/** To whom the new keys of rotations have to be handed out, the kits for all of them at once, and how far that is. */
export function HandoverSection({ rotations }: { readonly rotations: readonly RotationView[] }) {
  const { t } = useTranslation('rotation')
  const due = dueOf(rotations)
  const open = due.filter(({ state }) => state === 'open')
  const { making, make, results } = useMakeKits(open)
  if (due.length === 0) return null
  return (
    <>
      <Section
        title={t('handover.title')}
        description={t('handover.hint')}
        actions={
          open.length > 0 ? (
            <Button size="sm" variant="primary" icon={KeyRound} busy={making.isPending} onClick={make}>
              {t('handover.make', { count: open.length })}
            </Button>
          ) : null
        }
      >
        <Rows label={t('handover.title')}>
          {due.map((one) => (
            <DueRow key={`${one.rotation.id} ${one.holder.name}`} due={one} />
          ))}
        </Rows>
      </Section>
      {making.error ? <ExplainedFailure failure={making.error.failure} handlers={{ tryAgain: make }} /> : null}
      <BulkResults results={results} />
    </>
  )
}

/** That the old key works on, until when, and the way to end that. */
export function HandoverOutcome({ rotation }: { readonly rotation: RotationView }) {
  const { t } = useTranslation('rotation')
  const { locale, date } = useFormats()
  const [isAsking, setIsAsking] = useState(false)
  const put = usePutRotation()
  const ending = useAction('rotation.endHandover', {
    invalidates: ['rotation', 'plans', 'tools', 'account', 'register', 'audit'],
    onSuccess: (view) => {
      put(view)
      setIsAsking(false)
    },
  })
  const { id, oldKeyName: key, newKeyName: newKey, handover = [], disableBy } = rotation
  const left = handover.filter(({ state }) => state !== 'confirmed').map(({ holder }) => holder.name)
  const names = formatList(left, locale)
  return (
    <>
      <Callout
        tone="info"
        title={t('handover.waiting', { key })}
        actions={
          <Button size="sm" onClick={() => setIsAsking(true)}>
            {t('handover.end')}
          </Button>
        }
      >
        {disableBy === undefined
          ? t('handover.waitingText', { newKey, names })
          : t('handover.waitingDay', { newKey, names, day: date(disableBy) })}
      </Callout>
      {isAsking ? (
        <ConfirmDialog
          danger
          onClose={() => setIsAsking(false)}
          title={t('handover.endTitle', { key })}
          description={t('handover.endText', { key, names })}
          confirmLabel={t('handover.endConfirm')}
          busy={ending.isPending}
          onConfirm={() => ending.mutate({ id })}
        >
          {ending.error ? <ExplainedFailure failure={ending.error.failure} /> : null}
        </ConfirmDialog>
      ) : null}
    </>
  )
}
