import type { AccountPlanView, AccountView, PackageView } from '@shared/contract'
import { limits } from '@shared/limits'
import { useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { ExplainedFailure } from '../../../failures'
import { formatList, formatMoney } from '../../../format'
import { useSingleAction } from '../../../ipc'
import { planPath, withQuery } from '../../../paths'
import { Callout } from '../../../ui/callout'
import { joinClassNames } from '../../../ui/cn'
import { Sheet } from '../../../ui/dialog'
import { TextField } from '../../../ui/field'
import { Skeleton } from '../../../ui/skeleton'
import { Switch } from '../../../ui/switch'
import { toast } from '../../../ui/toast'
import { cachePlan, nameProblem, useAccount, useAccountPlans } from '../../connections/account'
import { canBuy, RoleNotice, usePackages } from './package-access'

const t = i18next.getFixedT(null, ['packages', 'common'])

type Target =
  | { readonly kind: 'package'; readonly package: PackageView }
  | { readonly kind: 'again'; readonly plan: AccountPlanView }

/** A plan is bought again at today's price, or at its last known price if its package is not in the catalog. */
function useOffer(connectionId: string, target: Target) {
  const { data: packages } = usePackages(connectionId)
  if (target.kind === 'package') {
    const { planType, price, durationDays } = target.package
    return {
      title: t('buying.title', { type: planType }),
      description: t('buying.text', { price: formatMoney(price), days: durationDays }),
      nameFrom: planType,
      total: price,
      days: durationDays,
      isNoLongerOffered: false,
    }
  }
  const { name, planType, packageId, total, cycleDays } = target.plan
  const offeredPackage = packages?.find((offered) => offered.packageId === packageId)
  return {
    title: t('buying.titleAgain', { plan: name }),
    description: t('buying.textAgain', { type: planType }),
    nameFrom: name,
    total: offeredPackage?.price ?? total,
    days: offeredPackage?.durationDays ?? cycleDays,
    isNoLongerOffered: packages !== undefined && !offeredPackage,
  }
}

const findRefusal = (account: AccountView | undefined, total: number): 'role' | 'credits' | undefined =>
  !account ? undefined : !canBuy(account) ? 'role' : account.credits < total ? 'credits' : undefined

/** Describes auto-renew. Warns if the credits that remain after this purchase are not enough for the next cycle. */
const findRenewalHint = (autoRenew: boolean, account: AccountView | undefined, total: number) =>
  !autoRenew ? 'autoRenewOff' : account && account.credits < 2 * total ? 'autoRenewShort' : 'autoRenewOn'

export function BuySheet(props: {
  readonly connectionId: string
  readonly target: Target
  readonly onClose: () => void
}) {
  const { connectionId, target, onClose } = props
  const { title, description, nameFrom, total, days, isNoLongerOffered } = useOffer(connectionId, target)
  const navigate = useNavigate()
  const account = useAccount(connectionId)
  const refetch = (): void => void account.refetch()
  const { data: plans } = useAccountPlans(connectionId)
  const usedNames = plans?.map((plan) => plan.name) ?? []
  const [typed, setName] = useState<string>()
  const name = typed ?? findFreeName(nameFrom, usedNames)
  const nameError = findNameError(name)
  // Another plan may have the same name. This is allowed, but causes a hint.
  const nameHint = t(`packages:buying.${usedNames.includes(name) ? 'nameTaken' : 'nameHint'}`)
  const isNameInvalid = name === '' || nameError !== undefined
  const [autoRenew, setAutoRenew] = useState(true)
  const { pay, isPaying, failure } = usePurchase(connectionId, target)
  const refusal = findRefusal(account.data, total)
  // After an unknown outcome, do not offer a retry, which could buy a second plan.
  const canPay = refusal === undefined && failure?.code !== 'account.unknownOutcome'
  const submit = (): void => {
    if (!isNameInvalid && canPay) pay({ name, autoRenew })
  }
  return (
    <Sheet
      busy={isPaying}
      onClose={onClose}
      title={title}
      description={description}
      onSubmit={submit}
      footer={[
        { label: t(canPay ? 'common:cancel' : 'common:close'), disabled: isPaying, onClick: onClose },
        canPay && {
          label: isPaying ? t('packages:buying.paying') : t('packages:buying.pay', { price: formatMoney(total) }),
          variant: 'primary',
          type: 'submit',
          busy: isPaying,
          disabled: isNameInvalid,
        },
      ]}
    >
      {isNoLongerOffered ? (
        <Callout tone="info" title={t('packages:buying.offCatalogue')}>
          {t('packages:buying.offCatalogueText')}
        </Callout>
      ) : null}
      <RoleNotice connectionId={connectionId} />
      {refusal === 'role' ? null : (
        <>
          <TextField
            label={t('packages:buying.name')}
            required
            hint={nameError ? undefined : nameHint}
            error={nameError}
            autoFocus
            value={name}
            onChange={setName}
          />
          <Switch
            label={t('packages:buying.autoRenew')}
            hint={t(`packages:buying.${findRenewalHint(autoRenew, account.data, total)}`, {
              days,
              price: formatMoney(total),
            })}
            checked={autoRenew}
            onCheckedChange={setAutoRenew}
          />
          <Bill credits={account.data?.credits} total={total} isOldTotal={isNoLongerOffered} />
        </>
      )}
      {account.data && refusal === 'credits' ? (
        <Callout
          tone="warning"
          title={t('packages:buying.short', { amount: formatMoney(total - account.data.credits) })}
          actions={[{ label: t('packages:buying.lookAgain'), busy: account.isFetching, onClick: refetch }]}
        >
          {t('packages:buying.shortText')}
        </Callout>
      ) : null}
      <ExplainedFailure
        failure={account.error?.failure}
        handlers={{ tryAgain: refetch }}
        busy={account.isFetching}
        tone="warning"
      />
      <ExplainedFailure
        failure={failure}
        context={{ plan: name }}
        handlers={{ refresh: () => void navigate('/plans') }}
      />
    </Sheet>
  )
}

function Bill(props: { readonly credits: number | undefined; readonly total: number; readonly isOldTotal: boolean }) {
  const { credits, total, isOldTotal } = props
  const lines = [
    { label: t(isOldTotal ? 'buying.totalOld' : 'buying.total'), amount: total },
    { label: t('buying.before'), amount: credits },
    { label: t('buying.after'), amount: credits === undefined ? undefined : credits - total },
  ]
  return (
    <dl className="divide-y rounded-lg border bg-well px-3.5 py-1 tabular-nums">
      {lines.map(({ label, amount }, index) => (
        <div
          key={label}
          className={joinClassNames(
            'flex min-h-8 items-center justify-between text-muted',
            index === 0 && 'min-h-10 font-semibold text-lg text-text',
          )}
        >
          <dt>{label}</dt>
          <dd className={joinClassNames(amount !== undefined && amount < 0 && 'font-strong text-danger')}>
            {amount === undefined ? <Skeleton width={84} /> : formatMoney(amount)}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function findNameError(name: string): string | undefined {
  const problem = nameProblem(name)
  if (problem === 'tooLong') return t('buying.nameTooLong', { count: name.length })
  if (!problem) return undefined
  const invalidCharacters = name.normalize('NFC').match(/[^a-zA-Z0-9_.-]/gu) ?? []
  const labels = invalidCharacters.map((character) => (/\s/.test(character) ? t('buying.space') : `“${character}”`))
  return t('buying.nameRule', { characters: formatList(new Set(labels)) })
}

/** Buys once and ignores further clicks. Navigates only if the sheet is still open for the same connection. */
function usePurchase(connectionId: string, target: Target) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const { mutate, isPending, isSuccess, error } = useSingleAction('account.buy', {
    invalidates: ['account'],
    onSuccess: (plan) => cachePlan(queries, connectionId, plan),
  })
  const onSuccess = ({ planId, name }: AccountPlanView): void => {
    void navigate(withQuery(planPath(planId), { after: target.kind === 'again' && target.plan.planId }))
    void toast(t('buying.paid', { plan: name }), { description: t('buying.paidHint') })
  }
  const confirmPurchase = (wish: { readonly name: string; readonly autoRenew: boolean }): void => {
    const item = target.kind === 'package' ? { packageId: target.package.packageId } : { planId: target.plan.planId }
    mutate({ connectionId, ...item, ...wish }, { onSuccess })
  }
  return { pay: confirmPurchase, isPaying: isPending || isSuccess, failure: error?.failure }
}

function findFreeName(preferredName: string, takenNames: readonly string[]): string {
  const digits = preferredName
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[đĐ]/g, 'd')
    .toLowerCase()
    .replace(/[^a-z0-9_.-]+/g, '-')
    .replace(/^-+|-+$/g, '')
  const baseName = (digits || 'plan').replace(/-\d+$/, '').slice(0, limits.nameCharacters - 4)
  const names = new Set(takenNames.map((name) => name.toLowerCase()))
  for (let number = 1; ; number++) {
    const name = number === 1 ? baseName : `${baseName}-${number}`
    if (!names.has(name)) return name
  }
}
