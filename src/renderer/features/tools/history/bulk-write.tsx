import type { BulkPreview, HistoryEntry, MethodOutput, ToolChanges, ToolView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { hasNoChanges, writesPlainText } from '@shared/tool-changes'
import { type UseQueryResult, useQueryClient } from '@tanstack/react-query'
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

function renderNotes(changes: ToolChanges, tools: readonly ToolView[]) {
  const { toolId, site, warnings } = changes
  if (warnings.length === 0 || hasNoChanges(changes)) return null
  return <ToolWarnings {...{ warnings, site }} tool={{ id: toolId, name: findToolName(tools, toolId) }} />
}

/** Page that previews and writes changes of several tools: all or none. */
export function BulkWrite(props: {
  readonly query: UseQueryResult<BulkPreview, CallError>
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
}) {
  const { query, tools, title, description, label, outcome, before, refused, onDone } = props
  const { t } = useTranslation(['tools', 'history'])
  const [isAccepted, setIsAccepted] = useState(false)
  const writeChanges = useAction('tools.applyMany', { invalidates: ['tools', 'plans', 'profiles'], onSuccess: onDone })
  // During and after the write, ignore failures of the preview. File events reload it before the write has ended.
  const error = writeChanges.isPending || writeChanges.isSuccess ? null : query.error
  const failure = error?.failure
  const { previewId, tools: changes = [], left = [] } = (failure ? undefined : query.data) ?? {}
  const plainTextTools = changes.filter(writesPlainText).map(({ toolId }) => findToolName(tools, toolId))
  const isIdle = changes.every(hasNoChanges)
  const lacksConsent = plainTextTools.length > 0 && !isAccepted
  const obstacle = isIdle ? t('tools:nothingToDo') : lacksConsent ? t('history:consentNeeded') : undefined
  const canApply = !query.isFetching && obstacle === undefined
  const apply = previewId !== undefined && canApply ? () => writeChanges.mutate({ previewId }) : undefined
  const refresh = (): void => void query.refetch()
  return (
    <>
      <Section title={title} description={description} actions={<LayoutToggle />}>
        <WriteFailure failure={writeChanges.error?.failure ?? before} isMany />
        <BulkPreviewArea
          shown={{ preview: query.data, error, isOld: query.isFetching, refresh }}
          tools={tools}
          refusal={failure && refused?.(failure)}
          handlers={{ tryAgain: refresh }}
          renderNotes={(toolChanges) => renderNotes(toolChanges, tools)}
        />
      </Section>
      <SkippedTools left={left} tools={tools} />
      {plainTextTools.length > 0 ? (
        <Card>
          <Switch
            checked={isAccepted}
            onCheckedChange={setIsAccepted}
            label={t('history:consent', { tools: plainTextTools.join(', ') })}
            hint={t('tools:consentHint')}
          />
        </Card>
      ) : null}
      {changes.length > 0 ? (
        <ApplyBar label={label} busy={writeChanges.isPending} apply={apply} reason={obstacle}>
          {outcome}
        </ApplyBar>
      ) : null}
    </>
  )
}

type Change = HistoryEntry['tools'][number]

const kindOrder: readonly Change['kind'][] = ['apply', 'restore', 'rewind', 'letGo']

/** Returns a function that describes a write of the history, such as which tools were configured or restored. */
export function useEntryTexts(tools: readonly ToolView[]): (entry: HistoryEntry) => string {
  const { t } = useTranslation('history')
  const { locale } = useFormats()
  const formatSentence = (kind: Change['kind'], changes: readonly Change[]): string => {
    const names = formatList([...new Set(changes.map(({ toolId }) => findToolName(tools, toolId)))], locale)
    const plans = [...new Set(changes.flatMap(({ planName }) => planName ?? []))]
    if (kind === 'apply' && plans.length > 0)
      return t('what.applyWith', { tools: names, plan: formatList(plans, locale) })
    return t(`what.${kind}`, { tools: names })
  }
  return (entry) =>
    kindOrder
      .flatMap((kind) => {
        const changes = entry.tools.filter((change) => change.kind === kind)
        return changes.length > 0 ? [formatSentence(kind, changes)] : []
      })
      .join(' ')
}

/** Path of the page that previews undoing a write and all later ones. */
export const rewindPath = (entryId: string): string => `/history/${encodeURIComponent(entryId)}`

/** Shows a toast with an Undo button, which opens a preview if it cannot restore everything. */
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
    const [entry] = await call('tools.history', {}).catch((): MethodOutput<'tools.history'> => [])
    await toast(title, entry ? { action: { label: t('undo'), onClick: () => void undoWrite(entry.id) } } : {})
  }
}
