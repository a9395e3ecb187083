import type {
  BranchStep,
  PlaygroundAnswer,
  PlaygroundAttachment,
  PlaygroundDraft,
  PlaygroundMessage,
  PlaygroundRun,
  PlaygroundToolCall,
} from '@shared/contract'
import { withVisibleControls } from '@shared/hidden-characters'
import { prettyJson } from '@shared/json'
import { withoutThinkTags } from '@shared/playground'
import i18next from 'i18next'
import {
  Brain,
  ChevronLeft,
  ChevronRight,
  Code,
  Copy,
  FileText,
  GitBranchPlus,
  Image,
  type LucideIcon,
  Pencil,
  RefreshCw,
  SearchCode,
  Trash2,
  Wrench,
  X,
} from 'lucide-react'
import { Fragment, type KeyboardEvent, memo, type ReactNode, useRef, useState } from 'react'
import { copyText } from '../../copy-text'
import { formatCount, formatFileSize } from '../../format'
import { useLocaleChange } from '../../i18n'
import { useCall } from '../../ipc'
import { Badge } from '../../ui/badge'
import { Button, RowButton } from '../../ui/button'
import { joinClassNames } from '../../ui/cn'
import { ErrorBoundary } from '../../ui/error-boundary'
import { TextAreaField } from '../../ui/field'
import { Markdown } from '../../ui/markdown/markdown'
import type { MenuItem } from '../../ui/menu'
import { Skeleton } from '../../ui/skeleton'
import { Hint } from '../../ui/text'
import { useWindowState } from '../../window-state'
import { RunMcpTool } from './mcp-tools'
import { RunDetails, RunProblem, withPrettyJson } from './run-result'
import { isRunActive, useRun } from './runs-store'
import { type Chat, setEditedMessage, useChatView, useMessageBody } from './use-chat'

const t = i18next.getFixedT(null, ['playground', 'common'])

/** The open conversation, and actions on its messages that the log itself carries out. */
export interface LogActions extends Chat {
  readonly openMenu: (anchor: HTMLElement, items: readonly MenuItem[]) => void
  readonly inspect: (inspector: { readonly runId: string; readonly face: 'request' | 'code' }) => void
  readonly chooseModel: () => void
  readonly askRemoval: (messageId: string) => void
}

interface MessageRowProps {
  readonly step: BranchStep
  readonly isLast: boolean
  readonly actions: LogActions
}

interface AnswerMessageProps extends MessageRowProps {
  readonly message: PlaygroundMessage
}

/** Current state of an answer. After its text, more data about the run can follow, such as the share of the quota. */
function useAnswerView({ text, answer, run }: PlaygroundMessage, isLast: boolean) {
  const liveRun = useRun(run && (isLast || isRunActive(run)) ? run.id : undefined)
  return { run: liveRun?.run ?? run, answer: withoutThinkTags(liveRun?.answer ?? { ...answer, text }) }
}

interface ToolsProps extends MessageRowProps {
  readonly run: PlaygroundRun | undefined
  readonly markdown: string
  readonly getPlainText: () => string
}

function Tools({ run, markdown, step, isLast, actions, getPlainText }: ToolsProps) {
  const { id } = step
  const inspect = (face: 'request' | 'code') => run && actions.inspect({ runId: run.id, face })
  const copyItem = { label: t('chat.copyMarkdown'), icon: Copy, onSelect: () => copyText(markdown) }
  const copyTextItem = { label: t('chat.copyText'), icon: FileText, onSelect: () => copyText(getPlainText()) }
  const inspectItem = { label: t('chat.inspect'), icon: SearchCode, onSelect: () => inspect('request') }
  // Wait until the menu is closed, because it would take the focus back from the field.
  const editLater = () => void setTimeout(() => setEditedMessage(id))
  const menuItems: readonly MenuItem[] = [
    ...(markdown === '' ? [] : [copyItem, copyTextItem, 'separator' as const]),
    inspectItem,
    { label: t('chat.asCode'), icon: Code, onSelect: () => inspect('code') },
    'separator',
    ...(markdown === '' ? [] : [{ label: t('chat.edit'), icon: Pencil, onSelect: editLater }]),
    { label: t('chat.branchOff'), icon: GitBranchPlus, onSelect: () => actions.branchOff(id) },
    { label: t('chat.remove'), icon: Trash2, danger: true, onSelect: () => actions.askRemoval(id) },
  ]
  return (
    <MessageTools step={step} actions={actions} stays={isLast} className="-ml-1.25">
      {markdown === '' ? null : <RowButton {...copyItem} onPress={copyItem.onSelect} />}
      <RowButton icon={RefreshCw} label={t('chat.regenerate')} onPress={() => actions.regenerate(id)} />
      {run ? (
        <>
          <RowButton {...inspectItem} onPress={inspectItem.onSelect} />
          <RowButton label={t('chat.more')} hasMenu onPress={(anchor) => actions.openMenu(anchor, menuItems)} />
        </>
      ) : null}
    </MessageTools>
  )
}

