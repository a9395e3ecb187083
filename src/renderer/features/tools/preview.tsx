import type {
  BulkPreview,
  FileChange,
  MethodInput,
  MethodOutput,
  ToolChanges,
  ToolView,
  ToolWarning,
} from '@shared/contract'
import type { Failure } from '@shared/failure'
import { hasNoChanges } from '@shared/tool-changes'
import { keepPreviousData, type UseMutationResult } from '@tanstack/react-query'
import i18next from 'i18next'
import {
  ChevronRight,
  Columns2,
  CornerDownRight,
  FileLock2,
  FileMinus2,
  FilePlus2,
  FileText,
  Rows2,
} from 'lucide-react'
import { type ComponentProps, type ReactNode, useId, useRef, useState } from 'react'
import { CopyText } from '../../copy-text'
import { ExplainedFailure, explainFailure } from '../../failures'
import { type CallError, useAction, useCall } from '../../ipc'
import { isOverlayOpen, useWindowKey } from '../../shortcuts'
import { Badge, type Tone } from '../../ui/badge'
import { type Action, Button, type ButtonVariant } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { joinClassNames } from '../../ui/cn'
import { Kbd, QuietCode } from '../../ui/code'
import { countChanges, DiffView } from '../../ui/diff-view'
import { Card, RowSection } from '../../ui/page'
import { SegmentedControl } from '../../ui/radio-cards'
import { Row } from '../../ui/rows'
import { SkeletonLines } from '../../ui/skeleton'
import { toggleKey } from '../../ui/virtual-table'
import { useDebouncedValue, useToolName } from '../connections/account'
import { formatSite, formatSiteKey, toolPath } from './setups'
import { useToolsStore } from './tool-form'
import { ToolInitials } from './tool-notices'

const t = i18next.getFixedT(null, ['tools', 'failures'])

const tones: Record<FileChange['action'], Tone> = {
  create: 'success',
  change: 'accent',
  delete: 'danger',
  none: 'neutral',
}
const icons = { create: FilePlus2, change: FileText, delete: FileMinus2, none: FileText } as const

/** Switch between the layouts of a diff. The choice lasts until the window closes. */
export function LayoutToggle() {
  const layout = useToolsStore((store) => store.layout)
  return (
    <SegmentedControl
      label={t('layout')}
      value={layout}
      onValueChange={(chosen) => useToolsStore.setState({ layout: chosen })}
      segments={[
        { value: 'inline', label: t('inline'), icon: Rows2 },
        { value: 'split', label: t('split'), icon: Columns2 },
      ]}
    />
  )
}

/** Text that explains the preview. Hidden in a window of small height. */
export function ChangesHint() {
  return <span className="low:hidden">{t('changesHint')}</span>
}

function Body({ file }: { file: FileChange }) {
  const layout = useToolsStore((store) => store.layout)
  const { action, holdsKey, lines, path } = file
  if (action === 'none') return <p className="p-3 text-muted">{t('noChange')}</p>
  if (lines.length === 0) {
    const text = action === 'delete' ? 'holdsKeyDeleted' : 'holdsKey'
    return <p className="p-3 text-muted">{t(holdsKey ? text : 'deletedWhole')}</p>
  }
  // A created or deleted file has only one side, so show it in one column.
  const isOneSided = action === 'create' || action === 'delete'
  return <DiffView lines={lines} layout={isOneSided ? 'inline' : layout} label={t('diffLabel', { path })} />
}

function FileCard({ file }: { file: FileChange }) {
  const id = useId()
  const Icon = file.holdsKey ? FileLock2 : icons[file.action]
  const nameStart = Math.max(file.path.lastIndexOf('/'), file.path.lastIndexOf('\\')) + 1
  return (
    <article className="overflow-clip rounded-lg border bg-surface" aria-labelledby={id}>
      <header className="flex min-h-9.5 items-center gap-2 border-b bg-well pr-2.5 pl-3">
        <Icon size={15} strokeWidth={1.8} className="text-faint" aria-hidden="true" />
        {/* Truncates folders before the file name. */}
        <h3 id={id} className="flex min-w-0 select-text font-mono font-normal text-sm" title={file.path}>
          <span className="truncate text-muted">{file.path.slice(0, nameStart)}</span>
          <span className="flex-none font-semibold text-text">{file.path.slice(nameStart)}</span>
        </h3>
        <CopyText text={file.path} label={t('copyPath')} />
        <span className="ml-auto flex flex-none items-center gap-2">
          <LineCounts {...countChanges(file.lines)} />
          <Badge tone={tones[file.action]}>{t(`fileActions.${file.action}`)}</Badge>
        </span>
      </header>
      {file.linkTarget === undefined ? null : (
        <p className="flex items-center gap-1.5 border-b px-3 py-1 wrap-anywhere text-muted text-sm">
          <CornerDownRight size={13} aria-hidden="true" />
          {t('linkTo')} <code>{file.linkTarget}</code>
        </p>
      )}
      <Body file={file} />
    </article>
  )
}

