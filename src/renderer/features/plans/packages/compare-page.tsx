import type { PackageView } from '@shared/contract'
import i18next from 'i18next'
import { Columns3 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import { formatCount, formatMoney, formatNumber } from '../../../format'
import { packagePath, packagesPath } from '../../../paths'
import { Badge } from '../../../ui/badge'
import { ButtonLink } from '../../../ui/button'
import { joinClassNames } from '../../../ui/cn'
import { EmptyState, Page, PageHeader } from '../../../ui/page'
import { allTokens, ComputedBadge, LoadedPackages, pricePerDay, pricePerMillion, useCanBuy } from './package-access'

const t = i18next.getFixedT(null, ['packages', 'plans'])

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
            const { id, title, format, values } = line
            const lowestPrice = findLowestPrice(line)
            return (
              <tr key={id} className="hover:bg-hover">
                <th scope="row" className={joinClassNames(cellText, 'text-left font-normal text-muted')}>
                  <span className="flex items-center justify-between gap-2">
                    {title}
                    {computedRows.includes(id) ? <ComputedBadge /> : null}
                  </span>
                </th>
                {values.map((value, index) => {
                  const isLowest = value !== undefined && value === lowestPrice
                  return (
                    <td
                      key={`${id} ${String(index)}`}
                      className={joinClassNames(cellText, isLowest && 'font-semibold')}
                    >
                      <span className="inline-flex items-center gap-2">
                        {isLowest ? <Badge tone="success">{t('comparing.lowest')}</Badge> : null}
                        {value === undefined ? (
                          <span className="text-faint text-sm">{t('comparing.notIncluded')}</span>
                        ) : (
                          format(value)
                        )}
                      </span>
                    </td>
                  )
                })}
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

/** A row of the table. */
interface Comparison {
  readonly id: string
  readonly title: string
  readonly format: (value: number) => ReactNode
  /** Values of the packages. Undefined for a model that is not in a package. */
  readonly values: readonly (number | undefined)[]
}

/** Rows whose values were computed by this app. Other values come from the platform. */
const computedRows: readonly string[] = ['perDay', 'perMillion', 'allTokens']

/** The lowest price, to highlight it. Undefined if fewer than two values differ, or if they are not prices. */
export function findLowestPrice({ format, values }: Comparison): number | undefined {
  const definedValues = values.filter((value) => value !== undefined)
  if (format !== formatMoney || new Set(definedValues).size < 2) return undefined
  return Math.min(...definedValues)
}

function formatAmount(value: number): ReactNode {
  const { short, exact } = formatCount(value)
  return <span title={exact}>{short}</span>
}

export function compare(packages: readonly PackageView[]): readonly Comparison[] {
  const row = (
    id: string,
    title: string,
    format: Comparison['format'],
    getValue: (packageView: PackageView) => number | undefined,
  ): Comparison => ({ id, title, format, values: packages.map(getValue) })
  const models = packages.flatMap((packageView) => packageView.models)
  const names = new Map(models.map(({ modelCode, displayName }) => [modelCode, displayName]))
  return [
    row('price', t('page.price'), formatMoney, ({ price }) => price),
    row(
      'days',
      t('page.duration'),
      (count) => t('page.days', { count }),
      ({ durationDays }) => durationDays,
    ),
    row('perDay', t('page.day'), formatMoney, pricePerDay),
    row('perMillion', t('page.million'), formatMoney, pricePerMillion),
    row('keys', t('page.keys'), formatNumber, ({ maxKeys }) => maxKeys),
    row('allTokens', t('comparing.allTokens'), formatAmount, allTokens),
    ...[...names].flatMap(([code, model]) =>
      (['token', 'request'] as const).map((kind) => {
        const getQuota = ({ models }: PackageView) =>
          models.find(({ modelCode }) => modelCode === code)?.[`${kind}Quota`]
        return row(`${kind}s ${code}`, t(`comparing.${kind}sOf`, { model }), formatAmount, getQuota)
      }),
    ),
  ]
}
