import type { ConnectionView, MethodInput } from '@shared/contract'
import { useIsFetching, useQueryClient } from '@tanstack/react-query'
import { Download, SquareTerminal, WrapText } from 'lucide-react'
import { type FormEvent, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useFormats } from '../../format'
import { useFailureToast } from '../../i18n/failures'
import { callKey, useAction, useCall } from '../../ipc'
import { Button } from '../../ui/button'
import { Field, TextInput } from '../../ui/field'
import { IconButton } from '../../ui/icon-button'
import { Menu } from '../../ui/menu'
import { EmptyState, Toolbar } from '../../ui/page'
import { SearchField } from '../../ui/search-field'
import { Select } from '../../ui/select'
import { SkeletonRows } from '../../ui/skeleton'
import { CompactSwitch } from '../../ui/switch'
import { toast } from '../../ui/toast'
import { logFrom, logLimit, QueryFailure, useCopyCall, useText } from '../resources'
import { useEndpoint } from './endpoints-tab'
import { foundLines, type LogLine, LogView, readLogLines, textOfLine } from './log-view'
import { useHidden } from './metrics-tab'
import { type OpenRuntime, runtimes } from './runtimes'

/** Stands for the runtime itself among its endpoints; no identifier is so short. */
const ofRuntime = '-'

/** How many lines there are, whether some are missing, and whether more are asked for. */
function useWords({ lines, hasGap, dropped }: Loaded, found: number, isFollowing: boolean): string {
  const { t } = useTranslation('runtimes')
  const { number, duration } = useFormats()
  const isHidden = useHidden()
  const count = lines.length
  const shown = number(count)
  return [
    found === count ? t('logs.count', { count, shown }) : t('logs.found', { count, shown, found: number(found) }),
    dropped > 0 && t('logs.dropped', { count: dropped, shown: number(dropped) }),
    hasGap && t('logs.gap'),
    isFollowing && t(isHidden ? 'logs.waiting' : 'logs.following', { time: duration(followMs) }),
  ]
    .filter(Boolean)
    .join(' · ')
}

interface ShownProps {
  readonly open: OpenRuntime
  readonly asked: MethodInput<'resources.call'>
  readonly name: string
}

interface LinesProps extends Pick<ShownProps, 'asked' | 'name'> {
  readonly loaded: Loaded
  readonly lines: readonly LogLine[]
  readonly look: LogLook
}

function Lines({ asked, name, loaded, lines, look }: LinesProps) {
  const { t } = useTranslation('runtimes')
  const { find, isWrapped, isFollowing } = look
  const words = useWords(loaded, lines.length, isFollowing)
  const isEmpty = loaded.lines.length === 0
  return (
    <>
      {lines.length > 0 ? (
        <LogView key={JSON.stringify(asked)} {...{ lines, find, isWrapped }} label={t('logs.of', { name })} />
      ) : (
        <EmptyState icon={runtimes.icon} title={t(isEmpty ? 'logs.none' : 'logs.noneFound')}>
          {t(isEmpty ? 'logs.noneText' : 'logs.noneFoundText')}
        </EmptyState>
      )}
      <p className="text-muted text-sm tabular-nums" role="status">
        {words}
      </p>
    </>
  )
}

function Shown({ open, asked, name }: ShownProps) {
  const { connection } = open
  const [look, setLook] = useState<LogLook>({ find: '', isWrapped: true, isFollowing: false })
  const { query, loaded } = useLogs(asked, look.isFollowing)
  const { data, error } = query
  const lines = useMemo(() => foundLines(loaded.lines, look.find), [loaded, look.find])
  return (
    <>
      <LogTools {...{ look, name, lines, asked }} onChange={(change) => setLook({ ...look, ...change })} />
      <QueryFailure query={query} connection={connection} address={runtimes.address} />
      {data ? <Lines {...{ asked, name, loaded, lines, look }} /> : error ? null : <SkeletonRows rows={8} />}
    </>
  )
}

