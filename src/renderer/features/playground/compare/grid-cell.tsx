import type {
  CellAddress,
  CheckResult,
  ComparisonCell,
  ComparisonColumn,
  PlaygroundAnswer,
  PlaygroundRun,
} from '@shared/contract'
import { withVisibleControls } from '@shared/hidden-characters'
import { withoutThinkTags } from '@shared/playground'
import i18next from 'i18next'
import { GitCompareArrows, Maximize2, Play, RotateCw, Square, Star } from 'lucide-react'
import { type KeyboardEvent, memo } from 'react'
import { explainFailure } from '../../../failures'
import { formatCount, formatDuration, getLocale } from '../../../format'
import { useLocaleChange } from '../../../i18n'
import { Badge, StatusDot } from '../../../ui/badge'
import { Button, RowButton } from '../../../ui/button'
import { joinClassNames } from '../../../ui/cn'
import { Markdown, PlainText, type StreamingTextProps } from '../../../ui/markdown/markdown'
import { Skeleton } from '../../../ui/skeleton'
import { useStickToEnd } from '../../../ui/use-stick-to-end'
import { isRunActive, JsonBadge, RunDetails, RunProblem, runTones, useRun, useTargetTexts, withPrettyJson } from '..'
import { useCellActions, useIsMarkdown } from './editing'
import { canRate, columnName } from './setup'

const t = i18next.getFixedT(null, 'compare')

const excerptClass = 'min-h-0 flex-1 select-text overflow-hidden text-sm leading-4.5'

interface AnswerProps {
  readonly answer: PlaygroundAnswer
  readonly isStreaming: boolean
}

function AnswerText(props: StreamingTextProps) {
  const [isMarkdown] = useIsMarkdown()
  const AnswerBody = isMarkdown ? Markdown : PlainText
  // Show single line breaks of the model's text, which Markdown would ignore.
  return (
    <div className="contents [&_br]:hidden [&_p]:whitespace-pre-line">
      <AnswerBody {...props} />
    </div>
  )
}

function ToolCalls({ answer }: Pick<AnswerProps, 'answer'>) {
  const { toolCalls = [] } = answer
  if (toolCalls.length === 0) return null
  return (
    <ul className="mt-2 flex flex-col gap-1" aria-label={t('answer.toolCalls')}>
      {toolCalls.map(({ id, name, input }) => (
        <li key={id}>
          <code className="wrap-anywhere block whitespace-pre-wrap rounded-md bg-well px-2 py-1.5">
            {name}({input})
          </code>
        </li>
      ))}
    </ul>
  )
}

function AnswerExcerpt({ answer, isStreaming }: AnswerProps) {
  const { text, thinking = '' } = answer
  if (isStreaming) {
    const isThinking = text === '' && thinking !== ''
    return (
      <div className={joinClassNames(excerptClass, 'flex flex-col justify-end')}>
        <p className={joinClassNames('whitespace-pre-wrap wrap-anywhere', isThinking && 'text-faint italic')}>
          {withVisibleControls((isThinking ? thinking : text).slice(-maxShownCharacters))}
        </p>
      </div>
    )
  }
  // Fade out a long answer at the bottom.
  const isLong = text.length > minFadeCharacters || text.split('\n', fadeMinLines + 1).length > fadeMinLines
  return (
    <div
      className={joinClassNames(
        excerptClass,
        isLong && '[mask-image:linear-gradient(#000_calc(100%-36px),transparent)]',
      )}
    >
      <AnswerText text={truncate(text)} />
      <ToolCalls answer={answer} />
    </div>
  )
}

export function FullAnswer({ answer, isStreaming }: AnswerProps) {
  const { text, thinking = '' } = answer
  return (
    <>
      {thinking === '' ? null : (
        <details className="mb-2" open={text === '' && isStreaming}>
          <summary className="text-muted text-sm">{t('answer.thinking')}</summary>
          <p className="wrap-anywhere mt-1 whitespace-pre-wrap border-l-2 pl-2.5 text-faint italic">
            {withVisibleControls(thinking)}
          </p>
        </details>
      )}
      {text === '' ? null : <AnswerText text={text} isStreaming={isStreaming} />}
      <ToolCalls answer={answer} />
    </>
  )
}