export function FileChanges({ files }: { files: readonly FileChange[] }) {
  return (
    <div className="flex flex-col gap-3">
      {files.map((file) => (
        <FileCard key={file.path} file={file} />
      ))}
    </div>
  )
}

function LineCounts({ added, removed }: { readonly added: number; readonly removed: number }) {
  if (added + removed === 0) return null
  return (
    <span className="flex flex-none gap-1.5 font-mono font-semibold text-xs tabular-nums">
      <span className="sr-only">{t('diff.counts', { added, removed })}</span>
      {added > 0 ? (
        <span aria-hidden="true" className="text-added-mark">
          +{added}
        </span>
      ) : null}
      {removed > 0 ? (
        <span aria-hidden="true" className="text-removed-mark">
          −{removed}
        </span>
      ) : null}
    </span>
  )
}

export function ChangesSkeleton() {
  return (
    <Card>
      <SkeletonLines label={t('preparing')} widths={[38, 62, 54, 70, 46, 30]} className="py-1" />
    </Card>
  )
}

interface PreviewAreaProps<T> extends Pick<ComponentProps<typeof ExplainedFailure>, 'context' | 'handlers' | 'tone'> {
  readonly shown: PreviewState<T>
  /** Shown in place of the failure of the preview. */
  readonly refusal?: ReactNode
  /** Text shown in place of the preview while a required choice is missing. */
  readonly missing?: string | undefined
  readonly children: (preview: T) => ReactNode
}

/** Preview area. Fades only if an update is slow, to avoid flicker. */
export function PreviewArea<T extends object>(props: PreviewAreaProps<T>) {
  const { shown, refusal, missing, children, ...explanation } = props
  const { preview, error, isOld } = shown
  if (error) return refusal ?? <ExplainedFailure failure={error.failure} busy={isOld} {...explanation} />
  if (missing !== undefined)
    return <p className="rounded-lg border border-border-strong border-dashed p-4 text-center text-muted">{missing}</p>
  if (!preview) return <ChangesSkeleton />
  return (
    <div
      className={joinClassNames('transition-opacity duration-medium', isOld && 'opacity-60 delay-120')}
      aria-busy={isOld}
    >
      {children(preview)}
    </div>
  )
}

export interface PreviewState<T> {
  readonly preview: T | undefined
  readonly error: CallError | null
  /** Whether the displayed result was computed for an earlier input. */
  readonly isOld: boolean
  readonly refresh: () => void
}

type PreviewMethod =
  | `tools.${'preview' | 'previewMany' | 'previewRestore' | 'previewRewind' | 'guide'}`
  | 'profiles.previewUse'

/** Loads a preview for `input`, unless undefined. While a new one loads, returns the last one, marked as old. */
export function usePreview<N extends PreviewMethod>(
  name: N,
  input: MethodInput<N> | undefined,
): PreviewState<MethodOutput<N>> {
  const debouncedInput = useDebouncedValue(input, 180)
  const query = useCall(name, debouncedInput, { placeholderData: keepPreviousData, staleTime: 0, gcTime: 0 })
  const isInputCurrent = JSON.stringify(debouncedInput) === JSON.stringify(input)
  return {
    preview: input === undefined || query.isError ? undefined : query.data,
    error: input === undefined ? null : query.error,
    // While the same input is refreshed, its preview can still be applied. The main process rejects it if a file has
    // changed.
    isOld: !isInputCurrent || query.isPlaceholderData || (query.isFetching && query.isError),
    refresh: () => void query.refetch(),
  }
}

/** Writes a preview once. `onWritten` gets the preview that was written, not a newer one. */
export function useWritePreview<P extends { readonly previewId: string }, Result>(
  shown: PreviewState<P>,
  writing: Pick<
    UseMutationResult<Result, CallError, { readonly previewId: string }>,
    'mutateAsync' | 'isPending' | 'isSuccess' | 'variables'
  >,
  onWritten?: (result: Result, preview: P) => void,
) {
  const writtenPreview = useRef<P>(undefined)
  // During and after the write, ignore the preview. File events reload it before the write has ended.
  const isWritten = writing.isPending || writing.isSuccess
  const preview = isWritten ? writtenPreview.current : shown.preview
  // After a failed write, wait for a new preview. A background refresh does not prevent a write.
  const isOld = shown.isOld || writing.variables?.previewId === preview?.previewId
  const write = (writable: P): void => {
    writtenPreview.current = writable
    void writing.mutateAsync({ previewId: writable.previewId }).then(
      (result) => onWritten?.(result, writable),
      () => undefined,
    )
  }
  return {
    shown: isWritten ? { ...shown, preview, error: null } : shown,
    apply: preview && !isOld ? () => write(preview) : undefined,
  }
}