function AnswerMessage({ message, step, isLast, actions }: AnswerMessageProps) {
  const text = useRef<HTMLDivElement>(null)
  const { run, answer } = useAnswerView(message, isLast)
  const isResponsePending = run !== undefined && isRunActive(run)
  const model = run?.target.modelCode ?? ''
  const isAnswerable = isLast && !isResponsePending && (answer.toolCalls?.length ?? 0) > 0
  const isAnswerEmpty = run?.state === 'done' && answer.text === '' && !answer.toolCalls?.length
  return (
    <article
      className="group flex flex-col gap-2 py-2"
      aria-label={t('chat.answerOf', { model })}
      aria-busy={isResponsePending || undefined}
    >
      <Hint className="font-medium">{model}</Hint>
      <div ref={text} className="contents">
        <AnswerParts answer={withPrettyJson(answer, run)} isComing={isResponsePending} isAnswerable={isAnswerable} />
      </div>
      {isAnswerable ? <ResultsForm messageId={message.id} calls={answer.toolCalls ?? []} actions={actions} /> : null}
      {isResponsePending && answer.text === '' && !answer.thinking ? (
        <p className="text-muted">{t('chat.waiting')}</p>
      ) : null}
      {isAnswerEmpty ? <p className="text-muted">{t('chat.noText')}</p> : null}
      {answer.isEdited ? (
        <div>
          <Badge>{t('chat.edited')}</Badge>
        </div>
      ) : null}
      {run && !answer.isEdited ? (
        <>
          <RunProblem
            run={run}
            onAgain={() => actions.regenerate(step.id)}
            onUse={(change) => actions.regenerate(step.id, change)}
            onChooseModel={() => actions.chooseModel()}
          />
          <RunDetails run={run} />
        </>
      ) : null}
      {isResponsePending ? null : (
        <Tools
          {...{ run, step, isLast, actions }}
          markdown={answer.text}
          getPlainText={() =>
            [...(text.current?.querySelectorAll<HTMLElement>('[data-text]') ?? [])]
              .map(({ innerText }) => innerText)
              .join('\n\n')
          }
        />
      )}
    </article>
  )
}

const collapsibleContentClass = 'wrap-anywhere max-h-80 overflow-auto whitespace-pre-wrap px-3 pt-0.5 pb-2.5'

function CollapsibleDetails(props: {
  readonly icon: LucideIcon
  readonly label: string
  readonly open?: boolean
  readonly children: ReactNode
}) {
  const { icon: Icon, label, open, children } = props
  return (
    <details className="group/fold rounded-md border text-muted" open={open}>
      <summary className="flex items-center gap-2 rounded-[inherit] px-2.5 py-1.25 text-sm hover:text-text">
        <Icon size={14} strokeWidth={1.8} aria-hidden="true" />
        {label}
        <ChevronRight
          size={13}
          strokeWidth={2}
          className="ml-auto transition-transform group-open/fold:rotate-90"
          aria-hidden="true"
        />
      </summary>
      {children}
    </details>
  )
}

