import type { KeyView, PlanView } from '@shared/contract'
import i18next from 'i18next'
import { Pencil, SearchX, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useNavigate, useParams, useSearchParams } from 'react-router'
import { ExplainedFailure } from '../../failures'
import { formatNumber, toDateField } from '../../format'
import { useAction, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { RelativeTime } from '../../relative-time'
import { Badge } from '../../ui/badge'
import { Callout } from '../../ui/callout'
import { ConfirmDialog, Sheet } from '../../ui/dialog'
import { TextField } from '../../ui/field'
import { MenuButton } from '../../ui/menu'
import { Card, EmptyState, FactsSection, Page, PageHeader, Section } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { NameList } from '../../ui/text'
import { closeWithToast } from '../../ui/toast'
import {
  type Console,
  ConsoleFailure,
  Expiry,
  findDefaultKey,
  formatPlanNameError,
  ModelCodes,
  useAccountPlans,
  useConsole,
  useParsedAddress,
  useToolNames,
} from '../connections/account'
import { ImportedKeys } from '../keys/handouts'
import { AccountPlan } from './account-plan'
import { GatewayAddressField, OptionalPlanFields, readOptionalFields } from './plan-form'
import { PlanCheck, PlanGateway, PlanKeys, PlanTools, ReplaceKeyDialog } from './plan-sections'

const t = i18next.getFixedT(null, ['plans', 'common'])

/** Shows local data if the account is unreachable or does not list the plan. */
function PlanPageContent({ console, local }: { readonly console: Console; readonly local: readonly PlanView[] }) {
  const { planId = '' } = useParams()
  const { connectionId } = console
  const account = useAccountPlans(connectionId)
  const plans = account.data ?? []
  // The address contains the id of an account plan or of a local plan.
  const plan = plans.find((found) => found.planId === planId) ?? plans.find((found) => found.localPlanId === planId)
  const localPlan = local.find(({ id, origin }) => id === (plan?.localPlanId ?? planId) || origin?.planId === planId)
  if (connectionId !== undefined && plan) {
    return (
      <>
        {localPlan ? <ImportedKeys planId={localPlan.id} /> : null}
        <AccountPlan key={plan.planId} connectionId={connectionId} plan={plan} local={localPlan} />
      </>
    )
  }
  if (console.kind === 'looking' || (connectionId !== undefined && account.isPending)) return <SkeletonRows rows={4} />
  const failure =
    console.kind === 'there' && account.error ? (
      <ConsoleFailure connection={console.connection} query={account} />
    ) : null
  if (localPlan) {
    return (
      <>
        {localPlan.origin ? failure : null}
        <ImportedKeys planId={localPlan.id} />
        <HandedOverPlan key={localPlan.id} plan={localPlan} />
      </>
    )
  }
  return (
    failure ?? (
      <EmptyState icon={SearchX} title={t('page.gone')} actions={[{ label: t('page.toPlans'), to: '/plans' }]}>
        {t('account.page.goneText')}
      </EmptyState>
    )
  )
}

export function PlanPage() {
  const console = useConsole()
  const localPlansQuery = useCall('plans.list', {})
  return (
    <Page>
      <Loaded query={localPlansQuery} rows={4}>
        {(plans) => <PlanPageContent key={console.connectionId ?? console.kind} console={console} local={plans} />}
      </Loaded>
    </Page>
  )
}

function HandedOverPlan({ plan }: { plan: PlanView }) {
  const updatePlan = useAction('plans.update', { invalidates: ['plans'] })
  const navigate = useNavigate()
  const [query, setQuery] = useSearchParams()
  const [openedDialog, setOpenedDialog] = useState<'edit' | 'remove' | KeyView | undefined>(
    query.get('edit') === '1' ? 'edit' : query.get('paste') === '1' ? findDefaultKey(plan) : undefined,
  )
  const openPlans = (): void => void navigate('/plans', { replace: true })
  const onPlanRemoved = (): void => closeWithToast(openPlans, t('remove.removed', { name: plan.name }))
  const close = (): void => setOpenedDialog(undefined)
  const models = updatePlan.isPending ? updatePlan.variables.models : plan.models
  const contextText = t('page.tokens', { amount: formatNumber(plan.contextTokens) })
  return (
    <>
      <PageHeader
        title={plan.label ?? plan.name}
        breadcrumb={[{ label: t('title'), to: '/plans' }]}
        badge={<Badge>{t(`sources.${plan.source}`)}</Badge>}
        state={[
          plan.gatewayUrl,
          t('modelsCount', { count: plan.models.length }),
          plan.expiresAt !== undefined && (
            <Expiry key="expiry" expiresAt={plan.expiresAt} aheadMs={plan.aheadMs} inSentence />
          ),
        ]}
        actions={[
          { label: t('page.edit'), icon: Pencil, onClick: () => setOpenedDialog('edit') },
          <MenuButton
            key="menu"
            label={t('common:more')}
            items={[{ label: t('page.remove'), icon: Trash2, danger: true, onSelect: () => setOpenedDialog('remove') }]}
          />,
        ]}
      />
      <PlanCheck
        plan={plan}
        onPasteKey={() => setOpenedDialog(findDefaultKey(plan))}
        onEdit={() => setOpenedDialog('edit')}
      />
      <PlanTools plan={plan} />
      <PlanGateway gatewayUrl={plan.gatewayUrl} />
      <Section title={t('page.models')} description={t('page.modelsHint')}>
        <Card>
          <ModelCodes
            label={t('page.addModel')}
            {...(plan.models.length === 0 ? { hint: t('page.noModelsText') } : {})}
            canCopy
            codes={models}
            onChange={(codes) => updatePlan.mutate({ ...toFields(plan), models: [...codes] })}
          />
        </Card>
        <ExplainedFailure failure={updatePlan.error?.failure} context={{ plan: plan.name }} />
      </Section>
      <PlanKeys plan={plan} onReplace={setOpenedDialog} />
      <FactsSection
        title={t('page.general')}
        items={[
          { label: t('page.source'), value: t(`sources.${plan.source}`) },
          { label: t('page.added'), value: <RelativeTime at={plan.createdAt} /> },
          { label: t('page.expiry'), value: <Expiry expiresAt={plan.expiresAt} aheadMs={plan.aheadMs} /> },
          { label: t('page.context'), value: <span className="tabular-nums">{contextText}</span> },
        ]}
      />
      {typeof openedDialog === 'object' ? (
        <ReplaceKeyDialog
          plan={plan}
          keyView={openedDialog}
          onClose={close}
          onReplaced={() => {
            close()
            setQuery({ check: '1' }, { replace: true })
          }}
        />
      ) : null}
      {openedDialog === 'edit' ? <EditPlanSheet plan={plan} onClose={close} /> : null}
      {openedDialog === 'remove' ? <RemovePlanDialog plan={plan} onClose={close} onRemoved={onPlanRemoved} /> : null}
    </>
  )
}

const toFields = ({ id, name, gatewayUrl, models, contextTokens, expiresAt, caFile }: PlanView) => ({
  planId: id,
  name,
  gatewayUrl,
  models,
  contextTokens,
  ...(expiresAt === undefined ? {} : { expiresAt }),
  ...(caFile === undefined ? {} : { caFile }),
})

interface PlanDialogProps {
  readonly plan: PlanView
  readonly onClose: () => void
}

function RemovePlanDialog({ plan, onClose, onRemoved }: PlanDialogProps & { readonly onRemoved: () => void }) {
  const names = useToolNames(plan.usedBy)
  const isUsed = names.length > 0
  const removePlan = useAction('plans.remove', { invalidates: ['plans', 'tools'], onSuccess: onRemoved })
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t('remove.title', { name: plan.name })}
      description={
        <div className="flex flex-col gap-2">
          <p>{t('remove.text')}</p>
          {isUsed ? (
            <>
              <p>{t('remove.used')}</p>
              <NameList names={names} />
              <p>{t('remove.usedHint')}</p>
            </>
          ) : null}
        </div>
      }
      confirmLabel={t('remove.confirm')}
      danger
      {...(isUsed ? { typeToConfirm: plan.name } : {})}
      mutation={removePlan}
      context={{ plan: plan.name }}
      onConfirm={() => removePlan.mutate({ planId: plan.id, ...(isUsed ? { evenIfUsed: true } : {}) })}
    />
  )
}

