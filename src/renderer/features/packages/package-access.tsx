import type { AccountView, ConnectionView, PackageView } from '@shared/contract'
import { limits } from '@shared/limits'
import { Cable, Calculator } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { useCall } from '../../ipc'
import { connectionsPath, editConnectionPath } from '../../paths'
import { ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { EmptyState } from '../../ui/page'
import { Facts } from '../../ui/rows'
import { SkeletonRows } from '../../ui/skeleton'
import { Tooltip } from '../../ui/tooltip'
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

/** The words "worked out", with how on hover: beside every figure that is ours. */
export function WorkedOut() {
  const { t } = useTranslation('packages')
  return (
    <Tooltip content={t('workedOutHint')}>
      <span className="inline-flex items-center gap-1 whitespace-nowrap font-normal text-faint text-xs">
        <Calculator size={12} strokeWidth={1.8} aria-hidden="true" />
        {t('workedOut')}
      </span>
    </Tooltip>
  )
}

/** Price per day and per million tokens of a package, in one line. */
export function WorkedOutPrices({ of }: { readonly of: PackageView }) {
  const { t } = useTranslation('packages')
  const { money } = useFormats()
  const day = pricePerDay(of)
  const million = pricePerMillion(of)
  return (
    <div className="-mt-2.5 flex flex-col items-start text-muted text-sm tabular-nums">
      <Facts
        items={[
          day !== undefined && t('perDay', { amount: money(day) }),
          million !== undefined && t('perMillion', { amount: money(million) }),
        ]}
      />
      <WorkedOut />
    </div>
  )
}

/** Dong per day, rounded; nothing for a package without a duration. */
export const pricePerDay = ({ price, durationDays }: PackageView): number | undefined =>
  durationDays === 0 ? undefined : Math.round(price / durationDays)

/** Tokens of all models together, per cycle. */
const allTokens = ({ models }: PackageView): number => models.reduce((sum, { tokenQuota }) => sum + tokenQuota, 0)

/** Dong per million tokens if every token of every model is used, rounded; nothing for a package without tokens. */
export function pricePerMillion(one: PackageView): number | undefined {
  const tokens = allTokens(one)
  return tokens === 0 ? undefined : Math.round(one.price / (tokens / 1_000_000))
}

/** A line of the comparison: a value for each package, in their order. */
export interface Comparison {
  readonly id: string
  readonly kind: 'price' | 'days' | 'perDay' | 'perMillion' | 'keys' | 'allTokens' | 'tokens' | 'requests'
  /** The model that a line of tokens or requests is about. */
  readonly model?: string
  readonly values: readonly (number | undefined)[]
}

const isWorkedOut: readonly Comparison['kind'][] = ['perDay', 'perMillion', 'allTokens']
const lowestIsBest: readonly Comparison['kind'][] = ['price', 'perDay', 'perMillion']

/** Whether a line is ours rather than the platform's. */
export const workedOut = ({ kind }: Comparison): boolean => isWorkedOut.includes(kind)

/** The value to point out in a line: the lowest price, when there is one lower than another. */
export function findLowest({ kind, values }: Comparison): number | undefined {
  const known = values.filter((value) => value !== undefined)
  if (!lowestIsBest.includes(kind) || new Set(known).size < 2) return undefined
  return Math.min(...known)
}

function modelLines(packages: readonly PackageView[]): readonly Comparison[] {
  const names = new Map(
    packages.flatMap(({ models }) => models.map((one) => [one.modelCode, one.displayName] as const)),
  )
  return [...names].flatMap(([code, model]) => {
    const included = packages.map(({ models }) => models.find(({ modelCode }) => modelCode === code))
    return [
      { id: `tokens ${code}`, kind: 'tokens', model, values: included.map((one) => one?.tokenQuota) } as const,
      { id: `requests ${code}`, kind: 'requests', model, values: included.map((one) => one?.requestQuota) } as const,
    ]
  })
}

/** Packages side by side: prices, limits, then tokens and requests of every model that one of them has. */
export function compare(packages: readonly PackageView[]): readonly Comparison[] {
  const line = (kind: Comparison['kind'], of: (one: PackageView) => number | undefined): Comparison => ({
    id: kind,
    kind,
    values: packages.map(of),
  })
  return [
    line('price', ({ price }) => price),
    line('days', ({ durationDays }) => durationDays),
    line('perDay', pricePerDay),
    line('perMillion', pricePerMillion),
    line('keys', ({ maxKeys }) => maxKeys),
    line('allTokens', allTokens),
    ...modelLines(packages),
  ]
}
