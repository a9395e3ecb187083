import type { Failure } from '@shared/failure'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { FieldGroup } from '../../ui/field'
import { ExplainedFailure } from '../failures/explained-failure'
import { readKeyName } from './key-name'
import { KeyNameField } from './key-name-field'

/** Asks for the name of a key. */
export function NameDialog(props: {
  readonly title: string
  readonly first: string
  readonly taken: readonly string[]
  readonly confirm: string
  readonly busy: boolean
  readonly failure: Failure | undefined
  readonly onName: (name: string) => void
  readonly onClose: () => void
  readonly children?: ReactNode
}) {
  const { t } = useTranslation('common')
  const formId = useId()
  const [text, setText] = useState(props.first)
  const name = readKeyName(text)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (name !== undefined && !props.busy) props.onName(name)
  }
  return (
    <Dialog
      open
      size="sm"
      onOpenChange={(open) => {
        if (!open && !props.busy) props.onClose()
      }}
      title={props.title}
      footer={
        <>
          <Button onClick={props.onClose}>{t('cancel')}</Button>
          <Button
            type="submit"
            form={formId}
            variant="primary"
            busy={props.busy}
            disabled={name === undefined || name === props.first}
          >
            {props.confirm}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} noValidate>
        <FieldGroup>
          <KeyNameField name={text} onChange={setText} taken={props.taken} />
          {props.children}
          {props.failure ? <ExplainedFailure failure={props.failure} /> : null}
        </FieldGroup>
      </form>
    </Dialog>
  )
}
