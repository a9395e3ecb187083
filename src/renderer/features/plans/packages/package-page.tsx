import type { PackageView } from '@shared/contract'
import i18next from 'i18next'
import { PackageX, ShoppingBag } from 'lucide-react'
import { useParams, useSearchParams } from 'react-router'
import { CopyCode } from '../../../copy-text'
import { formatCount, formatMoney } from '../../../format'
import { useCall } from '../../../ipc'
import { packagesPath } from '../../../paths'
import { CardSection, EmptyState, FactsSection, Page, PageHeader, Section } from '../../../ui/page'
import { Table } from '../../../ui/table'
import { StandardAddresses, useConsole } from '../../connections/account'
import { BuySheet } from './buy-sheet'
import { ComputedBadge, LoadedPackages, pricePerDay, pricePerMillion, useCanBuy, usePackages } from './package-access'

const t = i18next.getFixedT(null, ['packages', 'plans'])

const notes = ['paid', 'provisioned', 'key', 'gateway', 'renew', 'end'] as const

function PackageDetails({ of }: { readonly of: PackageView }) {
  const renderAmount = (amount: number | undefined) =>
    amount === undefined ? (
      '–'
    ) : (
      <span className="inline-flex items-center gap-2.5 tabular-nums">
        {formatMoney(amount)} <ComputedBadge />
      </span>
    )
  const formatAmount = (value: number) => {
    const { short, exact } = formatCount(value)
    return <span title={exact}>{short}</span>
  }
  const activationNotes = of.activationNotes ?? []
  const text = of.subscriptionEndpoint
  const endpointInput = text === undefined ? undefined : { text }
  const { data: endpoint } = useCall('plans.readAddress', endpointInput, { staleTime: Number.POSITIVE_INFINITY })
  return (
    <>
      <FactsSection
        title={t('page.facts')}
        items={[
          {
            label: t('page.price'),
            value: (
              <>
                <b className="tabular-nums">{formatMoney(of.price)}</b>{' '}
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
      <Section title={t('page.models')} description={t('page.modelsHint')}>
        <Table
          caption={t('page.models')}
          rows={of.models}
          rowKey={({ modelCode }) => modelCode}
          columns={[
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
            {
              id: 'tokens',
              header: t('page.tokens'),
              align: 'right',
              cell: ({ tokenQuota }) => formatAmount(tokenQuota),
            },
            {
              id: 'requests',
              header: t('page.requests'),
              align: 'right',
              cell: ({ requestQuota }) => formatAmount(requestQuota),
            },
          ]}
        />
      </Section>
      {endpoint ? (
        <Section title={t('page.endpoint')} description={t('page.endpointHint')}>
          <StandardAddresses address={endpoint} />
        </Section>
      ) : null}
      <CardSection title={t('page.notes')}>
        <ol className="flex list-decimal flex-col gap-1.5 pl-4.5 marker:text-faint">
          {(activationNotes.length > 0 ? activationNotes : notes.map((note) => t(`page.note.${note}`))).map((note) => (
            <li key={note} className="wrap-anywhere">
              {note}
            </li>
          ))}
        </ol>
      </CardSection>
    </>
  )
}

export function PackagePage() {
  const { packageId } = useParams()
  const [query, setQuery] = useSearchParams()
  const { connectionId } = useConsole()
  const canBuy = useCanBuy(connectionId)
  const { data } = usePackages(connectionId)
  const packageView = data?.find((candidate) => candidate.packageId === packageId)
  return (
    <Page>
      <PageHeader
        title={packageView?.planType ?? t('packages:page.title')}
        breadcrumb={[
          { label: t('plans:title'), to: '/plans' },
          { label: t('packages:title'), to: packagesPath },
        ]}
        state={
          packageView &&
          `${formatMoney(packageView.price)} ${t('packages:duration', { count: packageView.durationDays })}`
        }
        actions={[
          packageView &&
            canBuy && {
              label: t('packages:buyNamed', { type: packageView.planType }),
              variant: 'primary',
              icon: ShoppingBag,
              onClick: () => setQuery({ buy: '1' }, { replace: true }),
            },
        ]}
      />
      <LoadedPackages>
        {() =>
          packageView ? (
            <PackageDetails of={packageView} />
          ) : (
            <EmptyState
              icon={PackageX}
              title={t('packages:page.gone')}
              actions={[{ label: t('packages:comparing.back'), to: packagesPath }]}
            >
              {t('packages:page.goneText')}
            </EmptyState>
          )
        }
      </LoadedPackages>
      {connectionId !== undefined && packageView && query.get('buy') === '1' ? (
        <BuySheet
          key={connectionId}
          connectionId={connectionId}
          target={{ kind: 'package', package: packageView }}
          onClose={() => setQuery({}, { replace: true })}
        />
      ) : null}
    </Page>
  )
}
