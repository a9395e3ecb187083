import type { CheckView, PendingKeyView } from '@shared/contract'
import i18next from 'i18next'
import { PackageOpen } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { create } from 'zustand'
import { CheckState, explainFailure, type RemedyHandlers } from '../../failures'
import { formatList } from '../../format'
import { call, useAction, useCall } from '../../ipc'
import { openKeyFilePath } from '../../paths'
import { choosePlan } from '../../session'
import { renderActions } from '../../ui/button'
import { ConfirmDialog } from '../../ui/dialog'
import { Form, TextField } from '../../ui/field'
import { FieldSection, Page, PageHeader } from '../../ui/page'
import { toast } from '../../ui/toast'
import {
  formatPlanNameError,
  ModelCodes,
  mergeCodes,
  nameProblem,
  PasteKey,
  readCodes,
  suggestName,
  useParsedAddress,
} from '../connections/account'
import { GatewayAddressField, OptionalPlanFields, readOptionalFields } from './plan-form'

const t = i18next.getFixedT(null, ['plans', 'handouts'])

interface FormProps {
  readonly form: ReturnType<typeof useNewPlan>
}

const focusField = (id: string): void => {
  const element = document.getElementById(id)
  const control = element?.matches('button') ? element : element?.querySelector<HTMLElement>('input, button')
  element?.scrollIntoView({ block: 'center' })
  control?.focus()
}

function Outcome({ form }: FormProps) {
  const containerRef = useRef<HTMLDivElement>(null)
  const { check, failure, isChecking, reading, runCheck } = form
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
        context={{ plan: form.draft.name || undefined, isHandedOver: true }}
        handlers={handlers}
      />
    </div>
  )
}

