import type { BulkPreview, ToolChanges, ToolView } from '@shared/contract'
import { hasNoChanges } from '@shared/tool-changes'
import { ChevronRight } from 'lucide-react'
import { type ComponentProps, type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFailureTexts } from '../../i18n/failures'
import { Badge } from '../../ui/badge'
import { type Action, Button } from '../../ui/button'
import { joinClassNames } from '../../ui/cn'
import { QuietCode } from '../../ui/code'
import { countChanges } from '../../ui/diff-view'
import { Section } from '../../ui/page'
import { Row, Rows } from '../../ui/rows'
import { toggleKey } from '../../ui/virtual-table'
import { FileChanges, LineCounts, PreviewArea } from './file-changes'
import { findToolName, formatSiteKey, useFormatSite } from './sites'
import { ToolInitials } from './tool-mark'
import { toolPath } from './tool-status'

interface BulkPreviewAreaProps
  extends Omit<ComponentProps<typeof PreviewArea<BulkPreview>>, 'children'>,
    Omit<BulkChangesProps, 'preview'> {}

/** Preview of several tools. Fades while a newer preview loads. */
export function BulkPreviewArea({ tools, renderNotes, ...area }: BulkPreviewAreaProps) {
  return (
    <PreviewArea {...area}>
      {(preview) => <BulkChanges preview={preview} tools={tools} renderNotes={renderNotes} />}
    </PreviewArea>
  )
}

/** Maximum number of tools that start expanded. */
const maxExpandedTools = 3

const toKey = ({ toolId, site }: ToolChanges): string => `${toolId} ${formatSiteKey(site)}`

function Sums({ changes }: { readonly changes: ToolChanges }) {
  const { t } = useTranslation('tools')
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
  const formatSite = useFormatSite()
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
      {children ? <div className="border-t px-3.5 py-2">{children}</div> : null}
      {isOpen ? (
        <div className="border-t p-3 lowest:p-2">
          <FileChanges files={files} />
        </div>
      ) : null}
    </section>
  )
}

interface BulkChangesProps {
  readonly preview: BulkPreview
  readonly tools: readonly ToolView[]
  readonly renderNotes?: ((changes: ToolChanges) => ReactNode) | undefined
}

function BulkChanges({ preview, tools, renderNotes }: BulkChangesProps) {
  const { t } = useTranslation('tools')
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
          name={findToolName(tools, changes.toolId)}
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
  readonly tools: readonly ToolView[]
  /**
   * Called when the user agrees to configure a tool whose strict JSON file contains comments. The comments move to a
   * backup copy.
   */
  readonly onMoveComments?: ((toolId: string) => void) | undefined
  /** Tools that are not changed for other reasons. */
  readonly otherTools?: readonly SkippedTool[]
}) {
  const { left, tools, onMoveComments, otherTools = [] } = props
  const { t } = useTranslation(['tools', 'failures'])
  const getFailureTexts = useFailureTexts()
  const refusedTools = left.map(({ toolId, site, failure }): SkippedTool => {
    const tool = tools.find(({ id }) => id === toolId)
    const name = tool?.name ?? toolId
    const { title, explanation } = getFailureTexts(failure, { tool: name, file: tool?.file })
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
    <Section title={t('tools:many.left')} description={t('tools:many.leftHint')}>
      <Rows label={t('tools:many.left')}>
        {skippedTools.map(({ id, name, reason, action }) => (
          <Row
            key={id}
            leading={<ToolInitials tool={{ name }} />}
            title={name}
            description={reason}
            trailing={[action]}
          />
        ))}
      </Rows>
    </Section>
  )
}
