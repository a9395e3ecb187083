import type { PackageView } from '@shared/contract'
import i18next from 'i18next'
import { Columns3, Package } from 'lucide-react'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { formatCount, formatMoney, formatNumber } from '../../../format'
import { comparePackagesPath, packagePath } from '../../../paths'
import { Button, ButtonLink } from '../../../ui/button'
import { Checkbox } from '../../../ui/checkbox'
import { joinClassNames } from '../../../ui/cn'
import { EmptyState, Page, PageHeader } from '../../../ui/page'
import { InlineDetails } from '../../../ui/rows'
import { Skeleton } from '../../../ui/skeleton'
import { toggleKey } from '../../../ui/virtual-table'
import { useAccount, useConsole } from '../../connections/account'
import { BuySheet } from './buy-sheet'
import { ComputedBadge, LoadedPackages, pricePerDay, pricePerMillion, useCanBuy } from './package-access'

const t = i18next.getFixedT(null, ['packages', 'common', 'plans'])

function Cards(props: { readonly connectionId: string; readonly packages: readonly PackageView[] }) {
  const { connectionId, packages } = props
  const canBuy = useCanBuy(connectionId)
  const [compared, setCompared] = useState<ReadonlySet<string>>(new Set())
  const [query, setQuery] = useSearchParams()
  const purchasedPackage = packages.find(({ packageId }) => packageId === query.get('buy'))
  const close = (): void => setQuery({}, { replace: true })
  if (packages.length === 0) {
    return (
      <EmptyState icon={Package} title={t('packages:empty')}>
        {t('emptyText')}
      </EmptyState>
    )
  }
  return (
    <>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(300px,1fr))] gap-4" aria-label={t('list')}>
        {packages.map((packageView) => {
          const day = pricePerDay(packageView)
          const million = pricePerMillion(packageView)
          return (
            <li
              key={packageView.packageId}
              className="flex flex-col gap-3 rounded-xl border bg-surface px-4.5 pt-4 pb-3.5"
            >
              <div className="flex min-h-6 items-center justify-between">
                <h2 className="text-lg">
                  <Link to={packagePath(packageView.packageId)} className="text-text">
                    {packageView.planType}
                  </Link>
                </h2>
                <span className="-mr-1 inline-flex items-center gap-1 text-muted text-sm">
                  <span aria-hidden="true">{t('compare')}</span>
                  <Checkbox
                    checked={compared.has(packageView.packageId)}
                    onCheckedChange={() => setCompared(toggleKey(compared, packageView.packageId))}
                    label={t('compareNamed', { type: packageView.planType })}
                  />
                </span>
              </div>
              <p className="text-muted tabular-nums">
                <b className="font-heading text-2xl text-text leading-8 tracking-tighter">
                  {formatMoney(packageView.price)}
                </b>{' '}
                <span>{t('duration', { count: packageView.durationDays })}</span>
              </p>
              <div className="-mt-2.5 flex flex-col items-start text-muted text-sm tabular-nums">
                <InlineDetails
                  items={[
                    day !== undefined && t('perDay', { amount: formatMoney(day) }),
                    million !== undefined && t('perMillion', { amount: formatMoney(million) }),
                  ]}
                />
                <ComputedBadge />
              </div>
              <p className="-mb-1.5 border-t pt-2.5 text-faint text-xs">{t('perCycle')}</p>
              <ul className="flex-1">
                {packageView.models.map((model) => (
                  <li
                    key={model.modelCode}
                    className="flex min-h-6 items-baseline justify-between gap-3"
                    title={`${model.modelCode}: ${formatNumber(model.tokenQuota)} / ${formatNumber(model.requestQuota)}`}
                  >
                    <span className="min-w-0">{model.displayName}</span>
                    <span className="flex-none text-muted text-sm tabular-nums">
                      {t('tokens', { amount: formatCount(model.tokenQuota).short })}
                      <i className="mx-1.25 text-faint" aria-hidden="true">
                        ·
                      </i>
                      {t('requests', { amount: formatCount(model.requestQuota).short })}
                    </span>
                  </li>
                ))}
              </ul>
              <div className="flex min-h-7 items-center justify-between gap-3">
                <span className="text-muted text-sm">{t('maxKeys', { count: packageView.maxKeys })}</span>
                {canBuy ? (
                  <Button
                    size="sm"
                    variant="primary"
                    onClick={() => setQuery({ buy: packageView.packageId }, { replace: true })}
                  >
                    {t('buy')}
                    <span className="sr-only"> {packageView.planType}</span>
                  </Button>
                ) : null}
              </div>
            </li>
          )
        })}
      </ul>
      {compared.size === 0 ? null : (
        <div
          className={joinClassNames(
            'sticky bottom-4 flex items-center gap-2 self-center rounded-xl border bg-raised py-2 pr-2 pl-4',
            'shadow-float',
          )}
          role="status"
        >
          <span className="mr-4 font-medium">
            {compared.size === 1 ? t('compareMore') : t('compareSome', { count: compared.size })}
          </span>
          <Button size="sm" variant="ghost" onClick={() => setCompared(new Set())}>
            {t('compareClear')}
          </Button>
          {compared.size > 1 ? (
            <ButtonLink size="sm" variant="primary" icon={Columns3} to={comparePackagesPath([...compared])}>
              {t('compare')}
            </ButtonLink>
          ) : null}
        </div>
      )}
      {purchasedPackage ? (
        <BuySheet connectionId={connectionId} target={{ kind: 'package', package: purchasedPackage }} onClose={close} />
      ) : null}
    </>
  )
}

function CardsSkeleton() {
  return (
    <div className="grid grid-cols-[repeat(auto-fill,minmax(300px,1fr))] gap-4" role="status">
      <span className="sr-only">{t('common:loading')}</span>
      {[0, 1, 2, 3].map((card) => (
        <div key={card} className="flex flex-col gap-3 rounded-xl border bg-surface px-4.5 pt-4 pb-3.5">
          <Skeleton width="40%" height={16} />
          <Skeleton width="60%" height={24} />
          <Skeleton width="80%" />
          <Skeleton height={84} />
        </div>
      ))}
    </div>
  )
}

export function PackagesPage() {
  const { data: account } = useAccount(useConsole().connectionId)
  return (
    <Page width="wide">
      <PageHeader
        title={t('packages:title')}
        breadcrumb={[{ label: t('plans:title'), to: '/plans' }]}
        state={[
          t('packages:state'),
          account && t(`plans:account.roles.${account.role}`),
          account && t('plans:account.credits', { amount: formatMoney(account.credits) }),
        ]}
      />
      <LoadedPackages skeleton={<CardsSkeleton />}>
        {(packages, connectionId) => <Cards connectionId={connectionId} packages={packages} />}
      </LoadedPackages>
    </Page>
  )
}
