import type { SandboxView, SandboxWorldView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { CopyText } from '../../copy-text'
import { useFormats } from '../../format'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Badge } from '../../ui/badge'
import { Code } from '../../ui/code'
import { KeyValue } from '../../ui/key-value'
import { Card, Section } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { Account } from './account'
import { Clock } from './clock'
import { Requests } from './requests-section'
import styles from './sandbox.module.css'
import { Situations } from './situations'

const pollMs = 5_000

const useWorld = () => useCall('sandbox.world', {}, { refetchInterval: pollMs, staleTime: 0 })

/** When the plan ends in the sandbox's time, and whether it goes on by itself. */
function PlanEnd({ plan }: { readonly plan: NonNullable<SandboxWorldView['plan']> }) {
  const { t } = useTranslation('sandbox', { keyPrefix: 'planEnd' })
  const { date, dateTime } = useFormats()
  if (plan.status === 'EXPIRED') return <Badge tone="danger">{t('expired', { date: date(plan.expiresAt) })}</Badge>
  return (
    <span className={styles.muted} title={dateTime(plan.expiresAt)}>
      {t(plan.autoRenew ? 'renews' : 'ends', { date: date(plan.expiresAt) })}
    </span>
  )
}

function Place({ view }: { readonly view: SandboxView }) {
  const { t } = useTranslation('sandbox')
  const { data: plans = [] } = useCall('plans.list', {})
  const { data: world } = useWorld()
  const plan = plans.find(({ id }) => id === view.planId)
  const { gatewayUrl } = view
  const address = gatewayUrl && {
    label: t('address'),
    value: <Code quiet>{gatewayUrl}</Code>,
    action: <CopyText text={gatewayUrl} label={t('copyAddress')} />,
  }
  const used = plan && {
    label: t('plan'),
    value: (
      <span className={styles.plan}>
        <Link to={`/plans/${plan.id}`}>{plan.name}</Link>
        {world?.plan ? <PlanEnd plan={world.plan} /> : null}
      </span>
    ),
  }
  return (
    <Card>
      <KeyValue items={[...(address ? [address] : []), ...(used ? [used] : [])]} />
    </Card>
  )
}

function World() {
  const { t } = useTranslation('sandbox')
  const query = useWorld()
  return (
    <Section title={t('world.title')} description={t('world.hint')}>
      <Loaded query={query} skeleton={<SkeletonRows rows={3} />}>
        {(world) => (
          <Card flush>
            <Clock world={world} />
            <Account world={world} />
          </Card>
        )}
      </Loaded>
    </Section>
  )
}

/** The sandbox while it runs: where it is, what goes wrong on demand, its time and account, and what reached it. */
export function SandboxRunning({ view }: { readonly view: SandboxView }) {
  return (
    <>
      <Place view={view} />
      <Situations planId={view.planId} situation={view.situation} />
      <World />
      <Requests />
    </>
  )
}
