import type { AddressKey, ConnectionDraft, ConnectionView, MethodOutput } from '@shared/contract'
import type { Failure } from '@shared/failure'
import i18next from 'i18next'
import { FileDown } from 'lucide-react'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { useNavigate } from 'react-router'
import { ExplainedFailure, explainFailure } from '../../failures'
import { useAction, useCall } from '../../ipc'
import { connectionPath, connectionsPath } from '../../paths'
import { StatusDot } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { joinClassNames } from '../../ui/cn'
import { Code } from '../../ui/code'
import { ConfirmDialog } from '../../ui/dialog'
import { FieldGroup, Form, TextAreaField, TextField } from '../../ui/field'
import { Card, CardSection, FieldCard, Page, PageHeader, Section } from '../../ui/page'
import { RadioCards } from '../../ui/radio-cards'
import { CertificateFile } from './certificate-file'
import { PasteSecret } from './connection-dialogs'
import {
  areEntriesEqual,
  type Entries,
  type FieldName,
  keepsSecret,
  listMissingFields,
  needsSecret,
  type SourceKind,
  serviceGroups,
  shownAddresses,
  toCommand,
  toConnectionInput,
  toEntries,
  toFieldName,
} from './entries'
import { clearTests, newDraft, storeDraft, useDrafts } from './tests-and-drafts'

const t = i18next.getFixedT(null, ['connections', 'common'])

function ImportNotice({ form }: { readonly form: ConnectionForm }) {
  const importedFile = form.draft?.imported
  if (!importedFile) return null
  const { entries } = form
  const command = entries.kind === 'command' ? toCommand(entries).join(' ') : undefined
  return (
    <div role="status">
      <Callout
        tone={command ? 'warning' : importedFile.corrections.length > 0 ? 'info' : 'success'}
        title={t('imported.title')}
        actions={[{ label: t('imported.undo'), variant: 'ghost', onClick: form.undoImport }]}
      >
        <Corrections corrections={importedFile.corrections} none={t('imported.right')} />
        {command ? <p>{t('imported.command', { command })}</p> : null}
      </Callout>
    </div>
  )
}

/** CSS classes for a field with its label on the left and its hint below the control. */
const sideLabelClass = 'grid grid-cols-[148px_minmax(0,1fr)] gap-x-4 gap-y-1 [&>label]:self-center [&>p]:col-start-2'

