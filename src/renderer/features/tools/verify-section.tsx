import type { PlanView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { Card, Section } from '../../ui/page'
import { ProgressBar } from '../../ui/spinner'
import { CheckOutcome } from '../failures/check-outcome'
import { ExplainedFailure } from '../failures/explained-failure'
import type { ToolHere } from './sites'
import { useRemedies } from './use-remedies'
import type { Verifying } from './use-verify'
import styles from './verify-section.module.css'

interface VerifySectionProps {
  readonly tool: ToolHere
  readonly plan: PlanView | undefined
  readonly state: Verifying
}

/** The verification under way, or what the last one gave. */
export function VerifySection({ tool, plan, state }: VerifySectionProps) {
  const { t } = useTranslation('tools')
  const { check, isPending, failure, verify } = state
  const remedies = useRemedies(tool, plan?.id, verify)
  if (!check && !isPending && !failure) return null
  const context = {
    tool: tool.name,
    file: tool.file,
    plan: plan?.name ?? tool.applied?.planName,
    modelCode: tool.applied?.modelCode,
    requestAddress: tool.applied?.requestAddress,
    isSandbox: plan?.source === 'sandbox',
  }
  return (
    <Section title={t('verified')}>
      <div aria-live="polite">
        {isPending ? (
          <Card>
            <div className={styles.running}>
              <p>{t('verifying', { tool: tool.name })}</p>
              <ProgressBar label={t('verifying', { tool: tool.name })} />
            </div>
          </Card>
        ) : failure ? (
          <ExplainedFailure failure={failure} context={context} handlers={remedies} />
        ) : check ? (
          <CheckOutcome check={check} context={context} handlers={remedies} />
        ) : null}
      </div>
    </Section>
  )
}