/** Text and tool calls of an answer, in the order in which the model sent them. */
function AnswerParts(props: {
  readonly answer: PlaygroundAnswer
  readonly isComing: boolean
  /** Whether the user can enter results of the tool calls. */
  readonly isAnswerable: boolean
}) {
  const { isComing, isAnswerable } = props
  const { thinking, text, toolCalls = [] } = props.answer
  const segmentEnds = [...toolCalls.map(({ at = text.length }) => at), text.length]
  return (
    <>
      {thinking ? (
        <CollapsibleDetails icon={Brain} label={t('chat.thinking')} open={isComing && text === ''}>
          <p className={collapsibleContentClass}>{withVisibleControls(thinking)}</p>
        </CollapsibleDetails>
      ) : null}
      {segmentEnds.map((end, index) => {
        const segment = text.slice(segmentEnds[index - 1] ?? 0, end)
        const call = toolCalls[index]
        return (
          <Fragment key={call?.id ?? 'rest'}>
            {segment.trim() === '' ? null : (
              <div data-text className="min-w-0 select-text [&_br]:hidden [&_p]:whitespace-pre-line">
                <Markdown text={segment} isStreaming={isComing && call === undefined} />
              </div>
            )}
            {call ? (
              <CollapsibleDetails icon={Wrench} label={t('chat.toolCall', { name: call.name })} open={isAnswerable}>
                <pre className={collapsibleContentClass}>{prettyJson(call.input)}</pre>
              </CollapsibleDetails>
            ) : null}
          </Fragment>
        )
      })}
    </>
  )
}

const noResults: Readonly<Record<string, string>> = {}

/** Form with a field for the result of each tool call. Sending the results continues the conversation. */
function ResultsForm(props: {
  readonly messageId: string
  readonly calls: readonly PlaygroundToolCall[]
  readonly actions: LogActions
}) {
  const { messageId, calls, actions } = props
  // Keep the results in the window's state, because the list unmounts rows out of sight.
  const [results, setResults] = useWindowState(`playground.results.${messageId}`, noResults)
  const isComplete = calls.every(({ id }) => results[id]?.trim())
  const send = (): void => {
    const toolResults = calls.map(({ id }) => ({ callId: id, text: results[id] ?? '' }))
    actions.sendResults(messageId, toolResults, () => setResults(() => noResults))
  }
  return (
    <div className="flex flex-col gap-2">
      {calls.map(({ id, name, input }) => {
        const mcpTool = actions.setup.mcpTools?.find((candidate) => candidate.name === name)
        const setResult = (text: string): void => setResults((previousResults) => ({ ...previousResults, [id]: text }))
        return (
          <Fragment key={id}>
            {mcpTool ? <RunMcpTool mcpTool={mcpTool} input={input} onResult={setResult} /> : null}
            <TextAreaField
              label={t('chat.resultOf', { name })}
              mono
              className="field-sizing-content max-h-60 min-h-16 leading-4.5"
              rows={3}
              value={results[id] ?? ''}
              placeholder={t('chat.resultPlaceholder')}
              onChange={setResult}
            />
          </Fragment>
        )
      })}
      <div>
        <Button size="sm" variant="primary" disabled={!isComplete} onClick={send}>
          {t('chat.sendResult', { count: calls.length })}
        </Button>
      </div>
    </div>
  )
}

/** Shows the results of tool calls in a message that consists only of them. */
function ToolResults({ message }: { readonly message: PlaygroundMessage }) {
  const answerMessage = useMessageBody(message.parentId)
  const loadedCalls = answerMessage?.answer?.toolCalls
  // The answer was loaded while it streamed, before its calls. The run has them.
  const liveRun = useRun(loadedCalls ? undefined : answerMessage?.run?.id)
  const calls = loadedCalls ?? liveRun?.answer.toolCalls ?? []
  return message.toolResults?.map(({ callId, text }) => (
    <CollapsibleDetails
      key={callId}
      icon={Wrench}
      label={t('chat.resultOf', { name: calls.find(({ id }) => id === callId)?.name ?? callId })}
    >
      <pre className={collapsibleContentClass}>{prettyJson(withVisibleControls(text))}</pre>
    </CollapsibleDetails>
  ))
}

/** Shows the position of a message among its alternatives in other branches. Renders nothing if there are none. */
function BranchSwitcher({ step: { id, siblings }, actions }: Pick<MessageRowProps, 'step' | 'actions'>) {
  const index = siblings.indexOf(id)
  if (siblings.length < 2) return null
  const button = (messageId: string | undefined, label: string, icon: LucideIcon) => (
    <RowButton
      icon={icon}
      label={label}
      disabled={messageId === undefined}
      onPress={() => messageId !== undefined && actions.choose(messageId)}
    />
  )
  const position = { at: index + 1, count: siblings.length }
  return (
    <span className="inline-flex items-center text-muted text-sm tabular-nums">
      {button(siblings[index - 1], t('chat.earlier'), ChevronLeft)}
      <span aria-hidden="true">
        {position.at}/{position.count}
      </span>
      <span className="sr-only">{t('chat.branch', position)}</span>
      {button(siblings[index + 1], t('chat.later'), ChevronRight)}
    </span>
  )
}

