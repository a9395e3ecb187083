import type { ConnectionView } from '@shared/contract'
import { FileDown } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { StatusDot } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { ConfirmDialog } from '../../ui/dialog'
import { Field, TextInput } from '../../ui/field'
import { Card, Page, PageHeader } from '../../ui/page'
import { ExplainedFailure } from '../failures/explained-failure'
import { AddressSection } from './address-section'
import { CertificateSection } from './certificate-section'
import styles from './connections.module.css'
import { Corrections } from './corrections'
import { commandOf, type FieldName } from './entries'
import { ImportFailure } from './import-failure'
import { listPath, showPath } from './paths'
import { SignInSection } from './sign-in-section'
import {
  type ConnectionForm,
  focusField,
  placeOf,
  type SavedConnection,
  useConnectionForm,
} from './use-connection-form'
import { useImport } from './use-import'

interface FormProps {
  readonly connection?: ConnectionView | undefined
  /** Where to begin. */
  readonly field?: FieldName | undefined
  readonly onSaved: (saved: SavedConnection) => void
}

function ImportNotice({ form }: { readonly form: ConnectionForm }) {
  const { t } = useTranslation('connections')
  const imported = form.draft?.imported
  if (!imported) return null
  const { entries } = form
  const command = entries.kind === 'command' ? commandOf(entries).join(' ') : undefined
  return (
    <div role="status">
      <Callout
        tone={command ? 'warning' : imported.corrections.length > 0 ? 'info' : 'success'}
        title={t('imported.title')}
        actions={
          <Button size="sm" variant="ghost" onClick={form.undoImport}>
            {t('imported.undo')}
          </Button>
        }
      >
        {imported.corrections.length > 0 ? <Corrections corrections={imported.corrections} /> : t('imported.right')}
        {command ? <p>{t('imported.command', { command })}</p> : null}
      </Callout>
    </div>
  )
}

function Foot({ form, onDiscard }: { readonly form: ConnectionForm; readonly onDiscard: () => void }) {
  const { t } = useTranslation(['connections', 'common'])
  return (
    <div className={styles.foot}>
      <div className={styles.footState} role="status">
        {form.isDirty ? <StatusDot tone="warning" label={t('form.unsaved')} /> : null}
      </div>
      <Button onClick={onDiscard}>{t('common:cancel')}</Button>
      <Button type="submit" variant="primary" busy={form.isSaving} aria-keyshortcuts="Control+Enter Meta+Enter">
        {t('common:save')}
      </Button>
    </div>
  )
}

function NameSection({ form, autoFocus }: { readonly form: ConnectionForm; readonly autoFocus: boolean }) {
  const { t } = useTranslation('connections')
  return (
    <Card>
      <div id={placeOf('name')}>
        <Field
          label={t('form.name')}
          hint={t('form.nameHint')}
          error={form.errors.name ?? form.nameTaken}
          required
          className={styles.sideways ?? ''}
        >
          <TextInput
            autoFocus={autoFocus}
            maxLength={50}
            value={form.entries.name}
            onChange={(event) => form.set('name', { name: event.target.value })}
          />
        </Field>
      </div>
    </Card>
  )
}

interface DiscardProps {
  readonly name: string | undefined
  readonly open: boolean
  readonly setOpen: (open: boolean) => void
  readonly onConfirm: () => void
}

function DiscardDialog({ name, open, setOpen, onConfirm }: DiscardProps) {
  const { t } = useTranslation('connections')
  return (
    <ConfirmDialog
      open={open}
      danger
      onOpenChange={setOpen}
      title={t('form.discardTitle')}
      description={name === undefined ? t('form.discardNew') : t('form.discardEdit', { name })}
      confirmLabel={t('form.discardConfirm')}
      onConfirm={onConfirm}
    />
  )
}

/** The form of a connection: name, addresses, sign-in, certificates; by hand or filled in from a file. */
export function ConnectionFormPage({ connection, field, onSaved }: FormProps) {
  const { t } = useTranslation('connections')
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
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    form.save()
  }
  const leave = (): void => void navigate(connection ? showPath(connection.id) : listPath)
  const discard = (): void => {
    form.discard()
    leave()
  }
  const crumbs = [{ label: t('title'), to: listPath }]
  const place = connection ? [...crumbs, { label: connection.name, to: showPath(connection.id) }] : crumbs
  return (
    <Page width="narrow">
      <PageHeader
        title={connection ? t('form.editTitle', { name: connection.name }) : t('form.addTitle')}
        state={t('form.state')}
        breadcrumb={place}
        actions={
          <Button icon={FileDown} busy={file.isReading} onClick={file.choose}>
            {t('fromFile')}
          </Button>
        }
      />
      <form className={styles.form} onSubmit={submit} onKeyDown={press} noValidate>
        {file.failure ? <ImportFailure failure={file.failure} onRetry={file.choose} /> : <ImportNotice form={form} />}
        <NameSection form={form} autoFocus={field === undefined} />
        <AddressSection form={form} />
        <SignInSection form={form} connection={connection} />
        <CertificateSection form={form} />
        {form.failure ? <ExplainedFailure failure={form.failure} /> : null}
        <Foot form={form} onDiscard={() => (form.isDirty ? setIsAsking(true) : leave())} />
      </form>
      <DiscardDialog name={connection?.name} open={isAsking} setOpen={setIsAsking} onConfirm={discard} />
    </Page>
  )
}
