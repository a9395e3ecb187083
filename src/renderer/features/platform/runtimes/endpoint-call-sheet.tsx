import type { EndpointCall } from '@shared/contract'
import { useEffect, useId, useRef } from 'react'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { ExplainedFailure } from '../../../failures'
import { useFormats } from '../../../format'
import { useAction, useCancelableCall } from '../../../ipc'
import { Badge } from '../../../ui/badge'
import { Callout } from '../../../ui/callout'
import { Sheet } from '../../../ui/dialog'
import { Field, FieldGroup, TextArea, TextInput } from '../../../ui/field'
import { ProgressBar } from '../../../ui/skeleton'
import { type ResourceSubject, useService } from '../resources'
import { preTextClass } from './check-page'

const defaultRequest = { samplePath: '/invocations', sampleBody: '{"prompt":"Hello"}', userId: '', sessionId: '' }

/** Sends one test request to an endpoint and shows the response. */
export function EndpointCallSheet(props: {
  readonly runtimeId: string
  readonly endpoint: ResourceSubject & { readonly id: string }
  readonly onClose: () => void
}) {
  const { runtimeId, endpoint, onClose } = props
  const { t } = useTranslation(['runtimes', 'common'])
  const connectionId = useService().connection.id
  const formId = useId()
  const { register, handleSubmit } = useForm({ defaultValues: defaultRequest })
  const { createCallId, cancel } = useCancelableCall()
  const action = useAction('containers.callEndpoint')
  const send = handleSubmit((values) => {
    if (action.isPending) return
    const filled = Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ''))
    action.mutate({ callId: createCallId(), connectionId, runtimeId, endpointId: endpoint.id, ...filled })
  })
  const failure = action.error?.failure
  const outcome = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (action.status !== 'idle') outcome.current?.scrollIntoView({ block: 'nearest' })
  }, [action.status])
  return (
    <Sheet
      onClose={() => {
        cancel()
        onClose()
      }}
      title={t('runtimes:endpoints.call.title', { name: endpoint.name })}
      description={t('runtimes:endpoints.call.text')}
      footer={[
        action.isPending
          ? { label: t('common:cancel'), onClick: cancel }
          : { label: t('common:close'), onClick: onClose },
        {
          label: t('runtimes:endpoints.call.send'),
          type: 'submit',
          form: formId,
          variant: 'primary',
          busy: action.isPending,
        },
      ]}
    >
      <form id={formId} noValidate onSubmit={(event) => void send(event)}>
        <FieldGroup>
          <Callout tone="info" title={t('runtimes:endpoints.call.cost')}>
            {t('runtimes:endpoints.call.costText')}
          </Callout>
          <Field label={t('runtimes:endpoints.call.path')} hint={t('runtimes:check.hints.samplePath')}>
            <TextInput mono placeholder={defaultRequest.samplePath} {...register('samplePath')} />
          </Field>
          <Field label={t('runtimes:endpoints.call.body')}>
            <TextArea rows={4} className="font-mono text-sm" {...register('sampleBody')} />
          </Field>
          <div className="grid grid-cols-2 gap-3">
            {(['userId', 'sessionId'] as const).map((name) => (
              <Field
                key={name}
                label={t(`runtimes:check.fields.${name}`)}
                hint={t(`runtimes:check.hints.${name}`)}
                optional
              >
                <TextInput mono {...register(name)} />
              </Field>
            ))}
          </div>
        </FieldGroup>
      </form>
      <div ref={outcome} className="mt-5 flex scroll-mb-4 flex-col gap-3">
        {action.isPending ? <ProgressBar label={t('runtimes:endpoints.call.running')} /> : null}
        {failure && failure.code !== 'net.cancelled' ? <ExplainedFailure failure={failure} /> : null}
        {action.data ? <Answer answer={action.data} /> : null}
      </div>
    </Sheet>
  )
}

function Answer({ answer: { url, status, durationMs, answer, isCut } }: { readonly answer: EndpointCall }) {
  const { t } = useTranslation('runtimes')
  const { duration } = useFormats()
  const isSuccess = status >= 200 && status < 300
  return (
    <section className="flex flex-col gap-2" aria-label={t('endpoints.call.answer')}>
      <h3 className="flex items-center gap-2 font-medium">
        {t('endpoints.call.answer')}
        <Badge tone={isSuccess ? 'success' : 'danger'}>{status}</Badge>
        <span className="font-normal text-muted text-sm">{duration(durationMs)}</span>
      </h3>
      <p className="select-text text-muted text-sm wrap-anywhere">POST {url}</p>
      {status === 401 || status === 403 ? <p>{t('endpoints.call.needsLogin')}</p> : null}
      <pre className={preTextClass}>{answer === '' ? t('check.emptyAnswer') : `${answer}${isCut ? '…' : ''}`}</pre>
    </section>
  )
}
