import type { PlanView, ToolView, ToolWarning } from '@shared/contract'
import { hasNoChanges } from '@shared/tool-changes'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useCurrentPlan } from '../../session'
import { Callout } from '../../ui/callout'
import { Code, QuietCode } from '../../ui/code'
import { Section } from '../../ui/page'
import { InlineDetails } from '../../ui/rows'
import { useModelQuotas } from '../usage/quota'
import { ApplyBar, WriteFailure } from './apply-bar'
import { ChoiceForm, CollapsibleForm } from './choice-form'
import { ChangesHint, FileChanges, LayoutToggle, PreviewArea } from './file-changes'
import { type SiteTool, setupKey } from './sites'
import { ExhaustedNotice } from './switch-model'
import { type CompletedToolForm, type FormOverrides, previewInput, resolveToolForm, useToolsStore } from './tool-form'
import { RequestAddress } from './tool-overview'
import { PreviewNotes } from './tool-warnings'
import { useRemedies, useWriteTool } from './use-tool-actions'

export function ConfigurePanel(props: {
  readonly tool: SiteTool
  readonly plans: readonly PlanView[]
  /** Called after a write, with the tool's new state and the warnings of the preview. */
  readonly onApplied: (tool: ToolView, warnings: readonly ToolWarning[]) => void
}) {
  const { tool, plans, onApplied } = props
  const { t } = useTranslation('tools')
  const key = setupKey(tool.id, tool.site)
  const [query] = useSearchParams()
  const ownChoice = useToolsStore((store) => store.picked[key])
  const picked = { ...readRequestedChoice(query), ...ownChoice }
  const pickChoice = useToolsStore((store) => store.pick)
  const { listExhausted } = useModelQuotas()
  const choice = resolveToolForm({ tool, plans, currentPlan: useCurrentPlan(), picked, listExhausted })
  const input = previewInput(tool, choice, picked)
  const { shown, writeTool, apply } = useWriteTool(input, onApplied)
  const { preview } = shown
  const lacksConsent = choice?.delivery === 'plain' && !picked.plainTextAccepted
  const obstacle = hasNoChanges(preview) ? t('nothingToDo') : lacksConsent ? t('consentNeeded') : undefined
  const pick = (change: FormOverrides): void => {
    writeTool.reset()
    pickChoice(key, change)
  }
  const remedies = useRemedies(tool, choice?.plan.id, shown.refresh)
  if (!choice) return null
  const { plan, keyId, modelCode } = choice
  const context = { tool: tool.name, file: tool.file || undefined }
  return (
    <>
      <OtherRelayNotice tool={tool} />
      <ExhaustedNotice applied={tool.applied} />
      <CollapsibleForm
        summary={formSummary(choice, t)}
        startsFolded={!tool.applied && input !== undefined}
        needsAnswer={lacksConsent || input === undefined}
      >
        <ChoiceForm tool={tool} plans={plans} choice={choice} picked={picked} onPick={pick} />
      </CollapsibleForm>
      <Section title={t('changes')} description={<ChangesHint />} actions={<LayoutToggle />}>
        <WriteFailure failure={writeTool.error?.failure} context={context} handlers={remedies} />
        <PreviewArea
          shown={shown}
          missing={input ? undefined : t('needModel')}
          context={{ ...context, plan: plan.name, modelCode }}
          handlers={{ ...remedies, moveComments: () => pick({ moveCommentsToCopy: true }) }}
          tone={shown.error?.failure.code === 'file.notStrict' ? 'warning' : 'danger'}
        >
          {({ files }) => <FileChanges files={files} />}
        </PreviewArea>
        {preview?.setsWay ? (
          <Callout tone="info" title={t('route.setsWay', { tool: tool.name, plan: plan.name })} />
        ) : null}
        {preview ? (
          <PreviewNotes
            warnings={preview.warnings}
            tool={tool}
            site={tool.site}
            keyRef={{ planId: plan.id, keyId }}
            removed={picked.settingsToRemove}
            onRemove={(settingsToRemove) => pick({ settingsToRemove })}
          />
        ) : null}
      </Section>
      {preview ? (
        <ApplyBar
          label={t('apply')}
          busy={writeTool.isPending}
          apply={obstacle === undefined ? apply : undefined}
          reason={obstacle}
        >
          <RequestAddress tool={tool.name} requestAddress={preview.requestAddress} base={preview.base} />
        </ApplyBar>
      ) : null}
    </>
  )
}

/** Address that a tool uses now, if it was configured without this app. */
function OtherRelayNotice({ tool }: { readonly tool: SiteTool }) {
  const { t } = useTranslation('tools')
  if (tool.status !== 'otherwise') return null
  const { base, modelCode } = tool.found ?? {}
  return (
    <Callout tone="info" title={t('otherwise.title', { tool: tool.name })}>
      {base === undefined && modelCode === undefined ? null : (
        <InlineDetails
          items={[base, modelCode].map(
            (text) =>
              text && (
                <Code key={text} wrap>
                  {text}
                </Code>
              ),
          )}
        />
      )}
      <p>{t('otherwise.text')}</p>
    </Callout>
  )
}

/** Plan and model that the page address preselects. */
const readRequestedChoice = (query: URLSearchParams): FormOverrides => ({
  planId: query.get('plan') ?? undefined,
  modelCode: query.get('model') ?? undefined,
})

const formSummary = ({ plan, keyId, modelCode, route, delivery }: CompletedToolForm, t: TFunction<'tools'>) => [
  plan.name,
  plan.keys.length > 1 && plan.keys.find(({ id }) => id === keyId)?.name,
  modelCode !== '' && <QuietCode key="model">{modelCode}</QuietCode>,
  t(`route.ways.${route}`),
  t(`deliveries.${delivery}`),
]
