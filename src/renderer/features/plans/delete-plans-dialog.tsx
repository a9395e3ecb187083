import type { AccountPlanView, DeletionPreview, MethodOutput } from '@shared/contract'
import i18next from 'i18next'
import { useState } from 'react'
import { ExplainedFailure, explainFailure } from '../../failures'
import { formatList, formatMoney } from '../../format'
import { useCall, useSingleAction } from '../../ipc'
import { Loaded } from '../../loaded'
import { Callout } from '../../ui/callout'
import { Dialog } from '../../ui/dialog'
import { TextField } from '../../ui/field'
import { Hint } from '../../ui/text'
import { toast } from '../../ui/toast'

const t = i18next.getFixedT(null, ['plans', 'common'])

interface DeletePlansProps {
  readonly connectionId: string
  readonly plans: readonly AccountPlanView[]
  readonly onClose: () => void
  readonly onDeleted: () => void
}

type Outcome = MethodOutput<'account.deletePlans'>

/** Sum of the refunds. Undefined when the platform omits the refund of any plan. */
const sumRefunds = ({ deleted }: Outcome): number | undefined =>
  deleted.reduce<number | undefined>(
    (sum, { refund }) => (refund === undefined || sum === undefined ? undefined : sum + refund),
    0,
  )

export function DeletePlansDialog(props: DeletePlansProps) {
  const { connectionId, plans, onClose, onDeleted } = props
  const [isTyped, setIsTyped] = useState(false)
  const [outcome, setOutcome] = useState<Outcome>()
  const input = { connectionId, planIds: plans.map(({ planId }) => planId) }
  const options = { staleTime: 0, gcTime: 0, refetchOnWindowFocus: false }
  const preview = useCall('account.previewDelete', input, options)
  const deleting = useSingleAction('account.deletePlans', { invalidates: ['account', 'plans', 'tools'] })
  const count = plans.length
  const onSuccess = (result: Outcome): void => {
    if (result.deleted.length > 0) onDeleted()
    if (result.failed.length > 0 || result.notForgotten.length > 0) {
      setOutcome(result)
      return
    }
    onClose()
    const values = { plan: plans[0]?.name ?? '', count }
    const refund = sumRefunds(result)
    void toast(t(count === 1 ? 'plans:account.deletion.done' : 'plans:account.deletion.doneMany', values), {
      description:
        refund === undefined
          ? t('plans:account.deletion.refundUnknown')
          : t('plans:account.deletion.refunded', { amount: formatMoney(refund) }),
    })
  }
  const plan = count === 1 ? plans[0]?.name : undefined
  const confirmationPhrase = plan ?? t('plans:account.deletion.phrase', { count })
  return (
    <Dialog
      busy={deleting.isPending}
      onClose={onClose}
      title={plan ? t('plans:account.deletion.title', { plan }) : t('plans:account.deletion.titleMany', { count })}
      description={outcome ? undefined : t('plans:account.deletion.text')}
      footer={
        outcome
          ? [{ label: t('common:close'), variant: 'primary', onClick: onClose }]
          : [
              { label: t('common:cancel'), disabled: deleting.isPending, onClick: onClose },
              {
                label: plan ? t('plans:account.deletion.confirm') : t('plans:account.deletion.confirmMany', { count }),
                variant: 'danger',
                busy: deleting.isPending,
                disabled: !isTyped || !preview.data,
                onClick: () => deleting.mutate(input, { onSuccess }),
              },
            ]
      }
    >
      {outcome ? (
        <DeletionOutcome outcome={outcome} plans={plans} />
      ) : (
        <>
          <Loaded query={preview} rows={Math.min(3, count)}>
            {(previews) => <DeletionPreviews previews={previews} />}
          </Loaded>
          <TextField
            label={t('common:typeToConfirm', { name: `“${confirmationPhrase}”` })}
            mono
            autoFocus
            onChange={(text) => setIsTyped(text.trim() === confirmationPhrase)}
          />
          <ExplainedFailure failure={deleting.error?.failure} context={{ plan }} />
        </>
      )}
    </Dialog>
  )
}

function DeletionOutcome({ outcome, plans }: Pick<DeletePlansProps, 'plans'> & { readonly outcome: Outcome }) {
  const { deleted, failed, notForgotten: remainingPlans } = outcome
  const refund = sumRefunds(outcome)
  const getName = (id: string): string => plans.find(({ planId }) => planId === id)?.name ?? id
  return (
    <>
      <Callout tone="warning" title={t(failed.length > 0 ? 'account.deletion.partly' : 'account.deletion.left')}>
        {refund === undefined
          ? t('account.deletion.partlyUnknown', { count: deleted.length })
          : t('account.deletion.partlyText', { count: deleted.length, amount: formatMoney(refund) })}
      </Callout>
      {failed.length === 0 ? null : (
        <ul className="max-h-70 divide-y overflow-auto rounded-lg border" aria-label={t('account.deletion.failed')}>
          {failed.map(({ planId, code, message }) => {
            const { title, remedy } = explainFailure({ code, message }, { plan: getName(planId) })
            return (
              <li key={planId} className="px-3.5 py-2.25">
                <p className="font-strong wrap-anywhere">{getName(planId)}</p>
                <p className="wrap-anywhere" title={message}>
                  {title}. {remedy}
                </p>
              </li>
            )
          })}
        </ul>
      )}
      {remainingPlans.length === 0 ? null : (
        <p className="text-danger wrap-anywhere">
          {t('account.deletion.notForgotten', { names: formatList(remainingPlans) })}
        </p>
      )}
    </>
  )
}

function DeletionPreviews({ previews }: { readonly previews: readonly DeletionPreview[] }) {
  const total = previews.reduce((sum, { estimatedRefund }) => sum + estimatedRefund, 0)
  return (
    <>
      <ul className="max-h-70 divide-y overflow-auto rounded-lg border" aria-label={t('account.deletion.stops')}>
        {previews.map((preview) => {
          const { planId, name, keys, tools, estimatedRefund } = preview
          return (
            <li key={planId} className="px-3.5 py-2.25">
              <div className="flex items-baseline justify-between gap-4">
                <span className="min-w-0 font-strong wrap-anywhere">{name}</span>
                <span className="flex-none tabular-nums">≈ {formatMoney(estimatedRefund)}</span>
              </div>
              <p className="wrap-anywhere">
                {keys.length === 0
                  ? t('account.deletion.noKeys')
                  : t('account.deletion.keys', { count: keys.length, names: formatList(keys) })}
              </p>
              {tools.length === 0 ? (
                <Hint>{t('account.deletion.noTools')}</Hint>
              ) : (
                <p className="text-danger wrap-anywhere">{t('account.deletion.tools', { names: formatList(tools) })}</p>
              )}
            </li>
          )
        })}
      </ul>
      <div className="px-3.5">
        <p className="flex items-baseline justify-between gap-4">
          <span>{t('account.deletion.refund')}</span>
          <b className="flex-none tabular-nums">≈ {formatMoney(total)}</b>
        </p>
        <Hint>
          {t('account.deletion.refundHint')} {t('account.deletion.history')}
        </Hint>
      </div>
    </>
  )
}
