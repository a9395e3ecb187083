import type { ManyPreview, ToolChanges, ToolView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type CallError, useAction } from '../../ipc'
import { Card, Section } from '../../ui/page'
import { Switch } from '../../ui/switch'
import { ExplainedFailure } from '../failures/explained-failure'
import { ApplyBar } from '../tools/apply-bar'
import { LayoutToggle } from '../tools/file-changes'
import { LeftTools } from '../tools/left-tools'
import { ManyPreviewArea } from '../tools/many-preview-area'
import { ToolWarnings } from '../tools/tool-warnings'
import { useApplyKey } from '../tools/use-apply-key'
import { WriteFailure } from '../tools/write-failure'

interface PreviewQuery {
  readonly data: ManyPreview | undefined
  readonly error: CallError | null
  readonly isFetching: boolean
  readonly refetch: () => unknown
}

interface ManyWriteProps {
  readonly query: PreviewQuery
  readonly tools: readonly ToolView[]
  readonly title: string
  readonly description: string
  /** The word on the button that writes. */
  readonly label: string
  /** What will be the case afterwards. */
  readonly outcome: ReactNode
  /** What went wrong before this page was opened. */
  readonly before?: Failure | undefined
  /** What to show for a preview that cannot be made; the failure in general words when left out. */
  readonly refused?: ((failure: Failure) => ReactNode) | undefined
  readonly onDone: () => void
}

const isIdle = ({ files }: ToolChanges): boolean => files.every(({ action }) => action === 'none')

/** The names of tools into whose settings the key would be written in plain text. */
function plainTextIn(preview: ManyPreview | undefined, tools: readonly ToolView[]): readonly string[] {
  const writes = (changes: ToolChanges): boolean =>
    !isIdle(changes) && changes.warnings.some(({ code }) => code === 'plainText')
  return (preview?.tools ?? [])
    .filter(writes)
    .map(({ toolId }) => tools.find(({ id }) => id === toolId)?.name ?? toolId)
}

/** The preview, the consent it may need, and the write. */
function useManyWrite({ query, tools, onDone }: ManyWriteProps) {
  const [isAccepted, setIsAccepted] = useState(false)
  const writing = useAction('tools.applyMany', { invalidates: ['tools', 'plans', 'profiles'], onSuccess: onDone })
  const preview = query.isFetching || query.error ? undefined : query.data
  const plainText = plainTextIn(query.data, tools)
  const idle = query.data?.tools.every(isIdle) ?? false
  const lacksConsent = plainText.length > 0 && !isAccepted
  const isReady = preview !== undefined && !idle && !lacksConsent && !writing.isPending
  const apply = isReady ? () => writing.mutate({ previewId: preview.previewId }) : undefined
  return { writing, apply, plainText, idle, lacksConsent, isAccepted, setIsAccepted }
}

type Writing = ReturnType<typeof useManyWrite>

function Consent({ state }: { readonly state: Writing }) {
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

/** Changes of several tools: what will be written, to which files, and the one button that writes all of it or nothing. */
export function ManyWrite(props: ManyWriteProps) {
  const { query, tools, title, description, label, outcome, before, refused } = props
  const { t } = useTranslation(['tools', 'history'])
  const state = useManyWrite(props)
  const { writing, apply, idle, lacksConsent } = state
  useApplyKey(apply)
  const refresh = (): void => void query.refetch()
  const failure = query.error?.failure
  const shown = { preview: query.data, error: query.error, isOld: query.isFetching, refresh }
  const nameOf = (id: string): string => tools.find((tool) => tool.id === id)?.name ?? id
  const explained = failure
    ? (refused?.(failure) ?? <ExplainedFailure failure={failure} handlers={{ tryAgain: refresh }} />)
    : null
  return (
    <>
      <Section title={title} description={description} actions={<LayoutToggle />}>
        <WriteFailure failure={writing.error?.failure ?? before} isMany />
        <ManyPreviewArea
          shown={shown}
          tools={tools}
          failure={explained}
          notesOf={(changes) => {
            const { toolId, site, warnings } = changes
            if (warnings.length === 0 || isIdle(changes)) return null
            return <ToolWarnings warnings={warnings} tool={{ id: toolId, name: nameOf(toolId) }} site={site} />
          }}
        />
      </Section>
      {failure ? null : (
        <>
          <LeftTools left={query.data?.left ?? []} tools={tools} />
          <Consent state={state} />
        </>
      )}
      {query.data && !failure && query.data.tools.length > 0 ? (
        <ApplyBar
          label={label}
          busy={writing.isPending}
          disabled={!apply && !writing.isPending}
          onApply={() => apply?.()}
          reason={idle ? t('tools:nothingToDo') : lacksConsent ? t('history:consentNeeded') : undefined}
        >
          {outcome}
        </ApplyBar>
      ) : null}
    </>
  )
}
