import type { ResourceAnswer } from '@shared/contract'
import i18next from 'i18next'
import { Plus } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Controller, type UseFormReturn, useForm, useWatch } from 'react-hook-form'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { joinClassNames } from '../../../ui/cn'
import { ConfirmDialog, Sheet } from '../../../ui/dialog'
import { CardSection } from '../../../ui/page'
import { ProgressBar } from '../../../ui/skeleton'
import { toast } from '../../../ui/toast'
import { useAddressQuery } from '../../../window-state'
import { useActiveConnection } from '../../connections'
import { CapturedSecrets, type CapturedSecretsProps, FieldsTree, preTextClass, useSavedHandles } from './fields-view'
import {
  buildBody,
  buildExtraField,
  buildRequest,
  extraId,
  FormControl,
  type FormValue,
  type FormValues,
  findProblem,
  initialValues,
} from './form-control'
import { normalizeName, type Target, toTargetParameters } from './lookup'
import {
  type ActionDialogProps,
  type FormField,
  listBreaks,
  type Resource,
  type ResourceCall,
  type ResourceSubject,
  resourceText,
  type Scope,
} from './resource'
import { ResourceFailure, useRun } from './service-gate'

const t = i18next.getFixedT(null, ['resources', 'common'])

/** The dialog of an action. Its fields are computed once, so that a refetch does not reset the form. */
export function ActionDialog(props: ActionDialogProps) {
  const { resource, action, subject, onClose, onDone = () => undefined } = props
  const [fields] = useState(() => action.listFields?.(subject) ?? action.fields)
  const confirmDone = (answer: ResourceAnswer): void => {
    onDone(answer)
    void toast(resourceText(action.done, subject.name))
    onClose()
  }
  if (action.Dialog) return <action.Dialog {...props} />
  if (!fields) return <ConfirmCall {...props} onDone={confirmDone} />
  return (
    <CallSheet
      resourceCall={{ ...action, fields }}
      subject={subject}
      target={toTargetParameters(resource, subject)}
      warning={
        action.breaks ? (
          <Callout tone="warning" title={t('beforeYouDo')}>
            <AffectedResources {...{ action, subject }} />
          </Callout>
        ) : null
      }
      onClose={onClose}
    />
  )
}

function AffectedResources({ action, subject }: Pick<ActionDialogProps, 'action' | 'subject'>) {
  const { name, row } = subject
  const breaks = listBreaks(action, row)
  if (breaks.length === 0) return null
  return (
    <ul className="flex list-disc flex-col gap-1 pl-4.5">
      {breaks.map((line) => (
        <li key={resourceText(line, name)}>{resourceText(line, name)}</li>
      ))}
    </ul>
  )
}

export function ConfirmCall(props: ActionDialogProps & { readonly onDone: (answer: ResourceAnswer) => void }) {
  const { resource, action, subject, onClose, onDone, children } = props
  const { name } = subject
  const { Effects } = action
  const { run, cancel, isRunning, failure } = useRun(onDone, { removes: action.removes })
  return (
    <ConfirmDialog
      onClose={() => {
        cancel()
        onClose()
      }}
      title={resourceText(action.title, name)}
      description={
        <div className="flex flex-col gap-2">
          {action.text ? <p>{resourceText(action.text, name)}</p> : null}
          <AffectedResources {...{ action, subject }} />
          {Effects ? <Effects subject={subject} /> : null}
        </div>
      }
      confirmLabel={resourceText(action.confirm, name)}
      danger={action.isDanger ?? false}
      {...(action.wantsName && name !== '' ? { typeToConfirm: name } : {})}
      busy={isRunning}
      onConfirm={() => run(buildRequest(action, {}, toTargetParameters(resource, subject)))}
    >
      {children}
      {isRunning ? <ProgressBar label={t('working')} /> : null}
      {failure ? <ResourceFailure failure={failure} /> : null}
    </ConfirmDialog>
  )
}

/** Query parameter that opens the create form. */
const newQueryParameter = 'new'

export const toNewPath = (path: string): string => `${path}?${newQueryParameter}=1`

/** Button that creates a resource. Hidden while the connection has no address for the service. */
export function CreateButton({ resource }: { readonly resource: Resource }) {
  const [, changeQuery] = useAddressQuery()
  const connection = useActiveConnection()
  const { create, address } = resource
  if (!create || !connection?.addresses[address]) return null
  return (
    <Button variant="primary" icon={Plus} onClick={() => changeQuery({ [newQueryParameter]: '1' })}>
      {resourceText(create.title)}
    </Button>
  )
}

/** Form that creates a resource. Open if the page address says so, because the command palette links to it. */
export function CreateSheet(props: {
  readonly resource: Resource
  readonly scope?: Scope
  readonly renderAnswer?: ((answer: ResourceAnswer, name: string) => ReactNode) | undefined
}) {
  const { scope = {}, renderAnswer } = props
  const { create } = props.resource
  const [query, changeQuery] = useAddressQuery()
  if (!create || query.get(newQueryParameter) !== '1') return null
  const onClose = () => changeQuery({ [newQueryParameter]: undefined })
  return <CallSheet {...{ renderAnswer, onClose }} resourceCall={create} target={{ path: scope, query: {} }} />
}

