import type {
  BranchStep,
  PlaygroundAnswer,
  PlaygroundMessage,
  PlaygroundRun,
  PlaygroundToolCall,
} from '@shared/contract'
import { withVisibleControls } from '@shared/hidden-characters'
import { withoutThinkTags } from '@shared/thinking'
import { Brain, ChevronRight, Copy, Ellipsis, type LucideIcon, RefreshCw, SearchCode, Wrench } from 'lucide-react'
import { Fragment, type ReactNode, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Badge } from '../../ui/badge'
import { Button, RowButton } from '../../ui/button'
import { TextAreaField } from '../../ui/field'
import { Markdown } from '../../ui/markdown/markdown'
import { Hint } from '../../ui/text'
import { useWindowState } from '../../window-state'
import { RunMcpTool } from './mcp-tools'
import { MessageTools } from './message-parts'
import { prettyJson, RunDetails, RunProblem, withPrettyJson } from './run-result'
import { isRunActive, useRun } from './runs-store'
import { type LogActions, useMessageBody } from './use-chat'

interface AnswerMessageProps {
  readonly message: PlaygroundMessage
  readonly step: BranchStep
  readonly isLast: boolean
  readonly actions: LogActions
}

/** Current state of an answer. After its text, more data about the run can follow, such as the share of the quota. */
function useAnswerView({ text, answer, run }: PlaygroundMessage, isLast: boolean) {
  const liveRun = useRun(run && (isLast || isRunActive(run)) ? run.id : undefined)
  return { run: liveRun?.run ?? run, answer: withoutThinkTags(liveRun?.answer ?? { ...answer, text }) }
}

interface ToolsProps extends Omit<AnswerMessageProps, 'message'> {
  readonly run: PlaygroundRun | undefined
  readonly markdown: string
  readonly getPlainText: () => string
}

function Tools({ run, markdown, step, isLast, actions, getPlainText }: ToolsProps) {
  const { t } = useTranslation('playground')
  return (
    <MessageTools step={step} onChoose={actions.choose} stays={isLast} className="-ml-1.25">
      {markdown === '' ? null : (
        <RowButton icon={Copy} label={t('chat.copyMarkdown')} onPress={() => actions.copy(markdown)} />
      )}
      <RowButton icon={RefreshCw} label={t('chat.regenerate')} onPress={() => actions.regenerate(step.id)} />
      {run ? (
        <>
          <RowButton icon={SearchCode} label={t('chat.inspect')} onPress={() => actions.inspect(run.id)} />
          <RowButton
            icon={Ellipsis}
            label={t('chat.more')}
            hasMenu
            onPress={(anchor) =>
              actions.openMenu(anchor, { messageId: step.id, runId: run.id, markdown, getPlainText })
            }
          />
        </>
      ) : null}
    </MessageTools>
  )
}

export function AnswerMessage({ message, step, isLast, actions }: AnswerMessageProps) {
  const { t } = useTranslation('playground')
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
            onChooseModel={actions.chooseModel}
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
  const { t } = useTranslation('playground')
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
  const { t } = useTranslation('playground')
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
        const mcpTool = actions.findMcpTool(name)
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
export function ToolResults({ message }: { readonly message: PlaygroundMessage }) {
  const { t } = useTranslation('playground')
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