/** The log of a runtime or of one of its endpoints: a part of it, followed, searched and saved. */
export function LogsTab(open: OpenRuntime) {
  const { t } = useTranslation('runtimes')
  const { connection, runtimeId, subject } = open
  const [query, setQuery] = useSearchParams()
  const queries = useQueryClient()
  const { endpoints, chosen, choose } = useEndpoint(open)
  const range = readRange(query)
  const asked = logCall(connection, {
    runtimeId,
    endpointId: chosen,
    from: Number(range.from),
    limit: Number(range.limit),
  })
  const queryKey = callKey('resources.call', asked)
  const name = endpoints.find(({ id }) => id === chosen)?.name
  const load = (next: TypedRange): void => {
    if (next.from === range.from && next.limit === range.limit) void queries.invalidateQueries({ queryKey })
    else setQuery((before) => new URLSearchParams({ ...Object.fromEntries(before), ...next }), { replace: true })
  }
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-start gap-3">
        <Field label={t('logs.source')} className="max-w-87 flex-[1_1_220px]">
          <Select
            value={chosen ?? ofRuntime}
            onValueChange={(value) => choose(value === ofRuntime ? undefined : value)}
            options={[
              { value: ofRuntime, label: t('logs.ofRuntime', { name: subject.name }) },
              ...endpoints.map(({ id, name: called }) => ({
                value: id,
                label: t('logs.ofEndpoint', { name: called }),
              })),
            ]}
          />
        </Field>
        <RangeForm range={range} isLoading={useIsFetching({ queryKey }) > 0} onLoad={load} />
      </div>
      <Shown {...{ open, asked }} name={name === undefined ? subject.name : `${subject.name}-${name}`} />
    </div>
  )
}

/** How often a log is asked for while it is followed, in ms. */
const followMs = 3000

/** Which part of which log. */
interface LogSource {
  readonly runtimeId: string
  /** Nothing for the runtime's own. */
  readonly endpointId: string | undefined
  readonly from: number
  readonly limit: number
}

/** The call that asks for a part of a log. */
const logCall = (
  { id: connectionId }: ConnectionView,
  { runtimeId, endpointId, from, limit }: LogSource,
): MethodInput<'resources.call'> => ({
  connectionId,
  operation: endpointId === undefined ? 'runtime.agentRuntimes.logs' : 'runtime.endpoints.logs',
  path: { id: runtimeId, ...(endpointId !== undefined && { endpointId }) },
  body: { from, limit },
})

/**
 * The lines that a call asks for. While it is followed it is asked again and again, not while the window is hidden, and what is new is
 * added; otherwise each answer stands in the place of the one before.
 */
function useLogs(asked: MethodInput<'resources.call'>, isFollowing: boolean) {
  const query = useCall('resources.call', asked, {
    refetchInterval: isFollowing ? followMs : false,
    refetchOnWindowFocus: isFollowing,
    staleTime: 0,
  })
  const { data } = query
  const of = JSON.stringify(asked)
  const [held, setHeld] = useState<Loaded & { readonly of: string }>({ ...nothingLoaded, of })
  const following = useRef(isFollowing)
  following.current = isFollowing
  useEffect(() => {
    if (!data) return
    const came = readLogLines(data.data)
    setHeld((before) => {
      const isMore = following.current && before.of === of
      return { ...(isMore ? withNewer(before, came) : { ...nothingLoaded, lines: came }), of }
    })
  }, [data, of])
  const loaded: Loaded = held.of === of ? held : nothingLoaded
  return { query, loaded }
}

/** The lines that are loaded, of one request or of several that followed one another. */
interface Loaded {
  readonly lines: readonly LogLine[]
  /** Lines between two answers may never have been told. */
  readonly hasGap: boolean
  /** Lines that were let go at the beginning. */
  readonly dropped: number
}

/** Nothing loaded yet. */
export const nothingLoaded: Loaded = { lines: [], hasGap: false, dropped: 0 }

/** How many lines are kept while a log is followed. */
const mostKept = 20_000

/** The lines that are not among those there, counted: a line may well be said twice. */
function newOf(there: readonly LogLine[], came: readonly LogLine[]): readonly LogLine[] {
  const counts = new Map<string, number>()
  for (const line of there.slice(-2 * came.length)) {
    const text = textOfLine(line)
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return came.filter((line) => {
    const text = textOfLine(line)
    const left = counts.get(text) ?? 0
    counts.set(text, left - 1)
    return left <= 0
  })
}

/** Adds what a later answer tells to what is loaded; the oldest are let go beyond `most`. */
export function withNewer(loaded: Loaded, came: readonly LogLine[], most = mostKept): Loaded {
  const { lines, hasGap, dropped } = loaded
  const fresh = newOf(lines, came)
  if (fresh.length === 0) return loaded
  const all = [...lines, ...fresh]
  const tooMany = Math.max(0, all.length - most)
  return {
    lines: tooMany > 0 ? all.slice(tooMany) : all,
    hasGap: hasGap || (lines.length > 0 && fresh.length === came.length),
    dropped: dropped + tooMany,
  }
}

interface RangeFormProps {
  readonly range: TypedRange
  readonly isLoading: boolean
  readonly onLoad: (range: TypedRange) => void
}

/** Asks which part of a log is loaded; a number that breaks the spec's rule is refused in words before anything is asked. */
function RangeForm({ range, isLoading, onLoad }: RangeFormProps) {
  const { t } = useTranslation('runtimes')
  const text = useText()
  const { from, limit } = range
  const [typed, setTyped] = useState(range)
  useEffect(() => setTyped({ from, limit }), [from, limit])
  const [isChecked, setIsChecked] = useState(false)
  const broken = brokenRules(typed)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setIsChecked(true)
    if (!broken.from && !broken.limit) onLoad({ from: typed.from.trim(), limit: typed.limit.trim() })
  }
  const sides = [
    ['from', logFrom],
    ['limit', logLimit],
  ] as const
  return (
    <form className="flex flex-wrap items-start gap-3" onSubmit={submit} noValidate>
      {sides.map(([side, rule]) => (
        <Field
          key={side}
          className="w-31"
          label={t(`logs.${side}`)}
          error={isChecked && broken[side] ? text(rule.words) : undefined}
        >
          <TextInput
            inputMode="numeric"
            value={typed[side]}
            onChange={(event) => setTyped({ ...typed, [side]: event.target.value })}
          />
        </Field>
      ))}
      <span className="pt-6.5">
        <Button type="submit" busy={isLoading}>
          {t('logs.load')}
        </Button>
      </span>
    </form>
  )
}

