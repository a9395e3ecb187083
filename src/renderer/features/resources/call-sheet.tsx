import type { ConnectionView, ResourceAnswer } from '@shared/contract'
import { type ReactNode, useId, useState } from 'react'
import { Controller } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button'
import { Sheet } from '../../ui/dialog'
import { FieldGroup } from '../../ui/field'
import { AnswerView } from './answer-view'
import { ExtraJson } from './extra-json'
import { FormControl } from './form-control'
import type { Target } from './form-values'
import { LeaveSecret } from './leave-secret'
import type { Resource, ResourceCall, Subject } from './resource'
import { ResourceFailure } from './resource-failure'
import styles from './resources.module.css'
import { useSavedSecrets } from './saved-secrets'
import { type CallSheetState, useCallSheet } from './use-call-sheet'
import { useText } from './use-text'

export interface CallSheetProps {
  readonly connection: ConnectionView
  readonly address: Resource['address']
  readonly asked: ResourceCall
  /** What it is done to; nothing when something new is made. */
  readonly subject?: Subject | undefined
  readonly target: Target
  /** Stands above the fields: what it breaks. */
  readonly warning?: ReactNode
  readonly isDanger?: boolean
  readonly onClose: () => void
  /** Called when the call is done, with the name of what it was done to. */
  readonly onDone?: ((answer: ResourceAnswer, name: string) => void) | undefined
  /** What came back, in another way than as fields. */
  readonly renderAnswer?: ((answer: ResourceAnswer, name: string) => ReactNode) | undefined
}

function Fields({ sheet, connection }: { readonly sheet: CallSheetState; readonly connection: ConnectionView }) {
  const { form, fields, rulesOf } = sheet
  return fields.map((field) => (
    <Controller
      key={field.id}
      name={field.id}
      control={form.control}
      rules={rulesOf(field)}
      render={({ field: { value, onChange, onBlur }, fieldState: { error } }) => (
        <FormControl {...{ field, value, onChange, onBlur, connection }} error={error?.message} />
      )}
    />
  ))
}

function Form({
  sheet,
  formId,
  props,
}: {
  readonly sheet: CallSheetState
  readonly formId: string
  readonly props: CallSheetProps
}) {
  const { connection, address, asked, warning } = props
  const { failure } = sheet
  return (
    <form id={formId} noValidate onSubmit={(event) => void sheet.send(event)}>
      <FieldGroup>
        {warning}
        <Fields sheet={sheet} connection={connection} />
        {asked.takesJson ? <ExtraJson sheet={sheet} replaces={asked.replaces ?? false} /> : null}
        {failure ? <ResourceFailure {...{ failure, connection, address }} /> : null}
      </FieldGroup>
    </form>
  )
}

/** A call of the platform that asks for something first: its fields, JSON that is added, and then what came back. */
export function CallSheet(props: CallSheetProps) {
  const { connection, asked, subject, isDanger = false, onClose, renderAnswer } = props
  const { t } = useTranslation('common')
  const text = useText()
  const formId = useId()
  const sheet = useCallSheet({ ...props, hasOwnAnswer: renderAnswer !== undefined })
  const { answer, isRunning, cancel } = sheet
  const [isAsking, setIsAsking] = useState(false)
  const saved = useSavedSecrets(({ handles }) => handles)
  const isUnsaved = asked.tellsOnce && answer?.secrets.some(({ handle }) => !saved.has(handle))
  const close = (): void => {
    cancel()
    if (isUnsaved) setIsAsking(true)
    else onClose()
  }
  const keepAs = { kind: asked.secretKind ?? 'token', name: sheet.name() } as const
  return (
    <Sheet
      open
      onOpenChange={(open) => {
        if (!open) close()
      }}
      title={text(asked.title, subject?.name)}
      description={answer || !asked.text ? undefined : text(asked.text, subject?.name)}
      footer={
        answer ? (
          <Button variant="primary" onClick={close}>
            {t('close')}
          </Button>
        ) : (
          <>
            <Button onClick={close}>{t('cancel')}</Button>
            <Button type="submit" form={formId} variant={isDanger ? 'danger' : 'primary'} busy={isRunning}>
              {text(asked.confirm, subject?.name)}
            </Button>
          </>
        )
      }
    >
      {answer ? (
        <div className={styles.answer}>
          {renderAnswer ? (
            renderAnswer(answer, sheet.name())
          ) : (
            <AnswerView answer={answer} connectionId={connection.id} keepAs={keepAs} />
          )}
        </div>
      ) : (
        <Form {...{ sheet, formId, props }} />
      )}
      {isAsking ? <LeaveSecret onStay={() => setIsAsking(false)} onLeave={onClose} /> : null}
    </Sheet>
  )
}