/** Branch switcher and buttons of a message. Visible while the pointer is over the message, or always if `stays`. */
function MessageTools(
  props: Pick<MessageRowProps, 'step' | 'actions'> & {
    readonly stays?: boolean
    readonly className: string
    readonly children: ReactNode
  },
) {
  const { step, actions, stays = false, className, children } = props
  return (
    <div className={joinClassNames('flex min-h-7 flex-none items-center gap-1.5', className)}>
      <BranchSwitcher step={step} actions={actions} />
      <span
        className={joinClassNames(
          'inline-flex gap-0.5 transition-opacity',
          !stays && 'opacity-0 group-focus-within:opacity-100 group-hover:opacity-100',
        )}
      >
        {children}
      </span>
    </div>
  )
}

export const getLastUserMessage = (branch: readonly BranchStep[]): string | undefined =>
  branch.findLast(({ role }) => role === 'user')?.id

function Thumbnail({ id, mediaType }: PlaygroundAttachment) {
  const content = useCall('playground.attachmentContent', { id }, { staleTime: Number.POSITIVE_INFINITY })
  if (!content.data) return <Image size={16} strokeWidth={1.8} aria-hidden="true" />
  return <img className="size-full object-cover" src={`data:${mediaType};base64,${content.data.content}`} alt="" />
}

function AttachmentChip(props: { attachment: PlaygroundAttachment; onRemove: ((id: string) => void) | undefined }) {
  const { attachment, onRemove } = props
  const { id, kind, name, tokens, bytes } = attachment
  return (
    <li className="flex max-w-55 items-center gap-2 rounded-lg border bg-surface p-0.75 pr-1.5">
      <span
        className={joinClassNames(
          'inline-flex size-8.5 flex-none items-center justify-center',
          'overflow-hidden rounded-[5px] bg-well text-muted',
        )}
      >
        {kind === 'image' ? <Thumbnail {...attachment} /> : <FileText size={16} strokeWidth={1.8} aria-hidden="true" />}
      </span>
      <span className="flex min-w-0 flex-col text-sm leading-4">
        <span className="truncate" title={name}>
          {name}
        </span>
        <span className="text-muted tabular-nums">
          {tokens === undefined
            ? formatFileSize(bytes)
            : t('composer.tokens', { count: tokens, amount: formatCount(tokens).short })}
        </span>
      </span>
      {onRemove ? <RowButton icon={X} label={t('composer.detach', { name })} onPress={() => onRemove(id)} /> : null}
    </li>
  )
}

export function AttachmentList(props: { readonly ids: readonly string[]; readonly onRemove?: (id: string) => void }) {
  const { ids, onRemove } = props
  const { data = [] } = useCall(
    'playground.attachments',
    { ids: [...ids] },
    { placeholderData: (previousData) => previousData },
  )
  const shownAttachments = ids.flatMap((id) => data.filter((attachment) => attachment.id === id))
  return (
    <ul className="flex flex-wrap gap-1.5" aria-label={t('composer.attachments')}>
      {shownAttachments.map((attachment) => (
        <AttachmentChip key={attachment.id} attachment={attachment} onRemove={onRemove} />
      ))}
    </ul>
  )
}

function UserMessage(props: Omit<MessageRowProps, 'isLast'> & { readonly message: PlaygroundMessage }) {
  const { message, step, actions } = props
  return (
    <article className="group flex flex-row-reverse items-end gap-1.5 pt-2.5 pb-1.5" aria-label={t('chat.you')}>
      <div
        className={joinClassNames(
          'flex min-w-0 max-w-[min(86%,640px)] flex-col gap-2 rounded-xl px-3 py-2',
          'bg-[light-dark(#eef0f5,#23262e)]',
        )}
      >
        {message.attachments.length > 0 ? <AttachmentList ids={message.attachments} /> : null}
        <ToolResults message={message} />
        {message.text === '' ? null : <p className="whitespace-pre-wrap wrap-anywhere">{message.text}</p>}
      </div>
      <MessageTools step={step} actions={actions} className="pb-1">
        <RowButton icon={Pencil} label={t('chat.edit')} onPress={() => setEditedMessage(message.id)} />
        <RowButton icon={Copy} label={t('chat.copy')} onPress={() => copyText(message.text)} />
        <RowButton icon={GitBranchPlus} label={t('chat.branchOff')} onPress={() => actions.branchOff(message.id)} />
        <RowButton icon={Trash2} label={t('chat.remove')} onPress={() => actions.askRemoval(message.id)} />
      </MessageTools>
    </article>
  )
}