/** What is asked of a log unless the address says another part. */
const usualRange = { from: '0', limit: '200' } as const

/** Which part of a log: as it is typed. */
interface TypedRange {
  readonly from: string
  readonly limit: string
}

/** The range that the address tells; what breaks a rule counts as absent. */
export function readRange(query: URLSearchParams): TypedRange {
  const from = query.get('from') ?? ''
  const limit = query.get('limit') ?? ''
  return {
    from: logFrom.accepts(from) ? from : usualRange.from,
    limit: logLimit.accepts(limit) ? limit : usualRange.limit,
  }
}

/** Which of both breaks its rule. */
export const brokenRules = ({ from, limit }: TypedRange) => ({
  from: !logFrom.accepts(from.trim()),
  limit: !logLimit.accepts(limit.trim()),
})

/** How the loaded lines are shown. */
interface LogLook {
  readonly find: string
  readonly isWrapped: boolean
  readonly isFollowing: boolean
}

interface LogToolsProps {
  readonly look: LogLook
  readonly onChange: (change: Partial<LogLook>) => void
  /** Begins the name of the file that is saved. */
  readonly name: string
  /** What is shown, and saved. */
  readonly lines: readonly LogLine[]
  readonly asked: MethodInput<'resources.call'>
}

function SaveButton({ name, lines }: Pick<LogToolsProps, 'name' | 'lines'>) {
  const { t } = useTranslation('runtimes')
  const tellFailure = useFailureToast()
  const saving = useAction('resources.saveText', {
    onSuccess: ({ path }) => {
      if (path !== undefined) void toast(t('logs.saved', { count: lines.length }), { description: path })
    },
    onError: tellFailure({ title: t('logs.notSaved') }),
  })
  const save = (): void => saving.mutate({ name: `${name}.log`, text: `${lines.map(textOfLine).join('\n')}\n` })
  return (
    <Button icon={Download} busy={saving.isPending} disabled={lines.length === 0} onClick={save}>
      {t('logs.save')}
    </Button>
  )
}

/** Search, follow, wrap, the log as an API call, and save. */
function LogTools({ look, onChange, name, lines, asked }: LogToolsProps) {
  const { t } = useTranslation(['runtimes', 'resources'])
  const codeItems = useCopyCall()
  const { find, isWrapped, isFollowing } = look
  return (
    <Toolbar>
      <SearchField
        label={t('runtimes:logs.find')}
        value={find}
        onChange={(next) => onChange({ find: next })}
        hasFindKey
      />
      <span className="flex-1" />
      <span className="mr-1 inline-flex items-center gap-2">
        <span aria-hidden="true">{t('runtimes:logs.follow')}</span>
        <CompactSwitch
          checked={isFollowing}
          onCheckedChange={(next) => onChange({ isFollowing: next })}
          label={t('runtimes:logs.follow')}
        />
      </span>
      <IconButton
        icon={WrapText}
        label={t('runtimes:logs.wrap')}
        variant={isWrapped ? 'secondary' : 'ghost'}
        aria-pressed={isWrapped}
        onClick={() => onChange({ isWrapped: !isWrapped })}
      />
      <Menu
        align="end"
        items={codeItems(asked)}
        trigger={<IconButton icon={SquareTerminal} label={t('resources:code.title')} />}
      />
      <SaveButton name={name} lines={lines} />
    </Toolbar>
  )
}
