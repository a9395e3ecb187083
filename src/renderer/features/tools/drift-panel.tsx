import type { DriftEntry, MethodInput, ToolView, ToolWarning } from '@shared/contract'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Badge } from '../../ui/badge'
import { Callout } from '../../ui/callout'
import { joinClassNames } from '../../ui/cn'
import { QuietCode } from '../../ui/code'
import { Section } from '../../ui/page'
import { SegmentedControl } from '../../ui/radio-cards'
import { ApplyBar, WriteFailure } from './apply-bar'
import { FileChanges, LayoutToggle, PreviewArea, usePreview } from './file-changes'
import { type SiteTool, toToolLocation } from './sites'
import { RequestAddress } from './tool-overview'
import { ToolWarnings } from './tool-warnings'
import { useRemedies } from './use-tool-actions'

interface DriftPanelProps {
  readonly tool: SiteTool
  readonly onApplied: (tool: ToolView, warnings: readonly ToolWarning[]) => void
  readonly onStopManaging: (tool: ToolView) => void
}

const invalidates = ['tools', 'plans', 'profiles'] as const

function useMergeDrift({ tool, onApplied, onStopManaging }: DriftPanelProps, entries: readonly DriftEntry[]) {
  const [keptPaths, setKeptPaths] = useState<ReadonlySet<string>>(new Set())
  const areAllKept = entries.length > 0 && entries.every(({ path }) => keptPaths.has(path))
  const input = areAllKept ? undefined : mergeInput(tool, keptPaths)
  const previewState = usePreview('tools.preview', input)
  // Warnings of the preview that is being written. They are needed after this component has unmounted.
  const shownWarnings = useRef<readonly ToolWarning[]>([])
  const writeTool = useAction('tools.apply', {
    invalidates,
    onSuccess: (writtenTool) => onApplied(writtenTool, shownWarnings.current),
  })
  const stopManagingAction = useAction('tools.stopManaging', { invalidates, onSuccess: onStopManaging })
  const { preview, isOld } = previewState
  const isBusy = writeTool.isPending || stopManagingAction.isPending
  const canApply = preview !== undefined && !isOld && !isBusy
  const applyChanges = (): void => {
    if (!canApply) return
    shownWarnings.current = preview.warnings
    writeTool.mutate({ previewId: preview.previewId })
  }
  const stopManaging = (): void => stopManagingAction.mutate(toToolLocation(tool.id, tool.site))
  const applyDecision = areAllKept ? (isBusy ? undefined : stopManaging) : canApply ? applyChanges : undefined
  const setKeptDecision = (nextKeptPaths: ReadonlySet<string>): void => {
    writeTool.reset()
    stopManagingAction.reset()
    setKeptPaths(nextKeptPaths)
  }
  return {
    kept: keptPaths,
    keepsAll: areAllKept,
    shown: previewState,
    isBusy,
    act: applyDecision,
    label: areAllKept ? 'drift.letBe' : keptPaths.size > 0 ? 'drift.merge' : 'drift.putAllBack',
    failed: writeTool.error ?? stopManagingAction.error,
    decide: setKeptDecision,
  } as const
}

function MergePanel({ entries, ...props }: DriftPanelProps & { readonly entries: readonly DriftEntry[] }) {
  const { t } = useTranslation('tools')
  const { tool } = props
  const { applied } = tool
  const shownEntries = listDecidableEntries(entries)
  const { kept, keepsAll, shown, isBusy, act, label, failed, decide } = useMergeDrift(props, shownEntries)
  const { preview } = shown
  const remedies = useRemedies(tool, applied?.planId, shown.refresh)
  const hasPair = shownEntries.some((entry) => listBoundPaths(entry, entries).length > 1)
  return (
    <>
      <Section
        title={t('drift.compare')}
        description={t('drift.compareHint')}
        actions={[
          {
            label: t('drift.keepAll'),
            variant: 'ghost',
            onClick: () => decide(new Set(shownEntries.map(({ path }) => path))),
          },
          { label: t('drift.putAllBack'), variant: 'ghost', onClick: () => decide(new Set()) },
        ]}
      >
        <DriftTable
          entries={shownEntries}
          kept={kept}
          onDecide={(entry, keeps) => decide(toggleKeptPath(kept, { entry, keeps, entries }))}
        />
        {hasPair ? <p>{t('drift.pair')}</p> : null}
        <WriteFailure
          failure={failed?.failure ?? shown.error?.failure}
          context={{ tool: tool.name, file: tool.file, plan: applied?.planName, modelCode: applied?.modelCode }}
          handlers={remedies}
          busy={shown.isOld}
        />
      </Section>
      {keepsAll ? (
        <Callout tone="info" title={t('drift.letGo', { tool: tool.name })} />
      ) : (
        <Section title={t('changes')} description={t('changesHint')} actions={<LayoutToggle />}>
          {shown.error ? null : <PreviewArea shown={shown}>{({ files }) => <FileChanges files={files} />}</PreviewArea>}
          {preview ? <ToolWarnings warnings={preview.warnings} tool={tool} site={tool.site} /> : null}
        </Section>
      )}
      {keepsAll || preview ? (
        <ApplyBar label={t(label)} busy={isBusy} apply={act}>
          {keepsAll ? (
            <p>{t('drift.letBeOutcome')}</p>
          ) : (
            <RequestAddress tool={tool.name} requestAddress={preview?.requestAddress} base={preview?.base} />
          )}
        </ApplyBar>
      ) : null}
    </>
  )
}

