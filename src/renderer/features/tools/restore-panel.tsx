import type { ToolView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useAction, useCall } from '../../ipc'
import { Section } from '../../ui/page'
import { ExplainedFailure } from '../failures/explained-failure'
import { ApplyBar } from './apply-bar'
import { LayoutToggle } from './file-changes'
import { PreviewArea } from './preview-area'
import { type ToolHere, toolAt } from './sites'
import { ToolWarnings } from './tool-warnings'
import { useApplyKey } from './use-apply-key'
import { useRemedies } from './use-remedies'
import { WriteFailure } from './write-failure'

interface RestorePanelProps {
  readonly tool: ToolHere
  readonly onRestored: (tool: ToolView) => void
}

/** What undoing would put back, and the button that does it. */
export function RestorePanel({ tool, onRestored }: RestorePanelProps) {
  const { t } = useTranslation('tools')
  const query = useCall('tools.previewRestore', toolAt(tool.id, tool.site), { staleTime: 0, gcTime: 0 })
  const refresh = (): void => void query.refetch()
  const remedies = useRemedies(tool, tool.applied?.planId, refresh)
  const writing = useAction('tools.restore', {
    invalidates: ['tools', 'plans', 'profiles'],
    onSuccess: onRestored,
  })
  const preview = query.isError ? undefined : query.data
  const isReady = preview !== undefined && !query.isFetching && !writing.isPending
  const restore = isReady ? () => writing.mutate({ previewId: preview.previewId }) : undefined
  useApplyKey(restore)
  const context = { tool: tool.name, file: tool.file, plan: tool.applied?.planName }
  return (
    <>
      <Section title={t('restoreChanges')} description={t('restoreHint')} actions={<LayoutToggle />}>
        <WriteFailure failure={writing.error?.failure} context={context} handlers={remedies} />
        <PreviewArea
          shown={{ preview, error: query.error, isOld: query.isFetching, refresh }}
          failure={
            query.error ? (
              <ExplainedFailure
                failure={query.error.failure}
                context={context}
                handlers={remedies}
                busy={query.isFetching}
              />
            ) : null
          }
        />
        {preview ? <ToolWarnings warnings={preview.warnings} tool={tool} site={tool.site} /> : null}
      </Section>
      {preview ? (
        <ApplyBar
          label={t('restore')}
          busy={writing.isPending}
          disabled={!restore && !writing.isPending}
          onApply={() => restore?.()}
        >
          <p>{t('restoreOutcome', { tool: tool.name, plan: tool.applied?.planName ?? t('planGone') })}</p>
        </ApplyBar>
      ) : null}
    </>
  )
}
