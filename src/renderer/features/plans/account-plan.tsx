import type { AccountPlanView, PlanView } from '@shared/contract'
import { Ellipsis, Repeat2, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { Button } from '../../ui/button'
import { IconButton } from '../../ui/icon-button'
import { Menu } from '../../ui/menu'
import { PageHeader } from '../../ui/page'
import { Facts } from '../../ui/rows'
import { Tabs } from '../../ui/tabs'
import { KeysTab } from '../keys/keys-tab'
import { BuyAgainSheet } from '../packages/buy-again-sheet'
import { AccountGeneral } from './account-general'
import { AccountModels } from './account-models'
import { AccountNotices } from './account-notices'
import { DeletePlansDialog } from './delete-plans-dialog'
import { standingOf } from './entries'
import { Expiry } from './expiry'
import { PlanStanding } from './plan-standing'

export interface AccountPlanProps {
  readonly connectionId: string
  readonly plan: AccountPlanView
  /** The plan on this computer that holds keys of it. */
  readonly local: PlanView | undefined
}

interface HeaderProps extends AccountPlanProps {
  readonly onBuyAgain: () => void
  readonly onDelete: () => void
}

function Header({ plan, local, onBuyAgain, onDelete }: HeaderProps) {
  const { t } = useTranslation(['plans', 'common'])
  const standing = standingOf({ kind: 'account', id: plan.planId, plan, local }, new Date())
  return (
    <PageHeader
      title={plan.name}
      breadcrumb={[{ label: t('plans:title'), to: '/plans' }]}
      state={
        <Facts
          items={[
            <PlanStanding key="standing" standing={standing} />,
            plan.planType,
            <Expiry
              key="expiry"
              expiresAt={plan.expiresAt}
              aheadMs={plan.aheadMs}
              renews={plan.autoRenew && plan.renewal === undefined}
              isExpired={plan.status === 'EXPIRED'}
              inSentence
            />,
            t('plans:account.keysOf', { used: plan.keysUsed, max: plan.maxKeys }),
          ]}
        />
      }
      actions={
        <>
          {standing === 'expired' ? null : (
            <Button icon={Repeat2} onClick={onBuyAgain}>
              {t('plans:account.buyAgain')}
            </Button>
          )}
          <Menu
            align="end"
            trigger={<IconButton icon={Ellipsis} label={t('common:more')} />}
            items={[{ label: t('plans:account.delete'), icon: Trash2, danger: true, onSelect: onDelete }]}
          />
        </>
      }
    />
  )
}

const tabs = ['general', 'models', 'keys'] as const

/** One plan of the account: its state, general information, models with what is left, and subscription keys. */
export function AccountPlan(props: AccountPlanProps) {
  const { connectionId, plan } = props
  const { t } = useTranslation('plans')
  const navigate = useNavigate()
  const [query, setQuery] = useSearchParams()
  const [opened, setOpened] = useState<'buyAgain' | 'delete'>()
  const tab = tabs.find((one) => one === query.get('tab')) ?? 'general'
  const close = (): void => setOpened(undefined)
  return (
    <>
      <Header {...props} onBuyAgain={() => setOpened('buyAgain')} onDelete={() => setOpened('delete')} />
      <AccountNotices plan={plan} onBuyAgain={() => setOpened('buyAgain')} />
      <Tabs
        label={t('account.page.tabs')}
        value={tab}
        onValueChange={(value) => setQuery(value === 'general' ? {} : { tab: value }, { replace: true })}
        tabs={[
          { value: 'general', label: t('account.page.general'), content: <AccountGeneral {...props} /> },
          {
            value: 'models',
            label: t('account.page.models'),
            note: plan.models.length,
            content: <AccountModels plan={plan} />,
          },
          {
            value: 'keys',
            label: t('account.page.keys'),
            note: `${plan.keysUsed}/${plan.maxKeys}`,
            content: <KeysTab connectionId={connectionId} plan={plan} />,
          },
        ]}
      />
      {opened === 'buyAgain' ? <BuyAgainSheet connectionId={connectionId} plan={plan} onClose={close} /> : null}
      {opened === 'delete' ? (
        <DeletePlansDialog
          connectionId={connectionId}
          plans={[plan]}
          onClose={close}
          onDeleted={() => void navigate('/plans', { replace: true })}
        />
      ) : null}
    </>
  )
}
