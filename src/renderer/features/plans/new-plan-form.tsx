import type { CheckView, PendingKeyView } from '@shared/contract'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { create } from 'zustand'
import { endOfDay } from '../../format'
import { useFailureWords } from '../../i18n/failures'
import { useAction, useCall } from '../../ipc'
import { Field, FieldGroup, TextInput } from '../../ui/field'
import { Card, Section } from '../../ui/page'
import {
  Corrections,
  ModelCodes,
  mergeCodes,
  nameProblem,
  PasteKey,
  type ReadAddress,
  readCodes,
  readContext,
  StandardAddresses,
  suggestName,
  useReadAddress,
} from '../account'
import styles from './new-plan.module.css'

/** The ids by which a remedy finds the control it is about. */
export const formIds = { address: 'new-plan-address', key: 'new-plan-key', models: 'new-plan-models' }

/** What to say about a name as it is typed. */
export function useNameError(name: string, isTaken: boolean): string | undefined {
  const { t } = useTranslation('plans')
  const problem = nameProblem(name)
  if (problem === 'rule') return t('new.nameRule')
  if (problem === 'tooLong') return t('new.nameTooLong', { count: name.length })
  return isTaken ? t('new.nameTaken') : undefined
}

/** The address field with what its contents mean, as they are typed. */
function AddressField({ form }: { form: NewPlan }) {
  const { t } = useTranslation('plans')
  const words = useFailureWords()
  const { draft, change, reading } = form
  const wrong = reading.failure && words(reading.failure)
  return (
    <div id={formIds.address} className={styles.address}>
      <Field
        label={t('new.address')}
        required
        hint={reading.shown ? undefined : t('new.addressHint')}
        error={wrong ? `${wrong.title}. ${wrong.remedy}` : undefined}
      >
        <TextInput
          mono
          value={draft.address}
          placeholder={t('new.addressPlaceholder')}
          onChange={(event) => change({ address: event.target.value })}
        />
      </Field>
      <div aria-live="polite" className={styles.reading}>
        {reading.shown ? (
          <>
            <Corrections address={reading.shown} />
            <StandardAddresses address={reading.shown} />
          </>
        ) : null}
      </div>
    </div>
  )
}

function MoreFields({ form }: { form: NewPlan }) {
  const { t } = useTranslation('plans')
  const { draft, change } = form
  return (
    <FieldGroup>
      <div id={formIds.models}>
        <ModelCodes
          label={t('new.models')}
          hint={t('new.modelsHint')}
          optional
          codes={draft.codes}
          onChange={(codes) => change({ codes })}
          typed={{ text: draft.codesText, onText: (codesText) => change({ codesText }) }}
        />
      </div>
      <div className={styles.pair}>
        <Field label={t('new.expires')} optional>
          <TextInput
            type="date"
            value={draft.expiresOn}
            onChange={(event) => change({ expiresOn: event.target.value })}
          />
        </Field>
        <Field
          label={t('new.context')}
          optional
          hint={t('new.contextHint')}
          error={form.isContextWrong ? t('new.contextRule') : undefined}
        >
          <TextInput
            inputMode="numeric"
            placeholder="128000"
            value={draft.context}
            onChange={(event) => change({ context: event.target.value })}
          />
        </Field>
      </div>
    </FieldGroup>
  )
}

/** The fields of a new plan: what is needed first, what may be known beneath. */
export function NewPlanForm({ form }: { form: NewPlan }) {
  const { t } = useTranslation('plans')
  const { draft, change } = form
  const nameError = useNameError(draft.name, form.isNameTaken)
  return (
    <>
      <Section title={t('new.connect')}>
        <Card>
          <FieldGroup>
            <AddressField form={form} />
            <PasteKey pending={draft.pending} onTaken={(pending) => change({ pending })} buttonId={formIds.key} />
            <Field label={t('new.name')} required hint={t('new.nameHint')} error={nameError}>
              <TextInput
                value={draft.name}
                onChange={(event) => change({ name: event.target.value, isNameTyped: event.target.value !== '' })}
              />
            </Field>
          </FieldGroup>
        </Card>
      </Section>
      <Section title={t('new.more')}>
        <Card>
          <MoreFields form={form} />
        </Card>
      </Section>
    </>
  )
}

type Missing = 'missingAddress' | 'missingKey' | 'missingName'

/** What cannot be left out and is not there yet, in the order of the form. */
function missingOf(draft: NewPlanDraft, { address }: ReadAddress): readonly Missing[] {
  const lacks: readonly (readonly [boolean, Missing])[] = [
    [address === undefined, 'missingAddress'],
    [draft.pending === undefined, 'missingKey'],
    [draft.name === '' || nameProblem(draft.name) !== undefined, 'missingName'],
  ]
  return lacks.filter(([isMissing]) => isMissing).map(([, what]) => what)
}

/** The codes that are chips already, and the one that is still being typed. */
const codesOf = ({ codes, codesText }: NewPlanDraft): readonly string[] => mergeCodes(codes, readCodes(codesText).codes)

