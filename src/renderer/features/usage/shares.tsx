import type { UsageScope, UsageShare, UsageSource, UsageSplit } from '@shared/contract'
import { usageErrorKinds } from '@shared/usage-words'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useFormats } from '../../format'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { holderPath, requestsPath } from '../../paths'
import { Button } from '../../ui/button'
import { joinClassNames } from '../../ui/cn'
import { Card, Section } from '../../ui/page'
import { SegmentedControl } from '../../ui/radio-cards'
import { SkeletonRows } from '../../ui/skeleton'
import { useModelColour } from '../connections/account'
import { sumTokens } from './points'
import { hasRequests, listSplits, type UsageQuery } from './usage-query'
import type { Usage } from './use-usage'

/** Number format with fixed digits, so that the column aligns. */
const percentFormat = { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 } as const
/** Number of rows before "show more". */
const firstRows = 8

interface RowsProps {
  readonly usage: Usage
  readonly by: UsageSplit
  readonly shares: readonly UsageShare[]
}

function Row({ usage, by, share, total }: Omit<RowsProps, 'shares'> & { share: UsageShare; total: number }) {
  const { t } = useTranslation('usage')
  const { count, number, locale } = useFormats()
  const name = useShareNames()(by, share)
  const getColour = useModelColour()
  const fraction = toShare(by, share, total)
  const modelColour = by === 'model' ? getColour(share.id) : by === 'error' ? 'var(--chart-errors)' : 'var(--series-1)'
  const percent = new Intl.NumberFormat(locale, percentFormat).format(fraction)
  const query = toQuery(by, share)
  const linkPath =
    by === 'holder' && share.id !== ''
      ? holderPath(share.id)
      : query && hasRequests(usage.scope)
        ? requestsPath({ ...usage.query, ...query })
        : undefined
  const shareMetrics = [sumTokens(share), share.requests, share.errors]
  return (
    <tr className="hover:bg-hover">
      <th scope="row" className="h-9 truncate border-t pr-2.5 pl-4 text-left font-strong">
        {linkPath ? (
          <Link
            to={linkPath}
            title={t(by === 'holder' ? 'shares.openHolder' : 'shares.open', { name })}
            className="text-text"
          >
            {name}
          </Link>
        ) : (
          <span title={name}>{name}</span>
        )}
      </th>
      <td className="whitespace-nowrap border-t px-2.5">
        <span className="inline-block h-2.5 w-[calc(100%-56px)] align-middle" aria-hidden="true">
          <span
            className="block h-full rounded-[2px]"
            style={{ width: `${fraction > 0 ? Math.max(fraction * 100, 0.6) : 0}%`, background: modelColour }}
          />
        </span>
        <span className="inline-block w-14 text-right text-muted text-sm">{percent}</span>
      </td>
      {shareMetrics.map((figure, index) => (
        <td key={`figure-${String(index)}`} className="border-t px-2.5 text-right last:pr-4" title={number(figure)}>
          <span aria-hidden="true">{count(figure).short}</span>
          <span className="sr-only">{number(figure)}</span>
        </td>
      ))}
    </tr>
  )
}

const head = 'h-8 whitespace-nowrap px-2.5 text-left font-medium text-faint text-xs'

