import type { AccountView, ConnectionView } from '@shared/contract'
import { limits } from '@shared/limits'
import { Cable } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { connectionsPath, editConnectionPath } from '../../paths'
import { ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { EmptyState } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { useAccount, useConsole } from '../account'

/** The characters of a name that a plan's name may not have, each once, in their order (spec, "Limits"). */
export const forbiddenIn = (name: string): readonly string[] => [
  ...new Set(name.normalize('NFC').match(/[^a-zA-Z0-9_.-]/gu) ?? []),
]

/** A name that the rule allows and no plan has yet: the type's, or the old plan's, with the next free number. */
export function freeName(wanted: string, taken: readonly string[]): string {
  const plain = wanted
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[đĐ]/g, 'd')
    .toLowerCase()
    .replace(/[^a-z0-9_.-]+/g, '-')
    .replace(/^-+|-+$/g, '')
  const base = (plain || 'plan').replace(/-\d+$/, '').slice(0, limits.nameCharacters - 4)
  const names = new Set(taken.map((name) => name.toLowerCase()))
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}-${number}`
    if (!names.has(name)) return name
  }
}

/** Whether a role may buy (spec, "Roles"). */
export const mayBuy = ({ role }: AccountView): boolean => role === 'ROOT' || role === 'ADMIN'

/** VND that the credits lack for a total; 0 when they cover it. */
export const missingCredits = ({ credits }: AccountView, total: number): number => Math.max(0, total - credits)

/** Whether buying can be offered: not to a role that may not; a role that is not known yet is not refused. */
export function useCanBuy(connectionId: string): boolean {
  const { data: account } = useAccount(connectionId)
  return account === undefined || mayBuy(account)
}

/** Says who can buy to somebody who cannot, and what they can do; nothing to the others. */
export function RoleNotice({ connectionId }: { readonly connectionId: string }) {
  const { t } = useTranslation(['packages', 'plans'])
  const { data: account } = useAccount(connectionId)
  if (!account || mayBuy(account)) return null
  return (
    <Callout
      tone="info"
      title={t('packages:roles.title', { role: t(`plans:account.roles.${account.role}`) })}
      actions={
        <ButtonLink size="sm" to="/plans/new">
          {t('packages:roles.handed')}
        </ButtonLink>
      }
    >
      {t('packages:roles.text')}
    </Callout>
  )
}

/** The catalogue of a connection's console; it changes rarely. */
export const usePackages = (connectionId: string) =>
  useCall('account.packages', { connectionId }, { staleTime: 60_000 })

/** Shows what needs a console, for the connection in use, anew when another one comes into use; says what is missing where there is none. */
export function WithConsole({ children }: { readonly children: (connection: ConnectionView) => ReactNode }) {
  const { t } = useTranslation(['packages', 'plans'])
  const console = useConsole()
  if (console.kind === 'looking') return <SkeletonRows rows={4} />
  if (console.kind === 'there') return <Fragment key={console.connection.id}>{children(console.connection)}</Fragment>
  const isNone = console.kind === 'none'
  return (
    <EmptyState
      icon={Cable}
      title={t(isNone ? 'packages:none' : 'packages:noConsole')}
      actions={
        <>
          {isNone ? <ButtonLink to="/sandbox">{t('plans:empty.sandbox')}</ButtonLink> : null}
          <ButtonLink
            variant="primary"
            to={isNone ? connectionsPath : editConnectionPath(console.connection.id, 'consoleUrl')}
          >
            {t(isNone ? 'plans:account.notice.setUp' : 'plans:account.notice.setAddress')}
          </ButtonLink>
        </>
      }
    >
      {isNone ? t('packages:noneText') : t('packages:noConsoleText', { connection: console.connection.name })}
    </EmptyState>
  )
}