/** Previews and writes a setup of a tool. */
export function useWriteTool(
  input: MethodInput<'tools.preview'> | undefined,
  onApplied: (tool: ToolView, warnings: readonly ToolWarning[]) => void,
) {
  const writeTool = useAction('tools.apply', { invalidates: ['tools', 'plans', 'profiles', 'relay'] })
  const write = useWritePreview(usePreview('tools.preview', input), writeTool, (tool, { warnings }) =>
    onApplied(tool, warnings),
  )
  return { ...write, writeTool }
}

/** Maximum number of tools that start expanded. */
const maxExpandedTools = 3

const toKey = ({ toolId, site }: ToolChanges): string => `${toolId} ${formatSiteKey(site)}`

function Sums({ changes }: { readonly changes: ToolChanges }) {
  const files = changes.files.filter(({ action }) => action !== 'none').length
  if (files === 0) return <Badge>{t(hasNoChanges(changes) ? 'fileActions.none' : 'route.onlyWay')}</Badge>
  return (
    <span className="flex flex-none gap-2 text-muted text-sm tabular-nums">
      <span>{t('many.files', { count: files })}</span>
      <LineCounts {...countChanges(changes.files.flatMap(({ lines }) => lines))} />
    </span>
  )
}

function Group(props: {
  readonly changes: ToolChanges
  readonly name: string
  readonly isOpen: boolean
  readonly onToggle: () => void
  readonly children?: ReactNode
}) {
  const { changes, name, isOpen, onToggle, children } = props
  const id = useId()
  const { site, requestAddress, files } = changes
  return (
    <section className="overflow-clip rounded-lg border bg-surface" aria-labelledby={id}>
      <h3>
        <button
          type="button"
          className={joinClassNames(
            'group flex min-h-12 w-full items-center gap-2.5 py-1 lowest:min-h-11 lowest:py-0 pr-3.5 pl-3 text-left font-normal',
            'hover:bg-hover focus-visible:-outline-offset-2',
          )}
          aria-expanded={isOpen}
          onClick={onToggle}
        >
          <ChevronRight
            size={14}
            strokeWidth={2}
            className="text-faint transition-transform group-aria-expanded:rotate-90"
            aria-hidden="true"
          />
          <ToolInitials tool={{ name }} />
          <span className="flex min-w-0 flex-1 flex-col items-start text-muted leading-4.5">
            <span id={id} className="font-semibold text-text">
              {name}
              {site.kind === 'user' ? null : (
                <span className="ml-2 font-normal text-muted text-sm">{formatSite(site)}</span>
              )}
            </span>
            {requestAddress === undefined ? null : <QuietCode title={requestAddress}>POST {requestAddress}</QuietCode>}
          </span>
          <Sums changes={changes} />
        </button>
      </h3>
      <div className="flex flex-col gap-2 border-t px-3.5 py-2 empty:hidden">{children}</div>
      {isOpen ? (
        <div className="border-t p-3 lowest:p-2">
          <FileChanges files={files} />
        </div>
      ) : null}
    </section>
  )
}

export function BulkChanges(props: {
  readonly preview: Pick<BulkPreview, 'tools'>
  readonly renderNotes?: (changes: ToolChanges) => ReactNode
}) {
  const { preview, renderNotes } = props
  const getToolName = useToolName()
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const [startsOpen, setStartsOpen] = useState(preview.tools.length <= maxExpandedTools)
  const setAllOpen = (isOpen: boolean): void => {
    setStartsOpen(isOpen)
    setToggled(new Set())
  }
  const isOpen = (changes: ToolChanges): boolean => startsOpen !== toggled.has(toKey(changes))
  const hasOpenPreviews = preview.tools.some(isOpen)
  return (
    <div className="flex flex-col gap-2">
      {preview.tools.length > maxExpandedTools ? (
        <Button size="sm" variant="ghost" className="self-end" onClick={() => setAllOpen(!hasOpenPreviews)}>
          {t(hasOpenPreviews ? 'many.foldAll' : 'many.unfoldAll')}
        </Button>
      ) : null}
      {preview.tools.map((changes) => (
        <Group
          key={toKey(changes)}
          changes={changes}
          name={getToolName(changes.toolId)}
          isOpen={isOpen(changes)}
          onToggle={() => setToggled((keys) => toggleKey(keys, toKey(changes)))}
        >
          {renderNotes?.(changes)}
        </Group>
      ))}
    </div>
  )
}

/** A tool that is not changed, with the reason and a button. */
interface SkippedTool {
  readonly id: string
  readonly name: string
  readonly reason: string
  readonly action: Action
}