/** Manual or imported connection settings. */
export function ConnectionFormPage(props: {
  readonly connection?: ConnectionView
  readonly field?: FieldName | undefined
  readonly onSaved: (saved: SavedConnection) => void
}) {
  const { connection, field, onSaved } = props
  const navigate = useNavigate()
  const [isAsking, setIsAsking] = useState(false)
  const form = useConnectionForm(connection, onSaved)
  const file = useImport(connection)
  useEffect(() => {
    if (field) focusField(field)
  }, [field])
  const handleKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    form.save()
  }
  const closeForm = (): void => void navigate(connection ? connectionPath(connection.id) : connectionsPath)
  const crumbs = [{ label: t('connections:title'), to: connectionsPath }]
  const crumbTrail = connection ? [...crumbs, { label: connection.name, to: connectionPath(connection.id) }] : crumbs
  return (
    <Page width="narrow">
      <PageHeader
        title={connection ? t('connections:form.editTitle', { name: connection.name }) : t('connections:form.addTitle')}
        state={t('connections:form.state')}
        breadcrumb={crumbTrail}
        actions={[{ label: t('connections:fromFile'), icon: FileDown, busy: file.isReading, onClick: file.choose }]}
      />
      {/* Keeps the focused control above the sticky footer. */}
      <Form
        className="flex flex-col gap-6 [&_:is(input,textarea,button)]:scroll-my-20"
        onSubmit={form.save}
        onKeyDown={handleKeyDown}
      >
        {file.failure ? <ImportFailure failure={file.failure} onRetry={file.choose} /> : <ImportNotice form={form} />}
        <Card>
          <TextField
            {...form.toTextField('name')}
            label={t('connections:form.name')}
            hint={t('connections:form.nameHint')}
            error={form.errors.name ?? form.nameTaken}
            required
            className={sideLabelClass}
            autoFocus={field === undefined}
            maxLength={50}
          />
        </Card>
        <CardSection title={t('connections:form.addresses')} description={t('connections:form.addressesHint')}>
          {serviceGroups.map(({ id, services }) => (
            <fieldset key={id} className="min-w-0 not-first:mt-4.5 not-first:border-t not-first:pt-4">
              <legend className="float-left mb-3 w-full font-semibold text-muted text-sm [&+*]:clear-both">
                {t(`connections:groups.${id}`)}
              </legend>
              <FieldGroup>
                {services.map(({ address, example }) => (
                  <TextField
                    key={address}
                    {...form.toTextField(address)}
                    label={t(`connections:addresses.${address}.name`)}
                    hint={t(`connections:addresses.${address}.hint`)}
                    className={sideLabelClass}
                    mono
                    placeholder={example}
                    maxLength={2000}
                  />
                ))}
              </FieldGroup>
            </fieldset>
          ))}
        </CardSection>
        <SignInSection form={form} connection={connection} />
        <CardSection title={t('connections:certificates.title')} description={t('connections:certificates.hint')}>
          <CertificateFile
            data-field="caFile"
            path={form.entries.caFile}
            onChange={(caFile) => form.set('caFile', { caFile })}
            error={form.errors.caFile}
          />
        </CardSection>
        <ExplainedFailure failure={form.failure} />
        <div
          className={joinClassNames(
            'sticky bottom-3 z-2 flex flex-wrap items-center gap-2 rounded-xl border border-border-strong',
            'after:absolute after:-inset-x-px after:top-full after:h-3 after:bg-page',
            'bg-raised py-2.5 pr-3 pl-4 shadow-float',
          )}
        >
          <div className="flex-1 text-muted text-sm" role="status">
            {form.isDirty ? <StatusDot tone="warning" label={t('connections:form.unsaved')} /> : null}
          </div>
          <Button onClick={() => (form.isDirty ? setIsAsking(true) : closeForm())}>{t('common:cancel')}</Button>
          <Button type="submit" variant="primary" busy={form.isSaving} aria-keyshortcuts="Control+Enter Meta+Enter">
            {t('common:save')}
          </Button>
        </div>
      </Form>
      <ConfirmDialog
        open={isAsking}
        danger
        onClose={() => setIsAsking(false)}
        title={t('connections:form.discardTitle')}
        description={
          connection ? t('connections:form.discardEdit', { name: connection.name }) : t('connections:form.discardNew')
        }
        confirmLabel={t('connections:form.discardConfirm')}
        onConfirm={() => {
          form.discard()
          closeForm()
        }}
      />
    </Page>
  )
}

/** List of corrected addresses, or the text `none` without any. */
export function Corrections({ corrections, none }: Pick<ConnectionDraft, 'corrections'> & { readonly none: string }) {
  if (corrections.length === 0) return none
  const fields = [...new Set(corrections.map(({ field }) => field))]
  const formatCorrections = (correctedField: (typeof fields)[number]): string =>
    corrections
      .filter(({ field }) => field === correctedField)
      .map(({ correction }) => t(`corrections.${correction}`))
      .join(', ')
  return (
    <ul className="flex flex-col gap-0.5">
      {fields.map((field) => (
        <li key={field}>{t('corrected', { what: `${t(`addresses.${field}.name`)} (${formatCorrections(field)})` })}</li>
      ))}
    </ul>
  )
}

/** Field names that indicate a secret. The main process refuses an imported file that contains one. */
const secretName = /secret|passw|api[-_]?key|^key$|token$|^authorization$/i

/** Failure of importing a connection file, for example because of a secret or a wrong address in it. */
export function ImportFailure({ failure, onRetry }: { readonly failure: Failure; readonly onRetry: () => void }) {
  const { code, field = '', message } = failure
  const { title, explanation, remedy } = explainFailure(failure)
  const address = [...shownAddresses, 'tokenUrl' as const].find((key) => key === field)
  const pastedKind = secretName.test(field) ? 'secret' : 'entry'
  const texts =
    field !== '' && code === 'input.invalid'
      ? {
          title: t(`connections:import.${pastedKind}.title`),
          text: t(`connections:import.${pastedKind}.text`, { field }),
          remedy: t(`connections:import.${pastedKind}.remedy`),
        }
      : address && { title: `${t(`connections:addresses.${address}.name`)}: ${title}`, text: explanation, remedy }
  if (!texts) return <ExplainedFailure failure={failure} handlers={{ tryAgain: onRetry }} />
  return (
    <Callout
      tone="danger"
      title={texts.title}
      details={<span lang="en">{message}</span>}
      actions={[{ label: t('common:retry'), onClick: onRetry }]}
    >
      <p>{texts.text}</p>
      <p>{texts.remedy}</p>
    </Callout>
  )
}

const sourceKinds: readonly SourceKind[] = ['client-credentials', 'command', 'pasted', 'none']

