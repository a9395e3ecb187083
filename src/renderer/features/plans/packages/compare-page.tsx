import type { PackageView } from '@shared/contract'
import i18next from 'i18next'
import { Columns3 } from 'lucide-react'
import { Link, useSearchParams } from 'react-router'
import { formatCount, formatMoney, formatNumber } from '../../../format'
import { packagePath, packagesPath } from '../../../paths'
import { Badge } from '../../../ui/badge'
import { ButtonLink } from '../../../ui/button'
import { joinClassNames } from '../../../ui/cn'
import { EmptyState, Page, PageHeader } from '../../../ui/page'
import { allTokens, ComputedBadge, LoadedPackages, pricePerDay, pricePerMillion, useCanBuy } from './package-access'

const t = i18next.getFixedT(null, ['packages', 'plans'])

const titles = {
  price: 'page.price',
  days: 'page.duration',
  perDay: 'page.day',
  perMillion: 'page.million',
  keys: 'page.keys',
  allTokens: 'comparing.allTokens',
} as const

function ComparedValue({ kind, value }: { readonly kind: Comparison['kind']; readonly value: number | undefined }) {
  if (value === undefined) return <span className="text-faint text-sm">{t('comparing.notIncluded')}</span>
  if (kind === 'price' || kind === 'perDay' || kind === 'perMillion') return formatMoney(value)
  if (kind === 'days') return t('page.days', { count: value })
  if (kind === 'keys') return formatNumber(value)
  const { short, exact } = formatCount(value)
  return <span title={exact}>{short}</span>
}

const cellText = 'h-9.5 border-t px-3.5 py-1.5 text-right'

function PackageComparison(props: { readonly packages: readonly PackageView[]; readonly connectionId: string }) {
  const { packages, connectionId } = props
  const [query] = useSearchParams()
  const ids = (query.get('ids') ?? '').split(',').map((id) => decodeURIComponent(id))
  const canBuy = useCanBuy(connectionId)
  const chosenPackages = packages.filter(({ packageId }) => ids.includes(packageId))
  if (chosenPackages.length < 2) {
    return (
      <EmptyState
        icon={Columns3}
        title={t('comparing.tooFew')}
        actions={[{ label: t('comparing.back'), to: packagesPath }]}
      >
        {t('comparing.tooFewText')}
      </EmptyState>
    )
  }
  return (
    <section className="overflow-x-auto rounded-lg border bg-surface" aria-label={t('comparing.table')}>
      <table
        className="w-full table-fixed border-collapse tabular-nums"
        style={{ minWidth: 264 + chosenPackages.length * 156 }}
      >
        <caption className="sr-only">{t('comparing.table')}</caption>
        <thead>
          <tr>
            <th scope="col" className="h-12 w-66">
              <span className="sr-only">{t('comparing.what')}</span>
            </th>
            {chosenPackages.map(({ packageId, planType }) => (
              <th key={packageId} scope="col" className="px-3.5 py-1.5 text-right">
                <Link to={packagePath(packageId)} className="font-semibold text-lg text-text">
                  {planType}
                </Link>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {compare(chosenPackages).map((line) => {
            const { kind, model = '' } = line
            const getTitle = (): string => {
              if (kind === 'tokens') return t('comparing.tokensOf', { model })
              return kind === 'requests' ? t('comparing.requestsOf', { model }) : t(titles[kind])
            }
            const lowestValue = findLowestIndex(line)
            return (
              <tr key={line.id} className="hover:bg-hover">
                <th scope="row" className={joinClassNames(cellText, 'text-left font-normal text-muted')}>
                  <span className="flex items-center justify-between gap-2">
                    {getTitle()}
                    {computedRowKinds.includes(kind) ? <ComputedBadge /> : null}
                  </span>
                </th>
                {line.values.map((value, index) => (
                  <td
                    key={`${line.id} ${String(index)}`}
                    className={joinClassNames(
                      cellText,
                      value !== undefined && value === lowestValue && 'font-semibold',
                    )}
                  >
                    <span className="inline-flex items-center gap-2">
                      {value !== undefined && value === lowestValue ? (
                        <Badge tone="success">{t('comparing.lowest')}</Badge>
                      ) : null}
                      <ComparedValue kind={kind} value={value} />
                    </span>
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
        {canBuy ? (
          <tfoot>
            <tr>
              <td className={cellText} />
              {chosenPackages.map(({ packageId, planType }) => (
                <td key={packageId} className={cellText}>
                  <ButtonLink size="sm" to={`${packagePath(packageId)}?buy=1`}>
                    {t('buyNamed', { type: planType })}
                  </ButtonLink>
                </td>
              ))}
            </tr>
          </tfoot>
        ) : null}
      </table>
    </section>
  )
}

export function ComparePage() {
  return (
    <Page width="wide">
      <PageHeader
        title={t('packages:comparing.title')}
        breadcrumb={[
          { label: t('plans:title'), to: '/plans' },
          { label: t('packages:title'), to: packagesPath },
        ]}
      />
      <LoadedPackages>
        {(packages, connectionId) => <PackageComparison packages={packages} connectionId={connectionId} />}
      </LoadedPackages>
    </Page>
  )
}

interface Comparison {
  readonly id: string
  readonly kind: 'price' | 'days' | 'perDay' | 'perMillion' | 'keys' | 'allTokens' | 'tokens' | 'requests'
  readonly model?: string
  readonly values: readonly (number | undefined)[]
}

/** Rows whose values were computed by this app. Other values come from the platform. */
const computedRowKinds: readonly Comparison['kind'][] = ['perDay', 'perMillion', 'allTokens']

const lowerIsBetterKinds: readonly Comparison['kind'][] = ['price', 'perDay', 'perMillion']

/** The lowest value, to highlight it. Undefined if fewer than two values differ, or if a lower value is not better. */
export function findLowestIndex({ kind, values }: Comparison): number | undefined {
  const definedValues = values.filter((value) => value !== undefined)
  if (!lowerIsBetterKinds.includes(kind) || new Set(definedValues).size < 2) return undefined
  return Math.min(...definedValues)
}

export function compare(packages: readonly PackageView[]): readonly Comparison[] {
  const line = (kind: Comparison['kind'], getValue: (packageView: PackageView) => number | undefined): Comparison => ({
    id: kind,
    kind,
    values: packages.map(getValue),
  })
  const models = packages.flatMap((packageView) => packageView.models)
  const names = new Map(models.map(({ modelCode, displayName }) => [modelCode, displayName]))
  return [
    line('price', ({ price }) => price),
    line('days', ({ durationDays }) => durationDays),
    line('perDay', pricePerDay),
    line('perMillion', pricePerMillion),
    line('keys', ({ maxKeys }) => maxKeys),
    line('allTokens', allTokens),
    ...[...names].flatMap(([code, model]) =>
      (['tokens', 'requests'] as const).map((kind): Comparison => {
        const quota = kind === 'tokens' ? 'tokenQuota' : 'requestQuota'
        const values = packages.map(({ models }) => models.find(({ modelCode }) => modelCode === code)?.[quota])
        return { id: `${kind} ${code}`, kind, model, values }
      }),
    ),
  ]
}
