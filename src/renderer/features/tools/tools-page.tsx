import type { PlanView, ToolView } from '@shared/contract'
import { Wrench } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { EmptyState } from '../../ui/empty-state'
import { Page, PageHeader } from '../../ui/page'
import { Rows } from '../../ui/rows'
import { SkeletonRows } from '../../ui/skeleton'
import { AddPlanFirst } from './add-plan-first'
import { ToolRow } from './tool-row'

/** One line of state: how many tools use a plan, and how many need a look. */
function StateLine({ tools }: { tools: readonly ToolView[] }) {
  const { t } = useTranslation('tools')
  const inUse = tools.filter(({ applied }) => applied !== undefined).length
  const attention = tools.filter(({ status }) => status === 'drifted' || status === 'unreadable').length
  if (inUse === 0 && attention === 0) return t('state.none')
  return (
    <>
      {inUse > 0 ? t('state.some', { count: inUse }) : null}{' '}
      {attention > 0 ? t('state.attention', { count: attention }) : null}
    </>
  )
}

function ToolList({ tools, plans }: { tools: readonly ToolView[]; plans: readonly PlanView[] | undefined }) {
  const { t } = useTranslation('tools')
  if (tools.length === 0) {
    return (
      <EmptyState icon={Wrench} title={t('emptyTitle')}>
        {t('emptyText')}
      </EmptyState>
    )
  }
  return (
    <>
      {plans?.length === 0 ? <AddPlanFirst /> : null}
      <Rows label={t('list')}>
        {tools.map((tool) => (
          <ToolRow key={tool.id} tool={tool} canConfigure={plans === undefined || plans.length > 0} />
        ))}
      </Rows>
    </>
  )
}

/** The coding tools of this computer: what each uses, in what state it is, and the next thing to do. */
export function ToolsPage() {
  const { t } = useTranslation('tools')
  const tools = useCall('tools.list', {})
  const plans = useCall('plans.list', {})
  return (
    <Page>
      <PageHeader title={t('title')} state={tools.data ? <StateLine tools={tools.data} /> : null} />
      <Loaded query={tools} skeleton={<SkeletonRows rows={2} />}>
        {(data) => <ToolList tools={data} plans={plans.data} />}
      </Loaded>
    </Page>
  )
}