export function CommandTexts({ texts }: { readonly texts: readonly string[] }) {
  return (
    <span className="inline-flex min-w-0 flex-wrap gap-1">
      {texts.map((word, index) => (
        <Code key={`${String(index)}-${word}`} wrap>
          {word}
        </Code>
      ))}
    </span>
  )
}

function SignInSection(props: { readonly form: ConnectionForm; readonly connection: ConnectionView | undefined }) {
  const { form, connection } = props
  const { entries, set, toTextField, secretFailure } = form
  const { kind } = entries
  const isStored = connection !== undefined && keepsSecret(connection, entries)
  return (
    <Section title={t('signIn.title')} description={t('signIn.hint')}>
      <FieldCard>
        <div data-field="signIn">
          <RadioCards
            label={t('signIn.question')}
            columns={2}
            value={entries.kind}
            // Discard the pasted secret, because it belongs to the previous sign-in method.
            onValueChange={(kind) => set('signIn', { kind, pending: undefined })}
            options={sourceKinds.map((kind) => ({
              value: kind,
              label: t(`sources.${kind}`),
              hint: t(`signIn.means.${kind}`),
            }))}
          />
        </div>
        {entries.kind === 'client-credentials' ? (
          <>
            <TextField
              {...toTextField('tokenUrl')}
              label={t('signIn.tokenUrl')}
              hint={t('signIn.tokenUrlHint')}
              required
              mono
              placeholder="https://iam.example.com/oauth2/token"
              maxLength={2000}
            />
            <div className="grid grid-cols-[repeat(auto-fit,minmax(220px,1fr))] items-start gap-4">
              <TextField {...toTextField('clientId')} label={t('signIn.clientId')} required mono maxLength={500} />
              <TextField
                {...toTextField('scope')}
                label={t('signIn.scope')}
                hint={t('signIn.scopeHint')}
                optional
                mono
                maxLength={2000}
              />
            </div>
          </>
        ) : null}
        {entries.kind === 'command' ? (
          <>
            <TextField
              {...toTextField('program')}
              label={t('signIn.program')}
              hint={t('signIn.programHint')}
              required
              mono
              placeholder="/usr/local/bin/platform-login"
              maxLength={4000}
            />
            <TextAreaField
              {...toTextField('args')}
              label={t('signIn.args')}
              hint={t('signIn.argsHint')}
              optional
              className="min-h-0 resize-y py-1.5 font-mono text-sm leading-[1.6] tracking-normal"
              rows={3}
              placeholder={'print-token\n--format=json'}
            />
            {entries.program.trim() === '' ? null : (
              <p className="flex gap-2 text-muted text-sm">
                {t('signIn.runs')} <CommandTexts texts={toCommand(entries)} />
              </p>
            )}
          </>
        ) : null}
        {needsSecret(kind) ? (
          <div data-field="secret">
            <PasteSecret
              key={kind}
              kind={kind}
              pending={entries.pending}
              stored={isStored ? connection.secret : undefined}
              failure={secretFailure}
              onTaken={(pending) => set('secret', { pending })}
            />
          </div>
        ) : null}
      </FieldCard>
    </Section>
  )
}

/** The connection as saved. The main process may have corrected the input, for example an address. */
export type SavedConnection = MethodOutput<'connections.save'>

type TextFieldName = AddressKey | 'name' | 'tokenUrl' | 'clientId' | 'scope' | 'program' | 'args'

type Errors = Readonly<Partial<Record<FieldName, string>>>

/** Focuses the control of a field: the element with the attribute `data-field`, or the first control in it. */
function focusField(field: FieldName): void {
  const element = document.querySelector<HTMLElement>(`[data-field="${field}"]`)
  const control = element?.querySelector<HTMLElement>('input, [data-state="checked"], button') ?? element
  element?.scrollIntoView({ block: 'center' })
  control?.focus({ preventScroll: true })
}

