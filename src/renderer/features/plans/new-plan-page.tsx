import type { CheckView, PendingKeyView } from '@shared/contract'
import { PackageOpen } from 'lucide-react'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { create } from 'zustand'
import { CheckState, type RemedyHandlers } from '../../failures'
import { formatList, getEndOfDay, useFormats } from '../../format'
import { useFailureTexts } from '../../i18n/failures'
import { call, useAction, useCall } from '../../ipc'
import { openKeyFilePath } from '../../paths'
import { useSession } from '../../session'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/dialog'
import { Field, FieldGroup, TextInput } from '../../ui/field'
import { Card, Page, PageHeader, Section } from '../../ui/page'
import { Hint } from '../../ui/text'
import { toast } from '../../ui/toast'
import { CertificateFile } from '../connections'
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
  useParsedAddress,
  usePlanNameError,
} from '../connections/account'

const focusField = (id: string): void => {
  const element = document.getElementById(id)
  const control = element?.matches('button') ? element : element?.querySelector<HTMLElement>('input, button')
  element?.scrollIntoView({ block: 'center' })
  control?.focus()
}

function Outcome({ form }: { form: NewPlan }) {
  const { t } = useTranslation('plans')
  const containerRef = useRef<HTMLDivElement>(null)
  const { check, failure, isChecking, reading, runCheck } = form
  const context = { plan: form.draft.name || undefined, isHandedOver: true }
  const shownCheck = isChecking || (check ?? failure)
  // Scroll when the check starts and again when it ends, because the result is taller than the progress bar.
  useEffect(() => {
    if (shownCheck) containerRef.current?.scrollIntoView({ block: 'nearest' })
  }, [shownCheck])
  const handlers: RemedyHandlers = {
    tryAgain: runCheck,
    pasteKey: () => focusField(formIds.key),
    setAddress: () => focusField(formIds.address),
    chooseModel: () => focusField(formIds.models),
    recheckVault: () => void call('app.recheckVault', {}).then(runCheck, runCheck),
  }
  const host = reading.shown && URL.canParse(reading.shown.url) ? new URL(reading.shown.url).host : undefined
  return (
    <div ref={containerRef} aria-live="polite">
      <CheckState
        pending={isChecking && (host ? t('new.checking', { host }) : t('new.checkingPlain'))}
        failure={failure}
        check={check}
        context={context}
        handlers={handlers}
      />
    </div>
  )
}

