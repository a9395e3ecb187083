import type { HandoutResult } from '@shared/contract'
import { KeyRound, UsersRound } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { ButtonLink } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { Page, PageHeader } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { registerPath } from '../register/paths'
import { HandoutForm } from './handout-form'
import { HandoutReady } from './handout-result'
import { MadeKits } from './made-kits'
import { handoutManyPath } from './paths'
import { emptyDraft } from './wish'

/** Says that there is no plan here whose key could be handed out. */
export function NoPlans() {
  const { t } = useTranslation('handouts')
  return (
    <EmptyState
      icon={KeyRound}
      title={t('noPlans.title')}
      actions={
        <ButtonLink variant="primary" to="/plans">
          {t('noPlans.action')}
        </ButtonLink>
      }
    >
      {t('noPlans.text')}
    </EmptyState>
  )
}

function Handout() {
  const [query, setQuery] = useSearchParams()
  const plans = useCall('plans.list', {})
  const tools = useCall('tools.list', {})
  const [shown, show] = useState<HandoutResult>()
  const [round, setRound] = useState(0)
  const [planId, keyId] = [query.get('plan'), query.get('key')]
  const another = (): void => {
    show(undefined)
    setRound(round + 1)
    setQuery(planId === null ? {} : { plan: planId }, { replace: true })
  }
  if (shown) {
    return (
      <>
        <HandoutReady result={shown} onAnother={another} />
        <MadeKits except={shown.id} />
      </>
    )
  }
  return (
    <Loaded query={plans} skeleton={<SkeletonRows rows={6} />}>
      {(all) => (
        <Loaded query={tools} skeleton={<SkeletonRows rows={6} />}>
          {(list) =>
            all.length === 0 ? (
              <NoPlans />
            ) : (
              <>
                <HandoutForm
                  key={`${round} ${planId ?? ''} ${keyId ?? ''}`}
                  plans={all}
                  tools={list}
                  onMade={show}
                  first={emptyDraft({ ...(planId !== null && { planId }), ...(keyId !== null && { keyId }) })}
                />
                <MadeKits />
              </>
            )
          }
        </Loaded>
      )}
    </Loaded>
  )
}

/** Hands out one key: to whom, which key, how locked; then what to send how. */
export function HandoutPage() {
  const { t } = useTranslation(['handouts', 'register'])
  return (
    <Page width="narrow">
      <PageHeader
        title={t('handouts:title')}
        state={t('handouts:state')}
        breadcrumb={[{ label: t('register:title'), to: registerPath }]}
        actions={
          <ButtonLink icon={UsersRound} to={handoutManyPath}>
            {t('handouts:toMany')}
          </ButtonLink>
        }
      />
      <Handout />
    </Page>
  )
}
