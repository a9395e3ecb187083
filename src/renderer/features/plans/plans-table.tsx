import type { PlanView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useFormats } from '../../format'
import { useCall } from '../../ipc'
import { RelativeTime, useNow } from '../../relative-time'
import { StatusDot } from '../../ui/badge'
import { type Column, Table } from '../../ui/table'
import styles from './plans-table.module.css'

/** The names of the tools with these ids, as far as they are known. */
export function useToolNames(ids: readonly string[]): readonly string[] {
  const { data = [] } = useCall('tools.list', {})
  return ids.map((id) => data.find((tool) => tool.id === id)?.name ?? id)
}

/** When a plan ends, in words: "in 5 days", amber in its last week, red afterwards. */
export function Expiry({ plan, inSentence = false }: { plan: PlanView; inSentence?: boolean }) {
  const { t } = useTranslation('plans')
  const now = useNow()
  const { expiresAt } = plan
  const formats = useFormats()
  if (expiresAt === undefined) return inSentence ? null : <span className={styles.faint}>{t('noExpiry')}</span>
  const { short, exact } = formats.relative(expiresAt, now)
  const leftMs = new Date(expiresAt).getTime() - now.getTime()
  const isOver = leftMs < 0
  const words = isOver ? t('expired', { when: short }) : inSentence ? t('expires', { when: short }) : short
  return (
    <time
      dateTime={expiresAt}
      title={exact}
      className={isOver ? styles.over : leftMs < 7 * 86_400_000 ? styles.soon : undefined}
    >
      {words}
    </time>
  )
}

function LastCheck({ plan }: { plan: PlanView }) {
  const { t } = useTranslation('plans')
  const { lastCheck } = plan
  if (!lastCheck) return <span className={styles.faint}>{t('neverChecked')}</span>
  return (
    <span className={styles.stack}>
      <StatusDot tone={lastCheck.ok ? 'success' : 'danger'} label={t(lastCheck.ok ? 'works' : 'fails')} />
      <span className={styles.second}>
        <RelativeTime at={lastCheck.at} />
      </span>
    </span>
  )
}

function UsedBy({ plan }: { plan: PlanView }) {
  const { t } = useTranslation('plans')
  const names = useToolNames(plan.usedBy)
  if (names.length === 0) return <span className={styles.faint}>{t('unused')}</span>
  return (
    <span className={styles.names} title={names.join(', ')}>
      {names.join(', ')}
    </span>
  )
}

function Key({ plan }: { plan: PlanView }) {
  const { t } = useTranslation('plans')
  const [key] = plan.keys
  if (!key) return <span className={styles.faint}>{t('noKey')}</span>
  return (
    <span className={styles.stack}>
      <code>{key.masked}</code>
      <span className={key.kept === 'keychain' ? styles.second : styles.soon}>{t(`kept.${key.kept}`)}</span>
    </span>
  )
}

/** One row for each plan: where it is, its key, what it offers, who uses it, and how it stands. */
export function PlansTable({ plans }: { plans: readonly PlanView[] }) {
  const { t } = useTranslation('plans')
  const formats = useFormats()
  const columns: readonly Column<PlanView>[] = [
    {
      id: 'name',
      header: t('columns.name'),
      cell: (plan) => (
        <span className={styles.stack}>
          <Link to={`/plans/${plan.id}`} className={styles.name} title={plan.name}>
            {plan.name}
          </Link>
          <code className={styles.second} title={plan.gatewayUrl}>
            {URL.canParse(plan.gatewayUrl) ? new URL(plan.gatewayUrl).host : plan.gatewayUrl}
          </code>
        </span>
      ),
    },
    {
      id: 'source',
      header: t('columns.source'),
      width: '128px',
      cell: (plan) => <span className={styles.muted}>{t(`sources.${plan.source}`)}</span>,
    },
    { id: 'key', header: t('columns.key'), width: '132px', cell: (plan) => <Key plan={plan} /> },
    {
      id: 'models',
      header: t('columns.models'),
      width: '76px',
      align: 'right',
      cell: (plan) => <span title={plan.models.join(', ')}>{formats.number(plan.models.length)}</span>,
    },
    { id: 'usedBy', header: t('columns.usedBy'), width: '112px', cell: (plan) => <UsedBy plan={plan} /> },
    { id: 'lastCheck', header: t('columns.lastCheck'), width: '124px', cell: (plan) => <LastCheck plan={plan} /> },
    { id: 'expires', header: t('columns.expires'), width: '140px', cell: (plan) => <Expiry plan={plan} /> },
  ]
  return (
    <div className={styles.table}>
      <Table caption={t('list')} columns={columns} rows={plans} rowKey={({ id }) => id} />
    </div>
  )
}
