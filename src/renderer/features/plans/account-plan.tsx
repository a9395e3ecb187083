import type { AccountPlanView, Holder, PlanModelView, PlanView } from '@shared/contract'
import { planRefText } from '@shared/key-ids'
import i18next from 'i18next'
import { Boxes, KeyRound, Repeat2, Send, Trash2, Wrench } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { CopyCode, CopyText } from '../../copy-text'
import { formatDateTime, formatList, formatMoney, formatRelative } from '../../format'
import { useCall } from '../../ipc'
import { bulkHandoutPath } from '../../paths'
import { RelativeTime, toServerTime, useNow } from '../../relative-time'
import { Badge, type Tone } from '../../ui/badge'
import { Callout } from '../../ui/callout'
import { QuietCode } from '../../ui/code'
import { MenuButton } from '../../ui/menu'
import { Card, EmptyState, FactsSection, MutedCard, PageHeader, RowSection, Section } from '../../ui/page'
import { Row, RowIcon } from '../../ui/rows'
import { ProgressBar } from '../../ui/skeleton'
import { Switch } from '../../ui/switch'
import { Tabs } from '../../ui/tabs'
import { useAddressQuery } from '../../window-state'
import {
  type Allowance,
  allowanceKinds,
  allowanceTexts,
  Expiry,
  formatPlanEnd,
  getCycleShare,
  getPlanStatus,
  isAheadOfPace,
  modelShare,
  PlanStatusLabel,
  readAllowance,
  useToolNames,
} from '../connections/account'
import { KeysTab } from '../keys'
import { useHandoutsStore } from '../keys/handouts'
import { SwitchModelButton, setUpPath } from '../tools'
import { AllowanceGauge, findModel, usePlanQuota } from '../usage/quota'
import { DeletePlansDialog } from './delete-plans-dialog'
import { BuySheet } from './packages/buy-sheet'
import { PlanCheck, PlanGateway, PlanTools } from './plan-sections'
import { useIsRenewed, useSetAutoRenew } from './use-auto-renew'

const t = i18next.getFixedT(null, ['plans', 'common'])

interface AccountPlanProps {
  readonly connectionId: string
  readonly plan: AccountPlanView
  readonly local: PlanView | undefined
}

const tabs = ['general', 'models', 'keys'] as const

