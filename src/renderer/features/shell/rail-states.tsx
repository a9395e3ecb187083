import clsx from 'clsx'
import { FlaskConical, KeyRound, type LucideIcon, ShieldAlert, Waypoints } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useCall } from '../../ipc'
import { Tooltip } from '../../ui/tooltip'
import { useRelay } from '../relay/use-relay'
import { relayPath } from '../usage/paths'
import styles from './rail.module.css'

interface StateProps {
  readonly to: string
  readonly icon: LucideIcon
  readonly text: string
  readonly tone: 'quiet' | 'good' | 'warning' | 'danger'
  readonly collapsed: boolean
}

function State({ to, icon: Icon, text, tone, collapsed }: StateProps) {
  return (
    <Tooltip content={text} side="right" disabled={!collapsed}>
      <Link to={to} className={clsx(styles.state, styles[tone])} aria-label={collapsed ? text : undefined}>
        <span className={styles.stateIcon}>
          <Icon size={14} strokeWidth={1.8} aria-hidden="true" />
          {tone === 'quiet' ? null : <span className={styles.dot} />}
        </span>
        {collapsed ? null : <span className={styles.name}>{text}</span>}
      </Link>
    </Tooltip>
  )
}

const relayTones = {
  unknown: 'quiet',
  off: 'quiet',
  starting: 'warning',
  on: 'good',
  paused: 'warning',
  failed: 'danger',
} as const

/** Whether the relay runs; grave while tools that go through it get no answer. */
function RelayState({ collapsed }: Pick<StateProps, 'collapsed'>) {
  const { t } = useTranslation('shell')
  const { data: relay } = useRelay()
  const state = relay?.state ?? 'unknown'
  const waiting = state === 'off' ? (relay?.tools.filter(({ isPointedHere }) => isPointedHere).length ?? 0) : 0
  return (
    <State
      to={relayPath}
      icon={Waypoints}
      text={waiting > 0 ? t('relay.needed', { count: waiting }) : t(`relay.${state}`)}
      tone={waiting > 0 ? 'danger' : relayTones[state]}
      collapsed={collapsed}
    />
  )
}

/** Where keys are kept, and whether relay and sandbox run: always in sight, a press away from more. */
export function RailStates({ collapsed }: { readonly collapsed: boolean }) {
  const { t } = useTranslation('shell')
  const { data: app, isError } = useCall('app.get', {})
  const { data: sandbox } = useCall('sandbox.get', {})
  const isSession = app?.vault.kind === 'session'
  const state = sandbox?.state ?? 'unknown'
  const tones = { unknown: 'quiet', stopped: 'quiet', starting: 'warning', running: 'good', failed: 'danger' } as const
  return (
    <>
      <State
        to="/settings"
        icon={isSession ? ShieldAlert : KeyRound}
        text={t(`vault.${app?.vault.kind ?? (isError ? 'failed' : 'looking')}`)}
        tone={isSession ? 'warning' : 'quiet'}
        collapsed={collapsed}
      />
      <RelayState collapsed={collapsed} />
      <State to="/sandbox" icon={FlaskConical} text={t(`sandbox.${state}`)} tone={tones[state]} collapsed={collapsed} />
    </>
  )
}
