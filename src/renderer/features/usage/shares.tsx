import type { UsageShare, UsageSource, UsageSplit } from '@shared/contract'
import { usageErrorKinds } from '@shared/usage-words'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useFormats } from '../../format'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { holderPath, requestsPath } from '../../paths'
import { Button } from '../../ui/button'
import { MutedCard, Section } from '../../ui/page'
import { SegmentedControl } from '../../ui/radio-cards'
import { type Column, Table } from '../../ui/table'
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

/** Path of a row: the holder's page, or the requests of the row if they can be filtered by it. */
function getSharePath(usage: Usage, by: UsageSplit, share: UsageShare): string | undefined {
  if (share.id === '') return undefined
  if (by === 'holder') return holderPath(share.id)
  const query = hasRequests(usage.scope) ? toQuery[by](share.id) : undefined
  return query && requestsPath({ ...usage.query, ...query })
}

function NameCell({ usage, by, share }: Omit<RowsProps, 'shares'> & { readonly share: UsageShare }) {
  const { t } = useTranslation('usage')
  const name = useShareNames()(by, share)
  const path = getSharePath(usage, by, share)
  if (path === undefined) return <span title={name}>{name}</span>
  return (
    <Link to={path} title={t(by === 'holder' ? 'shares.openHolder' : 'shares.open', { name })} className="text-text">
      {name}
    </Link>
  )
}

function Rows({ usage, by, shares }: RowsProps) {
  const { t } = useTranslation('usage')
  const { count, number, locale } = useFormats()
  const getColour = useModelColour()
  const [isComplete, setIsWhole] = useState(false)
  const total = shares.reduce((sum, share) => sum + getAmount(by, share), 0)
  const percent = new Intl.NumberFormat(locale, percentFormat)
  const toShare = (share: UsageShare): number => (total === 0 ? 0 : getAmount(by, share) / total)
  const barColour = by === 'error' ? 'var(--chart-errors)' : 'var(--series-1)'
  const sortedShares = shares.toSorted((a, b) => getAmount(by, b) - getAmount(by, a))
  const shownShares = isComplete ? sortedShares : sortedShares.slice(0, firstRows)
  if (shares.length === 0) return <MutedCard>{t('shares.none')}</MutedCard>
  const metrics = [
    ['tokens', sumTokens],
    ['requests', (share: UsageShare) => share.requests],
    ['errors', (share: UsageShare) => share.errors],
  ] as const
  return (
    <>
      <Table
        caption={`${t('shares.by')}: ${t(`shares.splits.${by}`)}`}
        rows={shownShares}
        rowKey={({ id }) => id}
        columns={[
          {
            id: 'name',
            header: t(`shares.splits.${by}`),
            width: '28%',
            cell: (share) => <NameCell usage={usage} by={by} share={share} />,
          },
          {
            id: 'share',
            header: t(by === 'error' ? 'shares.ofErrors' : 'shares.ofTokens'),
            cell: (share) => (
              <>
                <span className="inline-block h-2.5 w-[calc(100%-56px)] align-middle" aria-hidden="true">
                  <span
                    className="block h-full rounded-[2px]"
                    style={{
                      width: `${toShare(share) > 0 ? Math.max(toShare(share) * 100, 0.6) : 0}%`,
                      background: by === 'model' ? getColour(share.id) : barColour,
                    }}
                  />
                </span>
                <span className="inline-block w-14 text-right text-muted text-sm">
                  {percent.format(toShare(share))}
                </span>
              </>
            ),
          },
          ...metrics.map(
            ([id, getValue]): Column<UsageShare> => ({
              id,
              header: t(`shares.${id}`),
              width: '11%',
              align: 'right',
              cell: (share) => (
                <span title={number(getValue(share))}>
                  <span aria-hidden="true">{count(getValue(share)).short}</span>
                  <span className="sr-only">{number(getValue(share))}</span>
                </span>
              ),
            }),
          ),
        ]}
      />
      {shares.length > shownShares.length ? (
        <Button variant="ghost" size="sm" className="self-start" onClick={() => setIsWhole(true)}>
          {t('shares.all', { count: shares.length - shownShares.length })}
        </Button>
      ) : null}
    </>
  )
}

export function SharesSection({ usage }: { readonly usage: Usage }) {
  const { t } = useTranslation('usage')
  const { query: usageQuery, change, filter, scope, cannotAsk: blockedReason } = usage
  const isConsole = scope === 'console'
  const splits = listSplits(scope)
  const selectedSplit = splits.find((candidate) => candidate === usageQuery.by) ?? splits[0] ?? 'model'
  const query = useCall('usage.shares', { filter, by: selectedSplit }, { enabled: blockedReason === undefined })
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
          onValueChange={(split) => change({ by: split })}
          segments={splits.map((value) => ({ value, label: t(`shares.splits.${value}`) }))}
        />
      }
    >
      <Loaded query={query} rows={3}>
        {(shares) => <Rows key={selectedSplit} usage={usage} by={selectedSplit} shares={shares} />}
      </Loaded>
    </Section>
  )
}

/** Amount by which rows are compared: tokens, or failed requests for a split by error. */
const getAmount = (by: UsageSplit, share: UsageShare): number => (by === 'error' ? share.errors : sumTokens(share))

/** Filter that selects only a row's usage, by split. Undefined if the usage cannot be filtered by it. */
const toQuery: Readonly<Record<Exclude<UsageSplit, 'holder'>, (id: string) => Partial<UsageQuery> | undefined>> = {
  model: (modelCode) => ({ modelCode }),
  tool: (toolId) => ({ toolId }),
  key: (keyId) => ({ keyId }),
  plan: (planId) => ({ planId }),
  project: (projectId) => ({ projectId }),
  source: (id) => (id === 'relay' || id === 'toolLog' || id === 'app' ? { scope: id } : undefined),
  error: () => ({ onlyErrors: true }),
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
