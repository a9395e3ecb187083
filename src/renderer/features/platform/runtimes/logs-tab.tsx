import type { MethodInput } from '@shared/contract'
import { useIsFetching, useQueryClient } from '@tanstack/react-query'
import { Download, WrapText } from 'lucide-react'
import { type FormEvent, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../../format'
import { useFailureToast } from '../../../i18n/failures'
import { callKey, useAction, useCall } from '../../../ipc'
import { Button } from '../../../ui/button'
import { Field, TextInput } from '../../../ui/field'
import { IconButton } from '../../../ui/icon-button'
import { EmptyState, Toolbar } from '../../../ui/page'
import { SearchField } from '../../../ui/search-field'
import { Select } from '../../../ui/select'
import { CompactSwitch } from '../../../ui/switch'
import { toast } from '../../../ui/toast'
import { useAddressQuery } from '../../../window-state'
import { CopyCallMenu, LoadedResource, logFromRule, logLimitRule, useResourceText } from '../resources'
import { useEndpoint } from './endpoints-tab'
import { formatLogLine, foundLines, type LogLine, LogView, readLogLines } from './log-view'
import { useIsPageHidden } from './metrics-tab'
import { type OpenRuntime, runtimes } from './runtimes'

/** Option value for the log of the runtime itself instead of an endpoint. No endpoint id is this short. */
const noEndpoint = '-'

interface LogProps {
  readonly open: OpenRuntime
  readonly request: MethodInput<'resources.call'>
  readonly name: string
}

/** Log lines. Follow mode repeats the request while the window is visible. */
function Log({ open, request, name }: LogProps) {
  const { t } = useTranslation('runtimes')
  const { number, duration } = useFormats()
  const [look, setLook] = useState<LogDisplayOptions>({ find: '', isWrapped: true, isFollowing: false })
  const { find, isWrapped, isFollowing } = look
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
  return (
    <>
      <LogTools {...{ look, name, lines, request }} onChange={(change) => setLook({ ...look, ...change })} />
      <LoadedResource query={query} connection={open.connection} address={runtimes.address}>
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

export function LogsTab(open: OpenRuntime) {
  const { t } = useTranslation('runtimes')
  const text = useResourceText()
  const [isChecked, setIsChecked] = useState(false)
  const { connection, runtimeId, subject } = open
  const [query, changeQuery] = useAddressQuery()
  const queries = useQueryClient()
  const { endpoints, chosen, choose } = useEndpoint(open)
  const range = readRange(query)
  const [typed, setTyped] = useState(range)
  const logRequest = {
    connectionId: connection.id,
    operation: chosen === undefined ? 'runtime.agentRuntimes.logs' : 'runtime.endpoints.logs',
    path: { id: runtimeId, ...(chosen !== undefined && { endpointId: chosen }) },
    body: { from: Number(range.from), limit: Number(range.limit) },
  }
  const queryKey = callKey('resources.call', logRequest)
  const name = endpoints.find(({ id }) => id === chosen)?.name
  const loadRange = (nextRange: LogRangeInput): void => {
    if (nextRange.from === range.from && nextRange.limit === range.limit) void queries.invalidateQueries({ queryKey })
    else changeQuery({ ...nextRange })
  }
  const { from, limit } = range
  useEffect(() => setTyped({ from, limit }), [from, limit])
  const violatedRules = brokenRules(typed)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setIsChecked(true)
    if (!violatedRules.from && !violatedRules.limit) loadRange({ from: typed.from.trim(), limit: typed.limit.trim() })
  }
  const rangeFields = [
    ['from', logFromRule],
    ['limit', logLimitRule],
  ] as const
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-start gap-3">
        <Field label={t('logs.source')} className="max-w-87 flex-[1_1_220px]">
          <Select
            value={chosen ?? noEndpoint}
            onValueChange={(value) => choose(value === noEndpoint ? undefined : value)}
            options={[
              { value: noEndpoint, label: t('logs.ofRuntime', { name: subject.name }) },
              ...endpoints.map(({ id, name: called }) => ({
                value: id,
                label: t('logs.ofEndpoint', { name: called }),
              })),
            ]}
          />
        </Field>
        <form className="flex flex-wrap items-start gap-3" onSubmit={submit} noValidate>
          {rangeFields.map(([side, rule]) => (
            <Field
              key={side}
              className="w-31"
              label={t(`logs.${side}`)}
              error={isChecked && violatedRules[side] ? text(rule.texts) : undefined}
            >
              <TextInput
                inputMode="numeric"
                value={typed[side]}
                onChange={(event) => setTyped({ ...typed, [side]: event.target.value })}
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
        {...{ open, request: logRequest }}
        name={name === undefined ? subject.name : `${subject.name}-${name}`}
      />
    </div>
  )
}

const followIntervalMs = 3000

const defaultRange = { from: '0', limit: '200' } as const

interface LogRangeInput {
  readonly from: string
  readonly limit: string
}

/** Parses the range in the page address. Ignores invalid values. */
function readRange(query: URLSearchParams): LogRangeInput {
  const from = query.get('from') ?? ''
  const limit = query.get('limit') ?? ''
  return {
    from: logFromRule.accepts(from) ? from : defaultRange.from,
    limit: logLimitRule.accepts(limit) ? limit : defaultRange.limit,
  }
}

/** Whether each field of the range breaks a rule. */
const brokenRules = ({ from, limit }: LogRangeInput) => ({
  from: !logFromRule.accepts(from.trim()),
  limit: !logLimitRule.accepts(limit.trim()),
})

interface LogDisplayOptions {
  readonly find: string
  readonly isWrapped: boolean
  readonly isFollowing: boolean
}

interface LogToolsProps {
  readonly look: LogDisplayOptions
  readonly onChange: (change: Partial<LogDisplayOptions>) => void
  /** Start of the name of the file in which the log is saved. */
  readonly name: string
  readonly lines: readonly LogLine[]
  readonly request: MethodInput<'resources.call'>
}

function LogTools({ look, onChange, name, lines, request }: LogToolsProps) {
  const { t } = useTranslation('runtimes')
  const showFailureToast = useFailureToast()
  const saveLogs = useAction('resources.saveText', {
    onSuccess: ({ path }) => {
      if (path !== undefined) void toast(t('logs.saved', { count: lines.length }), { description: path })
    },
    onError: showFailureToast({ title: t('logs.notSaved') }),
  })
  const { find, isWrapped, isFollowing } = look
  const save = (): void => saveLogs.mutate({ name: `${name}.log`, text: `${lines.map(formatLogLine).join('\n')}\n` })
  return (
    <Toolbar>
      <SearchField
        label={t('logs.find')}
        value={find}
        onChange={(nextText) => onChange({ find: nextText })}
        hasFindKey
      />
      <span className="flex-1" />
      <span className="mr-1 inline-flex items-center gap-2">
        <span aria-hidden="true">{t('logs.follow')}</span>
        <CompactSwitch
          checked={isFollowing}
          onCheckedChange={(isChecked) => onChange({ isFollowing: isChecked })}
          label={t('logs.follow')}
        />
      </span>
      <IconButton
        icon={WrapText}
        label={t('logs.wrap')}
        variant={isWrapped ? 'secondary' : 'ghost'}
        aria-pressed={isWrapped}
        onClick={() => onChange({ isWrapped: !isWrapped })}
      />
      <CopyCallMenu call={request} />
      <Button icon={Download} busy={saveLogs.isPending} disabled={lines.length === 0} onClick={save}>
        {t('logs.save')}
      </Button>
    </Toolbar>
  )
}
