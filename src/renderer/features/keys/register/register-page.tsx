import type { AuditEntry, AuditFilter } from '@shared/contract'
import { keepPreviousData, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { Download, ScrollText, Search, Send, ShieldCheck, TicketCheck, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import { formatDate, formatDateTime, formatTime } from '../../../format'
import { type CallError, call, invalidateDomains, useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { auditPath, handoutsPath, holdersPath, registerPath, rotationsPath } from '../../../paths'
import { useNow } from '../../../relative-time'
import { useToastAction } from '../../../toast-actions'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { joinClassNames } from '../../../ui/cn'
import { Dialog } from '../../../ui/dialog'
import { TextField } from '../../../ui/field'
import { Card, EmptyState, Page, PageHeader, Toolbar } from '../../../ui/page'
import { SearchField } from '../../../ui/search-field'
import { FilterSelect } from '../../../ui/select'
import { Skeleton } from '../../../ui/skeleton'
import { Tabs } from '../../../ui/tabs'
import { Hint } from '../../../ui/text'
import { toast } from '../../../ui/toast'
import { allStepIds, getStepTitle, needsUserAction, RotationList, useRotations } from '../rotation'
import { isOld, isUnacknowledged, useRegister } from './entries'
import { HolderList } from './holders'
import { RegisterList } from './register-list'

const t = i18next.getFixedT(null, 'register')

function useExport(method: 'register.export' | 'audit.export') {
  return useToastAction(method, {
    onSuccess: ({ path }) => {
      const title = t(method === 'audit.export' ? 'audit.exported' : 'exported')
      if (path !== undefined) void toast(title, { description: t('exportedHint', { path }) })
    },
  })
}

const tabs = [registerPath, holdersPath, rotationsPath, auditPath] as const

export function RegisterPage() {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const [query, setQuery] = useSearchParams()
  const { data: rotations = [] } = useRotations()
  const stuckCount = rotations.filter(needsUserAction).length
  const tab = tabs.find((tabPath) => tabPath === pathname) ?? registerPath
  const currentTime = useNow()
  const { data: keys, isAsking } = useRegister()
  const unacknowledgedCount = keys?.filter(isUnacknowledged).length ?? 0
  const oldCount = keys?.filter((entry) => isOld(entry, currentTime)).length ?? 0
  const state = keys?.length
    ? [
        t('counts', { count: keys.length }),
        unacknowledgedCount > 0 && t('unacknowledgedCount', { count: unacknowledgedCount }),
        oldCount > 0 && t('oldCount', { count: oldCount }),
        isAsking && t('asking'),
      ]
    : t('state')
  const { mutate, isPending } = useExport('register.export')
  const enterCode = (): void => setQuery({ code: '1' }, { replace: true })
  return (
    <Page width="wide">
      <PageHeader
        title={t('title')}
        state={state}
        actions={[
          tab !== auditPath && {
            label: t('export'),
            icon: Download,
            busy: isPending,
            disabled: keys?.length === 0,
            onClick: () => mutate({}),
          },
          { label: t('enterCode'), icon: TicketCheck, title: t('enterCodeHint'), onClick: enterCode },
          { label: t('handOut'), variant: 'primary', icon: Send, to: handoutsPath },
        ]}
      />
      <Tabs
        label={t('tabs.label')}
        value={tab}
        onValueChange={(path) => void navigate(path, { replace: true })}
        tabs={[
          { value: registerPath, label: t('tabs.keys'), content: <RegisterList /> },
          { value: holdersPath, label: t('tabs.holders'), content: <HolderList /> },
          {
            value: rotationsPath,
            label: t('tabs.rotations'),
            ...(stuckCount > 0 ? { note: stuckCount } : {}),
            content: <RotationList />,
          },
          { value: auditPath, label: t('tabs.audit'), content: <AuditTrail /> },
        ]}
      />
      {query.get('code') === '1' ? <AcknowledgeDialog onClose={() => setQuery({}, { replace: true })} /> : null}
    </Page>
  )
}

/** Characters of a confirmation code, without separators. */
const codeLength = 12
const maxCodesLength = 2000

/** Splits a pasted list of codes with any separators. Other text is one code. */
function splitCodes(text: string): readonly string[] {
  const characters = text.replace(/[^0-9a-z]/gi, '')
  const isList = characters.length > codeLength && characters.length % codeLength === 0
  const groups = characters.replace(/(.{4})(.{4})(.{4})/g, '$1-$2-$3 ')
  return isList ? groups.trim().split(' ') : [text.trim()]
}

/** Enters the receivers' confirmation codes and marks their keys as received. Stops at the first unknown code. */
function AcknowledgeDialog({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient()
  const [text, setText] = useState('')
  const acknowledgement = useMutation<void, CallError, readonly string[]>({
    mutationFn: async (codes) => {
      for (const [index, code] of codes.entries()) {
        setText(codes.length > 1 ? codes.slice(index).join(' ') : code)
        const { holder, keyName: key } = await call('handouts.acknowledge', { code })
        if (codes.length === 1)
          void toast(t('acknowledging.done', { holder: holder.name, key }), {
            description: t('acknowledging.doneHint'),
          })
      }
      if (codes.length > 1) void toast(t('acknowledging.doneMany', { count: codes.length }))
    },
    onSuccess: onClose,
    onSettled: () => invalidateDomains(queries, ['register', 'rotation', 'audit']),
  })
  const isValid = text.trim() !== '' && text.length <= maxCodesLength
  return (
    <Dialog
      size="sm"
      onClose={onClose}
      title={t('acknowledging.title')}
      description={t('acknowledging.text')}
      mutation={acknowledgement}
      action={{
        label: t('acknowledging.confirm'),
        onSubmit: () => {
          if (isValid && !acknowledgement.isPending) acknowledgement.mutate(splitCodes(text))
        },
        disabled: !isValid,
      }}
    >
      <TextField
        label={t('acknowledging.code')}
        hint={t('acknowledging.codeHint')}
        required
        mono
        autoFocus
        value={text}
        onChange={setText}
      />
    </Dialog>
  )
}

const exportKinds = ['keys', 'rotations', 'issued', 'plans', 'secrets'] as const

const pageSize = 100

function Line({ entry, isBroken }: { readonly entry: AuditEntry; readonly isBroken: boolean }) {
  const { number, at, what, by, osUser, secretKind, planName, keyName, subject } = entry
  /** Omits a key name that equals the holder's name. A rotation's subject is the new key's name, a colon and the step. */
  const formatSubject = (): string => {
    const kind = secretKind && t(`audit.secretKinds.${secretKind}`)
    if (!what.startsWith('rotation')) {
      const auditDetails = [kind, keyName, planName, subject === keyName ? undefined : subject]
      return auditDetails.filter(Boolean).join(' · ')
    }
    const step = allStepIds.find((id) => subject?.endsWith(`: ${id}`))
    const newKey = step === undefined ? subject : subject?.slice(0, -`: ${step}`.length)
    const keys = [keyName, newKey].filter(Boolean).join(' → ')
    return [step && getStepTitle(step), keys, planName].filter(Boolean).join(' · ')
  }
  return (
    <li
      className={joinClassNames(
        'col-span-full grid min-h-8.5 grid-cols-subgrid items-center px-4 py-1 hover:bg-hover',
        isBroken && 'bg-danger-soft',
      )}
    >
      <span className="text-right text-faint text-sm" title={t('audit.number', { number })}>
        {number}
      </span>
      <time className="whitespace-nowrap text-muted text-sm" dateTime={at} title={formatDateTime(at)}>
        {formatDate(at)} {formatTime(at)}
      </time>
      <span className="inline-flex items-center gap-1.5 font-medium">
        {isBroken ? (
          <TriangleAlert size={13} strokeWidth={2} role="img" aria-label={t('audit.broken')} className="text-danger" />
        ) : null}
        {t(`audit.what.${what}`)}
      </span>
      <span className="min-w-0 wrap-anywhere">{formatSubject()}</span>
      <span className="whitespace-nowrap text-muted text-sm">
        {[osUser, t(`audit.by.${by}`)].filter(Boolean).join(' · ')}
      </span>
    </li>
  )
}

export function AuditTrail() {
  const query = useCall('audit.verify', {}, { staleTime: 0 })
  const [filter, setFilter] = useState<AuditFilter>({})
  const trail = useInfiniteQuery<
    AuditEntry[],
    CallError,
    readonly AuditEntry[],
    readonly unknown[],
    number | undefined
  >({
    queryKey: ['audit.list', 'pages', filter],
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam }) =>
      call('audit.list', { ...filter, limit: pageSize, ...(pageParam === undefined ? {} : { before: pageParam }) }),
    initialPageParam: undefined,
    getNextPageParam: (lastPage) => (lastPage.length < pageSize ? undefined : lastPage.at(-1)?.number),
    select: ({ pages }) => pages.flat(),
  })
  const exportAuditAction = useExport('audit.export')
  const firstBrokenNumber = query.data?.brokenAt ?? Number.POSITIVE_INFINITY
  const isFiltered = filter.kind !== undefined || (filter.text ?? '') !== ''
  return (
    <div className="flex flex-col gap-3">
      <Hint>{t('audit.state')}</Hint>
      <Loaded
        query={query}
        skeleton={
          <Card>
            <p role="status">
              <span className="sr-only">{t('audit.checking')}</span>
              <Skeleton width={260} />
            </p>
          </Card>
        }
      >
        {(verdict) => {
          const again = (
            <Button size="sm" busy={query.isFetching} onClick={() => void query.refetch()}>
              {t('audit.check')}
            </Button>
          )
          const { isWhole, count, brokenAt: number, reason } = verdict
          return isWhole ? (
            <div className="flex items-center gap-3 rounded-lg border bg-surface py-2.5 pr-3 pl-4">
              <ShieldCheck size={18} strokeWidth={1.8} className="text-success" aria-hidden="true" />
              <p className="min-w-0 flex-1 text-muted">
                <strong className="font-strong text-text">{t('audit.whole', { count })}</strong> {t('audit.wholeText')}
              </p>
              {again}
            </div>
          ) : (
            <Callout
              tone="danger"
              title={number === undefined ? t('audit.brokenTitlePlain') : t('audit.brokenTitle', { number })}
              actions={again}
            >
              {reason ? <p>{t(`audit.reasons.${reason}`)}</p> : null}
              <p>{t('audit.brokenText')}</p>
            </Callout>
          )
        }}
      </Loaded>
      <Toolbar>
        <SearchField
          className="flex-[0_1_280px]"
          label={t('audit.search')}
          value={filter.text ?? ''}
          onChange={(text) => setFilter({ ...filter, text })}
          maxLength={100}
          hasFindKey
        />
        <FilterSelect
          aria-label={t('audit.kind')}
          value={filter.kind ?? 'all'}
          onValueChange={(kind) => setFilter({ ...filter, kind: kind === 'all' ? undefined : kind })}
          options={(['all', ...exportKinds] as const).map((value) => ({ value, label: t(`audit.kinds.${value}`) }))}
        />
        <Button
          className="ml-auto"
          icon={Download}
          busy={exportAuditAction.isPending}
          disabled={trail.data?.length === 0}
          onClick={() => exportAuditAction.mutate(filter)}
        >
          {t('export')}
        </Button>
      </Toolbar>
      <Loaded query={trail} rows={6}>
        {(entries) =>
          entries.length === 0 && isFiltered ? (
            <EmptyState
              icon={Search}
              title={t('audit.noMatch')}
              actions={[{ label: t('audit.showAll'), onClick: () => setFilter({}) }]}
            />
          ) : entries.length === 0 ? (
            <EmptyState icon={ScrollText} title={t('audit.none')}>
              {t('audit.noneText')}
            </EmptyState>
          ) : (
            <ol
              className={joinClassNames(
                'grid grid-cols-[auto_auto_minmax(130px,auto)_minmax(0,1fr)_auto] gap-x-4 divide-y rounded-lg',
                'border bg-surface tabular-nums',
              )}
              aria-label={t('audit.list')}
            >
              {entries.map((entry) => (
                <Line key={entry.number} entry={entry} isBroken={entry.number >= firstBrokenNumber} />
              ))}
            </ol>
          )
        }
      </Loaded>
      {trail.hasNextPage ? (
        <Button className="self-center" busy={trail.isFetchingNextPage} onClick={() => void trail.fetchNextPage()}>
          {t('audit.older')}
        </Button>
      ) : null}
    </div>
  )
}
