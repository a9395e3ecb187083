import type { SandboxView } from '@shared/contract'
import { Inbox } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { CopyText } from '../../copy-text'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { ButtonLink } from '../../ui/button'
import { Code } from '../../ui/code'
import { EmptyState } from '../../ui/empty-state'
import { KeyValue } from '../../ui/key-value'
import { Card, Section } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { RequestsTable } from './requests-table'
import { Situations } from './situations'
import { TokenSection } from './token-section'

const pollMs = 1_000

function Place({ view }: { view: SandboxView }) {
  const { t } = useTranslation('sandbox')
  const { data: plans = [] } = useCall('plans.list', {})
  const plan = plans.find(({ id }) => id === view.planId)
  const { gatewayUrl } = view
  return (
    <Card>
      <KeyValue
        items={[
          ...(gatewayUrl === undefined
            ? []
            : [
                {
                  label: t('address'),
                  value: <Code quiet>{gatewayUrl}</Code>,
                  action: <CopyText text={gatewayUrl} label={t('copyAddress')} />,
                },
              ]),
          ...(plan ? [{ label: t('plan'), value: <Link to={`/plans/${plan.id}`}>{plan.name}</Link> }] : []),
        ]}
      />
    </Card>
  )
}

function Requests() {
  const { t } = useTranslation('sandbox')
  const query = useCall('sandbox.requests', {}, { refetchInterval: pollMs, staleTime: 0 })
  return (
    <Loaded query={query} skeleton={<SkeletonRows rows={4} />}>
      {(requests) => (
        <>
          <TokenSection requests={requests} />
          <Section title={t('requests.title')} description={t('requests.hint')}>
            {requests.length === 0 ? (
              <EmptyState
                icon={Inbox}
                title={t('requests.emptyTitle')}
                actions={<ButtonLink to="/tools">{t('configureTool')}</ButtonLink>}
              >
                {t('requests.emptyText')}
              </EmptyState>
            ) : (
              <RequestsTable requests={requests} />
            )}
          </Section>
        </>
      )}
    </Loaded>
  )
}

/** The sandbox while it runs: where it is, what goes wrong on demand, and what reached it. */
export function SandboxRunning({ view }: { view: SandboxView }) {
  return (
    <>
      <Place view={view} />
      <Situations planId={view.planId} situation={view.situation} />
      <Requests />
    </>
  )
}
