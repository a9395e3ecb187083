import type { PlanView, ToolView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { useCurrentPlan } from '../../session'
import { Callout } from '../../ui/callout'
import { Card, Section } from '../../ui/page'
import { ExplainedFailure } from '../failures/explained-failure'
import { ApplyBar } from './apply-bar'
import { completeChoice, type Picked, previewInput } from './choice'
import { ChoiceForm } from './choice-form'
import { LayoutToggle } from './file-changes'
import { PreviewArea } from './preview-area'
import { RequestAddress } from './request-address'
import { ToolWarnings } from './tool-warnings'
import { useToolsStore } from './tools-store'
import { useApplyKey } from './use-apply-key'
import { usePreview } from './use-preview'
import { useRemedies } from './use-remedies'

interface ConfigurePanelProps {
  readonly tool: ToolView
  readonly plans: readonly PlanView[]
  readonly onApplied: (tool: ToolView) => void
}

const nothingPicked: Picked = {}

/** Choice, preview and the write itself, and how each of them stands. */
function useConfiguring({ tool, plans, onApplied }: ConfigurePanelProps) {
  const picked = useToolsStore((store) => store.picked[tool.id]) ?? nothingPicked
  const pick = useToolsStore((store) => store.pick)
  const choice = completeChoice({ tool, plans, currentPlan: useCurrentPlan(), picked })
  const input = previewInput(tool, choice, picked)
  const shown = usePreview(input)
  // Well or not, everything about tools is asked for again: after "the file changed" the new preview comes by itself.
  const writing = useAction('tools.apply', {
    invalidates: ['tools', 'plans'],
    onSuccess: onApplied,
  })
  const { preview, isOld } = shown
  const isIdle = preview?.files.every(({ action }) => action === 'none') ?? false
  const lacksConsent = choice?.delivery === 'plain' && !picked.plainTextAccepted
  const isReady = preview !== undefined && !isOld && !isIdle && !lacksConsent && !writing.isPending
  const apply = isReady ? () => writing.mutate({ previewId: preview.previewId }) : undefined
  return {
    picked,
    choice,
    input,
    shown,
    writing,
    apply,
    isIdle,
    lacksConsent,
    pick: (change: Picked) => {
      writing.reset()
      pick(tool.id, change)
    },
  }
}

type Configuring = ReturnType<typeof useConfiguring>

function Failures({ tool, state }: { tool: ToolView; state: Configuring }) {
  const { shown, choice, pick } = state
  const remedies = useRemedies(tool, choice?.plan.id, shown.refresh)
  const failure = shown.error?.failure
  if (!failure) return null
  return (
    <ExplainedFailure
      failure={failure}
      context={{ tool: tool.name, file: tool.file, plan: choice?.plan.name, modelCode: choice?.modelCode }}
      handlers={{ ...remedies, moveComments: () => pick({ moveCommentsToCopy: true }) }}
      busy={shown.isOld}
      tone={failure.code === 'file.notStrict' ? 'warning' : 'danger'}
    />
  )
}

function WriteFailure({ tool, state }: { tool: ToolView; state: Configuring }) {
  const { t } = useTranslation('tools')
  const { writing, shown, choice } = state
  const remedies = useRemedies(tool, choice?.plan.id, shown.refresh)
  const failure = writing.error?.failure
  if (!failure) return null
  if (failure.code === 'file.changed') {
    return (
      <Callout tone="warning" title={t('changedMeanwhile')}>
        {t('changedMeanwhileText')}
      </Callout>
    )
  }
  return <ExplainedFailure failure={failure} context={{ tool: tool.name, file: tool.file }} handlers={remedies} />
}

/** Choose, see exactly what will be written and where requests will go, then apply. */
export function ConfigurePanel(props: ConfigurePanelProps) {
  const { tool, plans } = props
  const { t } = useTranslation('tools')
  const state = useConfiguring(props)
  const { choice, picked, shown, writing, apply, isIdle, lacksConsent } = state
  const { preview } = shown
  useApplyKey(apply)
  if (!choice) return null
  return (
    <>
      <Card>
        <ChoiceForm tool={tool} plans={plans} choice={choice} picked={picked} onPick={state.pick} />
      </Card>
      <Section title={t('changes')} description={t('changesHint')} actions={<LayoutToggle />}>
        <WriteFailure tool={tool} state={state} />
        <PreviewArea
          shown={shown}
          failure={shown.error ? <Failures tool={tool} state={state} /> : null}
          missing={state.input ? undefined : t('needModel')}
        />
        {preview ? <ToolWarnings warnings={preview.warnings} tool={tool.name} /> : null}
      </Section>
      {preview ? (
        <ApplyBar
          label={t('apply')}
          busy={writing.isPending}
          disabled={!apply && !writing.isPending}
          onApply={() => apply?.()}
          reason={isIdle ? t('nothingToDo') : lacksConsent ? t('consentNeeded') : undefined}
        >
          {preview.requestAddress === undefined ? null : (
            <RequestAddress tool={tool.name} requestAddress={preview.requestAddress} base={preview.base} />
          )}
        </ApplyBar>
      ) : null}
    </>
  )
}
