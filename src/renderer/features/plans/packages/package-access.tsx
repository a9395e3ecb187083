import type { AccountView, PackageView } from '@shared/contract'
import i18next from 'i18next'
import { Cable, Calculator } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import { useCall } from '../../../ipc'
import { connectionsPath, editConnectionPath } from '../../../paths'
import { Callout } from '../../../ui/callout'
import { EmptyState } from '../../../ui/page'
import { SkeletonRows } from '../../../ui/skeleton'
import { Tooltip } from '../../../ui/tooltip'
import { ConsoleFailure, useAccount, useConsole } from '../../connections/account'

const t = i18next.getFixedT(null, ['packages', 'plans'])

/** Whether the account's role may buy (spec, "Roles"). */
export const canBuy = ({ role }: AccountView): boolean => role === 'ROOT' || role === 'ADMIN'

export function useCanBuy(connectionId: string | undefined): boolean {
  const { data: account } = useAccount(connectionId)
  return account === undefined || canBuy(account)
}

export function RoleNotice({ connectionId }: { readonly connectionId: string }) {
  const { data: account } = useAccount(connectionId)
  if (!account || canBuy(account)) return null
  return (
    <Callout
      tone="info"
      title={t('packages:roles.title', { role: t(`plans:account.roles.${account.role}`) })}
      actions={[{ label: t('packages:roles.handed'), to: '/plans/new' }]}
    >
      {t('packages:roles.text')}
    </Callout>
  )
}

/** Packages that a connection offers. Cached for a minute, because they rarely change. */
export const usePackages = (connectionId: string | undefined) =>
  useCall('account.packages', connectionId === undefined ? undefined : { connectionId }, { staleTime: 60_000 })

/** Packages of the active connection's console, or the reason why there are none. */
export function LoadedPackages(props: {
  readonly skeleton?: ReactNode
  readonly children: (packages: readonly PackageView[], connectionId: string) => ReactNode
}) {
  const { skeleton = <SkeletonRows rows={6} />, children } = props
  const console = useConsole()
  const query = usePackages(console.connectionId)
  if (console.kind === 'looking') return <SkeletonRows rows={4} />
  if (console.kind === 'there') {
    const { connection, connectionId } = console
    return (
      <Fragment key={connectionId}>
        <ConsoleFailure connection={connection} query={query} />
        <RoleNotice connectionId={connectionId} />
        {query.data ? children(query.data, connectionId) : query.error ? null : skeleton}
      </Fragment>
    )
  }
  const hasNoConsole = console.kind === 'none'
  return (
    <EmptyState
      icon={Cable}
      title={t(hasNoConsole ? 'packages:none' : 'packages:noConsole')}
      actions={[
        hasNoConsole && { label: t('plans:empty.sandbox'), to: '/sandbox' },
        {
          label: t(hasNoConsole ? 'plans:account.notice.setUp' : 'plans:account.notice.setAddress'),
          variant: 'primary',
          to: hasNoConsole ? connectionsPath : editConnectionPath(console.connection.id, 'consoleUrl'),
        },
      ]}
    >
      {hasNoConsole ? t('packages:noneText') : t('packages:noConsoleText', { connection: console.connection.name })}
    </EmptyState>
  )
}

export function ComputedBadge() {
  return (
    <Tooltip content={t('workedOutHint')}>
      <span className="inline-flex items-center gap-1 whitespace-nowrap font-normal text-faint text-xs">
        <Calculator size={12} strokeWidth={1.8} />
        {t('workedOut')}
      </span>
    </Tooltip>
  )
}

/** VND per day, rounded. Undefined without a duration. */
export const pricePerDay = ({ price, durationDays }: PackageView): number | undefined =>
  durationDays === 0 ? undefined : Math.round(price / durationDays)

export const allTokens = ({ models }: PackageView): number =>
  models.reduce((sum, { tokenQuota }) => sum + tokenQuota, 0)

/** VND per million tokens at full use, rounded. Undefined without tokens. */
export function pricePerMillion(packageView: PackageView): number | undefined {
  const tokens = allTokens(packageView)
  return tokens === 0 ? undefined : Math.round(packageView.price / (tokens / 1_000_000))
}
