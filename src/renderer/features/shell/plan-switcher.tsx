import type { PlanView } from '@shared/contract'
import { ChevronsUpDown, Layers, Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { hostOf } from '../../address'
import { useCall } from '../../ipc'
import { useCurrentPlan, useSession } from '../../session'
import { Menu, type MenuItem } from '../../ui/menu'
import { Mark } from './mark'
import styles from './rail.module.css'

function useSwitcherItems(plans: readonly PlanView[], current: PlanView): readonly MenuItem[] {
  const { t } = useTranslation('shell')
  const navigate = useNavigate()
  const choosePlan = useSession((session) => session.choosePlan)
  return [
    { heading: t('switcher.heading') },
    ...plans.map(({ id, name, gatewayUrl }) => ({
      label: name,
      hint: hostOf(gatewayUrl),
      checked: id === current.id,
      onSelect: () => choosePlan(id),
    })),
    'separator',
    {
      label: t('switcher.open', { name: current.name }),
      icon: Layers,
      onSelect: () => void navigate(`/plans/${current.id}`),
    },
    { label: t('switcher.add'), icon: Plus, onSelect: () => void navigate('/plans/new') },
  ]
}

function Switcher({ current, collapsed }: { readonly current: PlanView; readonly collapsed: boolean }) {
  const { t } = useTranslation('shell')
  const { data: plans = [] } = useCall('plans.list', {})
  const items = useSwitcherItems(plans, current)
  return (
    <Menu
      side={collapsed ? 'right' : 'bottom'}
      items={items}
      trigger={
        <button
          type="button"
          className={styles.switcher}
          aria-label={collapsed ? `${current.name}. ${t('switcher.choose')}` : undefined}
        >
          <Mark />
          {collapsed ? null : (
            <>
              <span className={styles.who}>
                <span className={styles.whoName}>{current.name}</span>
                <span className={styles.whoHost}>{hostOf(current.gatewayUrl)}</span>
              </span>
              <span className="sr-only">{t('switcher.choose')}</span>
              <ChevronsUpDown size={14} strokeWidth={1.8} aria-hidden="true" className={styles.chevrons} />
            </>
          )}
        </button>
      }
    />
  )
}

/** The top of the rail: the plan that tools are configured with, and a press to choose another. */
export function PlanSwitcher({ collapsed }: { readonly collapsed: boolean }) {
  const { t } = useTranslation(['shell', 'common'])
  const current = useCurrentPlan()
  const { data: plans } = useCall('plans.list', {})
  if (current) return <Switcher current={current} collapsed={collapsed} />
  return (
    <Link to="/" className={styles.switcher} aria-label={collapsed ? t('common:appName') : undefined}>
      <Mark />
      {collapsed ? null : (
        <span className={styles.who}>
          <span className={styles.whoName}>{t('common:appName')}</span>
          {plans ? <span className={styles.whoHost}>{t('switcher.noPlan')}</span> : null}
        </span>
      )}
    </Link>
  )
}