function useConnectionForm(connection: ConnectionView | undefined, onSaved: (saved: SavedConnection) => void) {
  const draftId = connection?.id ?? newDraft
  const draft = useDrafts((drafts) => drafts[draftId])
  const baseEntries = toEntries(connection)
  const entries = draft?.entries ?? baseEntries
  const change = (changes: Partial<Entries>): void => {
    // Use the latest state of the draft, because the user may type while a request is pending.
    const currentDraft = useDrafts.getState()[draftId]
    const newEntries = { ...(currentDraft?.entries ?? baseEntries), ...changes }
    storeDraft(draftId, areEntriesEqual(newEntries, baseEntries) ? undefined : { ...currentDraft, entries: newEntries })
  }
  const clear = () => storeDraft(draftId, undefined)
  const undoImport = () => {
    const entries = draft?.imported?.before
    if (entries) storeDraft(draftId, areEntriesEqual(entries, baseEntries) ? undefined : { entries })
  }
  const [errors, setErrors] = useState<Errors>({})
  const show = (newErrors: Errors): boolean => {
    setErrors(newErrors)
    const [firstField] = Object.keys(newErrors).flatMap((name) => toFieldName(name) ?? [])
    // Wait for a frame, so that the error message is rendered before its field is scrolled into view.
    if (firstField) requestAnimationFrame(() => focusField(firstField))
    return firstField !== undefined
  }
  const formatFailure = (failure: Failure, field: FieldName): string => {
    const { title, remedy } = explainFailure(failure)
    if (field === 'caFile' && failure.code === 'file.unparsable') return t('certificates.notOne')
    return field === 'secret' ? title : `${title}. ${remedy}`
  }
  const texts = {
    name: t('form.nameMissing'),
    tokenUrl: t('signIn.tokenUrlMissing'),
    clientId: t('signIn.clientIdMissing'),
    program: t('signIn.programMissing'),
  }
  const saveConnection = useAction('connections.save', { invalidates: ['connections'] })
  const { data: connections = [] } = useCall('connections.list', {})
  const name = entries.name.trim()
  const isNameTaken =
    name !== '' &&
    connections.some((otherConnection) => otherConnection.name === name && otherConnection.id !== connection?.id)
  const save = (): void => {
    if (saveConnection.isPending) return
    const missingTexts = Object.fromEntries(listMissingFields(entries).map((field) => [field, texts[field]]))
    if (show({ ...missingTexts, ...(isNameTaken && { name: t('form.nameTaken') }) })) return
    saveConnection.mutate(toConnectionInput(entries, connection?.id), {
      onSuccess: (saved) => {
        clearTests(saved.connection.id)
        clear()
        onSaved(saved)
      },
      onError: ({ failure }) => {
        const field = toFieldName(failure.field)
        if (field) show({ [field]: formatFailure(failure, field) })
        if (field === 'secret') change({ pending: undefined })
      },
    })
  }
  const set = (field: FieldName, changes: Partial<Entries>): void => {
    setErrors(({ [field]: _, ...otherErrors }) => otherErrors)
    change(changes)
  }
  /** Attributes of the form's control for a text. */
  const toTextField = (field: TextFieldName) => ({
    'data-field': field,
    error: errors[field],
    value: entries[field] ?? '',
    onChange: (text: string) => set(field, { [field]: text }),
  })
  const failure = saveConnection.error?.failure
  const field = toFieldName(failure?.field)
  return {
    entries,
    draft,
    errors,
    save,
    set,
    toTextField,
    undoImport,
    discard: () => {
      clear()
      show({})
      saveConnection.reset()
    },
    nameTaken: isNameTaken ? t('form.nameTaken') : undefined,
    isSaving: saveConnection.isPending,
    isDirty: draft !== undefined,
    secretFailure: field === 'secret' && errors.secret ? failure : undefined,
    /** Failure to show above the form, because it belongs to no single field. */
    failure: field === undefined ? failure : undefined,
  }
}

type ConnectionForm = ReturnType<typeof useConnectionForm>

/** Fills the form from an imported file, and can restore the content from before. */
export function useImport(connection: ConnectionView | undefined, onFilled?: () => void) {
  const draftId = connection?.id ?? newDraft
  const readFileAction = useAction('connections.readFile')
  const drafts = useDrafts()
  const chooseFile = (): void => {
    if (readFileAction.isPending) return
    readFileAction.mutate(
      {},
      {
        onSuccess: ({ draft: importedDraft }) => {
          if (!importedDraft) return
          const previousEntries = drafts[draftId]?.entries ?? toEntries(connection)
          // Keep the pasted secret, because an imported file never contains a secret.
          const entries = { ...toEntries(importedDraft), pending: previousEntries.pending }
          storeDraft(draftId, {
            entries,
            imported: { corrections: importedDraft.corrections, before: previousEntries },
          })
          onFilled?.()
        },
      },
    )
  }
  return { choose: chooseFile, isReading: readFileAction.isPending, failure: readFileAction.error?.failure }
}

/** Focuses the page title after navigation, unless another element already has the focus. */
export function useTitleFocus(): void {
  useEffect(() => {
    if (document.activeElement !== document.body) return
    document.querySelector<HTMLElement>('[data-page-title]')?.focus({ preventScroll: true })
  }, [])
}
