import type { BulkPreview, ToolChanges, ToolView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { hasNoChanges, writesPlainText } from '@shared/tool-changes'
import i18next from 'i18next'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { useAction } from '../../ipc'
import { Card, Section } from '../../ui/page'
import { Switch } from '../../ui/switch'
import { useToolName } from '../connections/account'
import {
  ApplyBar,
  BulkChanges,
  LayoutToggle,
  PreviewArea,
  type PreviewState,
  SkippedTools,
  useWritePreview,
  WriteFailure,
} from './preview'
import { ToolWarnings } from './remedies'

const t = i18next.getFixedT(null, ['tools', 'history'])

type BulkWriteState = ReturnType<typeof useBulkWrite>

/** Writes the preview of several tools: all or none. Keys in plain text need the user's consent. */
export function useBulkWrite(props: {
  readonly shown: PreviewState<BulkPreview>
  /** False if the written secret is only the relay's token. */
  readonly needsConsent?: boolean
  /** Called with the new state of the tools and the preview that was written, not a newer one. */
  readonly onDone?: (tools: readonly ToolView[], preview: BulkPreview) => void
}) {
  const { needsConsent = true, onDone } = props
  const getToolName = useToolName()
  const [isAccepted, setIsAccepted] = useState(false)
  const writing = useAction('tools.applyMany', { invalidates: ['tools', 'plans', 'profiles', 'relay'] })
  const { shown, apply } = useWritePreview(props.shown, writing, onDone)
  const changes = shown.preview?.tools ?? []
  const plainTextTools = needsConsent ? changes.filter(writesPlainText).map(({ toolId }) => getToolName(toolId)) : []
  const lacksConsent = plainTextTools.length > 0 && !isAccepted
  const isIdle = changes.every(hasNoChanges)
  return {
    shown,
    writing,
    plainTextTools,
    isAccepted,
    setIsAccepted,
    lacksConsent,
    isIdle,
    apply: isIdle || lacksConsent ? undefined : apply,
  }
}

/** Switch that allows to write keys in plain text. Hidden if no key is. */
export function PlainTextConsent({ state, label }: { readonly state: BulkWriteState; readonly label: string }) {
  if (state.plainTextTools.length === 0) return null
  return (
    <Card>
      <Switch checked={state.isAccepted} onCheckedChange={state.setIsAccepted} label={label} hint={t('consentHint')} />
    </Card>
  )
}

const renderWarnings = (changes: ToolChanges): ReactNode =>
  hasNoChanges(changes) ? null : <ToolWarnings {...changes} />

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
  readonly area?: Pick<ComponentProps<typeof PreviewArea>, 'context' | 'missing' | 'refusal'>
  /** Content below the name of a changed tool. Default: the warnings of the preview. */
  readonly renderNotes?: (changes: ToolChanges) => ReactNode
  readonly skipped?: Pick<ComponentProps<typeof SkippedTools>, 'onMoveComments' | 'otherTools'>
}) {
  const { state, title, description, label, outcome, before, consentNeeded, area, skipped } = props
  const { renderNotes = renderWarnings } = props
  const { shown, writing, plainTextTools, isIdle, lacksConsent, apply } = state
  const { preview, refresh } = shown
  const remedies = { tryAgain: refresh, previewAgain: refresh }
  const consentReason = lacksConsent ? (consentNeeded ?? t('history:consentNeeded')) : undefined
  return (
    <>
      <Section title={title} description={description} actions={<LayoutToggle />}>
        <WriteFailure failure={writing.error?.failure ?? before} isMany handlers={remedies} />
        <PreviewArea shown={shown} handlers={remedies} {...area}>
          {(changes) => <BulkChanges preview={changes} renderNotes={renderNotes} />}
        </PreviewArea>
      </Section>
      <SkippedTools left={preview?.left ?? []} {...skipped} />
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
