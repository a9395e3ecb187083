import type { PlanView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { ConfirmDialog } from '../../ui/dialog'
import { ExplainedFailure } from '../failures/explained-failure'
import styles from './plan.module.css'
import { useToolNames } from './use-tool-names'

interface RemovePlanDialogProps {
  readonly plan: PlanView
  readonly onClose: () => void
  readonly onRemoved: () => void
}

/** Asks before a plan is forgotten; names the tools that would stop, and then wants the plan's name typed. */
export function RemovePlanDialog({ plan, onClose, onRemoved }: RemovePlanDialogProps) {
  const { t } = useTranslation('plans')
  const names = useToolNames(plan.usedBy)
  const isUsed = names.length > 0
  const removing = useAction('plans.remove', { invalidates: ['plans', 'tools'], onSuccess: onRemoved })
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t('remove.title', { name: plan.name })}
      description={
        <div className={styles.question}>
          <p>{t('remove.text')}</p>
          {isUsed ? (
            <>
              <p>{t('remove.used')}</p>
              <ul className={styles.list}>
                {names.map((name) => (
                  <li key={name}>{name}</li>
                ))}
              </ul>
              <p>{t('remove.usedHint')}</p>
            </>
          ) : null}
        </div>
      }
      confirmLabel={t('remove.confirm')}
      danger
      {...(isUsed ? { typeToConfirm: plan.name } : {})}
      busy={removing.isPending}
      onConfirm={() => removing.mutate({ planId: plan.id, ...(isUsed ? { evenIfUsed: true } : {}) })}
    >
      {removing.error ? <ExplainedFailure failure={removing.error.failure} context={{ plan: plan.name }} /> : null}
    </ConfirmDialog>
  )
}