/** A scrollable region needs a tab stop even without focusable content. */
const keyboardScrollProps = { tabIndex: 0 }

function AutoScrollAnswer({ answer, isStreaming }: AnswerProps) {
  const { scrollerProps, content } = useStickToEnd<HTMLElement>(isStreaming)
  return (
    <section
      {...scrollerProps}
      className="min-h-0 flex-1 select-text overflow-auto overscroll-contain"
      aria-label={t('answer.label')}
      {...keyboardScrollProps}
    >
      <div ref={content}>
        <FullAnswer answer={answer} isStreaming={isStreaming} />
      </div>
    </section>
  )
}

/** Maximum characters of an answer that a cell shows when the grid has several rows. */
const maxShownCharacters = 2400
const minFadeCharacters = 420
const fadeMinLines = 8

/** Cuts a text to the maximum length, at the end of a line if one is near. */
function truncate(text: string): string {
  const start = text.slice(0, maxShownCharacters)
  const lineEnd = start.lastIndexOf('\n')
  return start.length < text.length && lineEnd > maxShownCharacters / 2 ? start.slice(0, lineEnd) : start
}

interface GridCellProps {
  readonly column: ComparisonColumn
  readonly caseId: string | undefined
  readonly repeat: number | undefined
  readonly cell: ComparisonCell | undefined
  /** Name of the cell for screen readers, such as "aurora-large, case 3". */
  readonly name: string
  /** Whether the cell can run, because it has a prompt and a model. */
  readonly isReady: boolean
  /** Whether to show the whole answer, because the grid has only one row. */
  readonly isTall: boolean
  readonly isPicked: boolean
  /** Whether blind mode hides or reveals the model. Undefined without blind mode. */
  readonly blind: 'hidden' | 'revealed' | undefined
}

type CellWithRunProps = Omit<GridCellProps, 'cell' | 'caseId' | 'repeat'> & {
  readonly cell: ComparisonCell
  readonly place: CellAddress
}

function Buttons({ cell: { run }, place, name, isPicked, isReady }: CellWithRunProps) {
  const actions = useCellActions()
  return (
    <span className="-mr-1.5 ml-auto flex text-muted">
      {isRunActive(run) ? (
        <RowButton icon={Square} label={t('cell.stop', { name })} onPress={() => actions.stop(run.id)} />
      ) : isReady ? (
        <RowButton icon={RotateCw} label={t('cell.again', { name })} onPress={() => actions.run(place)} />
      ) : null}
      <RowButton icon={Maximize2} label={t('cell.open', { name })} onPress={() => actions.open(place)} />
      <span className={joinClassNames(isPicked && 'rounded-md bg-pressed text-accent-text')}>
        <RowButton
          icon={GitCompareArrows}
          label={t(isPicked ? 'cell.unpick' : 'cell.pick', { name })}
          onPress={() => actions.pick(place)}
        />
      </span>
      <RowButton hasMenu label={t('cell.more', { name })} onPress={(button) => actions.menu(button, place)} />
    </span>
  )
}

function CellHeader(props: CellWithRunProps) {
  const { cell, isTall, blind, column } = props
  const { run } = cell
  const isActive = isRunActive(run)
  return (
    <div className="flex h-7 flex-none items-center gap-2 text-sm">
      {blind === 'revealed' ? (
        <span className="min-w-0 truncate font-semibold">{columnName(column)}</span>
      ) : (
        <StatusDot tone={runTones[run.state]} pulse={isActive} label={t(`states.${run.state}`)} />
      )}
      {cell.check && !isActive && isTall ? <CheckBadge check={cell.check} /> : null}
      {cell.isStale ? (
        <span title={t('cell.staleHint')}>
          <Badge tone="warning">{t('cell.stale')}</Badge>
        </span>
      ) : null}
      {run.json && !isTall ? (
        <span className="min-w-0 truncate">
          <JsonBadge json={run.json} />
        </span>
      ) : null}
      <Buttons {...props} />
    </div>
  )
}

