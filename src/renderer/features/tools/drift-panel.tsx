import type { DriftEntry, ToolView, ToolWarning } from '@shared/contract'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Section } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { ApplyBar } from './apply-bar'
import { boundTo, decidable, decided, mergeInput } from './drift'
import { DriftTable } from './drift-table'
import { LayoutToggle } from './file-changes'
import { PreviewArea } from './preview-area'
import { RequestAddress } from './request-address'
import { type ToolHere, toolAt } from './sites'
import { ToolWarnings } from './tool-warnings'
import { useApplyKey } from './use-apply-key'
import { useShown } from './use-preview'
import { useRemedies } from './use-remedies'
import { WriteFailure } from './write-failure'

interface DriftPanelProps {
  readonly tool: ToolHere
  readonly onApplied: (tool: ToolView, warnings: readonly ToolWarning[]) => void
  readonly onLetGo: (tool: ToolView) => void
}

const invalidates = ['tools', 'plans', 'profiles'] as const

/** What is kept, what comes of it, and the two ways to end it: write the rest, or let the files be. */
function useMerging({ tool, onApplied, onLetGo }: DriftPanelProps, entries: readonly DriftEntry[]) {
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set())
  const keepsAll = entries.length > 0 && entries.every(({ path }) => kept.has(path))
  const input = keepsAll ? undefined : mergeInput(tool, kept)
  const shown = useShown('tools.preview', input)
  // What the preview told that is being written: this part may be gone before the answer is there.
  const told = useRef<readonly ToolWarning[]>([])
  const writing = useAction('tools.apply', {
    invalidates,
    onSuccess: (written) => onApplied(written, told.current),
  })
  const letting = useAction('tools.letGo', { invalidates, onSuccess: onLetGo })
  const { preview, isOld } = shown
  const isBusy = writing.isPending || letting.isPending
  const canApply = preview !== undefined && !isOld && !isBusy
  const write = (): void => {
    if (!canApply) return
    told.current = preview.warnings
    writing.mutate({ previewId: preview.previewId })
  }
  const letGo = (): void => letting.mutate(toolAt(tool.id, tool.site))
  const act = keepsAll ? (isBusy ? undefined : letGo) : canApply ? write : undefined
  const decide = (next: ReadonlySet<string>): void => {
    writing.reset()
    letting.reset()
    setKept(next)
  }
  return {
    kept,
    keepsAll,
    shown,
    isBusy,
    act,
    failed: writing.error ?? letting.error,
    decide,
  }
}

type Merging = ReturnType<typeof useMerging>

function Failures({ tool, state }: { readonly tool: ToolHere; readonly state: Merging }) {
  const { shown, failed } = state
  const remedies = useRemedies(tool, tool.applied?.planId, shown.refresh)
  const failure = failed?.failure ?? shown.error?.failure
  const context = { tool: tool.name, file: tool.file, plan: tool.applied?.planName, modelCode: tool.applied?.modelCode }
  return <WriteFailure failure={failure} context={context} handlers={remedies} busy={shown.isOld} />
}

function Changes({ tool, state }: { readonly tool: ToolHere; readonly state: Merging }) {
  const { t } = useTranslation('tools')
  const { shown, keepsAll } = state
  if (keepsAll) return <Callout tone="info" title={t('drift.letGo', { tool: tool.name })} />
  return (
    <Section title={t('changes')} description={t('changesHint')} actions={<LayoutToggle />}>
      {shown.error ? null : <PreviewArea shown={shown} failure={null} />}
      {shown.preview ? <ToolWarnings warnings={shown.preview.warnings} tool={tool} site={tool.site} /> : null}
    </Section>
  )
}

function Bar({ tool, state }: { readonly tool: ToolHere; readonly state: Merging }) {
  const { t } = useTranslation('tools')
  const { keepsAll, kept, shown, act, isBusy } = state
  const { preview } = shown
  if (!keepsAll && !preview) return null
  return (
    <ApplyBar
      label={keepsAll ? t('drift.letBe') : kept.size > 0 ? t('drift.merge') : t('drift.putAllBack')}
      busy={isBusy}
      disabled={!act && !isBusy}
      onApply={() => act?.()}
    >
      {keepsAll ? (
        <p>{t('drift.letBeOutcome')}</p>
      ) : preview?.requestAddress === undefined ? null : (
        <RequestAddress tool={tool.name} requestAddress={preview.requestAddress} base={preview.base} />
      )}
    </ApplyBar>
  )
}

function Merge({ entries, ...props }: DriftPanelProps & { readonly entries: readonly DriftEntry[] }) {
  const { t } = useTranslation('tools')
  const { tool } = props
  const shownEntries = decidable(entries)
  const state = useMerging(props, shownEntries)
  const { kept, decide, act } = state
  useApplyKey(act)
  const hasPair = shownEntries.some((entry) => boundTo(entry, entries).length > 1)
  return (
    <>
      <Section
        title={t('drift.compare')}
        description={t('drift.compareHint')}
        actions={
          <>
            <Button size="sm" variant="ghost" onClick={() => decide(new Set(shownEntries.map(({ path }) => path)))}>
              {t('drift.keepAll')}
            </Button>
            <Button size="sm" variant="ghost" onClick={() => decide(new Set())}>
              {t('drift.putAllBack')}
            </Button>
          </>
        }
      >
        <DriftTable
          entries={shownEntries}
          kept={kept}
          onDecide={(entry, keeps) => decide(decided(kept, { entry, keeps, entries }))}
        />
        {hasPair ? <p>{t('drift.pair')}</p> : null}
        <Failures tool={tool} state={state} />
      </Section>
      <Changes tool={tool} state={state} />
      <Bar tool={tool} state={state} />
    </>
  )
}

/** What somebody changed since: three ways to see each setting, and theirs or ours for each of them. */
export function DriftPanel(props: DriftPanelProps) {
  const { t } = useTranslation('tools')
  const { tool } = props
  const query = useCall('tools.drift', toolAt(tool.id, tool.site), { staleTime: 0 })
  return (
    <Loaded query={query} skeleton={<SkeletonRows rows={4} />}>
      {(entries) =>
        decidable(entries).length === 0 ? (
          <Callout tone="success" title={t('drift.nothing')} />
        ) : (
          <Merge {...props} entries={entries} />
        )
      }
    </Loaded>
  )
}