/** A message of the conversation. Renders a placeholder until the message is loaded. */
export const MessageRow = memo(({ step, isLast, actions }: MessageRowProps) => {
  useLocaleChange()
  const message = useMessageBody(step.id)
  const isEdited = useChatView(({ editing }) => editing === step.id)
  const endEdit = (): void => setEditedMessage(undefined)
  if (!message) {
    return (
      <div
        className={joinClassNames('flex flex-col gap-2.5 pt-3 pb-4', step.role === 'user' ? 'min-h-19' : 'min-h-75')}
      >
        <Skeleton width="72%" />
        {step.role === 'user' ? null : <Skeleton width="88%" />}
      </div>
    )
  }
  return (
    <ErrorBoundary
      fallback={() => <p className="whitespace-pre-wrap wrap-anywhere">{withVisibleControls(message.text)}</p>}
    >
      {isEdited ? (
        <EditMessage
          message={message}
          onCancel={endEdit}
          onSend={(draft) =>
            message.role === 'user'
              ? actions.edit(message.id, draft, endEdit)
              : actions.editAnswer(message.id, draft.text, endEdit)
          }
        />
      ) : message.role === 'user' ? (
        <UserMessage message={message} step={step} actions={actions} />
      ) : (
        <AnswerMessage message={message} step={step} isLast={isLast} actions={actions} />
      )}
    </ErrorBoundary>
  )
})

/**
 * Form to edit a message. Sending creates a new branch, and the original message stays. Each tool result has a
 * separate field.
 */
function EditMessage(props: {
  readonly message: PlaygroundMessage
  readonly onSend: (draft: PlaygroundDraft) => void
  readonly onCancel: () => void
}) {
  const { message, onSend, onCancel } = props
  const { attachments, toolResults = [], role } = message
  const [texts, setTexts] = useState(toolResults.length > 0 ? toolResults.map(({ text }) => text) : [message.text])
  const isEmpty = texts.some((text) => text.trim() === '') && attachments.length === 0
  const send = (): void => {
    if (isEmpty) return
    const results = toolResults.map(({ callId }, index) => ({ callId, text: texts[index] ?? '' }))
    if (results.length > 0) onSend({ text: message.text, attachments, toolResults: results })
    else onSend({ text: texts[0] ?? '', attachments })
  }
  const handleKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') onCancel()
    else if (event.key === 'Enter' && !event.shiftKey && role === 'user') send()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="flex flex-col gap-1.5 py-2.5">
      {attachments.length > 0 ? <AttachmentList ids={attachments} /> : null}
      {texts.map((text, index) => (
        <textarea
          key={toolResults[index]?.callId ?? 'text'}
          className={joinClassNames(
            'field-sizing-content block max-h-[50vh] w-full resize-none rounded-xl border border-focus',
            'bg-surface px-3 py-2 leading-5 outline-none',
          )}
          aria-label={t('chat.editing')}
          value={text}
          // Focus the first field because the user pressed Edit.
          ref={(element) => {
            if (element && index === 0 && element.dataset.focused === undefined) {
              element.dataset.focused = ''
              element.focus({ preventScroll: true })
            }
          }}
          onFocus={({ target }) => target.setSelectionRange(target.value.length, target.value.length)}
          onChange={(event) => setTexts(texts.with(index, event.target.value))}
          onKeyDown={handleKeyDown}
        />
      ))}
      <div className="flex items-center gap-1.5">
        <Hint className="min-w-0 flex-1">{t('chat.editHint')}</Hint>
        <Button size="sm" variant="ghost" onClick={onCancel}>
          {t('common:cancel')}
        </Button>
        <Button size="sm" variant="primary" disabled={isEmpty} onClick={send}>
          {role === 'user' ? t('chat.sendEdited') : t('common:save')}
        </Button>
      </div>
    </div>
  )
}
