import type { ConnectionView, PackageView } from '@shared/contract'
import { PackageX, ShoppingBag } from 'lucide-react'
import type { ComponentProps } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams, useSearchParams } from 'react-router'
import { CopyCode } from '../../../copy-text'
import { useFormats } from '../../../format'
import { useCall } from '../../../ipc'
import { packagesPath } from '../../../paths'
import { Button } from '../../../ui/button'
import { Card, EmptyState, Page, PageHeader, Section } from '../../../ui/page'
import { KeyValue } from '../../../ui/rows'
import { SkeletonRows } from '../../../ui/skeleton'
import { type Column, Table } from '../../../ui/table'
import { StandardAddresses, useConsole } from '../../connections/account'
import { BuyPackageSheet } from './buy-sheet'
import {
  ComputedBadge,
  ConsoleGuard,
  PackagesFailure,
  pricePerDay,
  pricePerMillion,
  RoleNotice,
  useCanBuy,
  usePackages,
} from './package-access'

const notes = ['paid', 'provisioned', 'key', 'gateway', 'renew', 'end'] as const

/** Gateway addresses for keys of the package, one per API standard. Renders nothing until the address is parsed. */
function Endpoint({ text }: { readonly text: string }) {
  const { t } = useTranslation('packages')
  const { data } = useCall('plans.readAddress', { text }, { staleTime: Number.POSITIVE_INFINITY })
  if (!data) return null
  return (
    <Section title={t('page.endpoint')} description={t('page.endpointHint')}>
      <StandardAddresses address={data} />
    </Section>
  )
}

function PackageHeader({
  of,
  state,
  actions,
}: Partial<ComponentProps<typeof PageHeader>> & { readonly of?: PackageView }) {
  const { t } = useTranslation(['packages', 'plans'])
  return (
    <PageHeader
      title={of?.planType ?? t('packages:page.title')}
      breadcrumb={[
        { label: t('plans:title'), to: '/plans' },
        { label: t('packages:title'), to: packagesPath },
      ]}
      state={state}
      actions={actions}
    />
  )
}

function SinglePackage({ connectionId, of }: { readonly connectionId: string; readonly of: PackageView }) {
  const { t } = useTranslation('packages')
  const { money, count } = useFormats()
  const canBuy = useCanBuy(connectionId)
  const [query, setQuery] = useSearchParams()
  const renderAmount = (amount: number | undefined) =>
    amount === undefined ? (
      '–'
    ) : (
      <span className="inline-flex items-center gap-2.5 tabular-nums">
        {money(amount)} <ComputedBadge />
      </span>
    )
  const formatAmount = (value: number) => {
    const { short, exact } = count(value)
    return <span title={exact}>{short}</span>
  }
  const columns: readonly Column<PackageView['models'][number]>[] = [
    { id: 'model', header: t('page.model'), width: '17%', cell: ({ displayName }) => displayName },
    {
      id: 'code',
      header: t('page.code'),
      width: '21%',
      cell: ({ modelCode }) => <CopyCode code={modelCode} />,
    },
    { id: 'hosting', header: t('page.hosting'), width: '12%', cell: ({ hostingMode }) => hostingMode },
    {
      id: 'types',
      header: t('page.types'),
      width: '18%',
      cell: ({ enabledTypes }) => (
        <span className="whitespace-normal">{enabledTypes.join(', ') || t('page.noTypes')}</span>
      ),
    },
    { id: 'tokens', header: t('page.tokens'), align: 'right', cell: ({ tokenQuota }) => formatAmount(tokenQuota) },
    {
      id: 'requests',
      header: t('page.requests'),
      align: 'right',
      cell: ({ requestQuota }) => formatAmount(requestQuota),
    },
  ]
  const activationNotes = of.activationNotes ?? []
  return (
    <>
      <PackageHeader
        of={of}
        state={`${money(of.price)} ${t('duration', { count: of.durationDays })}`}
        actions={
          canBuy ? (
            <Button variant="primary" icon={ShoppingBag} onClick={() => setQuery({ buy: '1' }, { replace: true })}>
              {t('buyNamed', { type: of.planType })}
            </Button>
          ) : null
        }
      />
      <RoleNotice connectionId={connectionId} />
      <Section title={t('page.facts')}>
        <Card>
          <KeyValue
            items={[
              {
                label: t('page.price'),
                value: (
                  <>
                    <b className="tabular-nums">{money(of.price)}</b>{' '}
                    <span className="text-muted">{t('page.vat')}</span>
                  </>
                ),
              },
              { label: t('page.duration'), value: t('page.days', { count: of.durationDays }) },
              { label: t('page.keys'), value: t('page.keysValue', { count: of.maxKeys }) },
              { label: t('page.day'), value: renderAmount(pricePerDay(of)) },
              { label: t('page.million'), value: renderAmount(pricePerMillion(of)) },
            ]}
          />
        </Card>
      </Section>
      <Section title={t('page.models')} description={t('page.modelsHint')}>
        <Table caption={t('page.models')} columns={columns} rows={of.models} rowKey={({ modelCode }) => modelCode} />
      </Section>
      {of.subscriptionEndpoint === undefined ? null : <Endpoint text={of.subscriptionEndpoint} />}
      <Section title={t('page.notes')}>
        <Card>
          <ol className="flex list-decimal flex-col gap-1.5 pl-4.5 marker:text-faint">
            {(activationNotes.length > 0 ? activationNotes : notes.map((note) => t(`page.note.${note}`))).map(
              (note) => (
                <li key={note} className="wrap-anywhere">
                  {note}
                </li>
              ),
            )}
          </ol>
        </Card>
      </Section>
      {query.get('buy') === '1' ? (
        <BuyPackageSheet connectionId={connectionId} of={of} onClose={() => setQuery({}, { replace: true })} />
      ) : null}
    </>
  )
}

function PackageContent({ connection }: { readonly connection: ConnectionView }) {
  const { t } = useTranslation('packages')
  const { packageId } = useParams()
  const query = usePackages(connection.id)
  const packageView = query.data?.find((candidate) => candidate.packageId === packageId)
  if (packageView) return <SinglePackage connectionId={connection.id} of={packageView} />
  return (
    <>
      <PackageHeader />
      {query.error ? (
        <PackagesFailure connection={connection} packages={query} />
      ) : query.isPending ? (
        <SkeletonRows rows={4} />
      ) : (
        <EmptyState icon={PackageX} title={t('page.gone')} actions={[{ label: t('comparing.back'), to: packagesPath }]}>
          {t('page.goneText')}
        </EmptyState>
      )}
    </>
  )
}

export function PackagePage() {
  const console = useConsole()
  return (
    <Page>
      {console.kind === 'there' ? null : <PackageHeader />}
      <ConsoleGuard>{(connection) => <PackageContent connection={connection} />}</ConsoleGuard>
    </Page>
  )
}