export function NewPlanPage() {
  const navigate = useNavigate()
  const { data: app } = useCall('app.get', {})
  const form = useNewPlan((planId, name) => {
    choosePlan(planId)
    void navigate(`/plans/${planId}`, { replace: true })
    void toast(t('new.saved', { name }), {
      description: t(app?.vault.kind === 'session' ? 'new.savedHintSession' : 'new.savedHint'),
      action: { label: t('new.setUpTool'), onClick: () => void navigate('/tools') },
    })
  })
  const failureTexts = form.check?.ok === false ? explainFailure(form.check.failure) : undefined
  const { missing, isChecking, isSaving, isContextWrong, isNameTaken, areCodesWrong } = form
  const missingFields = formatList(missing.map((missingField) => t(`new.${missingField}`)))
  const canSave = missing.length === 0 && !isContextWrong && !isNameTaken && !areCodesWrong
  const canCheckPlan = !missing.includes('missingAddress') && !missing.includes('missingKey')
  return (
    <Page width="narrow">
      <PageHeader
        title={t('new.title')}
        state={t('new.state')}
        breadcrumb={[{ label: t('title'), to: '/plans' }]}
        actions={[{ label: t('handouts:fromNewPlan'), icon: PackageOpen, to: openKeyFilePath }]}
      />
      <Form className="flex flex-col gap-6" onSubmit={form.save}>
        <NewPlanForm form={form} />
        <Outcome form={form} />
        <div className="flex flex-wrap items-center gap-2">
          <p className="flex-1 text-muted">{missing.length > 0 ? t('new.missing', { what: missingFields }) : null}</p>
          {renderActions(
            [
              { label: t('new.discard'), variant: 'ghost', onClick: form.clear },
              { label: t('new.check'), busy: isChecking, disabled: !canCheckPlan, onClick: form.runCheck },
              { label: t('new.save'), type: 'submit', variant: 'primary', busy: isSaving, disabled: !canSave },
            ],
            'md',
          )}
        </div>
      </Form>
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

const formIds = { address: 'new-plan-address', key: 'new-plan-key', models: 'new-plan-models' }

function NewPlanForm({ form }: FormProps) {
  const { draft, change, reading } = form
  const nameError = formatPlanNameError(draft.name, form.isNameTaken)
  const { address } = reading
  const isSuggestion = draft.name === '' || (address !== undefined && draft.name === suggestName(address.url))
  return (
    <>
      <FieldSection title={t('new.connect')}>
        <div id={formIds.address} className="flex flex-col gap-2">
          <GatewayAddressField
            reading={reading}
            hint={reading.shown ? undefined : t('new.addressHint')}
            placeholder={t('new.addressPlaceholder')}
            value={draft.address}
            onChange={(text) => change({ address: text })}
          />
        </div>
        <PasteKey pending={draft.pending} onTaken={(pending) => change({ pending })} buttonId={formIds.key} />
        <TextField
          label={t('new.name')}
          required
          hint={t('new.nameHint')}
          error={nameError}
          value={draft.name}
          onChange={(name) => change({ name })}
          onFocus={() => change({ isNameTyped: true })}
          onBlur={() => change({ isNameTyped: !isSuggestion })}
        />
      </FieldSection>
      <FieldSection title={t('new.more')}>
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
        <OptionalPlanFields fields={draft} change={change} />
      </FieldSection>
    </>
  )
}

const listCodes = ({ codes, codesText }: NewPlanDraft): readonly string[] =>
  mergeCodes(codes, readCodes(codesText).codes)

function useNewPlan(onSaved: (planId: string, name: string) => void) {
  const { draft, change, clear } = useNewPlanDraft()
  const addressState = useParsedAddress(draft.address)
  const url = addressState.address?.url
  const missing = [
    ...(url === undefined ? (['missingAddress'] as const) : []),
    ...(draft.pending === undefined ? (['missingKey'] as const) : []),
    ...(draft.name === '' || nameProblem(draft.name) !== undefined ? (['missingName'] as const) : []),
  ]
  const [isAsking, setIsAsking] = useState(false)
  const { data: plans = [] } = useCall('plans.list', {})
  const checkNewPlan = useAction('plans.checkNew')
  const [modelCode] = listCodes(draft)
  const options = { ...(modelCode && { modelCode }), ...(draft.caFile && { caFile: draft.caFile }) }
  const input =
    url !== undefined && draft.pending ? { gatewayUrl: url, pendingId: draft.pending.pendingId, ...options } : undefined
  const inputKey = JSON.stringify(input)
  const run = async (): Promise<CheckView | undefined> => {
    if (!input) return undefined
    const view = await checkNewPlan.mutateAsync(input).catch(() => undefined)
    change({ check: view && { of: inputKey, view } })
    return view
  }
  const view = draft.check && draft.check.of === inputKey ? draft.check.view : undefined
  const addPlan = useAction('plans.add', { invalidates: ['plans'] })
  const optionalFields = readOptionalFields(draft)
  const add = async (): Promise<void> => {
    if (!optionalFields || !input) return
    const { gatewayUrl, pendingId } = input
    const fields = { name: draft.name, models: [...listCodes(draft)], gatewayUrl, pendingId }
    const addedPlan = await addPlan.mutateAsync({ ...fields, ...optionalFields }).catch(() => undefined)
    if (!addedPlan) return
    clear()
    onSaved(addedPlan.id, addedPlan.name)
  }
  // Suggest the gateway's host as plan name until the user types a name.
  useEffect(() => {
    if (url !== undefined && !draft.isNameTyped) change({ name: suggestName(url) })
  }, [url, draft.isNameTyped, change])
  const save = async (): Promise<void> => {
    const outcome = view ?? (await run())
    if (outcome?.ok) await add()
    else if (outcome) setIsAsking(true)
  }
  return {
    draft,
    change,
    clear,
    reading: addressState,
    isContextWrong: optionalFields === undefined,
    isAsking,
    setIsAsking,
    missing,
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
    saveAnyway: () => void add().then(() => setIsAsking(false)),
  }
}

/** The main process stores the pasted key. The form only has its id and masked form. */
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

export const useNewPlanDraft = create<{
  readonly draft: NewPlanDraft
  readonly change: (changes: Partial<NewPlanDraft>) => void
  readonly clear: () => void
}>((set) => ({
  draft: emptyDraft,
  change: (changes) => set(({ draft }) => ({ draft: { ...draft, ...changes } })),
  clear: () => set({ draft: emptyDraft }),
}))
