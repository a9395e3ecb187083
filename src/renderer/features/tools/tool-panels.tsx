import type { DriftEntry, MethodInput, ToolView, ToolWarning } from '@shared/contract'
import { hasNoChanges } from '@shared/tool-changes'
import i18next from 'i18next'
import { useState } from 'react'
import { useAction, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Badge } from '../../ui/badge'
import { Callout } from '../../ui/callout'
import { joinClassNames } from '../../ui/cn'
import { Code, QuietCode } from '../../ui/code'
import { Section } from '../../ui/page'
import { SegmentedControl } from '../../ui/radio-cards'
import { InlineDetails } from '../../ui/rows'
import { ChoiceForm, CollapsibleForm } from './choice-form'
import {
  ApplyBar,
  ChangesHint,
  FileChanges,
  LayoutToggle,
  PreviewArea,
  usePreview,
  useWritePreview,
  useWriteTool,
  WriteFailure,
} from './preview'
import { PreviewNotes, ToolWarnings, useRemedies } from './remedies'
import { type SiteTool, toToolLocation } from './setups'
import { type CompletedToolForm, type FormOverrides, previewInput, useToolForm } from './tool-form'
import { AddPlanHint, ExhaustedNotice } from './tool-notices'
import { RequestAddress } from './tool-overview'

const t = i18next.getFixedT(null, 'tools')

