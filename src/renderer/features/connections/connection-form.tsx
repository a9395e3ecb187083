import type { AddressKey, ConnectionDraft, ConnectionView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { FileDown } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { ExplainedFailure } from '../../failures'
import { useFailureTexts } from '../../i18n/failures'
import { connectionPath, connectionsPath } from '../../paths'
import { StatusDot } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { joinClassNames } from '../../ui/cn'
import { ConfirmDialog } from '../../ui/dialog'
import { FieldGroup, TextField } from '../../ui/field'
import { Card, Page, PageHeader, Section } from '../../ui/page'
import { CertificateFile } from './certificate-file'
import { addressGroups, type FieldName, shownAddresses, toCommand } from './entries'
import { SignInSection } from './sign-in-section'
import {
  type ConnectionForm,
  focusField,
  type SavedConnection,
  useConnectionForm,
  useImport,
} from './use-connection-form'

function ImportNotice({ form }: { readonly form: ConnectionForm }) {
  const { t } = useTranslation('connections')
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
        {importedFile.corrections.length > 0 ? (
          <Corrections corrections={importedFile.corrections} />
        ) : (
          t('imported.right')
        )}
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
  const { t } = useTranslation(['connections', 'common'])
  const navigate = useNavigate()
  const [isAsking, setIsAsking] = useState(false)
  const form = useConnectionForm(connection, onSaved)
  const file = useImport(connection)
  useEffect(() => {
    if (field) focusField(field)
  }, [field])
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    form.save()
  }
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
      <form
        className="flex flex-col gap-6 [&_:is(input,textarea,button)]:scroll-my-20"
        onSubmit={submit}
        onKeyDown={handleKeyDown}
        noValidate
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
        <Section title={t('connections:form.addresses')} description={t('connections:form.addressesHint')}>
          <Card>
            {addressGroups.map(({ id, keys }) => (
              <fieldset key={id} className="min-w-0 not-first:mt-4.5 not-first:border-t not-first:pt-4">
                <legend className="float-left mb-3 w-full font-semibold text-muted text-sm [&+*]:clear-both">
                  {t(`connections:groups.${id}`)}
                </legend>
                <FieldGroup>
                  {keys.map((key) => (
                    <TextField
                      key={key}
                      data-field={key}
                      label={t(`connections:addresses.${key}.name`)}
                      hint={t(`connections:addresses.${key}.hint`)}
                      error={form.errors[key]}
                      className={sideLabelClass}
                      mono
                      placeholder={examples[key]}
                      maxLength={2000}
                      value={form.entries.addresses[key] ?? ''}
                      onChange={(text) => form.setAddress(key, text)}
                    />
                  ))}
                </FieldGroup>
              </fieldset>
            ))}
          </Card>
        </Section>
        <SignInSection form={form} connection={connection} />
        <Section title={t('connections:certificates.title')} description={t('connections:certificates.hint')}>
          <Card>
            <CertificateFile
              data-field="caFile"
              path={form.entries.caFile}
              onChange={(caFile) => form.set('caFile', { caFile })}
              error={form.errors.caFile}
            />
          </Card>
        </Section>
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
      </form>
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

export function Corrections({ corrections }: { readonly corrections: ConnectionDraft['corrections'] }) {
  const { t } = useTranslation('connections')
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
  const { t } = useTranslation(['connections', 'common'])
  const { code, field = '', message } = failure
  const { title, explanation, remedy } = useFailureTexts()(failure)
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

const examples: Readonly<Record<AddressKey, string>> = {
  tokenPlanUrl: 'https://gateway.example.com',
  consoleUrl: 'https://console.example.com/api',
  identityApiUrl: 'https://iam.example.com/api/v1',
  runtimeApiUrl: 'https://runtime.example.com',
  memoryApiUrl: 'https://memory.example.com',
  registryApiUrl: 'https://registry.example.com/api',
  aipApiUrl: 'https://models.example.com',
  inferenceUrl: 'https://inference.example.com/v1',
  registryHost: 'registry.example.com',
}
