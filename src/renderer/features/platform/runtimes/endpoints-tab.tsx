import type { EndpointCall } from '@shared/contract'
import { endpointIdNames } from '@shared/endpoint-fields'
import i18next from 'i18next'
import { Activity, Milestone, Plug, RotateCcw, ScrollText, Send } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useForm } from 'react-hook-form'
import { useNavigate } from 'react-router'
import { ExplainedFailure } from '../../../failures'
import { formatDuration } from '../../../format'
import { useAction, useCancelableCall } from '../../../ipc'
import { runtimePath } from '../../../paths'
import { Badge } from '../../../ui/badge'
import { Callout } from '../../../ui/callout'
import { Sheet } from '../../../ui/dialog'
import { Field, TextArea, TextInput } from '../../../ui/field'
import type { MenuItem } from '../../../ui/menu'
import { ProgressBar } from '../../../ui/skeleton'
import { useAddressQuery } from '../../../window-state'
import {
  ActionDialog,
  actionTexts,
  CreateButton,
  CreateSheet,
  createdColumn,
  creation,
  deletion,
  formatFieldName,
  matchWholeNumber,
  nameField,
  type Resource,
  type ResourceAction,
  ResourceList,
  type ResourceSubject,
  readField,
  statusColumn,
  toSubject,
  toText,
  updatedColumn,
  useService,
} from '../resources'
import { preTextClass } from './check-page'
import {
  changedFields,
  names,
  type OpenRuntime,
  readVersion,
  useAllRows,
  useVersions,
  type Version,
  versionColumn,
} from './runtimes'

const t = i18next.getFixedT(null, ['runtimes', 'common'])

/** Maximum number of endpoints in the rollback menu. */
const maxEndpoints = 8

/** Menu items for a version: each sets one endpoint, which now uses a newer version, back to it after a confirmation. */
export function useVersionRollback(runtimeId: string, versions: readonly Version[]) {
  const { data } = useAllRows(endpointResource.list.operation, runtimeId)
  const [back, setBack] = useState<{ readonly subject: ResourceSubject; readonly to: string }>()
  const indexOf = (number: string | undefined): number => versions.findIndex((version) => version.number === number)
  const items = ({ id }: ResourceSubject): readonly MenuItem[] => {
    const versionIndex = indexOf(id)
    if (id === undefined || versionIndex < 1) return []
    const newerEndpoints = (data?.rows ?? []).flatMap((row) => {
      const endpoint = toSubject(endpointResource, row, { id: runtimeId })
      const served = indexOf(readVersion(row))
      return endpoint.id === undefined || served < 0 || served >= versionIndex ? [] : [endpoint]
    })
    if (newerEndpoints.length === 0) {
      const hint = t('versions.noneNewer')
      return [{ label: t('versions.rollBack'), hint, icon: RotateCcw, disabled: true, onSelect: () => undefined }]
    }
    return newerEndpoints.slice(0, maxEndpoints).map((subject) => ({
      label: newerEndpoints.length === 1 ? t('versions.rollBack') : t('versions.rollBackOf', { name: subject.name }),
      icon: RotateCcw,
      onSelect: () => setBack({ subject, to: id }),
    }))
  }
  const dialog = back ? <RollbackDialog {...back} versions={versions} onClose={() => setBack(undefined)} /> : null
  return { items, dialog }
}