export function DriftPanel(props: DriftPanelProps) {
  const { t } = useTranslation('tools')
  const { tool } = props
  const query = useCall('tools.drift', toToolLocation(tool.id, tool.site), { staleTime: 0 })
  return (
    <Loaded query={query} rows={4}>
      {(entries) =>
        listDecidableEntries(entries).length === 0 ? (
          <Callout tone="success" title={t('drift.nothing')} />
        ) : (
          <MergePanel {...props} entries={entries} />
        )
      }
    </Loaded>
  )
}

const isDifferent = ({ state }: DriftEntry): boolean => state !== 'same'

const listDecidableEntries = (entries: readonly DriftEntry[]): readonly DriftEntry[] => entries.filter(isDifferent)

/**
 * Paths of settings that are kept or replaced together. Address and key form a pair, so that the key is never sent to
 * another address.
 */
const listBoundPaths = (entry: DriftEntry, entries: readonly DriftEntry[]): readonly string[] =>
  entry.role === undefined ? [entry.path] : entries.filter(({ role }) => role !== undefined).map(({ path }) => path)

function toggleKeptPath(
  keptPaths: ReadonlySet<string>,
  decision: { readonly entry: DriftEntry; readonly keeps: boolean; readonly entries: readonly DriftEntry[] },
): ReadonlySet<string> {
  const newPathsToKeep = new Set(keptPaths)
  for (const path of listBoundPaths(decision.entry, decision.entries)) {
    if (decision.keeps) newPathsToKeep.add(path)
    else newPathsToKeep.delete(path)
  }
  return newPathsToKeep
}

/** Input of a preview that writes a tool's setup again but keeps some changed settings. */
function mergeInput(tool: SiteTool, keptPaths: ReadonlySet<string>): MethodInput<'tools.preview'> | undefined {
  const { applied } = tool
  if (!applied) return undefined
  const { planId, keyId, modelCode, slots, delivery } = applied
  return {
    ...toToolLocation(tool.id, tool.site),
    planId,
    ...(keyId !== undefined && { keyId }),
    modelCode,
    ...(Object.keys(slots).length > 0 && { slots }),
    delivery,
    keep: [...keptPaths],
  }
}

interface DriftTableProps {
  readonly entries: readonly DriftEntry[]
  readonly kept: ReadonlySet<string>
  readonly onDecide: (entry: DriftEntry, keeps: boolean) => void
}

/** Value of a setting. Shows only a note if it equals the value that this app wrote, to highlight differences. */
function SettingValue({
  value,
  written,
}: {
  readonly value: string | undefined
  readonly written?: string | undefined
}) {
  const { t } = useTranslation('tools')
  if (value === undefined) return <span className="text-faint">{t('drift.notThere')}</span>
  if (value === written) return <span className="text-faint">{t('drift.asWritten')}</span>
  return <QuietCode wrap>{value}</QuietCode>
}

const fileName = (path: string): string => path.split(/[/\\]/).at(-1) ?? path

function DriftTable({ entries, kept, onDecide }: DriftTableProps) {
  const { t } = useTranslation('tools')
  const hasFiles = new Set(entries.map(({ file }) => file)).size > 1
  return (
    <div className="overflow-auto rounded-lg border bg-surface">
      <table className="w-full min-w-160 table-fixed border-collapse">
        <caption className="sr-only">{t('drift.list')}</caption>
        <thead>
          <tr>
            {(['written', 'found', 'wanted', 'choice'] as const).map((column) => (
              <th
                key={column}
                scope="col"
                className={joinClassNames(
                  'h-7.5 whitespace-nowrap px-3 text-left font-medium text-faint text-xs',
                  column === 'choice' && 'w-56.5',
                )}
              >
                {t(`drift.columns.${column}`)}
              </th>
            ))}
          </tr>
        </thead>
        {entries.map((entry) => (
          <tbody key={`${entry.file} ${entry.path}`} className="border-t">
            <tr>
              <th
                scope="rowgroup"
                colSpan={3}
                className="wrap-anywhere px-3 pt-2 text-left align-top [&_code]:mr-2 [&_code]:font-semibold"
              >
                <QuietCode wrap>{entry.path}</QuietCode>
                {entry.role === undefined ? null : <Badge>{t(`drift.roles.${entry.role}`)}</Badge>}
                {hasFiles ? <span className="ml-2 font-normal text-muted text-xs">{fileName(entry.file)}</span> : null}
              </th>
              <td rowSpan={2} className="px-3 py-2">
                <SegmentedControl
                  label={t('drift.choiceFor', { setting: entry.path })}
                  value={kept.has(entry.path) ? 'theirs' : 'ours'}
                  onValueChange={(value) => onDecide(entry, value === 'theirs')}
                  segments={[
                    { value: 'theirs', label: t('drift.keepTheirs') },
                    { value: 'ours', label: entry.state === 'outdated' ? t('drift.update') : t('drift.putBack') },
                  ]}
                />
              </td>
            </tr>
            <tr className="*:wrap-anywhere *:px-3 *:pt-0.5 *:pb-2.5 *:align-top">
              <td>
                <SettingValue value={entry.written} />
              </td>
              <td>
                <SettingValue value={entry.found} written={entry.written} />
              </td>
              <td>
                <SettingValue value={entry.wanted} written={entry.written} />
              </td>
            </tr>
          </tbody>
        ))}
      </table>
    </div>
  )
}
