import type { AccountView } from '@shared/contract'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useFormats } from '../../format'
import { Button } from '../../ui/button'
import { Sheet } from '../../ui/dialog'
import { FieldGroup } from '../../ui/field'
import { Switch } from '../../ui/switch'
import { ExplainedFailure } from '../failures/explained-failure'
import { nameProblem } from '../plans/plan-fields'
import { useAccount, useAccountPlans } from '../plans/use-console'
import { Balance, TooLittle } from './balance'
import { PlanNameField } from './plan-name-field'
import { freeName, mayBuy, missingCredits } from './purchase'
import { RoleNotice } from './role-notice'
import { type Target, usePurchase } from './use-purchase'

export interface BuySheetProps {
  readonly connectionId: string
  readonly target: Target
  readonly title: string
  readonly description: string
  /** What a name is suggested from: the type, or the old plan's name. */
  readonly nameFrom: string
  /** VND. */
  readonly total: number
  readonly isOldTotal?: boolean
  readonly days: number
  /** Something to know first. */
  readonly notice?: ReactNode
  readonly onClose: () => void
}

type Refusal = 'role' | 'credits' | undefined

const refusalOf = (account: AccountView | undefined, total: number): Refusal =>
  !account ? undefined : !mayBuy(account) ? 'role' : missingCredits(account, total) > 0 ? 'credits' : undefined

/** What was typed, or else a name that is free. */
function useName(connectionId: string, from: string) {
  const { data: plans } = useAccountPlans(connectionId)
  const [typed, setTyped] = useState<string>()
  const taken = plans?.map(({ name }) => name) ?? []
  const name = typed ?? freeName(from, taken)
  return { name, setName: setTyped, isTaken: taken.includes(name) }
}

function Foot(props: {
  readonly formId: string
  readonly price: string
  readonly isPaying: boolean
  readonly isNameWrong: boolean
  readonly canPay: boolean
  readonly onClose: () => void
}) {
  const { t } = useTranslation(['packages', 'common'])
  return (
    <>
      <Button onClick={props.onClose} disabled={props.isPaying}>
        {t(props.canPay ? 'common:cancel' : 'common:close')}
      </Button>
      {props.canPay ? (
        <Button type="submit" form={props.formId} variant="primary" busy={props.isPaying} disabled={props.isNameWrong}>
          {props.isPaying ? t('packages:buying.paying') : t('packages:buying.pay', { price: props.price })}
        </Button>
      ) : null}
    </>
  )
}

/** Buys: name, auto-renew, total and balance. In place of a button that would be refused stands why, and what can be done. */
export function BuySheet(props: BuySheetProps) {
  const { connectionId, target, total, days, onClose } = props
  const { t } = useTranslation(['packages', 'plans'])
  const { money } = useFormats()
  const navigate = useNavigate()
  const formId = useId()
  const account = useAccount(connectionId)
  const { name, setName, isTaken } = useName(connectionId, props.nameFrom)
  const [autoRenew, setAutoRenew] = useState(true)
  const { pay, isPaying, failure } = usePurchase(connectionId, target)
  const refusal = refusalOf(account.data, total)
  const isNameWrong = name === '' || nameProblem(name) !== undefined
  // It may have been paid already: the list of plans tells, not another try.
  const isInDoubt = failure?.code === 'account.unknownOutcome'
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!isNameWrong && !refusal && !isInDoubt) pay({ name, autoRenew })
  }
  return (
    <Sheet
      open
      onOpenChange={(open) => {
        if (!open && !isPaying) onClose()
      }}
      title={props.title}
      description={props.description}
      footer={
        <Foot
          formId={formId}
          price={money(total)}
          isPaying={isPaying}
          isNameWrong={isNameWrong}
          canPay={refusal === undefined && !isInDoubt}
          onClose={onClose}
        />
      }
    >
      <form id={formId} onSubmit={submit} noValidate>
        <FieldGroup>
          {props.notice}
          <RoleNotice connectionId={connectionId} />
          {refusal === 'role' ? null : (
            <>
              <PlanNameField name={name} onChange={setName} isTaken={isTaken} />
              <Switch
                label={t('packages:buying.autoRenew')}
                hint={t(autoRenew ? 'packages:buying.autoRenewOn' : 'packages:buying.autoRenewOff', {
                  days,
                  price: money(total),
                })}
                checked={autoRenew}
                onCheckedChange={setAutoRenew}
              />
              <Balance account={account.data} total={total} isOldTotal={props.isOldTotal ?? false} />
            </>
          )}
          {account.data && refusal === 'credits' ? (
            <TooLittle
              account={account.data}
              total={total}
              busy={account.isFetching}
              onLookAgain={() => void account.refetch()}
            />
          ) : null}
          {account.error ? (
            <ExplainedFailure
              failure={account.error.failure}
              handlers={{ tryAgain: () => void account.refetch() }}
              busy={account.isFetching}
              tone="warning"
            />
          ) : null}
          {failure ? (
            <ExplainedFailure
              failure={failure}
              context={{ plan: name }}
              handlers={{ refresh: () => void navigate('/plans') }}
            />
          ) : null}
        </FieldGroup>
      </form>
    </Sheet>
  )
}