export function EndpointsTab({ runtimeId }: OpenRuntime) {
  const navigate = useNavigate()
  const resource = createEndpointResource(useVersions(runtimeId).all)
  const scope = { id: runtimeId }
  const [calledEndpoint, setCalledEndpoint] = useState<ResourceSubject & { readonly id: string }>()
  const listMenuItems = (subject: ResourceSubject): readonly MenuItem[] => {
    const { id, row } = subject
    if (id === undefined) return []
    const hasAddress = toText(readField(row, names.url)) !== ''
    const openTab = (tab: 'logs' | 'metrics'): void => void navigate(runtimePath(runtimeId, tab, { endpoint: id }))
    return [
      {
        label: t('endpoints.call.label'),
        icon: Send,
        disabled: !hasAddress,
        ...(!hasAddress && { hint: t('endpoints.call.noAddress') }),
        onSelect: () => setCalledEndpoint({ ...subject, id }),
      },
      { label: t('endpoints.logs'), icon: ScrollText, onSelect: () => openTab('logs') },
      { label: t('endpoints.metrics'), icon: Activity, onSelect: () => openTab('metrics') },
    ]
  }
  return (
    <>
      <ResourceList
        {...{ resource, scope, moreItems: listMenuItems }}
        tools={<CreateButton resource={resource} />}
        emptyAction={<CreateButton resource={resource} />}
      />
      <CreateSheet {...{ resource, scope }} />
      {calledEndpoint ? (
        <EndpointCallSheet {...{ runtimeId }} endpoint={calledEndpoint} onClose={() => setCalledEndpoint(undefined)} />
      ) : null}
    </>
  )
}

function RollbackDialog(props: {
  readonly subject: ResourceSubject
  /** Older version to which the endpoint will be set back. */
  readonly to: string
  readonly versions: readonly Version[]
  readonly onClose: () => void
}) {
  const { subject, to, versions, onClose } = props
  const { name, row } = subject
  const number = readVersion(row)
  const [newer, older] = [number, to].map((wanted) => versions.find((version) => version.number === wanted))
  const changedSettings = newer && older ? changedFields(newer, older) : []
  const action: ResourceAction = {
    operation: 'runtime.endpoints.setVersion',
    query: { version: to },
    label: 'runtimes:versions.rollBack',
    icon: RotateCcw,
    title: () => t('endpoints.back.title', { name, number: to }),
    text: () => t('endpoints.back.text', { number: number ?? '?' }),
    confirm: 'runtimes:endpoints.back.confirm',
    done: () => t('endpoints.back.done', { name, number: to }),
  }
  return (
    <ActionDialog {...{ resource: endpointResource, action, subject, onClose }}>
      {changedSettings.length === 0 ? null : (
        <ul className="divide-y rounded-md border" aria-label={t('endpoints.back.changes')}>
          {changedSettings.map(({ name, was, is }) => (
            <li key={name} className="grid gap-0.5 px-3 py-2">
              <span className="text-muted text-sm">{formatFieldName(name)}</span>
              <span className="break-all font-mono text-sm">
                <del className="text-muted">{was || '–'}</del> → <ins className="no-underline">{is || '–'}</ins>
              </span>
            </li>
          ))}
        </ul>
      )}
    </ActionDialog>
  )
}

/** Validates the version of an endpoint: a number from 1, because an endpoint needs an existing version. */
const versionNumber = matchWholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER }, 'runtimes:rules.version')

/** Declaration of the endpoint list: form and columns. The form offers the given versions. */
const createEndpointResource = (versions: readonly Version[]): Resource => ({
  address: 'runtimeApiUrl',
  icon: Plug,
  at: '/runtimes/:id/endpoints',
  texts: 'runtimes:endpoints.',
  list: { operation: 'runtime.endpoints.list' },
  identifier: { names: endpointIdNames, param: 'endpointId' },
  naming: ['name', 'endpointName', 'displayName', 'title'],
  columns: [
    versionColumn,
    statusColumn,
    { header: 'runtimes:fields.url', names: names.url, format: 'code', from: 640 },
    { ...updatedColumn, from: 0 },
    { ...createdColumn, from: 620 },
  ],
  create: creation('runtimes:endpoints.', {
    operation: 'runtime.endpoints.create',
    fields: [
      { ...nameField, placeholder: 'live' },
      {
        id: 'version',
        kind: 'number',
        rule: versionNumber,
        isOptional: true,
        help: 'runtimes:endpoints.versionHelp',
      },
    ],
  }),
  actions: [
    {
      operation: 'runtime.endpoints.setVersion',
      ...actionTexts('runtimes:endpoints.point'),
      text: 'runtimes:endpoints.point.text',
      confirm: 'runtimes:endpoints.point.confirm',
      icon: Milestone,
      fields: [
        {
          id: 'version',
          kind: versions.length > 0 ? 'select' : 'number',
          to: 'query',
          isRequired: true,
          ...(versions.length === 0
            ? { rule: versionNumber }
            : {
                options: versions.map(({ number }, index) => ({
                  value: number,
                  label: () => t(index === 0 ? 'runtimes:versions.newest' : 'runtimes:versions.number', { number }),
                })),
              }),
        },
      ],
    },
    deletion({
      operation: 'runtime.endpoints.delete',
      title: 'runtimes:endpoints.delete.title',
      breaks: ['runtimes:endpoints.delete.breaks', 'runtimes:endpoints.delete.stays'],
      done: 'runtimes:endpoints.delete.done',
    }),
  ],
})

