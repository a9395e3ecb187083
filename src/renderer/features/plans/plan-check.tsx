import type { PlanView } from '@shared/contract'
import { useCallback, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { call, useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { Card, Section } from '../../ui/page'
import { Select } from '../../ui/select'
import { ProgressBar } from '../../ui/spinner'
import { CheckOutcome } from '../failures/check-outcome'
import { ExplainedFailure, type RemedyHandlers } from '../failures/explained-failure'
import styles from './plan.module.css'

interface PlanCheckProps {
  readonly plan: PlanView
  /** The page was opened to check at once. */
  readonly isAsked: boolean
  readonly onAsked: () => void
  readonly onPasteKey: () => void
  /** Where the address can be set right; nowhere when an account gives it. */
  readonly onEdit?: () => void
}

/** A check of the plan with a model of choice: under way, or what the last one gave. */
export function PlanCheck({ plan, isAsked, onAsked, onPasteKey, onEdit }: PlanCheckProps) {
  const { t } = useTranslation('plans')
  const navigate = useNavigate()
  const [picked, setPicked] = useState<string>()
  const modelCode = picked !== undefined && plan.models.includes(picked) ? picked : plan.models[0]
  const { mutate, isPending, error } = useAction('plans.check', { invalidates: ['plans'] })
  const check = useCallback(
    () => mutate({ planId: plan.id, ...(modelCode === undefined ? {} : { modelCode }) }),
    [mutate, plan.id, modelCode],
  )
  const opening = useAction('sandbox.open', { onSuccess: check })
  useEffect(() => {
    if (!isAsked) return
    onAsked()
    check()
  }, [isAsked, onAsked, check])
  const handlers: RemedyHandlers = {
    tryAgain: check,
    pasteKey: onPasteKey,
    setAddress: onEdit,
    choosePlan: () => void navigate('/plans'),
    startSandbox: () => opening.mutate({}),
    recheckVault: () => void call('app.recheckVault', {}).then(check, check),
  }
  const context = { plan: plan.name, isSandbox: plan.source === 'sandbox' }
  return (
    <Section
      title={t('page.checkTitle')}
      description={t('page.checkHint')}
      actions={
        <div className={styles.check}>
          {plan.models.length > 1 ? (
            <Select
              aria-label={t('page.checkWith')}
              className={styles.model ?? ''}
              value={modelCode}
              onValueChange={setPicked}
              options={plan.models.map((code) => ({ value: code, label: code }))}
            />
          ) : null}
          <Button busy={isPending} onClick={check}>
            {t('page.check')}
          </Button>
        </div>
      }
    >
      <div aria-live="polite">
        {isPending ? (
          <Card>
            <div className={styles.running}>
              <p>{t('new.checkingPlain')}</p>
              <ProgressBar label={t('new.checkingPlain')} />
            </div>
          </Card>
        ) : error ? (
          <ExplainedFailure failure={error.failure} context={context} handlers={handlers} />
        ) : plan.lastCheck ? (
          <CheckOutcome check={plan.lastCheck} context={context} handlers={handlers} busy={opening.isPending} />
        ) : null}
      </div>
    </Section>
  )
}
