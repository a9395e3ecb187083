import type { MethodInput, PlanView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { useCurrentPlan } from '../../session'
import { Card, Section } from '../../ui/page'
import { ExplainedFailure } from '../failures/explained-failure'
import { type Choice, completeChoice, isModelCode, keyChoice, type Picked } from './choice'
import { PlanField } from './choice-form'
import styles from './choice-form.module.css'
import { GuideCheck } from './guide-check'
import { GuideSteps } from './guide-steps'
import { KeyField } from './key-field'
import { ModelField } from './model-field'
import { Waiting } from './preview-area'
import type { ToolHere } from './sites'
import { ToolWarnings } from './tool-warnings'
import { useToolsStore } from './tools-store'
import { useShown } from './use-preview'
import { useRemedies } from './use-remedies'

interface GuidedToolProps {
  readonly tool: ToolHere
  readonly plans: readonly PlanView[]
}

const nothingPicked: Picked = {}

function guideInput(toolId: string, choice: Choice | undefined): MethodInput<'tools.guide'> | undefined {
  if (!choice || !isModelCode(choice.modelCode)) return undefined
  const { plan, keyId, modelCode } = choice
  return { toolId, planId: plan.id, ...keyChoice(plan, keyId), modelCode: modelCode.trim() }
}

/** A tool that a person sets up in its own window: what goes where, to copy, and a check of the same values. */
export function GuidedTool({ tool, plans }: GuidedToolProps) {
  const { t } = useTranslation('tools')
  const picked = useToolsStore((store) => store.picked[tool.id]) ?? nothingPicked
  const keep = useToolsStore((store) => store.pick)
  const choice = completeChoice({ tool, plans, currentPlan: useCurrentPlan(), picked })
  const input = guideInput(tool.id, choice)
  const shown = useShown('tools.guide', input)
  const remedies = useRemedies(tool, choice?.plan.id, shown.refresh)
  // Asked for again when the values change: what the last check gave was about others.
  const checking = useAction('tools.checkGuide')
  if (!choice) return null
  const { plan, keyId } = choice
  const pick = (change: Picked): void => {
    checking.reset()
    keep(tool.id, change)
  }
  const keyRef = keyId === undefined ? undefined : { planId: plan.id, keyId }
  return (
    <>
      <Card>
        <div className={styles.form}>
          <p className={styles.note}>{t('guide.why', { tool: tool.name })}</p>
          <div className={styles.models}>
            <PlanField plans={plans} plan={plan} onPick={pick} />
            <KeyField plan={plan} value={keyId} onChange={(id) => pick({ keyId: id })} />
            <ModelField
              key={plan.id}
              label={t('model')}
              value={choice.modelCode}
              models={plan.models}
              onChange={(modelCode) => pick({ modelCode })}
            />
          </div>
        </div>
      </Card>
      <Section title={t('guide.title')}>
        {shown.error ? (
          <ExplainedFailure
            failure={shown.error.failure}
            context={{ tool: tool.name, plan: plan.name, modelCode: choice.modelCode }}
            handlers={remedies}
            busy={shown.isOld}
          />
        ) : input === undefined ? (
          <p className={styles.note}>{t('needModel')}</p>
        ) : shown.preview ? (
          <>
            <ToolWarnings warnings={shown.preview.warnings} tool={tool} keyRef={keyRef} />
            <GuideSteps tool={tool} guide={shown.preview} plan={plan} keyId={keyId} isOld={shown.isOld}>
              <GuideCheck
                tool={tool}
                plan={plan}
                state={checking}
                onCheck={shown.isOld ? undefined : () => checking.mutate(input)}
              />
            </GuideSteps>
          </>
        ) : (
          <Waiting />
        )}
      </Section>
    </>
  )
}