function EditPlanSheet({ plan, onClose }: PlanDialogProps) {
  const savedDay = toDateField(plan.expiresAt)
  const [fields, setFields] = useState({
    name: plan.name,
    address: plan.gatewayUrl,
    context: String(plan.contextTokens),
    expiresOn: savedDay,
    caFile: plan.caFile ?? '',
  })
  const change = (changes: Partial<typeof fields>): void => setFields((previous) => ({ ...previous, ...changes }))
  const { data: plans = [] } = useCall('plans.list', {})
  const reading = useParsedAddress(fields.address)
  const isNameTaken = plans.some(({ id, name }) => id !== plan.id && name === fields.name)
  const nameError = formatPlanNameError(fields.name, isNameTaken)
  const optionalFields = readOptionalFields(fields)
  const gatewayUrl = reading.address?.url
  const isReady = fields.name !== '' && !nameError && gatewayUrl !== undefined && optionalFields !== undefined
  const updatePlan = useAction('plans.update', {
    invalidates: ['plans', 'tools'],
    onSuccess: () => closeWithToast(onClose, t('edit.saved')),
  })
  const submit = (): void => {
    if (!isReady) return
    // The field only contains a date. If it is unchanged, keep the saved time of day.
    const savedEnd = fields.expiresOn === savedDay && plan.expiresAt ? { expiresAt: plan.expiresAt } : {}
    const { id: planId, models } = plan
    updatePlan.mutate({ planId, name: fields.name, gatewayUrl, models, ...optionalFields, ...savedEnd })
  }
  return (
    <Sheet
      onClose={onClose}
      title={t('edit.title', { name: plan.name })}
      mutation={updatePlan}
      context={{ plan: plan.name }}
      action={{ label: t('edit.save'), onSubmit: submit, disabled: !isReady }}
    >
      <TextField
        label={t('new.name')}
        required
        hint={t('new.nameHint')}
        error={nameError}
        value={fields.name}
        onChange={(name) => change({ name })}
      />
      <GatewayAddressField
        reading={fields.address === plan.gatewayUrl ? {} : reading}
        disabled={plan.source === 'sandbox'}
        value={fields.address}
        onChange={(address) => change({ address })}
      />
      <OptionalPlanFields fields={fields} change={change} />
      {plan.usedBy.length > 0 ? (
        <Callout tone="info" title={t('edit.usedTitle', { count: plan.usedBy.length })} />
      ) : null}
    </Sheet>
  )
}