export function ConfigurePanel(props: {
  readonly tool: SiteTool
  /** Called after a write, with the tool's new state and the warnings of the preview. */
  readonly onApplied: (tool: ToolView, warnings: readonly ToolWarning[]) => void
}) {
  const { tool, onApplied } = props
  const { choice, picked, pick: pickChoice } = useToolForm(tool)
  const input = previewInput(tool, choice, picked)
  const { shown, writeTool, apply } = useWriteTool(input, onApplied)
  const { preview } = shown
  const lacksConsent = choice?.delivery === 'plain' && !picked.plainTextAccepted
  const obstacle = hasNoChanges(preview) ? t('nothingToDo') : lacksConsent ? t('consentNeeded') : undefined
  const pick = (change: FormOverrides): void => {
    writeTool.reset()
    pickChoice(change)
  }
  const remedies = useRemedies(tool, choice?.plan.id, shown.refresh)
  if (!choice) return <AddPlanHint />
  const { plan, keyId, modelCode } = choice
  const context = { tool: tool.name, file: tool.file || undefined }
  return (
    <>
      <OtherRelayNotice tool={tool} />
      <ExhaustedNotice applied={tool.applied} />
      <CollapsibleForm
        summary={formSummary(choice)}
        startsFolded={!tool.applied && input !== undefined}
        needsAnswer={lacksConsent || input === undefined}
      >
        <ChoiceForm tool={tool} choice={choice} picked={picked} onPick={pick} />
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
            toolId={tool.id}
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

const formSummary = ({ plan, keyId, modelCode, route, delivery }: CompletedToolForm) => [
  plan.name,
  plan.keys.length > 1 && plan.keys.find(({ id }) => id === keyId)?.name,
  modelCode !== '' && <QuietCode key="model">{modelCode}</QuietCode>,
  t(`route.ways.${route}`),
  t(`deliveries.${delivery}`),
]

export function RestorePanel({ tool, onRestored }: { tool: SiteTool; onRestored: (tool: ToolView) => void }) {
  const restoreTool = useAction('tools.restore', { invalidates: ['tools', 'plans', 'profiles'] })
  const location = toToolLocation(tool.id, tool.site)
  const { shown, apply } = useWritePreview(usePreview('tools.previewRestore', location), restoreTool, onRestored)
  const { preview } = shown
  const remedies = useRemedies(tool, tool.applied?.planId, shown.refresh)
  const context = { tool: tool.name, file: tool.file, plan: tool.applied?.planName }
  return (
    <>
      <Section title={t('restoreChanges')} description={t('restoreHint')} actions={<LayoutToggle />}>
        <WriteFailure failure={restoreTool.error?.failure} context={context} handlers={remedies} />
        <PreviewArea shown={shown} context={context} handlers={remedies}>
          {({ files }) => <FileChanges files={files} />}
        </PreviewArea>
        {preview ? <ToolWarnings warnings={preview.warnings} toolId={tool.id} site={tool.site} /> : null}
      </Section>
      {preview ? (
        <ApplyBar label={t('restore')} busy={restoreTool.isPending} apply={apply}>
          <p>{t('restoreOutcome', { tool: tool.name, plan: tool.applied?.planName ?? t('planGone') })}</p>
        </ApplyBar>
      ) : null}
    </>
  )
}

interface DriftPanelProps {
  readonly tool: SiteTool
  readonly onApplied: (tool: ToolView, warnings: readonly ToolWarning[]) => void
  readonly onStopManaging: (tool: ToolView) => void
}

function MergePanel(props: DriftPanelProps & { readonly entries: readonly DriftEntry[] }) {
  const { tool, entries, onApplied, onStopManaging } = props
  const { applied } = tool
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set())
  const shownEntries = listDecidableEntries(entries)
  const keepsAll = shownEntries.every(({ path }) => kept.has(path))
  const { shown, writeTool, apply } = useWriteTool(keepsAll ? undefined : mergeInput(tool, kept), onApplied)
  const stopManaging = useAction('tools.stopManaging', {
    invalidates: ['tools', 'plans', 'profiles'],
    onSuccess: onStopManaging,
  })
  const { preview } = shown
  const label = keepsAll ? 'drift.letBe' : kept.size > 0 ? 'drift.merge' : 'drift.putAllBack'
  const failed = writeTool.error ?? stopManaging.error
  const decide = (nextKept: ReadonlySet<string>): void => {
    writeTool.reset()
    stopManaging.reset()
    setKept(nextKept)
  }
  const explanation = {
    context: { tool: tool.name, file: tool.file, plan: applied?.planName, modelCode: applied?.modelCode },
    handlers: useRemedies(tool, applied?.planId, shown.refresh),
  }
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
          onDecide={(entry, keeps) => {
            const paths = listBoundPaths(entry, entries)
            decide(new Set(keeps ? [...kept, ...paths] : [...kept].filter((path) => !paths.includes(path))))
          }}
        />
        {hasPair ? <p>{t('drift.pair')}</p> : null}
        <WriteFailure failure={failed?.failure} {...explanation} />
      </Section>
      {keepsAll ? (
        <Callout tone="info" title={t('drift.letGo', { tool: tool.name })} />
      ) : (
        <Section title={t('changes')} description={t('changesHint')} actions={<LayoutToggle />}>
          <PreviewArea shown={shown} {...explanation}>
            {({ files }) => <FileChanges files={files} />}
          </PreviewArea>
          <ToolWarnings warnings={preview?.warnings ?? []} toolId={tool.id} site={tool.site} />
        </Section>
      )}
      {keepsAll || preview ? (
        <ApplyBar
          label={t(label)}
          busy={writeTool.isPending || stopManaging.isPending}
          apply={keepsAll ? () => stopManaging.mutate(toToolLocation(tool.id, tool.site)) : apply}
        >
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

const listDecidableEntries = (entries: readonly DriftEntry[]): readonly DriftEntry[] =>
  entries.filter(({ state }) => state !== 'same')

/** Address and key are kept or replaced together, so that the key is never sent to another address. */
const listBoundPaths = (entry: DriftEntry, entries: readonly DriftEntry[]): readonly string[] =>
  entry.role === undefined ? [entry.path] : entries.filter(({ role }) => role !== undefined).map(({ path }) => path)

/** Value of a setting. Shows only a note if it equals the value that this app wrote, to highlight differences. */
function SettingValue(props: { readonly value: string | undefined; readonly written?: string | undefined }) {
  const { value, written } = props
  if (value === undefined) return <span className="text-faint">{t('drift.notThere')}</span>
  if (value === written) return <span className="text-faint">{t('drift.asWritten')}</span>
  return <QuietCode wrap>{value}</QuietCode>
}

/** Input of a preview that writes a tool's setup again but keeps some changed settings. */
function mergeInput(tool: SiteTool, keptPaths: ReadonlySet<string>): MethodInput<'tools.preview'> | undefined {
  if (!tool.applied) return undefined
  const { planId, keyId, modelCode, slots, delivery } = tool.applied
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

function DriftTable(props: {
  readonly entries: readonly DriftEntry[]
  readonly kept: ReadonlySet<string>
  readonly onDecide: (entry: DriftEntry, keeps: boolean) => void
}) {
  const { entries, kept, onDecide } = props
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
                {hasFiles ? (
                  <span className="ml-2 font-normal text-muted text-xs">{entry.file.split(/[/\\]/).at(-1)}</span>
                ) : null}
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
              {(['found', 'wanted'] as const).map((version) => (
                <td key={version}>
                  <SettingValue value={entry[version]} written={entry.written} />
                </td>
              ))}
            </tr>
          </tbody>
        ))}
      </table>
    </div>
  )
}
