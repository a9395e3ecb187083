import type { BulkPreview, ToolChanges, ToolView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { hasNoChanges, writesPlainText } from '@shared/tool-changes'
import { type ComponentProps, type ReactNode, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { Card, Section } from '../../ui/page'
import { Switch } from '../../ui/switch'
import { ApplyBar, BulkPreviewArea, LayoutToggle, type PreviewState, SkippedTools, WriteFailure } from './preview'
import { ToolWarnings } from './remedies'
import { findToolName } from './setups'

type BulkWriteState = ReturnType<typeof useBulkWrite>

/** Writes the preview of several tools: all or none. Keys in plain text need the user's consent. */
export function useBulkWrite(props: {
  readonly shown: PreviewState<BulkPreview>
  readonly tools: readonly ToolView[]
  /** False if the written secret is only the relay's token. */
  readonly needsConsent?: boolean
  /** Called with the new state of the tools and the preview that was written, not a newer one. */
  readonly onDone?: (tools: readonly ToolView[], preview: BulkPreview) => void
}) {
  const { shown, tools, needsConsent = true, onDone } = props
  const [isAccepted, setIsAccepted] = useState(false)
  const writtenPreview = useRef<BulkPreview>(undefined)
  const writing = useAction('tools.applyMany', {
    invalidates: ['tools', 'plans', 'profiles', 'relay'],
    onSuccess: (writtenTools) => writtenPreview.current && onDone?.(writtenTools, writtenPreview.current),
  })
  // During and after the write, ignore the preview. File events reload it before the write has ended.
  const isWritten = writing.isPending || writing.isSuccess
  const preview = isWritten ? writtenPreview.current : shown.preview
  const changes = preview?.tools ?? []
  const plainTextTools = needsConsent
    ? changes.filter(writesPlainText).map(({ toolId }) => findToolName(tools, toolId))
    : []
  const lacksConsent = plainTextTools.length > 0 && !isAccepted
  const isIdle = changes.every(hasNoChanges)
  // After a failed write, wait for a new preview. A background refresh does not prevent a write.
  const isOld = shown.isOld || writing.variables?.previewId === preview?.previewId
  const write = (): void => {
    if (!preview) return
    writtenPreview.current = preview
    writing.mutate({ previewId: preview.previewId })
  }
  return {
    shown: isWritten ? { ...shown, preview, error: null } : shown,
    tools,
    writing,
    plainTextTools,
    isAccepted,
    setIsAccepted,
    lacksConsent,
    isIdle,
    apply: preview && !isOld && !isIdle && !lacksConsent ? write : undefined,
  }
}

/** Switch that allows to write keys in plain text. Hidden if no key is. */
export function PlainTextConsent({ state, label }: { readonly state: BulkWriteState; readonly label: string }) {
  const { t } = useTranslation('tools')
  if (state.plainTextTools.length === 0) return null
  return (
    <Card>
      <Switch checked={state.isAccepted} onCheckedChange={state.setIsAccepted} label={label} hint={t('consentHint')} />
    </Card>
  )
}

/** Preview of several tools, with the bar that writes it. */
export function BulkWrite(props: {
  readonly state: BulkWriteState
  readonly title: string
  readonly description: ReactNode
  /** Label of the button that writes the changes. */
  readonly label: string
  readonly outcome: ReactNode
  /** Failure that led to this page, such as that of an undo from a toast. */
  readonly before?: Failure | undefined
  /** Text about the missing consent, if the page itself asks for it. */
  readonly consentNeeded?: string
  readonly area?: Pick<ComponentProps<typeof BulkPreviewArea>, 'context' | 'missing' | 'refusal' | 'renderNotes'>
  readonly skipped?: Pick<ComponentProps<typeof SkippedTools>, 'onMoveComments' | 'otherTools'>
}) {
  const { state, title, description, label, outcome, before, consentNeeded, area, skipped } = props
  const { t } = useTranslation(['tools', 'history'])
  const { shown, tools, writing, plainTextTools, isIdle, lacksConsent, apply } = state
  const { preview, refresh } = shown
  const remedies = { tryAgain: refresh, previewAgain: refresh }
  const consentReason = lacksConsent ? (consentNeeded ?? t('history:consentNeeded')) : undefined
  return (
    <>
      <Section title={title} description={description} actions={<LayoutToggle />}>
        <WriteFailure failure={writing.error?.failure ?? before} isMany handlers={remedies} />
        <BulkPreviewArea
          shown={shown}
          tools={tools}
          handlers={remedies}
          renderNotes={(changes) => renderWarnings(changes, tools)}
          {...area}
        />
      </Section>
      <SkippedTools left={preview?.left ?? []} tools={tools} {...skipped} />
      {consentNeeded === undefined ? (
        <PlainTextConsent state={state} label={t('history:consent', { tools: plainTextTools.join(', ') })} />
      ) : null}
      {preview && preview.tools.length > 0 ? (
        <ApplyBar
          label={label}
          busy={writing.isPending}
          apply={apply}
          reason={isIdle ? t('tools:nothingToDo') : consentReason}
        >
          {outcome}
        </ApplyBar>
      ) : null}
    </>
  )
}

function renderWarnings(changes: ToolChanges, tools: readonly ToolView[]) {
  const { toolId, site, warnings } = changes
  if (warnings.length === 0 || hasNoChanges(changes)) return null
  return <ToolWarnings warnings={warnings} site={site} tool={{ id: toolId, name: findToolName(tools, toolId) }} />
}
