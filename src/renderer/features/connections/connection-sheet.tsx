import type { AddressKey, ConnectionView, MethodOutput } from '@shared/contract'
import { useId } from 'react'
import { type FieldErrors, type UseFormRegister, useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { useFailureWords } from '../../i18n/failures'
import { useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { Sheet } from '../../ui/dialog'
import { Field, FieldGroup, TextInput } from '../../ui/field'
import { ExplainedFailure } from '../failures/explained-failure'
import { addressGroups, examples, shownAddresses } from './address-groups'
import styles from './connections.module.css'

/** What was saved, with what was put right. */
export type SavedConnection = MethodOutput<'connections.save'>

interface Entries {
  readonly name: string
  readonly addresses: ConnectionView['addresses']
}

const isAddressKey = (field: string): field is AddressKey => shownAddresses.some((key) => key === field)

interface FieldsProps {
  readonly register: UseFormRegister<Entries>
  readonly errors: FieldErrors<Entries>
}

function Fields({ register, errors }: FieldsProps) {
  const { t } = useTranslation('connections')
  return (
    <>
      <Field label={t('sheet.name')} hint={t('sheet.nameHint')} error={errors.name?.message} required>
        <TextInput
          autoFocus
          maxLength={50}
          {...register('name', { validate: (name) => name.trim() !== '' || t('sheet.nameMissing') })}
        />
      </Field>
      {addressGroups.map(({ id, keys }) => (
        <fieldset key={id} className={styles.group}>
          <legend className={styles.legend}>{t(`groups.${id}`)}</legend>
          <FieldGroup>
            {keys.map((key) => (
              <Field
                key={key}
                label={t(`addresses.${key}.name`)}
                hint={t(`addresses.${key}.hint`)}
                error={errors.addresses?.[key]?.message}
              >
                <TextInput mono placeholder={examples[key]} maxLength={2000} {...register(`addresses.${key}`)} />
              </Field>
            ))}
          </FieldGroup>
        </fieldset>
      ))}
    </>
  )
}

function useConnectionForm(connection: ConnectionView | undefined, onSaved: (saved: SavedConnection) => void) {
  const explain = useFailureWords()
  const save = useAction('connections.save', { invalidates: ['connections'] })
  const form = useForm<Entries>({
    defaultValues: { name: connection?.name ?? '', addresses: connection?.addresses ?? {} },
  })
  const submit = form.handleSubmit(({ name, addresses }) => {
    const filled = Object.fromEntries(Object.entries(addresses).filter(([, text]) => text?.trim()))
    const input = { ...(connection ? { id: connection.id } : {}), name: name.trim(), addresses: filled }
    save.mutate(input, {
      onSuccess: onSaved,
      onError: ({ failure }) => {
        const { title, remedy } = explain(failure)
        const field = failure.field?.split('.').at(-1) ?? ''
        const error = { message: `${title}. ${remedy}` }
        if (field === 'name') form.setError('name', error, { shouldFocus: true })
        else if (isAddressKey(field)) form.setError(`addresses.${field}`, error, { shouldFocus: true })
      },
    })
  })
  const failure = save.error?.failure
  return { form, submit, isSaving: save.isPending, failure: failure?.field === undefined ? failure : undefined }
}

/** Adds a connection, or changes the one given. */
export function ConnectionSheet({
  connection,
  onClose,
  onSaved,
}: {
  readonly connection?: ConnectionView | undefined
  readonly onClose: () => void
  readonly onSaved: (saved: SavedConnection) => void
}) {
  const { t } = useTranslation(['connections', 'common'])
  const formId = useId()
  const { form, submit, isSaving, failure } = useConnectionForm(connection, onSaved)
  return (
    <Sheet
      open
      onOpenChange={(open) => open || onClose()}
      title={connection ? t('sheet.edit', { name: connection.name }) : t('sheet.add')}
      description={t('sheet.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button variant="primary" type="submit" form={formId} busy={isSaving}>
            {t('common:save')}
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.form} onSubmit={(event) => void submit(event)} noValidate>
        {failure ? <ExplainedFailure failure={failure} /> : null}
        <Fields register={form.register} errors={form.formState.errors} />
      </form>
    </Sheet>
  )
}