function CellFooter({ cell, name, isTall, blind }: CellWithRunProps) {
  const { rate } = useCellActions()
  const { run } = cell
  const onRate = (value: number | undefined): void => rate(run.id, value)
  const rating = canRate(run) ? <Rating value={cell.rating} name={name} onRate={onRate} /> : null
  if (isTall)
    return (
      <div className="flex flex-none flex-col items-start gap-1">
        {rating}
        {blind === 'hidden' ? null : <RunDetails run={run} />}
      </div>
    )
  return (
    <div className="flex flex-none flex-col gap-0.5">
      {blind === 'hidden' ? null : <CellMetrics run={run} />}
      <div className="flex items-center justify-between gap-2 empty:hidden">
        {rating}
        {cell.check && !isRunActive(run) ? <CheckBadge check={cell.check} /> : null}
      </div>
    </div>
  )
}

/** Cell with an answer. Re-renders only while the answer streams. */
function CellWithRun(props: CellWithRunProps) {
  const { cell, place, isTall } = props
  const actions = useCellActions()
  const liveRun = useRun(cell.run.id)
  const run = liveRun?.run ?? cell.run
  const isStreaming = isRunActive(run)
  const AnswerComponent = isTall ? AutoScrollAnswer : AnswerExcerpt
  return (
    <>
      <CellHeader {...props} cell={{ ...cell, run }} />
      <div className={joinClassNames('flex min-h-0 flex-1 flex-col gap-2', cell.isStale && 'opacity-72')}>
        {isTall ? (
          <RunProblem
            run={run}
            onAgain={() => actions.run(place)}
            onChooseModel={() => actions.setUp(place.columnId)}
            onUse={(change) => actions.askInstead(place, change)}
          />
        ) : run.state === 'failed' ? (
          <CellError run={run} place={place} />
        ) : null}
        {liveRun ? (
          run.state === 'failed' && liveRun.answer.text === '' ? null : (
            <AnswerComponent answer={withPrettyJson(withoutThinkTags(liveRun.answer), run)} isStreaming={isStreaming} />
          )
        ) : (
          <Skeleton width="80%" />
        )}
      </div>
      <CellFooter {...props} cell={{ ...cell, run }} />
    </>
  )
}

function EmptyGridCell({ place, name, isReady, column }: Omit<CellWithRunProps, 'cell'>) {
  const actions = useCellActions()
  const hasModel = column.target !== undefined
  return (
    <div className="flex flex-1 flex-col items-center justify-center gap-2 text-center text-faint text-sm">
      <p>{t(!hasModel ? 'cell.noModel' : isReady ? 'cell.notRun' : 'cell.noPrompt')}</p>
      {!hasModel ? (
        <Button size="sm" onClick={() => actions.setUp(place.columnId)}>
          {t('cell.choose')}
        </Button>
      ) : isReady ? (
        <Button size="sm" icon={Play} aria-label={t('cell.run', { name })} onClick={() => actions.run(place)}>
          {t('cell.runShort')}
        </Button>
      ) : null}
    </div>
  )
}

export const GridCell = memo(function GridCell({ caseId, repeat, cell, ...rest }: GridCellProps) {
  useLocaleChange()
  const place = { columnId: rest.column.id, caseId, repeat }
  return (
    <td
      className={joinClassNames(
        'flex min-w-0 flex-col gap-1.5 border-r px-3 pt-1.5 pb-2 contain-strict',
        rest.isPicked && 'bg-accent-soft',
      )}
      aria-label={rest.name}
    >
      {cell ? <CellWithRun {...rest} cell={cell} place={place} /> : <EmptyGridCell {...rest} place={place} />}
    </td>
  )
})

