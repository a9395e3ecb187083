import type { AccountPlanView, ModelQuota, PlanModelView } from '@shared/contract'
import { Boxes } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { nowThere, useNow } from '../../relative-time'
import { Badge, type Tone } from '../../ui/badge'
import { Code } from '../../ui/code'
import { EmptyState } from '../../ui/empty-state'
import { Section } from '../../ui/page'
import { modelIn, usePlanQuota } from '../quota/use-quota'
import styles from './account-plan.module.css'
import { cycleShare } from './allowance'
import { useAllowanceWords } from './allowance-words'
import { CopyCode } from './copy-code'
import { Gauges } from './gauges'

/** The states of a model that the sandbox names; another platform's are shown as they come. */
const states: Readonly<Record<string, { readonly tone: Tone; readonly word: 'modelActive' | 'modelOut' }>> = {
  ACTIVE: { tone: 'success', word: 'modelActive' },
  EXHAUSTED: { tone: 'danger', word: 'modelOut' },
}

function Model({
  model,
  plan,
  cycle,
  quota,
}: {
  readonly model: PlanModelView
  readonly plan: AccountPlanView
  readonly cycle: number | undefined
  readonly quota: ModelQuota | undefined
}) {
  const { t } = useTranslation('plans')
  const state = states[model.status]
  return (
    <li className={styles.model}>
      <div className={styles.head}>
        <h3 className={styles.name}>{model.displayName}</h3>
        <CopyCode code={model.modelCode} />
        <span className={styles.state}>
          <Badge tone={state?.tone ?? 'neutral'}>{state ? t(`account.page.${state.word}`) : model.status}</Badge>
        </span>
      </div>
      <Gauges model={model} cycle={cycle} quota={quota} renews={plan.autoRenew} />
      <dl className={styles.facts}>
        <div>
          <dt>{t('account.page.hosting')}</dt>
          <dd>{model.hostingMode}</dd>
        </div>
        <div>
          <dt>{t('account.page.types')}</dt>
          <dd>{model.enabledTypes.join(', ') || t('account.page.noTypes')}</dd>
        </div>
        <div className={styles.endpoint}>
          <dt>{t('account.page.endpoint')}</dt>
          {plan.provisioned ? (
            <dd>
              <Code quiet wrap>
                {model.endpoint}
              </Code>
              <CopyText text={model.endpoint} label={t('account.page.copyEndpoint', { model: model.displayName })} />
            </dd>
          ) : (
            <dd className={styles.quiet}>{t('account.page.masked')}</dd>
          )}
        </div>
      </dl>
    </li>
  )
}

/** The plan's models: what to send, and how much of each allowance is left. */
export function AccountModels({ plan }: { readonly plan: AccountPlanView }) {
  const { t } = useTranslation('plans')
  const now = useNow()
  const words = useAllowanceWords()
  const cycle = cycleShare(plan, nowThere(now, plan))
  const quota = usePlanQuota(plan.planId)
  if (plan.models.length === 0) return <EmptyState icon={Boxes} title={t('account.page.noModels')} />
  return (
    <Section
      title={t('account.page.models')}
      description={
        <>
          {t('account.page.modelsHint')}
          {cycle === undefined ? null : ` ${t('account.allowance.mark', { share: words.share(cycle) })}`}
        </>
      }
    >
      <ul className={styles.models}>
        {plan.models.map((model) => (
          <Model
            key={model.modelCode}
            model={model}
            plan={plan}
            cycle={cycle}
            quota={modelIn(quota, model.modelCode)}
          />
        ))}
      </ul>
    </Section>
  )
}
