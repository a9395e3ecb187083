import type { ConnectionView, ResourceAnswer } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { type ReactNode, useEffect, useId, useState } from 'react'
import { Controller, useForm, useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/button'
import { joinClassNames } from '../../../ui/cn'
import { ConfirmDialog, Sheet } from '../../../ui/dialog'
import { Field, FieldGroup, TextArea } from '../../../ui/field'
import { Card, Section } from '../../../ui/page'
import { toast } from '../../../ui/toast'
import { FieldsTree, preTextClass } from './fields-view'
import { FormControl } from './form-control'
import {
  buildBody,
  buildRequest,
  extraId,
  type FormValue,
  type FormValues,
  findProblem,
  initialValues,
  type Problem,
  type Target,
  useRun,
  validateExtraJson,
} from './form-values'
import { normalizeName } from './lookup'
import { type FormField, type Resource, type ResourceCall, type ResourceSubject, useResourceText } from './resource'
import { CapturedSecrets, type SecretButtonsProps, useSavedSecrets } from './secret-buttons'
import { ResourceFailure } from './service-gate'

export interface CallSheetProps {
  readonly connection: ConnectionView
  readonly address: Resource['address']
  readonly resourceCall: ResourceCall
  /** Resource that the call changes. Undefined if the call creates one. */
  readonly subject?: ResourceSubject | undefined
  readonly target: Target
  /** Warning about effects of the call. Shown above the form fields. */
  readonly warning?: ReactNode
  readonly isDanger?: boolean
  readonly onClose: () => void
  /** Called after success, with the response and the name of the resource. */
  readonly onDone?: ((answer: ResourceAnswer, name: string) => void) | undefined
  /** Renders the response in place of the default view. */
  readonly renderAnswer?: ((answer: ResourceAnswer, name: string) => ReactNode) | undefined
}

export function CallSheet(props: CallSheetProps) {
  const { connection, resourceCall, subject, isDanger = false, onClose, renderAnswer, address, warning } = props
  const { t } = useTranslation(['common', 'resources'])
  const text = useResourceText()
  const formId = useId()
  const sheet = useCallSheet({ ...props, hasOwnAnswer: renderAnswer !== undefined })
  const { answer, isRunning, cancel, failure, form, fields, getRules, extraRules } = sheet
  const [isAsking, setIsAsking] = useState(false)
  const savedHandles = useSavedSecrets(({ handles }) => handles)
  const isUnsaved = resourceCall.tellsOnce && answer?.secrets.some(({ handle }) => !savedHandles.has(handle))
  const close = (): void => {
    cancel()
    if (isUnsaved) setIsAsking(true)
    else onClose()
  }
  const secretLabel = { kind: resourceCall.secretKind ?? 'token', name: sheet.name() } as const
  return (
    <Sheet
      onClose={close}
      title={text(resourceCall.title, subject?.name)}
      description={answer || !resourceCall.text ? undefined : text(resourceCall.text, subject?.name)}
      footer={
        answer ? (
          <Button variant="primary" onClick={close}>
            {t('common:close')}
          </Button>
        ) : (
          <>
            <Button onClick={close}>{t('common:cancel')}</Button>
            <Button type="submit" form={formId} variant={isDanger ? 'danger' : 'primary'} busy={isRunning}>
              {text(resourceCall.confirm, subject?.name)}
            </Button>
          </>
        )
      }
    >
      {answer ? (
        <div className="flex flex-col gap-5">
          {renderAnswer ? (
            renderAnswer(answer, sheet.name())
          ) : (
            <AnswerView answer={answer} connectionId={connection.id} keepAs={secretLabel} />
          )}
        </div>
      ) : (
        <form id={formId} noValidate onSubmit={(event) => void sheet.send(event)}>
          <FieldGroup>
            {warning}
            {fields.map((field) => (
              <Controller
                key={field.id}
                name={field.id}
                control={form.control}
                rules={getRules(field)}
                render={({ field: { value, onChange, onBlur }, fieldState: { error } }) => (
                  <FormControl {...{ field, value, onChange, onBlur, connection }} error={error?.message} />
                )}
              />
            ))}
            {resourceCall.takesJson ? (
              <>
                <Controller
                  name={extraId}
                  control={form.control}
                  rules={extraRules}
                  render={({ field: { value, onChange, onBlur }, fieldState: { error } }) => (
                    <Field
                      label={t('resources:extra.label')}
                      optional
                      hint={t((resourceCall.replaces ?? false) ? 'resources:extra.replaces' : 'resources:extra.hint')}
                      error={error?.message}
                    >
                      <TextArea
                        rows={4}
                        className="font-mono text-sm"
                        placeholder={'{ "labels": { "team": "search" } }'}
                        value={typeof value === 'string' ? value : ''}
                        onChange={onChange}
                        onBlur={onBlur}
                      />
                    </Field>
                  )}
                />
                <Preview form={form} fields={fields} />
              </>
            ) : null}
            {failure ? <ResourceFailure {...{ failure, connection, address }} /> : null}
          </FieldGroup>
        </form>
      )}
      {isAsking ? (
        <ConfirmDialog
          onClose={() => setIsAsking(false)}
          title={t('resources:secret.leaveTitle')}
          description={t('resources:secret.leaveText')}
          confirmLabel={t('resources:secret.leave')}
          danger
          onConfirm={onClose}
        />
      ) : null}
    </Sheet>
  )
}

interface CallSheetInput {
  readonly connection: ConnectionView
  readonly resourceCall: ResourceCall
  readonly subject?: ResourceSubject | undefined
  readonly target: Target
  readonly onClose: () => void
  readonly onDone?: ((answer: ResourceAnswer, name: string) => void) | undefined
  /** Whether the caller renders the response. The sheet then stays open after success to show it. */
  readonly hasOwnAnswer: boolean
}

function findItemName(fields: readonly FormField[], values: FormValues): string {
  const field = fields.find(({ id }) => id === 'name')
  const value = field && values[field.id]
  return typeof value === 'string' ? value.trim() : ''
}

function useCallSheet({ connection, resourceCall, subject, target, onClose, onDone, hasOwnAnswer }: CallSheetInput) {
  const text = useResourceText()
  const [answer, setAnswer] = useState<ResourceAnswer>()
  const callForm = useCallForm(resourceCall, subject)
  const { form, fields } = callForm
  const name = (): string => subject?.name ?? findItemName(fields, form.getValues())
  const runningCall = useRun({
    connectionId: connection.id,
    onDone: (receivedAnswer) => {
      onDone?.(receivedAnswer, name())
      // The user just sent the secrets in rows, such as variables.
      const sentNames = fields.filter(({ rows }) => rows).map(({ id, at }) => at?.[0] ?? id)
      const hasNewSecrets = receivedAnswer.secrets.some(({ at }) => !sentNames.includes(at.split('/')[1] ?? ''))
      if (hasNewSecrets || resourceCall.showsAnswer || hasOwnAnswer) return setAnswer(receivedAnswer)
      void toast(text(resourceCall.done, name()))
      onClose()
    },
  })
  useFieldErrors({ failure: runningCall.failure, fields, setError: form.setError })
  const send = form.handleSubmit((values) => runningCall.run(buildRequest(resourceCall, values, target)))
  return { ...callForm, ...runningCall, send, name, answer }
}
/** Preview of the request body. Secrets are shown as placeholders. */
function Preview({ form, fields }: Pick<ReturnType<typeof useCallForm>, 'form' | 'fields'>) {
  const { t } = useTranslation('resources')
  useWatch({ control: form.control })
  const values = form.getValues()
  if (validateExtraJson(values[extraId])) return null
  const recordedBody = JSON.stringify(buildBody(fields, values), undefined, 2).replaceAll(
    /\{\s*"\$(pending|held)": "[^"]*"\s*\}/g,
    (_, source) => `"${t(source === 'pending' ? 'extra.secretSign' : 'extra.currentSecret')}"`,
  )
  return (
    <details>
      <summary className="w-fit rounded-sm text-muted text-sm">{t('extra.preview')}</summary>
      <pre className={joinClassNames(preTextClass, 'mt-2 max-h-60 rounded-md border bg-well px-3 py-2.5')}>
        {recordedBody}
      </pre>
    </details>
  )
}

/** Explains the problem of a field. Undefined when the field is valid. */
function useProblemTexts(): (problem: Problem | undefined, field?: FormField) => string | undefined {
  const { t } = useTranslation('resources')
  const { t: common } = useTranslation('common')
  const text = useResourceText()
  return (problem, field) => {
    if (problem === undefined) return undefined
    if (problem === 'required') return common('required')
    return problem === 'rule' && field?.rule ? text(field.rule.texts) : t(`problems.${problem}`)
  }
}

/** State of the form. Validates a field on blur, and all fields on submit. */
function useCallForm(resourceCall: ResourceCall, subject: ResourceSubject | undefined) {
  const { fields = [] } = resourceCall
  const texts = useProblemTexts()
  const form = useForm<FormValues>({ defaultValues: initialValues(resourceCall, subject), mode: 'onTouched' })
  const getRules = (field: FormField) => ({
    validate: (value: FormValue): string | true => texts(findProblem(field, value), field) ?? true,
  })
  const extraRules = { validate: (value: FormValue): string | true => texts(validateExtraJson(value)) ?? true }
  return { form, fields, getRules, extraRules }
}

interface FieldErrorInput {
  readonly failure: Failure | undefined
  readonly fields: readonly FormField[]
  readonly setError: (id: string, error: { readonly message: string }) => void
}

/** Shows a validation error of the main process at the form field that it is about, if there is one. */
function useFieldErrors({ failure, fields, setError }: FieldErrorInput): void {
  const text = useResourceText()
  useEffect(() => {
    if (failure?.code !== 'input.invalid' || failure.field === undefined) return
    const refusedField = normalizeName(failure.field.split(/[./]/).at(-1) ?? '')
    const field = fields.find(({ id, at }) => normalizeName(at?.at(-1) ?? id) === refusedField)
    if (field) setError(field.id, { message: field.rule ? text(field.rule.texts) : failure.message })
    else setError(extraId, { message: failure.message })
  }, [failure, fields, setError, text])
}

export function AnswerView({
  answer,
  connectionId,
  keepAs,
}: Pick<SecretButtonsProps, 'connectionId' | 'keepAs'> & { readonly answer: ResourceAnswer }) {
  const { t } = useTranslation('resources')
  const { data, secrets } = answer
  return (
    <div className="flex flex-col gap-5">
      {secrets.length > 0 ? <CapturedSecrets {...{ secrets, connectionId, keepAs }} /> : null}
      {data === undefined ? null : (
        <Section title={t('allFields')}>
          <Card>
            <FieldsTree data={data} secrets={secrets} />
          </Card>
        </Section>
      )}
    </div>
  )
}