/** Adds a plan from a gateway address and a key. The key goes from the clipboard to the keychain. */
export function NewPlanPage() {
  const { t } = useTranslation('plans')
  const { locale } = useFormats()
  const { t: kits } = useTranslation('handouts')
  const navigate = useNavigate()
  const texts = useFailureTexts()
  const choosePlan = useSession((session) => session.choosePlan)
  const { data: app } = useCall('app.get', {})
  const form = useNewPlan((planId, name) => {
    choosePlan(planId)
    void navigate(`/plans/${planId}`, { replace: true })
    void toast(t('new.saved', { name }), {
      description: t(app?.vault.kind === 'session' ? 'new.savedHintSession' : 'new.savedHint'),
      action: { label: t('new.setUpTool'), onClick: () => void navigate('/tools') },
    })
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    form.save()
  }
  const failureTexts = form.check?.ok === false ? texts(form.check.failure) : undefined
  const { missing, isChecking, isSaving, isContextWrong, isNameTaken, areCodesWrong } = form
  const missingFields = formatList(
    missing.map((missingField) => t(`new.${missingField}`)),
    locale,
  )
  const canCheckPlan = !missing.includes('missingAddress') && !missing.includes('missingKey')
  return (
    <Page width="narrow">
      <PageHeader
        title={t('new.title')}
        state={t('new.state')}
        breadcrumb={[{ label: t('title'), to: '/plans' }]}
        actions={[{ label: kits('fromNewPlan'), icon: PackageOpen, to: openKeyFilePath }]}
      />
      <form className="flex flex-col gap-6" onSubmit={submit} noValidate>
        <NewPlanForm form={form} />
        <Outcome form={form} />
        <div className="flex flex-wrap items-center gap-2">
          <p className="flex-1 text-muted">{missing.length > 0 ? t('new.missing', { what: missingFields }) : null}</p>
          <Button variant="ghost" onClick={form.clear}>
            {t('new.discard')}
          </Button>
          <Button onClick={form.runCheck} busy={isChecking} disabled={!canCheckPlan}>
            {t('new.check')}
          </Button>
          <Button
            type="submit"
            variant="primary"
            busy={isSaving}
            disabled={missing.length > 0 || isContextWrong || isNameTaken || areCodesWrong}
          >
            {t('new.save')}
          </Button>
        </div>
      </form>
      <ConfirmDialog
        open={form.isAsking}
        onClose={() => form.setIsAsking(false)}
        title={t('new.saveAnywayTitle')}
        description={t('new.saveAnywayText', { what: failureTexts?.title ?? '' })}
        confirmLabel={t('new.saveAnyway')}
        busy={form.isSaving}
        onConfirm={form.saveAnyway}
      />
    </Page>
  )
}

/** Element ids of fields that the button of a failure can focus. */
const formIds = { address: 'new-plan-address', key: 'new-plan-key', models: 'new-plan-models' }

/** Selection of a file with additional CA certificates, for a private gateway or a TLS-inspecting proxy. */
export function CertificateChoice(props: { readonly path: string; readonly onChange: (path: string) => void }) {
  const { t } = useTranslation('plans')
  const id = useId()
  return (
    <fieldset className="flex flex-col gap-2" aria-describedby={id}>
      <legend className="mb-1 font-medium">{t('new.certificates')}</legend>
      <CertificateFile {...props} />
      <Hint id={id}>{t('new.certificatesHint')}</Hint>
    </fieldset>
  )
}

function NewPlanForm({ form }: { form: NewPlan }) {
  const { t } = useTranslation('plans')
  const texts = useFailureTexts()
  const { draft, change, reading } = form
  const nameError = usePlanNameError(draft.name, form.isNameTaken)
  const { address } = form.reading
  const isSuggestion = draft.name === '' || (address !== undefined && draft.name === suggestName(address.url))
  const addressFailureTexts = reading.failure && texts(reading.failure)
  return (
    <>
      <Section title={t('new.connect')}>
        <Card>
          <FieldGroup>
            <div id={formIds.address} className="flex flex-col gap-2">
              <Field
                label={t('new.address')}
                required
                hint={reading.shown ? undefined : t('new.addressHint')}
                error={addressFailureTexts ? `${addressFailureTexts.title}. ${addressFailureTexts.remedy}` : undefined}
              >
                <TextInput
                  mono
                  value={draft.address}
                  placeholder={t('new.addressPlaceholder')}
                  onChange={(event) => change({ address: event.target.value })}
                />
              </Field>
              <div aria-live="polite" className="flex flex-col gap-2 empty:hidden">
                {reading.shown ? (
                  <>
                    <Corrections address={reading.shown} />
                    <StandardAddresses address={reading.shown} />
                  </>
                ) : null}
              </div>
            </div>
            <PasteKey pending={draft.pending} onTaken={(pending) => change({ pending })} buttonId={formIds.key} />
            <Field label={t('new.name')} required hint={t('new.nameHint')} error={nameError}>
              <TextInput
                value={draft.name}
                onChange={(event) => change({ name: event.target.value })}
                onFocus={() => change({ isNameTyped: true })}
                onBlur={() => change({ isNameTyped: !isSuggestion })}
              />
            </Field>
          </FieldGroup>
        </Card>
      </Section>
      <Section title={t('new.more')}>
        <Card>
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
            <div className="grid grid-cols-[repeat(auto-fit,minmax(220px,1fr))] items-start gap-4">
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
            <CertificateChoice path={draft.caFile} onChange={(caFile) => change({ caFile })} />
          </FieldGroup>
        </Card>
      </Section>
    </>
  )
}

type Missing = 'missingAddress' | 'missingKey' | 'missingName'

/** Missing required fields in form order. */
function listMissingFields(draft: NewPlanDraft, { address }: ReadAddress): readonly Missing[] {
  const missingChecks: readonly (readonly [boolean, Missing])[] = [
    [address === undefined, 'missingAddress'],
    [draft.pending === undefined, 'missingKey'],
    [draft.name === '' || nameProblem(draft.name) !== undefined, 'missingName'],
  ]
  return missingChecks.filter(([isMissing]) => isMissing).map(([, missingField]) => missingField)
}

/** Model codes of the form, including one that the user has typed but not added. */
const listCodes = ({ codes, codesText }: NewPlanDraft): readonly string[] =>
  mergeCodes(codes, readCodes(codesText).codes)

/** Suggests the gateway's host as plan name until the user types a name. */
function useSuggestedName(url: string | undefined): void {
  const isNameTyped = useNewPlanDraft(({ draft }) => draft.isNameTyped)
  const change = useNewPlanDraft((store) => store.change)
  useEffect(() => {
    if (url !== undefined && !isNameTyped) change({ name: suggestName(url) })
  }, [url, isNameTyped, change])
}

function useNewPlan(onSaved: (planId: string, name: string) => void) {
  const { draft, change, clear } = useNewPlanDraft()
  const addressState = useParsedAddress(draft.address)
  const url = addressState.address?.url
  const [isAsking, setIsAsking] = useState(false)
  const { data: plans = [] } = useCall('plans.list', {})
  const checkNewPlan = useAction('plans.checkNew')
  const [modelCode] = listCodes(draft)
  const input =
    url !== undefined && draft.pending
      ? {
          gatewayUrl: url,
          pendingId: draft.pending.pendingId,
          ...(modelCode === undefined ? {} : { modelCode }),
          ...(draft.caFile === '' ? {} : { caFile: draft.caFile }),
        }
      : undefined
  const inputKey = JSON.stringify(input)
  const run = async (): Promise<CheckView | undefined> => {
    if (!input) return undefined
    const view = await checkNewPlan.mutateAsync(input).catch(() => undefined)
    change({ check: view && { of: inputKey, view } })
    return view
  }
  const view = draft.check && draft.check.of === inputKey ? draft.check.view : undefined
  const addPlan = useAction('plans.add', { invalidates: ['plans'] })
  const context = readContext(draft.context)
  const expiresAt = getEndOfDay(draft.expiresOn)
  const add = async ({ gatewayUrl, pendingId }: { gatewayUrl: string; pendingId: string }): Promise<void> => {
    if (context === 'invalid') return
    const caFile = draft.caFile === '' ? {} : { caFile: draft.caFile }
    const fields = { name: draft.name, models: [...listCodes(draft)], gatewayUrl, pendingId, ...caFile }
    const knownFields = {
      ...(context === undefined ? {} : { contextTokens: context }),
      ...(expiresAt ? { expiresAt } : {}),
    }
    const addedPlan = await addPlan.mutateAsync({ ...fields, ...knownFields }).catch(() => undefined)
    if (!addedPlan) return
    clear()
    onSaved(addedPlan.id, addedPlan.name)
  }
  const isContextWrong = context === 'invalid'
  useSuggestedName(url)
  const save = async (): Promise<void> => {
    const outcome = view ?? (await run())
    if (outcome?.ok && input) await add(input)
    else if (outcome) setIsAsking(true)
  }
  const saveUnchecked = async (): Promise<void> => {
    if (input) await add(input)
    setIsAsking(false)
  }
  return {
    draft,
    change,
    clear,
    reading: addressState,
    isContextWrong,
    isAsking,
    setIsAsking,
    missing: listMissingFields(draft, addressState),
    check: view,
    areCodesWrong: readCodes(draft.codesText).invalid.length > 0,
    isNameTaken: plans.some(({ name }) => name === draft.name),
    isChecking: checkNewPlan.isPending,
    isSaving: addPlan.isPending,
    failure: (checkNewPlan.error ?? addPlan.error)?.failure,
    runCheck: () => {
      addPlan.reset()
      void run()
    },
    save: () => void save(),
    saveAnyway: () => void saveUnchecked(),
  }
}

type NewPlan = ReturnType<typeof useNewPlan>

/**
 * Content of the form for a new plan. The main process stores the pasted key. The form only has its id and masked
 * form.
 */
interface NewPlanDraft {
  readonly address: string
  readonly name: string
  /** Whether the user has typed a name. No other name is then suggested. */
  readonly isNameTyped: boolean
  readonly codes: readonly string[]
  /** Model code that the user has typed but not added. It is saved as well. */
  readonly codesText: string
  readonly expiresOn: string
  readonly context: string
  /** Path of a CA file. Empty means only the system's certificates. */
  readonly caFile: string
  readonly pending: PendingKeyView | undefined
  /** Last check, with the content of the form that was checked. */
  readonly check: { readonly of: string; readonly view: CheckView } | undefined
}

const emptyDraft: NewPlanDraft = {
  address: '',
  name: '',
  isNameTyped: false,
  codes: [],
  codesText: '',
  expiresOn: '',
  context: '',
  caFile: '',
  pending: undefined,
  check: undefined,
}

/** Content of the form for a new plan, kept until the window closes. */
export const useNewPlanDraft = create<{
  readonly draft: NewPlanDraft
  readonly change: (changes: Partial<NewPlanDraft>) => void
  readonly clear: () => void
}>((set) => ({
  draft: emptyDraft,
  change: (changes) => set(({ draft }) => ({ draft: { ...draft, ...changes } })),
  clear: () => set({ draft: emptyDraft }),
}))