export function SkippedTools(props: {
  readonly left: BulkPreview['left']
  /** Called when the user agrees to move the comments of a tool's strict JSON file to a backup copy. */
  readonly onMoveComments?: ((toolId: string) => void) | undefined
  /** Tools that are not changed for other reasons. */
  readonly otherTools?: readonly SkippedTool[]
}) {
  const { left, onMoveComments, otherTools = [] } = props
  const { data: tools = [] } = useCall('tools.list', {})
  const refusedTools = left.map(({ toolId, site, failure }): SkippedTool => {
    const tool = tools.find(({ id }) => id === toolId)
    const name = tool?.name ?? toolId
    const { title, explanation } = explainFailure(failure, { tool: name, file: tool?.file })
    return {
      id: `${toolId} ${formatSiteKey(site)}`,
      name,
      reason: `${title}. ${explanation}`,
      action:
        failure.code === 'file.notStrict' && onMoveComments
          ? { label: t('failures:actions.moveComments'), onClick: () => onMoveComments(toolId) }
          : { label: t('tools:actions.open'), about: name, variant: 'ghost', to: toolPath(toolId, undefined, site) },
    }
  })
  const skippedTools = [...refusedTools, ...otherTools]
  if (skippedTools.length === 0) return null
  return (
    <RowSection title={t('tools:many.left')} description={t('tools:many.leftHint')}>
      {skippedTools.map(({ id, name, reason, action }) => (
        <Row
          key={id}
          leading={<ToolInitials tool={{ name }} />}
          title={name}
          description={reason}
          trailing={[action]}
        />
      ))}
    </RowSection>
  )
}

export function ApplyBar(props: {
  readonly children: ReactNode
  readonly label: string
  readonly variant?: ButtonVariant
  readonly busy: boolean
  /** The page's main action, also on Ctrl+Enter (Command+Enter on a Mac). Undefined while it is not possible. */
  readonly apply: (() => void) | undefined
  /** Text that explains why the button is disabled. */
  readonly reason?: string | undefined
}) {
  const { children, label, variant = 'primary', busy, apply, reason } = props
  // In the capture phase, because some controls consume Enter.
  useWindowKey(
    (event) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat || isOverlayOpen()) return
      event.preventDefault()
      event.stopPropagation()
      if (!busy) apply?.()
    },
    { isOn: apply !== undefined, capture: true },
  )
  return (
    // The strip of page color hides the page below the bar and behind its round corners.
    <div className="sticky bottom-0 z-2 pb-3 before:absolute before:inset-x-0 before:bottom-0 before:h-6 before:bg-page">
      <div
        className={joinClassNames(
          'relative flex flex-wrap items-center gap-x-4 gap-y-2 rounded-xl border',
          'border-border-strong bg-raised py-3 pr-3.5 pl-4 shadow-float lowest:py-2',
        )}
      >
        <div className="min-w-0 flex-[1_1_320px]">{children}</div>
        <div className="ml-auto flex items-center gap-3">
          <Kbd keys={['Mod', 'Enter']} />
          <Button
            variant={variant}
            busy={busy}
            disabled={!apply && !busy}
            onClick={apply}
            aria-keyshortcuts="Control+Enter Meta+Enter"
            aria-describedby={reason === undefined ? undefined : 'apply-reason'}
          >
            {label}
          </Button>
        </div>
        {reason === undefined ? null : (
          <p id="apply-reason" className="basis-full text-right text-muted text-sm">
            {reason}
          </p>
        )}
      </div>
    </div>
  )
}

export function AllOrNothing({ title }: { readonly title: string }) {
  return (
    <p className="text-muted">
      <strong className="block font-semibold text-text">{title}</strong>
      {t('many.allOrNothing')}
    </p>
  )
}

/** Shows why a write failed. If a file has changed since the preview, only offers a new preview. */
export function WriteFailure(
  props: Pick<ComponentProps<typeof ExplainedFailure>, 'context' | 'handlers' | 'busy'> & {
    readonly failure: Failure | undefined
    /** Whether the failed write was for several tools, which changes the text. */
    readonly isMany?: boolean
  },
) {
  const { failure, isMany = false, ...rest } = props
  if (!failure) return null
  return (
    <div ref={scrollIntoView}>
      {failure.code === 'file.changed' ? (
        <Callout tone="warning" title={t('changedMeanwhile')}>
          {t('changedMeanwhileText')}
        </Callout>
      ) : (
        <>
          <ExplainedFailure failure={failure} {...rest} />
          {isMany ? <p className="text-muted">{t('many.nothingWritten')}</p> : null}
        </>
      )}
    </div>
  )
}

/** Scrolls the result into view. The sticky Apply button may be far from it. */
const scrollIntoView = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'center' })
