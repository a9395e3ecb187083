import type { MetricsView } from '@shared/contract'
import i18next from 'i18next'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { CopyText } from '../../../copy-text'
import { ExplainedFailure } from '../../../failures'
import { useAction, useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { Button } from '../../../ui/button'
import { QuietCode } from '../../../ui/code'
import { Dialog } from '../../../ui/dialog'
import { Field, TextInput } from '../../../ui/field'
import { Card, Section } from '../../../ui/page'
import { PasteBox } from '../../../ui/paste-box'
import { ControlRow } from '../../../ui/rows'
import { SelectField } from '../../../ui/select'
import { Switch } from '../../../ui/switch'
import { Hint } from '../../../ui/text'
import { closeWithToast, toast } from '../../../ui/toast'

const t = i18next.getFixedT(null, ['metrics', 'common'])

const authKinds = ['none', 'bearer', 'basic', 'header'] as const
type AuthKind = (typeof authKinds)[number]

function Prometheus({ view }: { readonly view: MetricsView }) {
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
          <QuietCode>{address}</QuietCode>
          <CopyText text={address} label={t('copyAddress')} />
          <Button size="sm" icon={KeyRound} busy={copyTokenAction.isPending} onClick={() => copyTokenAction.mutate({})}>
            {t('copyToken')}
          </Button>
        </div>
      ) : null}
      <ExplainedFailure failure={failure} />
    </div>
  )
}

function Otlp({ view: { otlp } }: { readonly view: MetricsView }) {
  const [isEditing, setIsEditing] = useState(false)
  const removeOtlp = useAction('metrics.removeOtlp', {
    invalidates: ['metrics'],
    onSuccess: () => void toast(t('stopped')),
  })
  return (
    <ControlRow
      label={t('otlp')}
      hint={t('otlpHint')}
      control={[
        otlp && {
          label: t('stop'),
          variant: 'ghost',
          busy: removeOtlp.isPending,
          onClick: () => removeOtlp.mutate({}),
        },
        { label: t(otlp ? 'common:edit' : 'setUp'), onClick: () => setIsEditing(true) },
      ]}
    >
      {otlp ? (
        <div className="mb-2 flex flex-wrap items-center gap-2">
          <QuietCode>{otlp.endpoint}</QuietCode>
          <Hint as="span">{t(otlp.sendsSpans ? 'withSpans' : 'withoutSpans')}</Hint>
        </div>
      ) : null}
      <ExplainedFailure failure={removeOtlp.error?.failure} />
      {isEditing ? <OtlpDialog otlp={otlp} onClose={() => setIsEditing(false)} /> : null}
    </ControlRow>
  )
}

interface OtlpFields {
  readonly endpoint: string
  readonly auth: AuthKind
  readonly header: string
  readonly sendsSpans: boolean
}

function OtlpDialog({ otlp, onClose }: Pick<MetricsView, 'otlp'> & { readonly onClose: () => void }) {
  const readSecret = useAction('metrics.takeSecret')
  const saveOtlp = useAction('metrics.setOtlp', {
    invalidates: ['metrics'],
    onSuccess: () => closeWithToast(onClose, t('saved')),
  })
  const form = useForm<OtlpFields>({
    defaultValues: {
      endpoint: otlp?.endpoint ?? '',
      auth: otlp?.auth?.kind ?? 'none',
      header: otlp?.auth?.kind === 'header' ? otlp.auth.name : '',
      sendsSpans: otlp?.sendsSpans ?? false,
    },
  })
  const { register, setValue } = form
  const { errors } = form.formState
  const { auth: authKind, sendsSpans } = form.watch()
  const save = form.handleSubmit((fields) => {
    const { endpoint, sendsSpans, auth: kind, header } = fields
    const auth = kind === 'none' ? undefined : kind === 'header' ? { kind, name: header.trim() } : { kind }
    const pendingId = readSecret.data?.pendingId
    saveOtlp.mutate({ endpoint, sendsSpans, ...(auth && { auth }), ...(auth && pendingId && { pendingId }) })
  })
  const masked = readSecret.data?.masked
  return (
    <Dialog
      busy={saveOtlp.isPending}
      onClose={onClose}
      title={t('form.title')}
      description={t('form.text')}
      action={{ label: t('form.save'), onSubmit: () => void save() }}
    >
      <Field label={t('form.endpoint')} hint={t('form.endpointHint')} error={errors.endpoint?.message}>
        <TextInput
          mono
          autoFocus
          placeholder="https://collector.example.com:4318"
          {...register('endpoint', { validate: (value) => value.trim() !== '' || t('form.endpointNeeded') })}
        />
      </Field>
      <SelectField
        label={t('form.auth')}
        value={authKind}
        onValueChange={(value) => setValue('auth', value)}
        options={authKinds.map((value) => ({ value, label: t(`auth.${value}`) }))}
      />
      {authKind === 'header' ? (
        <Field label={t('form.header')} error={errors.header?.message}>
          <TextInput
            mono
            placeholder="x-api-key"
            {...register('header', {
              validate: (value, { auth }) =>
                auth !== 'header' || /^\s*[A-Za-z0-9-]{1,100}\s*$/.test(value) || t('form.headerWrong'),
            })}
          />
        </Field>
      ) : null}
      {authKind === 'none' ? null : (
        <PasteBox
          label={t(`secret.${authKind}`)}
          masked={masked}
          stored={otlp?.hasSecret ? 'keychain' : undefined}
          how={t(masked === undefined ? (otlp?.hasSecret ? 'form.kept' : 'form.how') : 'form.held')}
          busy={readSecret.isPending}
          onTake={() => readSecret.mutate({})}
        />
      )}
      <Switch
        checked={sendsSpans}
        onCheckedChange={(isOn) => setValue('sendsSpans', isOn)}
        label={t('form.spans')}
        hint={t('form.spansHint')}
      />
      <ExplainedFailure failure={(saveOtlp.error ?? readSecret.error)?.failure} />
    </Dialog>
  )
}

/** Metrics export for existing monitoring systems. */
export function MetricsSection() {
  const query = useCall('metrics.get', {})
  return (
    <Section title={t('title')}>
      <Loaded query={query} rows={2}>
        {(view) => (
          <Card flush>
            <Prometheus view={view} />
            <Otlp view={view} />
          </Card>
        )}
      </Loaded>
    </Section>
  )
}
