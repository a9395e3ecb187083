import type { AccountPlanView, PlanView } from '@shared/contract'
import { KeyRound } from 'lucide-react'
import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { CopyText } from '../../copy-text'
import { useFormats } from '../../format'
import { RelativeTime } from '../../relative-time'
import { Button } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { KeyValue } from '../../ui/key-value'
import { Card, Section } from '../../ui/page'
import { Switch } from '../../ui/switch'
import type { AccountPlanProps } from './account-plan'
import styles from './account-plan.module.css'
import { Expiry } from './expiry'
import { PlanCheck } from './plan-check'
import { PlanGateway } from './plan-gateway'
import { PlanTools } from './plan-tools'
import { useIsRenewed, useSetAutoRenew } from './use-auto-renew'

function AutoRenew({ connectionId, plan }: Pick<AccountPlanProps, 'connectionId' | 'plan'>) {
  const { t } = useTranslation('plans')
  const { dateTime, money } = useFormats()
  const isOn = useIsRenewed(connectionId, plan)
  const set = useSetAutoRenew(connectionId)
  const isExpired = plan.status === 'EXPIRED'
  const values = { at: dateTime(plan.expiresAt), days: plan.cycleDays, price: money(plan.total) }
  return (
    <Card>
      <Switch
        label={t('account.autoRenew.title')}
        hint={t(`account.autoRenew.${isExpired ? 'expired' : isOn ? 'on' : 'off'}`, values)}
        checked={isOn}
        onCheckedChange={(next) => set(plan, next)}
        disabled={isExpired}
      />
    </Card>
  )
}

function Facts({ plan }: { readonly plan: AccountPlanView }) {
  const { t } = useTranslation('plans')
  const { money, dateTime } = useFormats()
  return (
    <Section title={t('account.page.facts')}>
      <Card>
        <KeyValue
          items={[
            { label: t('account.page.type'), value: plan.planType },
            {
              label: t('account.page.total'),
              value: (
                <span className="tabular">
                  {money(plan.total)} <span className={styles.quiet}>{t('account.page.vat')}</span>
                </span>
              ),
            },
            { label: t('account.page.cycle'), value: t('account.page.days', { count: plan.cycleDays }) },
            {
              label: t('account.page.purchased'),
              value: (
                <>
                  {dateTime(plan.purchasedAt)}{' '}
                  <span className={styles.quiet}>
                    (<RelativeTime at={plan.purchasedAt} />)
                  </span>
                </>
              ),
            },
            {
              label: t('account.page.expires'),
              value: (
                <>
                  {dateTime(plan.expiresAt)}{' '}
                  <span className={styles.quiet}>
                    (
                    <Expiry
                      expiresAt={plan.expiresAt}
                      aheadMs={plan.aheadMs}
                      renews={plan.autoRenew}
                      isExpired={plan.status === 'EXPIRED'}
                    />
                    )
                  </span>
                </>
              ),
            },
            {
              label: t('account.page.planId'),
              value: <code>{plan.planId}</code>,
              action: <CopyText text={plan.planId} label={t('account.page.copyPlanId')} />,
            },
          ]}
        />
      </Card>
    </Section>
  )
}

/** A live check with the key that is kept on this computer. */
function Check({ local }: { readonly local: PlanView }) {
  const [query, setQuery] = useSearchParams()
  const clear = useCallback(() => setQuery({}, { replace: true }), [setQuery])
  return (
    <PlanCheck
      plan={local}
      isAsked={query.get('check') === '1'}
      onAsked={clear}
      onPasteKey={() => setQuery({ tab: 'keys' })}
    />
  )
}

/** Tools of this computer and this plan; where no key of it is kept here, the way to that. */
function Tools({ plan, local }: Pick<AccountPlanProps, 'plan' | 'local'>) {
  const { t } = useTranslation('plans')
  const [, setQuery] = useSearchParams()
  if (local) return <PlanTools plan={local} />
  if (plan.status === 'EXPIRED' || !plan.provisioned) return null
  return (
    <Section title={t('page.tools')}>
      <EmptyState
        icon={KeyRound}
        title={t('account.page.noLocal')}
        actions={<Button onClick={() => setQuery({ tab: 'keys' })}>{t('account.page.toKeys')}</Button>}
      >
        {t('account.page.noLocalText')}
      </EmptyState>
    </Section>
  )
}

/** General information of a plan: renewal, its facts, the tools that use it, gateway, and a live check. */
export function AccountGeneral({ connectionId, plan, local }: AccountPlanProps) {
  const { t } = useTranslation('plans')
  return (
    <>
      <AutoRenew connectionId={connectionId} plan={plan} />
      <Facts plan={plan} />
      <Tools plan={plan} local={local} />
      {plan.provisioned ? (
        <PlanGateway gatewayUrl={plan.gatewayUrl} />
      ) : (
        <Section title={t('page.gateway')}>
          <Card>
            <p className={styles.quiet}>{t('account.page.masked')}</p>
          </Card>
        </Section>
      )}
      {local && plan.status === 'ACTIVE' ? <Check local={local} /> : null}
    </>
  )
}