function Rows({ usage, by, shares }: RowsProps) {
  const { t } = useTranslation('usage')
  const [isComplete, setIsWhole] = useState(false)
  const total = sharesTotal(by, shares)
  const sortedShares = shares.toSorted((a, b) => toShare(by, b, total) - toShare(by, a, total))
  const shownShares = isComplete ? sortedShares : sortedShares.slice(0, firstRows)
  if (shares.length === 0) {
    return (
      <Card>
        <p className="text-muted">{t('shares.none')}</p>
      </Card>
    )
  }
  return (
    <div className="rounded-lg border bg-surface">
      <table className="w-full table-fixed border-collapse tabular-nums">
        <caption className="sr-only">{`${t('shares.by')}: ${t(`shares.splits.${by}`)}`}</caption>
        <thead>
          <tr>
            <th scope="col" className={joinClassNames(head, 'w-[28%] pl-4')}>
              {t(`shares.splits.${by}`)}
            </th>
            <th scope="col" className={head}>
              {t(by === 'error' ? 'shares.ofErrors' : 'shares.ofTokens')}
            </th>
            {(['tokens', 'requests', 'errors'] as const).map((column) => (
              <th key={column} scope="col" className={joinClassNames(head, 'w-[11%] text-right last:pr-4')}>
                {t(`shares.${column}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shownShares.map((share) => (
            <Row key={share.id} usage={usage} by={by} share={share} total={total} />
          ))}
        </tbody>
      </table>
      {shares.length > shownShares.length ? (
        <Button variant="ghost" size="sm" className="mx-2 mt-1 mb-2" onClick={() => setIsWhole(true)}>
          {t('shares.all', { count: shares.length - shownShares.length })}
        </Button>
      ) : null}
    </div>
  )
}

export function SharesSection({ usage }: { readonly usage: Usage }) {
  const { t } = useTranslation('usage')
  const { query: usageQuery, change, filter, scope, cannotAsk: blockedReason } = usage
  const isConsole = scope === 'console'
  const splits = listSplits(scope)
  const selectedSplit = splits.find((candidate) => candidate === usageQuery.by) ?? splits[0] ?? 'model'
  const query = useCall('usage.shares', { filter, by: selectedSplit }, { enabled: blockedReason === undefined })
  const chooseSplit = (value: string): void => {
    const split = splits.find((candidate) => candidate === value)
    if (split) change({ by: split })
  }
  return (
    <Section
      title={t('shares.title')}
      description={
        isConsole
          ? t(selectedSplit === 'holder' ? 'shares.holderHint' : 'shares.onlyModel')
          : selectedSplit === 'project'
            ? t('shares.projectHint')
            : undefined
      }
      actions={
        <SegmentedControl
          label={t('shares.by')}
          value={selectedSplit}
          onValueChange={chooseSplit}
          segments={splits.map((value) => ({ value, label: t(`shares.splits.${value}`) }))}
        />
      }
    >
      <Loaded query={query} skeleton={<SkeletonRows rows={3} />}>
        {(shares) => <Rows key={selectedSplit} usage={usage} by={selectedSplit} shares={shares} />}
      </Loaded>
    </Section>
  )
}

/**
 * Amount by which rows are compared: tokens, or requests for a split by error, because failed requests have few or no
 * tokens.
 */
const getAmount = (by: UsageSplit, share: UsageShare): number => (by === 'error' ? share.errors : sumTokens(share))

const sharesTotal = (by: UsageSplit, shares: readonly UsageShare[]): number =>
  shares.reduce((total, share) => total + getAmount(by, share), 0)

const toShare = (by: UsageSplit, share: UsageShare, total: number): number =>
  total === 0 ? 0 : getAmount(by, share) / total

const scopeBySource: Readonly<Record<string, UsageScope>> = { relay: 'relay', toolLog: 'toolLog', app: 'app' }

/** Filter that selects only this row's usage. Undefined if the usage cannot be filtered by it. */
function toQuery(by: UsageSplit, { id }: UsageShare): Partial<UsageQuery> | undefined {
  if (id === '') return undefined
  switch (by) {
    case 'model':
      return { modelCode: id }
    case 'tool':
      return { toolId: id }
    case 'key':
      return { keyId: id }
    case 'plan':
      return { planId: id }
    case 'project':
      return { projectId: id }
    case 'source':
      return scopeBySource[id] ? { scope: scopeBySource[id] } : undefined
    case 'error':
      return { onlyErrors: true }
    case 'holder':
      return undefined
  }
}

const sources = ['console', 'relay', 'toolLog', 'app'] as const satisfies readonly UsageSource[]

/** Returns a function for the name of a row: a translated text for errors and sources, else its name, else its id. */
export function useShareNames(): (by: UsageSplit, share: Pick<UsageShare, 'id' | 'name'>) => string {
  const { t } = useTranslation('usage')
  return (by, { id, name }) => {
    const errorKind = by === 'error' ? usageErrorKinds.find((kind) => kind === id) : undefined
    if (errorKind) return t(`errorKinds.${errorKind}`)
    const source = by === 'source' ? sources.find((candidate) => candidate === id) : undefined
    if (source) return t(`requests.sources.${source}`)
    return name ?? (id === '' ? t(`shares.unnamed.${by}`) : id)
  }
}