/** Form of a call. Validates a field on blur, and all fields on submit. */
export function CallSheet(props: {
  readonly resourceCall: ResourceCall
  /** Resource that the call changes. Undefined if the call creates one. */
  readonly subject?: ResourceSubject | undefined
  readonly target: Target
  /** Warning about effects of the call. Shown above the form fields. */
  readonly warning?: ReactNode
  readonly onClose: () => void
  /** Renders the response in place of the default view. */
  readonly renderAnswer?: ((answer: ResourceAnswer, name: string) => ReactNode) | undefined
}) {
  const { resourceCall, subject, target, warning, onClose, renderAnswer } = props
  const { fields = [], takesJson } = resourceCall
  const [answer, setAnswer] = useState<ResourceAnswer>()
  const [isAsking, setIsAsking] = useState(false)
  const [savedHandles] = useSavedHandles()
  const form = useForm<FormValues>({ defaultValues: initialValues(resourceCall, subject), mode: 'onTouched' })
  const { setError } = form
  const getName = (): string => {
    const typedName = fields.some(({ id }) => id === 'name') ? form.getValues('name') : ''
    return subject?.name ?? (typeof typedName === 'string' ? typedName.trim() : '')
  }
  const { run, cancel, isRunning, failure } = useRun((receivedAnswer) => {
    // The user just sent the secrets in rows, such as variables.
    const sentNames = fields.filter(({ rows }) => rows).map(({ id, at }) => at?.[0] ?? id)
    const hasNewSecrets = receivedAnswer.secrets.some(({ at }) => !sentNames.includes(at.split('/')[1] ?? ''))
    if (hasNewSecrets || resourceCall.showsAnswer || renderAnswer) return setAnswer(receivedAnswer)
    void toast(resourceText(resourceCall.done, getName()))
    onClose()
  })
  // Show a validation error of the main process at the form field that it is about, if there is one.
  useEffect(() => {
    if (failure?.code !== 'input.invalid' || failure.field === undefined) return
    const refusedField = normalizeName(failure.field.split(/[./]/).at(-1) ?? '')
    const field = fields.find(({ id, at }) => normalizeName(at?.at(-1) ?? id) === refusedField)
    setError(field?.id ?? extraId, { message: field?.rule ? resourceText(field.rule.message) : failure.message })
  }, [failure, fields, setError])
  const validate = (field: FormField, value: FormValue): string | true => {
    const problem = findProblem(field, value)
    return problem === undefined || resourceText(problem)
  }
  const close = (): void => {
    cancel()
    const isUnsaved = resourceCall.tellsOnce && answer?.secrets.some(({ handle }) => !savedHandles.has(handle))
    if (isUnsaved) setIsAsking(true)
    else onClose()
  }
  const submit = form.handleSubmit((values) => run(buildRequest(resourceCall, values, target)))
  const confirmLabel = resourceText(resourceCall.confirm, subject?.name)
  return (
    <Sheet
      onClose={close}
      title={resourceText(resourceCall.title, subject?.name)}
      description={answer || !resourceCall.text ? undefined : resourceText(resourceCall.text, subject?.name)}
      onSubmit={answer ? undefined : () => void submit()}
      footer={
        answer
          ? [{ label: t('common:close'), variant: 'primary', onClick: close }]
          : [
              { label: t('common:cancel'), onClick: close },
              { label: confirmLabel, type: 'submit', variant: 'primary', busy: isRunning },
            ]
      }
    >
      {answer ? (
        (renderAnswer?.(answer, getName()) ?? (
          <AnswerView answer={answer} keepAs={{ kind: resourceCall.secretKind ?? 'token', name: getName() }} />
        ))
      ) : (
        <>
          {warning}
          {[...fields, ...(takesJson ? [buildExtraField(resourceCall)] : [])].map((field) => (
            <Controller
              key={field.id}
              name={field.id}
              control={form.control}
              rules={{ validate: (value) => validate(field, value) }}
              render={({ field: { value, onChange, onBlur }, fieldState: { error } }) => (
                <FormControl {...{ field, value, onChange, onBlur }} error={error?.message} />
              )}
            />
          ))}
          {takesJson ? <Preview {...{ resourceCall, form }} /> : null}
          {failure ? <ResourceFailure failure={failure} /> : null}
        </>
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

/** Preview of the request body. Secrets are shown as placeholders. */
function Preview(props: { readonly resourceCall: ResourceCall; readonly form: UseFormReturn<FormValues> }) {
  const { resourceCall, form } = props
  useWatch({ control: form.control })
  const values = form.getValues()
  if (findProblem(buildExtraField(resourceCall), values[extraId])) return null
  const recordedBody = JSON.stringify(buildBody(resourceCall.fields ?? [], values), undefined, 2).replaceAll(
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

/** The secrets and all fields of a response. `children` are shown between them. */
export function AnswerView({
  answer: { data, secrets },
  children,
  ...around
}: Omit<CapturedSecretsProps, 'secrets'> & { readonly answer: ResourceAnswer; readonly children?: ReactNode }) {
  return (
    <div className="flex flex-col gap-5">
      <CapturedSecrets {...{ secrets, ...around }} />
      {children}
      {data === undefined ? null : (
        <CardSection title={t('allFields')}>
          <FieldsTree data={data} secrets={secrets} />
        </CardSection>
      )}
    </div>
  )
}
