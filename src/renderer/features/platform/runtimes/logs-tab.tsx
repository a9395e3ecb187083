import type { MethodInput } from '@shared/contract'
import { useIsFetching, useQueryClient } from '@tanstack/react-query'
import { Download, WrapText } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../../format'
import { callKey, useCall } from '../../../ipc'
import { useExportAction } from '../../../toast-actions'
import { Button } from '../../../ui/button'
import { Field, TextInput } from '../../../ui/field'
import { IconButton } from '../../../ui/icon-button'
import { EmptyState, Toolbar } from '../../../ui/page'
import { SearchField } from '../../../ui/search-field'
import { SelectField } from '../../../ui/select'
import { CompactSwitch } from '../../../ui/switch'
import { useAddressQuery } from '../../../window-state'
import { CopyCallMenu, LoadedResource, logFromRule, logLimitRule, useResourceText, useService } from '../resources'
import { useEndpoint } from './endpoints-tab'
import { formatLogLine, foundLines, LogView, readLogLines } from './log-view'
import { useIsPageHidden } from './metrics-tab'
import { type OpenRuntime, runtimes } from './runtimes'

/** Option value for the log of the runtime itself instead of an endpoint. No endpoint id is this short. */
const noEndpoint = '-'

/** Log lines. Follow mode repeats the request while the window is visible. */
function Log(props: {
  readonly request: MethodInput<'resources.call'>
  /** Name of the log, also for the file in which it is saved. */
  readonly name: string
}) {
  const { request, name } = props
  const { t } = useTranslation('runtimes')
  const { number, duration } = useFormats()
  const [find, setFind] = useState('')
  const [isWrapped, setIsWrapped] = useState(true)
  const [isFollowing, setIsFollowing] = useState(false)
  const isHidden = useIsPageHidden()
  const query = useCall('resources.call', request, {
    refetchInterval: isFollowing ? followIntervalMs : false,
    refetchOnWindowFocus: isFollowing,
    staleTime: 0,
  })
  const loadedLines = useMemo(() => readLogLines(query.data?.data), [query.data])
  const lines = useMemo(() => foundLines(loadedLines, find), [loadedLines, find])
  const count = loadedLines.length
  const isEmpty = count === 0
  const texts = [
    lines.length === count
      ? t('logs.count', { count, shown: number(count) })
      : t('logs.found', { count, shown: number(count), found: number(lines.length) }),
    isFollowing && t(isHidden ? 'logs.waiting' : 'logs.following', { time: duration(followIntervalMs) }),
  ]
  const savedTitle = t('logs.saved', { count: lines.length })
  const saveLogs = useExportAction('resources.saveText', () => savedTitle, t('logs.notSaved'))
  const save = (): void => saveLogs.mutate({ name: `${name}.log`, text: `${lines.map(formatLogLine).join('\n')}\n` })
  return (
    <>
      <Toolbar>
        <SearchField label={t('logs.find')} value={find} onChange={setFind} hasFindKey />
        <span className="flex-1" />
        <span className="mr-1 inline-flex items-center gap-2">
          <span aria-hidden="true">{t('logs.follow')}</span>
          <CompactSwitch checked={isFollowing} onCheckedChange={setIsFollowing} label={t('logs.follow')} />
        </span>
        <IconButton
          icon={WrapText}
          label={t('logs.wrap')}
          variant={isWrapped ? 'secondary' : 'ghost'}
          aria-pressed={isWrapped}
          onClick={() => setIsWrapped(!isWrapped)}
        />
        <CopyCallMenu call={request} />
        <Button icon={Download} busy={saveLogs.isPending} disabled={lines.length === 0} onClick={save}>
          {t('logs.save')}
        </Button>
      </Toolbar>
      <LoadedResource query={query}>
        {() => (
          <>
            {lines.length > 0 ? (
              <LogView {...{ lines, find, isWrapped }} label={t('logs.of', { name })} />
            ) : (
              <EmptyState icon={runtimes.icon} title={t(isEmpty ? 'logs.none' : 'logs.noneFound')}>
                {t(isEmpty ? 'logs.noneText' : 'logs.noneFoundText')}
              </EmptyState>
            )}
            <p className="text-muted text-sm tabular-nums" role="status">
              {texts.filter(Boolean).join(' · ')}
            </p>
          </>
        )}
      </LoadedResource>
    </>
  )
}

export function LogsTab({ runtimeId, subject }: OpenRuntime) {
  const { t } = useTranslation('runtimes')
  const text = useResourceText()
  const [query, changeQuery] = useAddressQuery()
  const queries = useQueryClient()
  const { endpoints, chosen, choose } = useEndpoint(runtimeId)
  // Ignore invalid values in the page address.
  const [from, limit] = rangeFields.map(({ side, rule, initial }) => {
    const value = query.get(side) ?? ''
    return rule.accepts(value) ? value : initial
  })
  const range = { from: from ?? '', limit: limit ?? '' }
  const { register, handleSubmit, formState } = useForm({ values: range })
  const { errors } = formState
  const logRequest = {
    connectionId: useService().connection.id,
    operation: chosen === undefined ? 'runtime.agentRuntimes.logs' : 'runtime.endpoints.logs',
    path: { id: runtimeId, ...(chosen !== undefined && { endpointId: chosen }) },
    body: { from: Number(range.from), limit: Number(range.limit) },
  }
  const queryKey = callKey('resources.call', logRequest)
  const name = endpoints.find(({ id }) => id === chosen)?.name
  const submit = handleSubmit((typed) => {
    const [from, limit] = [typed.from.trim(), typed.limit.trim()]
    if (from === range.from && limit === range.limit) void queries.invalidateQueries({ queryKey })
    else changeQuery({ from, limit })
  })
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-start gap-3">
        <SelectField
          label={t('logs.source')}
          className="max-w-87 flex-[1_1_220px]"
          value={chosen ?? noEndpoint}
          onValueChange={(value) => choose(value === noEndpoint ? undefined : value)}
          options={[
            { value: noEndpoint, label: t('logs.ofRuntime', { name: subject.name }) },
            ...endpoints.map(({ id, name: called }) => ({ value: id, label: t('logs.ofEndpoint', { name: called }) })),
          ]}
        />
        <form className="flex flex-wrap items-start gap-3" onSubmit={(event) => void submit(event)} noValidate>
          {rangeFields.map(({ side, rule }) => (
            <Field key={side} className="w-31" label={t(`logs.${side}`)} error={errors[side]?.message}>
              <TextInput
                inputMode="numeric"
                {...register(side, { validate: (value) => rule.accepts(value.trim()) || text(rule.texts) })}
              />
            </Field>
          ))}
          <span className="pt-6.5">
            <Button type="submit" busy={useIsFetching({ queryKey }) > 0}>
              {t('logs.load')}
            </Button>
          </span>
        </form>
      </div>
      <Log
        key={JSON.stringify(logRequest)}
        request={logRequest}
        name={name === undefined ? subject.name : `${subject.name}-${name}`}
      />
    </div>
  )
}

const followIntervalMs = 3000

const rangeFields = [
  { side: 'from', rule: logFromRule, initial: '0' },
  { side: 'limit', rule: logLimitRule, initial: '200' },
] as const
