import type { PlanView, RelayTool, RelayWay } from '@shared/contract'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { Field } from '../../ui/field'
import { Select } from '../../ui/select'
import { toast } from '../../ui/toast'
import { ExplainedFailure } from '../failures/explained-failure'
import { keyChoice, keyOf } from '../tools/choice'
import { KeyField } from '../tools/key-field'
import { FailoverList } from './failover-list'
import styles from './way-dialog.module.css'
import { isSameWay } from './ways'

interface WayDialogProps {
  readonly tool: RelayTool
  readonly plans: readonly PlanView[]
  readonly onClose: () => void
}

/** The way as it is chosen: that in use, or the first plan that has a key. */
function useWay({ tool, plans }: Omit<WayDialogProps, 'onClose'>) {
  const usable = plans.filter(({ keys }) => keys.length > 0)
  const [planId, setPlanId] = useState(tool.way?.planId)
  const [keyId, setKeyId] = useState(tool.way?.keyId)
  const [failover, setFailover] = useState<readonly RelayWay[]>(() =>
    tool.failover.map(({ planId: id, keyId: key }) => ({ planId: id, ...(key === undefined ? {} : { keyId: key }) })),
  )
  const plan = usable.find(({ id }) => id === planId) ?? usable[0]
  const way = plan && { planId: plan.id, ...keyChoice(plan, keyOf(plan, keyId)) }
  const choosePlan = (id: string): void => {
    setPlanId(id)
    setKeyId(undefined)
  }
  return {
    usable,
    plan,
    way,
    choosePlan,
    setKeyId,
    setFailover,
    // What is used first is not tried again in its own place.
    failover: way ? failover.filter((one) => !isSameWay(one, way, plans)) : failover,
  }
}

function Choice({
  way: state,
  plans,
}: {
  readonly way: ReturnType<typeof useWay>
  readonly plans: readonly PlanView[]
}) {
  const { t } = useTranslation('relay')
  const { usable, plan, way, failover } = state
  if (!plan || !way) return <p className={styles.hint}>{t('way.noPlans')}</p>
  return (
    <>
      <div className={styles.fields}>
        <Field label={t('way.plan')}>
          <Select
            value={plan.id}
            onValueChange={state.choosePlan}
            options={usable.map(({ id, name, gatewayUrl }) => ({ value: id, label: name, hint: gatewayUrl }))}
          />
        </Field>
        <KeyField plan={plan} value={way.keyId ?? keyOf(plan, undefined)} onChange={state.setKeyId} />
      </div>
      <FailoverList plans={plans} first={way} ways={failover} onChange={state.setFailover} />
    </>
  )
}

/** Which plan and key the relay uses for a tool, and what in their place; in force with the next request. */
export function WayDialog({ tool, plans, onClose }: WayDialogProps) {
  const { t } = useTranslation(['relay', 'common'])
  const formId = useId()
  const state = useWay({ tool, plans })
  const { plan, way, failover } = state
  const { toolId, toolName } = tool
  const saving = useAction('relay.setWay', {
    invalidates: ['relay', 'tools'],
    onSuccess: () => {
      onClose()
      void toast(t('way.saved', { tool: toolName, plan: plan?.name }))
    },
  })
  const save = (event: FormEvent): void => {
    event.preventDefault()
    if (way && !saving.isPending) saving.mutate({ toolId, way, failover: [...failover] })
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !saving.isPending) onClose()
      }}
      title={t('way.title', { tool: toolName })}
      description={t('way.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" busy={saving.isPending} disabled={!way}>
            {t('way.save')}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={save} noValidate>
        <Choice way={state} plans={plans} />
      </form>
      {saving.error ? <ExplainedFailure failure={saving.error.failure} context={{ plan: plan?.name }} /> : null}
    </Dialog>
  )
}
