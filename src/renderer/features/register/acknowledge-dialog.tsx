import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { Field, FieldGroup, TextInput } from '../../ui/field'
import { toast } from '../../ui/toast'
import { ExplainedFailure } from '../failures/explained-failure'

const longestCode = 200

/** Takes the code that a receiver sent back, and marks their key as received. */
export function AcknowledgeDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation(['register', 'common'])
  const formId = useId()
  const [code, setCode] = useState('')
  const marking = useAction('handouts.acknowledge', {
    invalidates: ['register', 'audit'],
    onSuccess: ({ holder, keyName: key }) => {
      onClose()
      void toast(t('register:acknowledging.done', { holder: holder.name, key }), {
        description: t('register:acknowledging.doneHint'),
      })
    },
  })
  const isFit = code.trim() !== '' && code.trim().length <= longestCode
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isFit && !marking.isPending) marking.mutate({ code: code.trim() })
  }
  return (
    <Dialog
      open
      size="sm"
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t('register:acknowledging.title')}
      description={t('register:acknowledging.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" busy={marking.isPending} disabled={!isFit}>
            {t('register:acknowledging.confirm')}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} noValidate>
        <FieldGroup>
          <Field label={t('register:acknowledging.code')} required>
            <TextInput mono autoFocus value={code} onChange={(event) => setCode(event.target.value)} />
          </Field>
          {marking.error ? <ExplainedFailure failure={marking.error.failure} /> : null}
        </FieldGroup>
      </form>
    </Dialog>
  )
}