/** Fills the name in from the host until somebody types one. */
function useSuggestedName(url: string | undefined): void {
  const isNameTyped = useNewPlanDraft(({ draft }) => draft.isNameTyped)
  const change = useNewPlanDraft((store) => store.change)
  useEffect(() => {
    if (url !== undefined && !isNameTyped) change({ name: suggestName(url) })
  }, [url, isNameTyped, change])
}

/** The check of exactly what stands in the form: the last one if nothing changed since, and how to make one. */
function useDraftCheck(url: string | undefined) {
  const { draft, change } = useNewPlanDraft()
  const checking = useAction('plans.checkNew')
  const [modelCode] = codesOf(draft)
  const input =
    url !== undefined && draft.pending
      ? { gatewayUrl: url, pendingId: draft.pending.pendingId, ...(modelCode === undefined ? {} : { modelCode }) }
      : undefined
  const of = JSON.stringify(input)
  const run = async (): Promise<CheckView | undefined> => {
    if (!input) return undefined
    const view = await checking.mutateAsync(input).catch(() => undefined)
    change({ check: view && { of, view } })
    return view
  }
  return { input, run, view: draft.check && draft.check.of === of ? draft.check.view : undefined, checking }
}

/** Saves the draft as a plan. */
function useDraftSaving(onSaved: (planId: string, name: string) => void) {
  const { draft, clear } = useNewPlanDraft()
  const saving = useAction('plans.add', { invalidates: ['plans'] })
  const context = readContext(draft.context)
  const expiresAt = endOfDay(draft.expiresOn)
  const add = async (input: { gatewayUrl: string; pendingId: string }): Promise<void> => {
    if (context === 'invalid') return
    const { gatewayUrl, pendingId } = input
    const fields = { name: draft.name, models: [...codesOf(draft)], gatewayUrl, pendingId }
    const known = { ...(context === undefined ? {} : { contextTokens: context }), ...(expiresAt ? { expiresAt } : {}) }
    const added = await saving.mutateAsync({ ...fields, ...known }).catch(() => undefined)
    if (!added) return
    clear()
    onSaved(added.id, added.name)
  }
  return { add, saving, isContextWrong: context === 'invalid' }
}

/** The form "I was handed a key": its contents, what is missing, the check and the saving. */
export function useNewPlan(onSaved: (planId: string, name: string) => void) {
  const { draft, change, clear } = useNewPlanDraft()
  const reading = useReadAddress(draft.address)
  const [isAsking, setIsAsking] = useState(false)
  const { data: plans = [] } = useCall('plans.list', {})
  const { input, run, view, checking } = useDraftCheck(reading.address?.url)
  const { add, saving, isContextWrong } = useDraftSaving(onSaved)
  useSuggestedName(reading.address?.url)
  const save = async (): Promise<void> => {
    const outcome = view ?? (await run())
    if (outcome?.ok && input) await add(input)
    else if (outcome) setIsAsking(true)
  }
  const saveAnyway = async (): Promise<void> => {
    if (input) await add(input)
    setIsAsking(false)
  }
  return {
    ...{ draft, change, clear, reading, isContextWrong, isAsking, setIsAsking },
    missing: missingOf(draft, reading),
    check: view,
    areCodesWrong: readCodes(draft.codesText).invalid.length > 0,
    isNameTaken: plans.some(({ name }) => name === draft.name),
    isChecking: checking.isPending,
    isSaving: saving.isPending,
    failure: (checking.error ?? saving.error)?.failure,
    runCheck: () => {
      saving.reset()
      void run()
    },
    save: () => void save(),
    saveAnyway: () => void saveAnyway(),
  }
}

export type NewPlan = ReturnType<typeof useNewPlan>

/** What was filled in so far. The key is not among it: only the id and the masked form of one that main holds. */
interface NewPlanDraft {
  readonly address: string
  readonly name: string
  /** The name was typed, so that no suggestion may replace it. */
  readonly isNameTyped: boolean
  readonly codes: readonly string[]
  /** A code that was typed but not confirmed; it counts. */
  readonly codesText: string
  readonly expiresOn: string
  readonly context: string
  readonly pending: PendingKeyView | undefined
  /** The last check, and what it was made with. */
  readonly check: { readonly of: string; readonly view: CheckView } | undefined
}

const empty: NewPlanDraft = {
  address: '',
  name: '',
  isNameTyped: false,
  codes: [],
  codesText: '',
  expiresOn: '',
  context: '',
  pending: undefined,
  check: undefined,
}

interface DraftStore {
  readonly draft: NewPlanDraft
  readonly change: (part: Partial<NewPlanDraft>) => void
  readonly clear: () => void
}

/** The new plan as far as it was filled in; survives leaving the page, not the window. */
export const useNewPlanDraft = create<DraftStore>((set) => ({
  draft: empty,
  change: (part) => set(({ draft }) => ({ draft: { ...draft, ...part } })),
  clear: () => set({ draft: empty }),
}))
