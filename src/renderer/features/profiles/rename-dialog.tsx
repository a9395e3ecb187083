import type { ProfileView } from '@shared/contract'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction, useCall } from '../../ipc'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { FieldGroup } from '../../ui/field'
import { ExplainedFailure } from '../failures/explained-failure'
import { NameField, readName } from './name-field'

/** Gives a profile another name. */
export function RenameDialog({ profile, onClose }: { readonly profile: ProfileView; readonly onClose: () => void }) {
  const { t } = useTranslation(['profiles', 'common'])
  const formId = useId()
  const [text, setText] = useState(profile.name)
  const { data: profiles = [] } = useCall('profiles.list', {})
  const taken = profiles.filter(({ id }) => id !== profile.id).map((one) => one.name)
  const name = readName(text, taken)
  const saving = useAction('profiles.update', { invalidates: ['profiles'], onSuccess: onClose })
  const canSave = name !== undefined && name !== profile.name
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (canSave && !saving.isPending) saving.mutate({ id: profile.id, name })
  }
  return (
    <Dialog
      open
      size="sm"
      onOpenChange={(open) => {
        if (!open && !saving.isPending) onClose()
      }}
      title={t('profiles:rename.title', { name: profile.name })}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" busy={saving.isPending} disabled={!canSave}>
            {t('profiles:rename.button')}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} noValidate>
        <FieldGroup>
          <NameField text={text} onText={setText} taken={taken} />
          {saving.error ? <ExplainedFailure failure={saving.error.failure} /> : null}
        </FieldGroup>
      </form>
    </Dialog>
  )
}