export function AccountPlan(props: AccountPlanProps) {
  const { connectionId, plan } = props
  const navigate = useNavigate()
  const [query, changeQuery] = useAddressQuery()
  const [openedDialog, setOpenedDialog] = useState<'buyAgain' | 'delete'>()
  const tab = tabs.find((candidate) => candidate === query.get('tab')) ?? 'general'
  const afterParameter = query.get('after')
  const close = (): void => setOpenedDialog(undefined)
  const askDelete = (): void => setOpenedDialog('delete')
  const deleteItem = { label: t('plans:account.delete'), icon: Trash2, danger: true, onSelect: askDelete }
  const planStatus = getPlanStatus({ kind: 'account', id: plan.planId, plan, local: props.local }, new Date())
  return (
    <>
      <PageHeader
        title={plan.label ?? plan.name}
        breadcrumb={[{ label: t('plans:title'), to: '/plans' }]}
        state={[
          <PlanStatusLabel key="standing" standing={planStatus} />,
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
        actions={[
          planStatus !== 'expired' && {
            label: t('plans:account.buyAgain'),
            icon: Repeat2,
            onClick: () => setOpenedDialog('buyAgain'),
          },
          <MenuButton key="menu" label={t('common:more')} items={[deleteItem]} />,
        ]}
      />
      <AccountNotices plan={plan} onBuyAgain={() => setOpenedDialog('buyAgain')} />
      {afterParameter === null ? null : <AfterPurchase {...props} oldPlanId={afterParameter} />}
      <Tabs
        label={t('plans:account.page.tabs')}
        value={tab}
        onValueChange={(value) => changeQuery({ tab: value === 'general' ? undefined : value })}
        tabs={[
          { value: 'general', label: t('plans:account.page.general'), content: <AccountGeneralSection {...props} /> },
          {
            value: 'models',
            label: t('plans:account.page.models'),
            note: plan.models.length,
            content: <AccountModels plan={plan} />,
          },
          {
            value: 'keys',
            label: t('plans:account.page.keys'),
            note: `${plan.keysUsed}/${plan.maxKeys}`,
            content: <KeysTab connectionId={connectionId} plan={plan} />,
          },
        ]}
      />
      {openedDialog === 'buyAgain' ? (
        <BuySheet connectionId={connectionId} target={{ kind: 'again', plan }} onClose={close} />
      ) : null}
      {openedDialog === 'delete' ? (
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

function AccountNotices({ plan, onBuyAgain }: { readonly plan: AccountPlanView; readonly onBuyAgain: () => void }) {
  const currentTime = toServerTime(useNow(), plan)
  if (plan.status === 'EXPIRED') {
    const end = formatPlanEnd({ expiresAt: plan.expiresAt, isExpired: true }, currentTime)
    const actions = [{ label: t('account.buyAgain'), icon: Repeat2, onClick: onBuyAgain }]
    return (
      <Callout tone="danger" title={t('account.page.expired')} actions={actions}>
        {t('account.page.expiredText', { when: end.short })}
      </Callout>
    )
  }
  if (plan.renewal) {
    const { failedAttempts, nextAttemptAt } = plan.renewal
    return (
      <Callout tone="danger" title={t('account.page.renewalFailing')}>
        {t('account.page.renewalFailingText', { count: failedAttempts, price: formatMoney(plan.total) })}{' '}
        {nextAttemptAt && t('account.page.nextAttempt', { when: formatRelative(nextAttemptAt, currentTime).short })}
      </Callout>
    )
  }
  if (plan.provisioned) return null
  return (
    <Callout tone="info" title={t('account.page.provisioning')}>
      <p>{t('account.page.provisioningText')}</p>
      <div className="mt-2">
        <ProgressBar label={t('account.page.provisioning')} />
      </div>
    </Callout>
  )
}

/** Model states for which there is a translation. Other states are shown as received. */
const states: Readonly<Record<string, { readonly tone: Tone; readonly word: 'modelActive' | 'modelOut' }>> = {
  ACTIVE: { tone: 'success', word: 'modelActive' },
  EXHAUSTED: { tone: 'danger', word: 'modelOut' },
}

function Model({ model, plan }: { readonly model: PlanModelView; readonly plan: AccountPlanView }) {
  const quota = findModel(usePlanQuota(plan.planId), model.modelCode)
  const cycle = getCycleShare(plan, toServerTime(useNow(), plan))
  const getAllowanceNote = (modelAllowance: Allowance): string | undefined => {
    if (modelAllowance.level === 'out') return t('account.allowance.paused')
    if (modelAllowance.level === 'low') return t('account.allowance.low')
    return isAheadOfPace(modelAllowance, cycle) ? t('account.allowance.ahead') : undefined
  }
  const state = states[model.status]
  const facts = [
    { label: t('account.page.hosting'), value: model.hostingMode },
    { label: t('account.page.types'), value: model.enabledTypes.join(', ') || t('account.page.noTypes') },
    {
      label: t('account.page.endpoint'),
      value: plan.provisioned ? (
        <>
          <QuietCode wrap>{model.endpoint}</QuietCode>
          <CopyText text={model.endpoint} label={t('account.page.copyEndpoint', { model: model.displayName })} />
        </>
      ) : (
        <span className="text-muted">{t('account.page.masked')}</span>
      ),
    },
  ]
  return (
    <li className="flex flex-col gap-3 rounded-lg border bg-surface px-4.5 pt-3.5 pb-3">
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <h3 className="text-lg">{model.displayName}</h3>
        <CopyCode code={model.modelCode} />
        <span className="ml-auto">
          <Badge tone={state?.tone ?? 'neutral'}>{state ? t(`account.page.${state.word}`) : model.status}</Badge>
        </span>
      </div>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(220px,1fr))] gap-x-8 gap-y-3">
        {allowanceKinds.map((kind) => {
          const modelAllowance = readAllowance(model, kind)
          const forecast = quota?.[kind].forecast
          return (
            <AllowanceGauge
              key={kind}
              allowance={modelAllowance}
              model={model.displayName}
              pace={cycle}
              forecast={forecast}
              renews={plan.autoRenew}
              remark={getAllowanceNote(modelAllowance)}
              isFast={!forecast && modelAllowance.level === 'ample' && isAheadOfPace(modelAllowance, cycle)}
            />
          )
        })}
      </div>
      {plan.localPlanId !== undefined && modelShare(model) === 0 ? (
        <div className="empty:hidden">
          <SwitchModelButton planId={plan.localPlanId} modelCode={model.modelCode} />
        </div>
      ) : null}
      <dl className="flex flex-wrap gap-x-8 gap-y-1 border-t pt-2.5 text-sm">
        {facts.map(({ label, value }) => (
          <div key={label} className="flex min-h-6 min-w-0 items-center gap-2">
            <dt className="text-muted">{label}</dt>
            <dd className="inline-flex min-w-0 items-center gap-0.5">{value}</dd>
          </div>
        ))}
      </dl>
    </li>
  )
}

function AccountModels({ plan }: { readonly plan: AccountPlanView }) {
  const cycle = getCycleShare(plan, toServerTime(useNow(), plan))
  if (plan.models.length === 0) return <EmptyState icon={Boxes} title={t('account.page.noModels')} />
  return (
    <Section
      title={t('account.page.models')}
      description={
        <>
          {t('account.page.modelsHint')}
          {cycle === undefined ? null : ` ${t('account.allowance.mark', { share: allowanceTexts.share(cycle) })}`}
        </>
      }
    >
      <ul className="flex flex-col gap-3">
        {plan.models.map((model) => (
          <Model key={model.modelCode} model={model} plan={plan} />
        ))}
      </ul>
    </Section>
  )
}

function AccountGeneralSection({ connectionId, plan, local }: AccountPlanProps) {
  const [, setQuery] = useSearchParams()
  const isRenewalOn = useIsRenewed(connectionId, plan)
  const set = useSetAutoRenew(connectionId)
  const { purchasedAt, expiresAt, aheadMs } = plan
  const isExpired = plan.status === 'EXPIRED'
  const values = { at: formatDateTime(expiresAt), days: plan.cycleDays, price: formatMoney(plan.total) }
  const renderTime = (iso: string, relativeTime: ReactNode) => (
    <>
      {formatDateTime(iso)} <span className="text-muted">({relativeTime})</span>
    </>
  )
  return (
    <>
      <Card>
        <Switch
          label={t('account.autoRenew.title')}
          hint={t(`account.autoRenew.${isExpired ? 'expired' : isRenewalOn ? 'on' : 'off'}`, values)}
          checked={isRenewalOn}
          onCheckedChange={(isChecked) => set(plan, isChecked)}
          disabled={isExpired}
        />
      </Card>
      <FactsSection
        title={t('account.page.facts')}
        items={[
          { label: t('account.page.type'), value: plan.planType },
          {
            label: t('account.page.total'),
            value: (
              <span className="tabular-nums">
                {formatMoney(plan.total)} <span className="text-muted">{t('account.page.vat')}</span>
              </span>
            ),
          },
          { label: t('account.page.cycle'), value: t('account.page.days', { count: plan.cycleDays }) },
          {
            label: t('account.page.purchased'),
            value: renderTime(purchasedAt, <RelativeTime at={purchasedAt} aheadMs={aheadMs} />),
          },
          {
            label: t('account.page.expires'),
            value: renderTime(expiresAt, <Expiry {...{ expiresAt, aheadMs, isExpired }} renews={plan.autoRenew} />),
          },
          {
            label: t('account.page.planId'),
            value: <code>{plan.planId}</code>,
            action: <CopyText text={plan.planId} label={t('account.page.copyPlanId')} />,
          },
        ]}
      />
      {local ? (
        <PlanTools plan={local} />
      ) : isExpired || !plan.provisioned ? null : (
        <Section title={t('page.tools')}>
          <EmptyState
            icon={KeyRound}
            title={t('account.page.noLocal')}
            actions={[{ label: t('account.page.toKeys'), onClick: () => setQuery({ tab: 'keys' }) }]}
          >
            {t('account.page.noLocalText')}
          </EmptyState>
        </Section>
      )}
      {plan.provisioned ? (
        <PlanGateway gatewayUrl={plan.gatewayUrl} />
      ) : (
        <Section title={t('page.gateway')}>
          <MutedCard>{t('account.page.masked')}</MutedCard>
        </Section>
      )}
      {local && plan.status === 'ACTIVE' ? (
        <PlanCheck plan={local} onPasteKey={() => setQuery({ tab: 'keys' })} />
      ) : null}
    </>
  )
}

/** After an expired plan was bought again, offers to give the new plan to the old plan's holders and tools. */
interface AfterPurchaseProps {
  readonly connectionId: string
  readonly plan: AccountPlanView
  readonly local: PlanView | undefined
  /** Account's id of the old plan, of which the user has bought a new one. */
  readonly oldPlanId: string
}

function AfterPurchase({ connectionId, plan, local, oldPlanId }: AfterPurchaseProps) {
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
    <RowSection title={t('afterPurchase.title')} description={t('afterPurchase.text')}>
      {toolIds.length === 0 ? null : (
        <Row
          leading={<RowIcon icon={Wrench} />}
          title={t('afterPurchase.tools', { count: toolIds.length })}
          description={formatList(toolNames)}
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
          description={formatList(holders.map((holder) => holder.name))}
          trailing={[{ label: t('afterPurchase.issue'), disabled: !plan.provisioned, onClick: openIssuePage }]}
        />
      )}
    </RowSection>
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
