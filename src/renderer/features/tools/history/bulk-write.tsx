import type { BulkPreview, HistoryEntry, MethodOutput, ToolChanges, ToolView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { formatList, useFormats } from '../../../format'
import { useFailureToast } from '../../../i18n/failures'
import { type CallError, call, invalidateDomains, useAction } from '../../../ipc'
import { Card, Section } from '../../../ui/page'
import { Switch } from '../../../ui/switch'
import { toast } from '../../../ui/toast'
import { ApplyBar, BulkPreviewArea, findToolName, LayoutToggle, SkippedTools, ToolWarnings, WriteFailure } from '..'

interface PreviewQuery {
  readonly data: BulkPreview | undefined
  readonly error: CallError | null
  readonly isFetching: boolean
  readonly refetch: () => unknown
}

interface BulkWriteProps {
  readonly query: PreviewQuery
  readonly tools: readonly ToolView[]
  readonly title: string
  readonly description: string
  /** Label of the button that writes the changes. */
  readonly label: string
  readonly outcome: ReactNode
  /** Failure that led to this page, such as that of an undo from a toast. */
  readonly before?: Failure | undefined
  /** Renders a failed preview. Default: the general explanation of the failure. */
  readonly refused?: ((failure: Failure) => ReactNode) | undefined
  readonly onDone: () => void
}

const isIdle = ({ files }: ToolChanges): boolean => files.every(({ action }) => action === 'none')

/** Names of tools that would store the key in plain text. */
function listPlainTextTools(preview: BulkPreview | undefined, tools: readonly ToolView[]): readonly string[] {
  const hasFileWrites = (changes: ToolChanges): boolean =>
    !isIdle(changes) && changes.warnings.some(({ code }) => code === 'plainText')
  return (preview?.tools ?? []).filter(hasFileWrites).map(({ toolId }) => findToolName(tools, toolId))
}

function useBulkWrite({ query, tools, onDone }: BulkWriteProps) {
  const [isAccepted, setIsAccepted] = useState(false)
  const writeChanges = useAction('tools.applyMany', { invalidates: ['tools', 'plans', 'profiles'], onSuccess: onDone })
  const preview = query.isFetching || query.error ? undefined : query.data
  const plainText = listPlainTextTools(query.data, tools)
  const hasNoChanges = query.data?.tools.every(isIdle) ?? false
  const lacksConsent = plainText.length > 0 && !isAccepted
  const isReady = preview !== undefined && !hasNoChanges && !lacksConsent && !writeChanges.isPending
  const apply = isReady ? () => writeChanges.mutate({ previewId: preview.previewId }) : undefined
  return { writing: writeChanges, apply, plainText, idle: hasNoChanges, lacksConsent, isAccepted, setIsAccepted }
}

function Consent({ state }: { readonly state: ReturnType<typeof useBulkWrite> }) {
  const { t } = useTranslation(['history', 'tools'])
  if (state.plainText.length === 0) return null
  return (
    <Card>
      <Switch
        checked={state.isAccepted}
        onCheckedChange={state.setIsAccepted}
        label={t('history:consent', { tools: state.plainText.join(', ') })}
        hint={t('tools:consentHint')}
      />
    </Card>
  )
}

/** Page that previews and writes changes of several tools: all or none. */
export function BulkWrite(props: BulkWriteProps) {
  const { query, tools, title, description, label, outcome, before, refused } = props
  const { t } = useTranslation(['tools', 'history'])
  const state = useBulkWrite(props)
  const { writing: writeChanges, apply, idle, lacksConsent } = state
  const refresh = (): void => void query.refetch()
  // During and after the write, ignore failures of the preview. File events reload it before the write has ended.
  const error = writeChanges.isPending || writeChanges.isSuccess ? null : query.error
  const failure = error?.failure
  const previewState = { preview: query.data, error, isOld: query.isFetching, refresh }
  return (
    <>
      <Section title={title} description={description} actions={<LayoutToggle />}>
        <WriteFailure failure={writeChanges.error?.failure ?? before} isMany />
        <BulkPreviewArea
          shown={previewState}
          tools={tools}
          refusal={failure && refused?.(failure)}
          handlers={{ tryAgain: refresh }}
          renderNotes={(changes) => {
            const { toolId, site, warnings } = changes
            if (warnings.length === 0 || isIdle(changes)) return null
            return (
              <ToolWarnings warnings={warnings} tool={{ id: toolId, name: findToolName(tools, toolId) }} site={site} />
            )
          }}
        />
      </Section>
      {failure ? null : (
        <>
          <SkippedTools left={query.data?.left ?? []} tools={tools} />
          <Consent state={state} />
        </>
      )}
      {query.data && !failure && query.data.tools.length > 0 ? (
        <ApplyBar
          label={label}
          busy={writeChanges.isPending}
          apply={apply}
          reason={idle ? t('tools:nothingToDo') : lacksConsent ? t('history:consentNeeded') : undefined}
        >
          {outcome}
        </ApplyBar>
      ) : null}
    </>
  )
}

type Change = HistoryEntry['tools'][number]
type Kind = Change['kind']

const bulkKinds: readonly Kind[] = ['apply', 'restore', 'rewind', 'letGo']

/** Returns a function that describes a write of the history, such as which tools were configured or restored. */
export function useEntryTexts(tools: readonly ToolView[]): (entry: HistoryEntry) => string {
  const { t } = useTranslation('history')
  const { locale } = useFormats()
  const formatSentence = (kind: Kind, changes: readonly Change[]): string => {
    const names = formatList([...new Set(changes.map(({ toolId }) => findToolName(tools, toolId)))], locale)
    const plans = [...new Set(changes.flatMap(({ planName }) => planName ?? []))]
    if (kind === 'apply' && plans.length > 0)
      return t('what.applyWith', { tools: names, plan: formatList(plans, locale) })
    return t(`what.${kind}`, { tools: names })
  }
  return (entry) =>
    bulkKinds
      .map((kind) => [kind, entry.tools.filter((change) => change.kind === kind)] as const)
      .filter(([, changes]) => changes.length > 0)
      .map(([kind, changes]) => formatSentence(kind, changes))
      .join(' ')
}

/** Path of the page that previews undoing a write and all later ones. */
export const rewindPath = (entryId: string): string => `/history/${encodeURIComponent(entryId)}`

const noEntries = (): MethodOutput<'tools.history'> => []

/**
 * Shows a toast with an Undo button. Undo runs immediately if it can restore everything, and otherwise opens a
 * preview.
 */
export function useUndoableToast(): (title: string) => Promise<void> {
  const { t } = useTranslation('history')
  const navigate = useNavigate()
  const queries = useQueryClient()
  const showFailureToast = useFailureToast()
  const undoWrite = async (entryId: string): Promise<void> => {
    try {
      const preview = await call('tools.previewRewind', { entryId })
      if (preview.left.length > 0) return void navigate(rewindPath(entryId))
      await call('tools.applyMany', { previewId: preview.previewId })
      await toast(t('undone'))
    } catch (error) {
      showFailureToast()(error)
    } finally {
      invalidateDomains(queries, ['tools', 'plans', 'profiles'])
    }
  }
  return async (title) => {
    // Find the latest write now, because another write may follow before the user presses Undo.
    const [entry] = await call('tools.history', {}).catch(noEntries)
    await toast(title, entry ? { action: { label: t('undo'), onClick: () => void undoWrite(entry.id) } } : {})
  }
}
