import type { PlanView } from '@shared/contract'
import { KeyRound, Layers, Plus, Search, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Button, ButtonLink } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { TextInput } from '../../ui/field'
import { IconButton } from '../../ui/icon-button'
import { Page, PageHeader } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { findPlans } from './find-plans'
import { PlansTable } from './plans-table'

/** Beyond this many plans a search is of use. */
const fewPlans = 5

function NoPlans() {
  const { t } = useTranslation('plans')
  return (
    <EmptyState
      icon={Layers}
      title={t('empty.title')}
      actions={
        <>
          <ButtonLink to="/sandbox">{t('empty.sandbox')}</ButtonLink>
          <ButtonLink variant="primary" icon={KeyRound} to="/plans/new">
            {t('empty.handed')}
          </ButtonLink>
        </>
      }
    >
      {t('empty.text')}
    </EmptyState>
  )
}

function PlanList({ plans }: { plans: readonly PlanView[] }) {
  const { t } = useTranslation('plans')
  const [text, setText] = useState('')
  if (plans.length === 0) return <NoPlans />
  const found = findPlans(plans, text)
  return (
    <>
      {plans.length > fewPlans ? (
        <TextInput
          type="search"
          aria-label={t('search')}
          placeholder={t('searchHint')}
          leading={<Search size={14} aria-hidden="true" />}
          trailing={
            text === '' ? null : <IconButton icon={X} size="sm" label={t('clearSearch')} onClick={() => setText('')} />
          }
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      ) : null}
      {found.length === 0 ? (
        <EmptyState
          icon={Search}
          title={t('noMatch', { text })}
          actions={<Button onClick={() => setText('')}>{t('clearSearch')}</Button>}
        />
      ) : (
        <PlansTable plans={found} />
      )}
    </>
  )
}

/** The plans of this computer. */
export function PlansPage() {
  const { t } = useTranslation('plans')
  const query = useCall('plans.list', {})
  const count = query.data?.length ?? 0
  return (
    <Page width="wide">
      <PageHeader
        title={t('title')}
        state={query.data ? (count === 0 ? t('stateNone') : t('state', { count })) : null}
        actions={
          <ButtonLink variant={count === 0 ? 'secondary' : 'primary'} icon={Plus} to="/plans/new">
            {t('add')}
          </ButtonLink>
        }
      />
      <Loaded query={query} skeleton={<SkeletonRows rows={3} />}>
        {(plans) => <PlanList plans={plans} />}
      </Loaded>
    </Page>
  )
}
