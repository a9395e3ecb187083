import type { PlanView } from '@shared/contract'
import { Activity } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { CheckOutcome } from '../failures/check-outcome'
import { ExplainedFailure } from '../failures/explained-failure'
import styles from './guide.module.css'
import type { ToolHere } from './sites'
import { useRemedies } from './use-remedies'

interface GuideCheckProps {
  readonly tool: ToolHere
  readonly plan: PlanView
  readonly state: ReturnType<typeof useAction<'tools.checkGuide'>>
  /** Missing while the values are on their way. */
  readonly onCheck: (() => void) | undefined
}

/** One real small request with the values of the guide, and what came of it. */
export function GuideCheck({ tool, plan, state, onCheck }: GuideCheckProps) {
  const { t } = useTranslation('tools')
  const { data: check, error, isPending } = state
  const remedies = useRemedies(tool, plan.id, () => onCheck?.())
  const context = { tool: tool.name, plan: plan.name, isSandbox: plan.source === 'sandbox' }
  return (
    <>
      <div>
        <Button icon={Activity} busy={isPending} disabled={!onCheck && !isPending} onClick={() => onCheck?.()}>
          {t('guide.check')}
        </Button>
      </div>
      <div aria-live="polite" className={styles.outcome}>
        {error ? (
          <ExplainedFailure failure={error.failure} context={context} handlers={remedies} busy={isPending} />
        ) : check ? (
          <CheckOutcome check={check} context={context} handlers={remedies} busy={isPending} />
        ) : null}
      </div>
    </>
  )
}
