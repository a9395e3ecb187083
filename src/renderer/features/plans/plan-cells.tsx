import type { ConnectionView } from '@shared/contract'
import type { TFunction } from 'i18next'
import { Link } from 'react-router'
import { hostOf } from '../../address'
import type { Formats } from '../../format'
import { nowThere } from '../../relative-time'
import { Stack } from '../../ui/stack'
import { AllowanceBars } from './allowance-bars'
import type { AllowanceWords } from './allowance-words'
import { type Entry, standingOf } from './entries'
import { ExpiryAt } from './expiry'
import { StandingDot } from './plan-standing'
import styles from './plans-table.module.css'
import { planPath } from './use-plan-menu'

/** What the cells of all rows share. It is asked for once, for the table: asking in every cell is felt while scrolling. */
export interface Around {
  readonly t: TFunction<'plans'>
  readonly formats: Formats
  readonly words: AllowanceWords
  readonly now: Date
  readonly connections: readonly ConnectionView[]
}

type Handed = Extract<Entry, { readonly kind: 'handed' }>

/** Where a plan comes from that is not among the account's: handed over, of another connection, or gone there. */
function originOf({ plan, isGone }: Handed, { t, connections }: Around): string {
  const { origin, source, gatewayUrl } = plan
  if (isGone) return t('account.goneThere')
  const connection = connections.find(({ id }) => id === origin?.connectionId)
  if (connection) return t('account.ofOther', { connection: connection.name })
  if (origin) return t('account.ofOtherGone')
  return `${t(source === 'sandbox' ? 'sources.sandbox' : 'account.handed')} · ${hostOf(gatewayUrl)}`
}

interface CellProps {
  readonly entry: Entry
  readonly around: Around
}

/** The name, which leads to the plan's page, and its type or where it comes from. */
export function NameCell({ entry, around, tabIndex }: CellProps & { readonly tabIndex: number }) {
  const { name } = entry.plan
  const second = entry.kind === 'account' ? entry.plan.planType : originOf(entry, around)
  return (
    <Stack>
      <Link to={planPath(entry.id)} className={styles.name} title={name} tabIndex={tabIndex}>
        {name}
      </Link>
      <span className={styles.second} title={second}>
        {second}
      </span>
    </Stack>
  )
}

/** How the plan stands; of one that was handed over, when that was seen. */
export function StatusCell({ entry, around: { t, formats, now } }: CellProps) {
  const standing = standingOf(entry, now)
  const check = entry.kind === 'handed' && standing !== 'expired' ? entry.plan.lastCheck : undefined
  return (
    <Stack>
      <StandingDot standing={standing} word={t(`account.standings.${standing}`)} />
      {check ? (
        <span className={styles.second} title={t('lastCheck')}>
          {formats.relative(check.at, now).short}
        </span>
      ) : null}
    </Stack>
  )
}

/** What a handed-over key does not tell. */
export function UnknownCell({ around: { t } }: { readonly around: Around }) {
  return (
    <span className={styles.faint} title={t('account.unknownHint')}>
      {t('account.unknown')}
    </span>
  )
}

/** When the plan ends. */
export function EndCell({ entry: { kind, plan }, around }: CellProps) {
  if (plan.expiresAt === undefined) return <UnknownCell around={around} />
  const renews = kind === 'account' && plan.autoRenew && plan.renewal === undefined
  const isExpired = kind === 'account' && plan.status === 'EXPIRED'
  const { formats } = around
  const now = nowThere(around.now, plan)
  return <ExpiryAt expiresAt={plan.expiresAt} renews={renews} isExpired={isExpired} formats={formats} now={now} />
}

/** Keys in use, of how many. */
export function KeysCell({ entry: { kind, plan }, around }: CellProps) {
  if (kind === 'handed') return <UnknownCell around={around} />
  const { keysUsed: used, maxKeys: max } = plan
  return (
    <span title={around.t('account.keysOf', { used, max })}>
      {used}/{max}
    </span>
  )
}

/** What is left of the tightest model; nothing of a plan that is over, whatever was not used. */
export function LeftCell({ entry: { kind, plan }, around }: CellProps) {
  if (kind === 'handed') return <UnknownCell around={around} />
  if (plan.status === 'EXPIRED') return <span className={styles.faint}>–</span>
  return <AllowanceBars models={plan.models} words={around.words} />
}