const endpointResource = createEndpointResource([])

/** All endpoints of a runtime, and the one that the page address selects. */
export function useEndpoint(runtimeId: string) {
  const [query, changeQuery] = useAddressQuery()
  const endpointsQuery = useAllRows(endpointResource.list.operation, runtimeId)
  const { data } = endpointsQuery
  const chosenEndpoint = query.get('endpoint') ?? undefined
  const endpoints = (data?.rows ?? []).flatMap((row) => {
    const { id, name } = toSubject(endpointResource, row, {})
    return id === undefined ? [] : [{ id, name }]
  })
  if (chosenEndpoint !== undefined && !endpoints.some(({ id }) => id === chosenEndpoint))
    endpoints.push({ id: chosenEndpoint, name: chosenEndpoint })
  const choose = (id: string | undefined): void => changeQuery({ endpoint: id })
  return { query: endpointsQuery, endpoints, chosen: chosenEndpoint, choose }
}

const defaultRequest = { samplePath: '/invocations', sampleBody: '{"prompt":"Hello"}', userId: '', sessionId: '' }

/** Sends one test request to an endpoint and shows the response. */
function EndpointCallSheet(props: {
  readonly runtimeId: string
  readonly endpoint: ResourceSubject & { readonly id: string }
  readonly onClose: () => void
}) {
  const { runtimeId, endpoint, onClose } = props
  const connectionId = useService().connection.id
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
      onSubmit={() => void send()}
      footer={[
        action.isPending
          ? { label: t('common:cancel'), onClick: cancel }
          : { label: t('common:close'), onClick: onClose },
        { label: t('runtimes:endpoints.call.send'), type: 'submit', variant: 'primary', busy: action.isPending },
      ]}
    >
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
      <div ref={outcome} className="flex scroll-mb-4 flex-col gap-3">
        {action.isPending ? <ProgressBar label={t('runtimes:endpoints.call.running')} /> : null}
        {failure && failure.code !== 'net.cancelled' ? <ExplainedFailure failure={failure} /> : null}
        {action.data ? <Answer answer={action.data} /> : null}
      </div>
    </Sheet>
  )
}

function Answer({ answer: { url, status, durationMs, answer, isCut } }: { readonly answer: EndpointCall }) {
  const isSuccess = status >= 200 && status < 300
  return (
    <section className="flex flex-col gap-2" aria-label={t('endpoints.call.answer')}>
      <h3 className="flex items-center gap-2 font-medium">
        {t('endpoints.call.answer')}
        <Badge tone={isSuccess ? 'success' : 'danger'}>{status}</Badge>
        <span className="font-normal text-muted text-sm">{formatDuration(durationMs)}</span>
      </h3>
      <p className="select-text text-muted text-sm wrap-anywhere">POST {url}</p>
      {status === 401 || status === 403 ? <p>{t('endpoints.call.needsLogin')}</p> : null}
      <pre className={preTextClass}>{answer === '' ? t('check.emptyAnswer') : `${answer}${isCut ? '…' : ''}`}</pre>
    </section>
  )
}
