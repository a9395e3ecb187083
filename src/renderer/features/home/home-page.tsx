import { Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { useNow } from '../../relative-time'
import { ButtonLink } from '../../ui/button'
import { Card, MoreLink, Page, PageHeader, Section } from '../../ui/page'
import { Facts } from '../../ui/rows'
import { Skeleton, SkeletonRows } from '../../ui/skeleton'
import { useToolsStore } from '../tools/tools-store'
import { useBegin } from '../welcome/use-begin'
import { Ways } from '../welcome/ways'
import styles from './home-page.module.css'
import { LatestRequests } from './latest-requests'
import { needsNow } from './needs'
import { AllInOrder, Looking, NeedsSection } from './needs-section'
import { PlanRows } from './plan-rows'
import { ToolRows } from './tool-rows'

function useMachine() {
  const app = useCall('app.get', {})
  const plans = useCall('plans.list', {})
  const tools = useCall('tools.list', {})
  const sandbox = useCall('sandbox.get', {})
  return { app, plans, tools, sandbox }
}

type Machine = ReturnType<typeof useMachine>

function Attention({ app, plans, tools, sandbox }: Machine) {
  const now = useNow()
  const verifications = useToolsStore((store) => store.verifications)
  const situation = { app: app.data, plans: plans.data, tools: tools.data, sandbox: sandbox.data, verifications }
  const needs = needsNow(situation, now)
  const asked = [app, plans, tools, sandbox]
  if (needs.length > 0) return <NeedsSection needs={needs} tools={tools.data ?? []} now={now} />
  if (asked.some(({ isError }) => isError) || plans.data?.length === 0) return null
  return asked.every(({ data }) => data !== undefined) ? <AllInOrder /> : <Looking />
}

function Plans({ plans, sandbox }: Machine) {
  const { t } = useTranslation('home')
  const now = useNow()
  return (
    <Section title={t('plans.title')} actions={<MoreLink to="/plans">{t('plans.all')}</MoreLink>}>
      <Loaded query={plans} skeleton={<SkeletonRows rows={2} />}>
        {(all) => <PlanRows plans={all} sandbox={sandbox.data} now={now} />}
      </Loaded>
    </Section>
  )
}

function Tools({ tools }: Machine) {
  const { t } = useTranslation('home')
  return (
    <Section title={t('tools.title')} actions={<MoreLink to="/tools">{t('tools.all')}</MoreLink>}>
      <Loaded query={tools} skeleton={<SkeletonRows rows={2} />}>
        {(all) =>
          all.length === 0 ? (
            <Card>
              <p className={styles.quiet}>{t('tools.empty')}</p>
            </Card>
          ) : (
            <ToolRows tools={all} />
          )
        }
      </Loaded>
    </Section>
  )
}

function State({ plans, tools }: Machine) {
  const { t } = useTranslation('home')
  if (plans.isPending || tools.isPending) return <Skeleton width={180} height={19} />
  const configured = tools.data?.filter(({ status }) => status === 'configured').length ?? 0
  return (
    <Facts
      items={[
        plans.data ? t('state.plans', { count: plans.data.length }) : null,
        tools.data?.length ? t('state.tools', { configured, count: tools.data.length }) : null,
      ]}
    />
  )
}

/** Home: what needs a person now, the plans, the tools, and what happened lately. */
export function HomePage() {
  const { t } = useTranslation('home')
  const machine = useMachine()
  const begin = useBegin()
  if (machine.plans.data?.length === 0) {
    return (
      <Page>
        <PageHeader title={t('title')} state={t('state.empty')} />
        <Attention {...machine} />
        <Ways begin={begin} />
        <Tools {...machine} />
      </Page>
    )
  }
  return (
    <Page>
      <PageHeader
        title={t('title')}
        state={<State {...machine} />}
        actions={
          <ButtonLink to="/plans/new" icon={Plus}>
            {t('addPlan')}
          </ButtonLink>
        }
      />
      <Attention {...machine} />
      <Plans {...machine} />
      <Tools {...machine} />
      {machine.sandbox.data?.state === 'running' ? <LatestRequests /> : null}
    </Page>
  )
}
