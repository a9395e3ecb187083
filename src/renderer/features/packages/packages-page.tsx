import type { ConnectionView, PackageView } from '@shared/contract'
import { Columns3, Package } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { useFormats } from '../../format'
import { comparePackagesPath, packagePath } from '../../paths'
import { Button, ButtonLink } from '../../ui/button'
import { Checkbox } from '../../ui/checkbox'
import { EmptyState, Page, PageHeader } from '../../ui/page'
import { Facts } from '../../ui/rows'
import { Skeleton } from '../../ui/skeleton'
import { ConsoleFailure, useAccount, useConsole } from '../account'
import { BuyPackageSheet } from './buy-sheet'
import { RoleNotice, useCanBuy, usePackages, WithConsole } from './package-access'
import styles from './packages.module.css'
import { WorkedOutPrices } from './unit-price'

function Reading() {
  const { t } = useTranslation('common')
  return (
    <div className={styles.grid} role="status">
      <span className="sr-only">{t('loading')}</span>
      {[0, 1, 2, 3].map((card) => (
        <div key={card} className={styles.card}>
          <Skeleton width="40%" height={16} />
          <Skeleton width="60%" height={24} />
          <Skeleton width="80%" />
          <Skeleton height={84} />
        </div>
      ))}
    </div>
  )
}

function CompareBar({ ids, onClear }: { readonly ids: readonly string[]; readonly onClear: () => void }) {
  const { t } = useTranslation('packages')
  if (ids.length === 0) return null
  return (
    <div className={styles.bar} role="status">
      <span className={styles.barText}>
        {ids.length === 1 ? t('compareMore') : t('compareSome', { count: ids.length })}
      </span>
      <Button size="sm" variant="ghost" onClick={onClear}>
        {t('compareClear')}
      </Button>
      {ids.length > 1 ? (
        <ButtonLink size="sm" variant="primary" icon={Columns3} to={comparePackagesPath(ids)}>
          {t('compare')}
        </ButtonLink>
      ) : null}
    </div>
  )
}

function Cards({
  connectionId,
  packages,
}: {
  readonly connectionId: string
  readonly packages: readonly PackageView[]
}) {
  const { t } = useTranslation('packages')
  const canBuy = useCanBuy(connectionId)
  const [compared, setCompared] = useState<readonly string[]>([])
  const [query, setQuery] = useSearchParams()
  const bought = packages.find(({ packageId }) => packageId === query.get('buy'))
  const close = (): void => setQuery({}, { replace: true })
  if (packages.length === 0) {
    return (
      <EmptyState icon={Package} title={t('empty')}>
        {t('emptyText')}
      </EmptyState>
    )
  }
  return (
    <>
      <ul className={styles.grid} aria-label={t('list')}>
        {packages.map((one) => (
          <PackageCard
            key={one.packageId}
            of={one}
            canBuy={canBuy}
            isCompared={compared.includes(one.packageId)}
            onCompare={(isCompared) =>
              setCompared((ids) =>
                isCompared ? [...ids, one.packageId] : ids.filter((packageId) => packageId !== one.packageId),
              )
            }
            onBuy={() => setQuery({ buy: one.packageId }, { replace: true })}
          />
        ))}
      </ul>
      <CompareBar ids={compared} onClear={() => setCompared([])} />
      {bought ? <BuyPackageSheet connectionId={connectionId} of={bought} onClose={close} /> : null}
    </>
  )
}

function Catalogue({ connection }: { readonly connection: ConnectionView }) {
  const query = usePackages(connection.id)
  return (
    <>
      {query.error ? (
        <ConsoleFailure
          console={{ kind: 'there', connection }}
          error={query.error}
          onRetry={() => void query.refetch()}
          busy={query.isFetching}
        />
      ) : null}
      <RoleNotice connectionId={connection.id} />
      {query.data ? <Cards connectionId={connection.id} packages={query.data} /> : query.error ? null : <Reading />}
    </>
  )
}

/** The role and the credits of the account, once they are known. */
function State() {
  const { t } = useTranslation(['packages', 'plans'])
  const { money } = useFormats()
  const console = useConsole()
  const { data: account } = useAccount(console.kind === 'there' ? console.connection.id : undefined)
  return (
    <Facts
      items={[
        t('packages:state'),
        account && t(`plans:account.roles.${account.role}`),
        account && t('plans:account.credits', { amount: money(account.credits) }),
      ]}
    />
  )
}

/** What the account can buy: one card for each plan type. */
export function PackagesPage() {
  const { t } = useTranslation(['packages', 'plans'])
  return (
    <Page width="wide">
      <PageHeader
        title={t('packages:title')}
        breadcrumb={[{ label: t('plans:title'), to: '/plans' }]}
        state={<State />}
      />
      <WithConsole>{(connection) => <Catalogue connection={connection} />}</WithConsole>
    </Page>
  )
}

export interface PackageCardProps {
  readonly of: PackageView
  readonly canBuy: boolean
  readonly isCompared: boolean
  readonly onCompare: (isCompared: boolean) => void
  readonly onBuy: () => void
}

/** A package at a glance: price, duration, models with their allowances, most keys; buying and comparing from here. */
export function PackageCard({ of, canBuy, isCompared, onCompare, onBuy }: PackageCardProps) {
  const { t } = useTranslation('packages')
  const { money, count, number } = useFormats()
  return (
    <li className={styles.card}>
      <div className={styles.cardHead}>
        <h2 className={styles.type}>
          <Link to={packagePath(of.packageId)}>{of.planType}</Link>
        </h2>
        <span className={styles.compare}>
          <span aria-hidden="true">{t('compare')}</span>
          <Checkbox checked={isCompared} onCheckedChange={onCompare} label={t('compareNamed', { type: of.planType })} />
        </span>
      </div>
      <p className={styles.price}>
        <b>{money(of.price)}</b> <span>{t('duration', { count: of.durationDays })}</span>
      </p>
      <WorkedOutPrices of={of} />
      <p className={styles.caption}>{t('perCycle')}</p>
      <ul className={styles.models}>
        {of.models.map((model) => (
          <li
            key={model.modelCode}
            title={`${model.modelCode}: ${number(model.tokenQuota)} / ${number(model.requestQuota)}`}
          >
            <span className={styles.model}>{model.displayName}</span>
            <span className={styles.quota}>
              {t('tokens', { amount: count(model.tokenQuota).short })}
              <i aria-hidden="true">·</i>
              {t('requests', { amount: count(model.requestQuota).short })}
            </span>
          </li>
        ))}
      </ul>
      <div className={styles.cardFoot}>
        <span className={styles.keys}>{t('maxKeys', { count: of.maxKeys })}</span>
        {canBuy ? (
          <Button size="sm" variant="primary" onClick={onBuy}>
            {t('buy')}
            <span className="sr-only"> {of.planType}</span>
          </Button>
        ) : null}
      </div>
    </li>
  )
}