export function CheckBadge({ check, isLong = false }: { readonly check: CheckResult; readonly isLong?: boolean }) {
  if (check.isPassed) return <Badge tone="success">{t('check.passed')}</Badge>
  const reason = [check.reason && t(`check.reasons.${check.reason}`), check.violation].filter(Boolean).join(' ')
  return (
    <span title={reason} className={isLong ? 'text-sm' : undefined}>
      <Badge tone="danger">{t('check.failed')}</Badge> {isLong ? reason : null}
    </span>
  )
}

function CellMetrics({ run }: { readonly run: PlaygroundRun }) {
  const { firstTokenMs, durationMs, tokensPerSecond, inputTokens, outputTokens } = run
  const tokenRate = tokensPerSecond?.toLocaleString(getLocale(), { maximumFractionDigits: 0 })
  const input = inputTokens === undefined ? '–' : formatCount(inputTokens).short
  const cellMetrics = [
    durationMs !== undefined && formatDuration(durationMs),
    firstTokenMs !== undefined && t('facts.first', { time: formatDuration(firstTokenMs) }),
    tokenRate !== undefined && t('facts.rate', { rate: tokenRate }),
    outputTokens !== undefined && t('facts.tokens', { input, output: formatCount(outputTokens).short }),
  ]
  const line = cellMetrics.filter(Boolean).join(' · ')
  return (
    <p className="truncate text-muted text-xs leading-4.5" title={line}>
      {line}
    </p>
  )
}

/** Short text about a failure in a small cell. */
function CellError({ run, place }: { readonly run: PlaygroundRun; readonly place: CellAddress }) {
  const { open } = useCellActions()
  const { where } = useTargetTexts()(run.target)
  if (!run.failure) return null
  const { target, requestAddress, status } = run
  const plan = target.kind === 'plan' ? where : undefined
  const { title, explanation } = explainFailure(run.failure, {
    plan,
    modelCode: target.modelCode,
    requestAddress,
    status,
  })
  return (
    <div className="flex flex-none flex-col items-start gap-1 border-danger border-l-2 bg-danger-soft px-2.5 py-2 text-sm">
      <p className="font-semibold">{title}</p>
      <p className="mb-0.5 line-clamp-3 text-muted">{explanation}</p>
      <Button size="sm" onClick={() => open(place)}>
        {t('cell.whatHelps')}
      </Button>
    </div>
  )
}

const marks = [1, 2, 3, 4, 5] as const

/** Five stars with one tab stop. The keys 1 to 5 and the arrows rate, 0 and Backspace remove the rating. */
export function Rating(props: {
  readonly value: number | undefined
  readonly name: string
  readonly onRate: (rating: number | undefined) => void
}) {
  const { value, name, onRate } = props
  const handleKeyDown = (event: KeyboardEvent<HTMLButtonElement>): void => {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key]
    const isRemoval = event.key === '0' || event.key === 'Backspace' || event.key === 'Delete'
    const mark = step === undefined ? Number(event.key) : Math.min(5, Math.max(1, (value ?? 0) + step))
    if (event.ctrlKey || event.metaKey || event.altKey || !(isRemoval || (mark >= 1 && mark <= 5))) return
    event.preventDefault()
    onRate(isRemoval ? undefined : mark)
    const star = event.currentTarget.parentElement?.children[isRemoval ? 0 : mark - 1]
    if (star instanceof HTMLElement) star.focus()
  }
  return (
    <fieldset className="inline-flex flex-none" aria-label={t('rating.rate', { name })} title={t('rating.keys')}>
      {marks.map((mark) => (
        <button
          key={mark}
          type="button"
          className={joinClassNames(
            'inline-flex rounded-sm p-0.5',
            mark <= (value ?? 0) ? 'text-warning *:fill-current' : 'text-faint hover:text-text',
          )}
          tabIndex={mark === (value ?? 1) ? 0 : -1}
          aria-label={t('rating.stars', { count: mark })}
          aria-pressed={value === mark}
          onClick={() => onRate(value === mark ? undefined : mark)}
          onKeyDown={handleKeyDown}
        >
          <Star size={15} strokeWidth={1.8} aria-hidden="true" />
        </button>
      ))}
    </fieldset>
  )
}
