import type { MetricsView, OtlpAuth } from '@shared/contract'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { Controller, useForm, useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../../copy-text'
import { ExplainedFailure } from '../../../failures'
import { useAction, useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { Button } from '../../../ui/button'
import { Code } from '../../../ui/code'
import { Dialog } from '../../../ui/dialog'
import { Field, TextInput } from '../../../ui/field'
import { Card, Section } from '../../../ui/page'
import { PasteBox } from '../../../ui/paste-box'
import { Select } from '../../../ui/select'
import { SkeletonRows } from '../../../ui/skeleton'
import { Switch } from '../../../ui/switch'
import { Hint } from '../../../ui/text'
import { toast } from '../../../ui/toast'

const authKinds = ['none', 'bearer', 'basic', 'header'] as const
type AuthKind = (typeof authKinds)[number]

function Prometheus({ view }: { readonly view: MetricsView }) {
  const { t } = useTranslation('metrics')
  const { isOn, address } = view.prometheus
  const setPrometheus = useAction('metrics.setPrometheus', { invalidates: ['metrics'] })
  const copyTokenAction = useAction('metrics.copyToken', {
    onSuccess: ({ clearsAfterMs }) => void toast(t('tokenCopied', { seconds: clearsAfterMs / 1000 })),
  })
  const failure = (setPrometheus.error ?? copyTokenAction.error)?.failure
  return (
    <div className="flex flex-col gap-3 py-3 pr-3 pl-4">
      <Switch
        checked={setPrometheus.isPending ? setPrometheus.variables.isOn : isOn}
        onCheckedChange={(on) => setPrometheus.mutate({ isOn: on })}
        label={t('prometheus')}
        hint={t('prometheusHint')}
      />
      {isOn ? (
        <div className="flex flex-wrap items-center gap-2">
          <Code quiet>{address}</Code>
          <CopyText text={address} label={t('copyAddress')} />
          <Button size="sm" icon={KeyRound} busy={copyTokenAction.isPending} onClick={() => copyTokenAction.mutate({})}>
            {t('copyToken')}
          </Button>
        </div>
      ) : null}
      {failure ? <ExplainedFailure failure={failure} /> : null}
    </div>
  )
}

function Otlp({ view, onEdit }: { readonly view: MetricsView; readonly onEdit: () => void }) {
  const { t } = useTranslation(['metrics', 'common'])
  const { otlp } = view
  const removeOtlp = useAction('metrics.removeOtlp', {
    invalidates: ['metrics'],
    onSuccess: () => void toast(t('stopped')),
  })
  return (
    <div className="flex flex-col gap-3 border-t py-3 pr-3 pl-4">
      <div className="flex items-start justify-between gap-4">
        <div className="min-w-0">
          <p className="font-medium">{t('otlp')}</p>
          <Hint>{t('otlpHint')}</Hint>
        </div>
        <div className="flex shrink-0 gap-2">
          {otlp ? (
            <Button size="sm" variant="ghost" busy={removeOtlp.isPending} onClick={() => removeOtlp.mutate({})}>
              {t('stop')}
            </Button>
          ) : null}
          <Button size="sm" onClick={onEdit}>
            {t(otlp ? 'common:edit' : 'setUp')}
          </Button>
        </div>
      </div>
      {otlp ? (
        <div className="flex flex-wrap items-center gap-2">
          <Code quiet>{otlp.endpoint}</Code>
          <Hint as="span">{t(otlp.sendsSpans ? 'withSpans' : 'withoutSpans')}</Hint>
        </div>
      ) : null}
      {removeOtlp.error ? <ExplainedFailure failure={removeOtlp.error.failure} /> : null}
    </div>
  )
}

interface OtlpFields {
  readonly endpoint: string
  readonly auth: AuthKind
  readonly header: string
  readonly sendsSpans: boolean
}

function toAuth({ auth, header }: OtlpFields): OtlpAuth | undefined {
  if (auth === 'none') return undefined
  return auth === 'header' ? { kind: auth, name: header.trim() } : { kind: auth }
}

function useOtlpForm(view: MetricsView, onClose: () => void) {
  const { t } = useTranslation('metrics')
  const { otlp } = view
  const readSecret = useAction('metrics.takeSecret')
  const saveOtlp = useAction('metrics.setOtlp', {
    invalidates: ['metrics'],
    onSuccess: () => {
      onClose()
      void toast(t('saved'))
    },
  })
  const form = useForm<OtlpFields>({
    defaultValues: {
      endpoint: otlp?.endpoint ?? '',
      auth: otlp?.auth?.kind ?? 'none',
      header: otlp?.auth?.kind === 'header' ? otlp.auth.name : '',
      sendsSpans: otlp?.sendsSpans ?? false,
    },
  })
  const send = form.handleSubmit((fields) => {
    const auth = toAuth(fields)
    const pendingId = readSecret.data?.pendingId
    const { endpoint, sendsSpans } = fields
    saveOtlp.mutate({ endpoint, sendsSpans, ...(auth ? { auth } : {}), ...(auth && pendingId ? { pendingId } : {}) })
  })
  return { form, send, saving: saveOtlp, taking: readSecret }
}

function OtlpDialog({ view, onClose }: { readonly view: MetricsView; readonly onClose: () => void }) {
  const { t } = useTranslation('metrics')
  const { form, send, saving: saveOtlp, taking: takeSecret } = useOtlpForm(view, onClose)
  const { control } = form
  const auth = useWatch({ control, name: 'auth' })
  const maskedSecret = takeSecret.data?.masked
  const isSecretStored = view.otlp?.hasSecret === true
  const failure = (saveOtlp.error ?? takeSecret.error)?.failure
  return (
    <Dialog
      busy={saveOtlp.isPending}
      onClose={onClose}
      title={t('form.title')}
      description={t('form.text')}
      action={{ label: t('form.save'), onSubmit: () => void send(), busy: saveOtlp.isPending }}
    >
      <Controller
        control={control}
        name="endpoint"
        rules={{ validate: (value) => value.trim() !== '' || t('form.endpointNeeded') }}
        render={({ field, fieldState: { error } }) => (
          <Field label={t('form.endpoint')} hint={t('form.endpointHint')} error={error?.message}>
            <TextInput mono autoFocus placeholder="https://collector.example.com:4318" {...field} />
          </Field>
        )}
      />
      <Controller
        control={control}
        name="auth"
        render={({ field }) => (
          <Field label={t('form.auth')}>
            <Select
              value={field.value}
              onValueChange={field.onChange}
              options={authKinds.map((value) => ({ value, label: t(`auth.${value}`) }))}
            />
          </Field>
        )}
      />
      {auth === 'header' ? (
        <Controller
          control={control}
          name="header"
          rules={{
            pattern: { value: /^\s*[A-Za-z0-9-]{1,100}\s*$/, message: t('form.headerWrong') },
            required: t('form.headerWrong'),
          }}
          render={({ field, fieldState: { error } }) => (
            <Field label={t('form.header')} error={error?.message}>
              <TextInput mono placeholder="x-api-key" {...field} />
            </Field>
          )}
        />
      ) : null}
      {auth === 'none' ? null : (
        <PasteBox
          label={t(`secret.${auth}`)}
          masked={maskedSecret}
          stored={isSecretStored ? 'keychain' : undefined}
          how={t(maskedSecret === undefined ? (isSecretStored ? 'form.kept' : 'form.how') : 'form.held')}
          busy={takeSecret.isPending}
          onTake={() => takeSecret.mutate({})}
        />
      )}
      <Controller
        control={control}
        name="sendsSpans"
        render={({ field }) => (
          <Switch
            checked={field.value}
            onCheckedChange={field.onChange}
            label={t('form.spans')}
            hint={t('form.spansHint')}
          />
        )}
      />
      {failure ? <ExplainedFailure failure={failure} /> : null}
    </Dialog>
  )
}

/** Metrics export for existing monitoring systems. */
export function MetricsSection() {
  const { t } = useTranslation('metrics')
  const query = useCall('metrics.get', {})
  const [isEditing, setIsEditing] = useState(false)
  return (
    <Section title={t('title')}>
      <Loaded query={query} skeleton={<SkeletonRows rows={2} />}>
        {(view) => (
          <Card flush>
            <Prometheus view={view} />
            <Otlp view={view} onEdit={() => setIsEditing(true)} />
            {isEditing ? <OtlpDialog view={view} onClose={() => setIsEditing(false)} /> : null}
          </Card>
        )}
      </Loaded>
    </Section>
  )
}
