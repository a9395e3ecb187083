import type { AccountPlanView, Holder, PlanView } from '@shared/contract'
import { planRefText } from '@shared/key-ids'
import { Send, Wrench } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { formatList, useFormats } from '../../format'
import { useCall } from '../../ipc'
import { bulkHandoutPath } from '../../paths'
import { Section } from '../../ui/page'
import { Row, RowIcon, Rows } from '../../ui/rows'
import { useToolNames } from '../connections/account'
import { useHandoutsStore } from '../keys/handouts'
import { setUpPath } from '../tools'

/** After an expired plan was bought again, offers to give the new plan to the old plan's holders and tools. */
interface AfterPurchaseProps {
  readonly connectionId: string
  readonly plan: AccountPlanView
  readonly local: PlanView | undefined
  /** Account's id of the old plan, of which the user has bought a new one. */
  readonly oldPlanId: string
}

export function AfterPurchase({ connectionId, plan, local, oldPlanId }: AfterPurchaseProps) {
  const { t } = useTranslation('plans')
  const { locale } = useFormats()
  const navigate = useNavigate()
  const { data: entries = [] } = useCall('register.list', {})
  const { data: plans = [] } = useCall('plans.list', {})
  /** Holders of a plan's keys by name. A holder's own key decides the holder's kind. */
  const findHolders = (planId: string): ReadonlyMap<string, Holder> => {
    const planEntries = entries
      .filter(({ deleteAt, status }) => deleteAt === undefined && status !== 'gone')
      .filter(({ origin }) => isSamePlan(origin, { connectionId, planId }))
    const sharers = planEntries.flatMap(({ alsoServes }) => alsoServes)
    return new Map<string, Holder>([
      ...sharers.map((sharer) => [sharer, { kind: 'person', name: sharer }] as const),
      ...planEntries.flatMap(({ holder }) => (holder ? [[holder.name, holder] as const] : [])),
    ])
  }
  const servedHolders = findHolders(plan.planId)
  const holders = [...findHolders(oldPlanId).values()].filter((holder) => !servedHolders.has(holder.name))
  const toolIds = plans.find(({ origin }) => isSamePlan(origin, { connectionId, planId: oldPlanId }))?.usedBy ?? []
  const toolNames = useToolNames(toolIds)
  if (holders.length === 0 && toolIds.length === 0) return null
  const openIssuePage = (): void => {
    useHandoutsStore.setState({ names: toHolderLines(holders), results: [] })
    const query = new URLSearchParams({ plan: planRefText({ connectionId, planId: plan.planId }) })
    void navigate(`${bulkHandoutPath}?${query.toString()}`)
  }
  return (
    <Section title={t('afterPurchase.title')} description={t('afterPurchase.text')}>
      <Rows label={t('afterPurchase.title')}>
        {toolIds.length === 0 ? null : (
          <Row
            leading={<RowIcon icon={Wrench} />}
            title={t('afterPurchase.tools', { count: toolIds.length })}
            description={formatList(toolNames, locale)}
            trailing={
              local ? (
                [
                  {
                    label: t('afterPurchase.moveTools'),
                    variant: 'primary',
                    to: setUpPath({ toolIds, planId: local.id }),
                  },
                ]
              ) : (
                <span className="text-muted text-sm">{t('account.page.masked')}</span>
              )
            }
          />
        )}
        {holders.length === 0 ? null : (
          <Row
            leading={<RowIcon icon={Send} />}
            title={t('afterPurchase.holders', { count: holders.length })}
            description={formatList(
              holders.map((holder) => holder.name),
              locale,
            )}
            trailing={[{ label: t('afterPurchase.issue'), disabled: !plan.provisioned, onClick: openIssuePage }]}
          />
        )}
      </Rows>
    </Section>
  )
}

type AccountPlanId = NonNullable<PlanView['origin']>

const isSamePlan = (origin: AccountPlanId | undefined, planId: AccountPlanId): boolean =>
  origin !== undefined && planRefText(origin) === planRefText(planId)

/** Holders as lines for the bulk form. Tools, and names with a comma or quote, need CSV format. */
const toHolderLines = (holders: readonly Holder[]): string =>
  holders
    .map(({ name, kind }) =>
      kind === 'person' && !/[",]/.test(name) ? name : `"${name.replaceAll('"', '""')}",${kind}`,
    )
    .join('\n')
