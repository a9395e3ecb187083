import type { PlanView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { Card, Section } from '../../ui/page'
import { ExplainedFailure } from '../failures/explained-failure'
import { ModelCodes } from './model-codes'

/** What `plans.update` wants of a plan that stays as it is. */
const fieldsOf = ({ id, name, gatewayUrl, models, contextTokens, expiresAt }: PlanView) => ({
  planId: id,
  name,
  gatewayUrl,
  models,
  contextTokens,
  ...(expiresAt === undefined ? {} : { expiresAt }),
})

/** The plan's model codes, each with a copy button; adding and removing is saved at once. */
export function PlanModels({ plan }: { plan: PlanView }) {
  const { t } = useTranslation('plans')
  const saving = useAction('plans.update', { invalidates: ['plans'] })
  const models = saving.isPending ? saving.variables.models : plan.models
  return (
    <Section title={t('page.models')} description={t('page.modelsHint')}>
      <Card>
        <ModelCodes
          label={t('page.addModel')}
          {...(plan.models.length === 0 ? { hint: t('page.noModelsText') } : {})}
          canCopy
          codes={models}
          onChange={(codes) => saving.mutate({ ...fieldsOf(plan), models: [...codes] })}
        />
      </Card>
      {saving.error ? <ExplainedFailure failure={saving.error.failure} context={{ plan: plan.name }} /> : null}
    </Section>
  )
}
