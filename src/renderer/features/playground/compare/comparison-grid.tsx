import type { CellAddress, ComparisonCell, ComparisonView } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import {
  ArrowLeftRight,
  Copy,
  GitCompareArrows,
  ListRestart,
  Maximize2,
  Play,
  RotateCw,
  SearchCode,
  Square,
  X,
} from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { CopyText, copyText } from '../../../copy-text'
import { ExplainedFailure } from '../../../failures'
import { formatCount, formatNumber } from '../../../format'
import { isDialogOpen, useWindowKey } from '../../../shortcuts'
import { Button } from '../../../ui/button'
import { joinClassNames } from '../../../ui/cn'
import { ConfirmDialog, Dialog } from '../../../ui/dialog'
import { IconButton } from '../../../ui/icon-button'
import { type MenuItem, useSharedMenu } from '../../../ui/menu'
import { SegmentedControl } from '../../../ui/radio-cards'
import { InlineDetails } from '../../../ui/rows'
import { ProgressBar, SkeletonRows } from '../../../ui/skeleton'
import { useModelQuotas } from '../../usage/quota'
import {
  getCachedRun,
  isRunActive,
  RunDetails,
  RunInspector,
  RunProblem,
  shareText,
  useRun,
  useTargetTexts,
  withTargetChange,
} from '..'
import {
  type CellActions,
  CellActionsContext,
  type ComparisonRuns,
  useCellName,
  useComparisonRuns,
  useEditing,
  useIsMarkdown,
  useSetup,
} from './editing'
import { ColumnSheet, ComparisonTable } from './grid'
import { CheckBadge, FullAnswer, Rating } from './grid-cell'
import {
  arrangeRow,
  type CellMap,
  canRate,
  cellKey,
  estimateByModel,
  listOpenCells,
  listRunnableCells,
  type ModelEstimate,
  withColumn,
} from './setup'
import { TextDiff } from './text-diff'
import { ComparisonTotals } from './totals'

const t = i18next.getFixedT(null, 'compare')

type GridDialog =
  | { readonly kind: 'column'; readonly columnId: string }
  | { readonly kind: 'answer'; readonly place: CellAddress }
  | { readonly kind: 'inspector'; readonly runId: string }
  /** Cells of a large run that the user has not confirmed yet. */
  | { readonly kind: 'largeRun'; readonly places: readonly CellAddress[] }

function useGrid(view: ComparisonView) {
  const queries = useQueryClient()
  const editing = useEditing()
  const { getSetup } = editing
  const running = useComparisonRuns(view, editing)
  const { cells } = running
  const [dialog, show] = useState<GridDialog>()
  /** At most two answers that are compared. */
  const [picked, setPicked] = useState<readonly CellAddress[]>([])
  const { open, menu } = useSharedMenu()
  const { getRemainingTokens } = useModelQuotas()
  const startRunsOrConfirm = (places: readonly CellAddress[]): void => {
    const estimates = estimateByModel(getSetup(), places, cells)
    const isOverQuota = estimates.some((estimate) => getQuotaShare(estimate, getRemainingTokens) > 1)
    if (isOverQuota || places.length > largeRunMinRequests) show({ kind: 'largeRun', places })
    else running.start(places)
  }
  const pick = (place: CellAddress): void => {
    const key = cellKey(place)
    const otherPickedCells = picked.filter((pickedPlace) => cellKey(pickedPlace) !== key)
    const isPicked = otherPickedCells.length < picked.length
    setPicked(isPicked ? otherPickedCells : [...otherPickedCells, place].slice(-2))
  }
  const getMenuItems = (place: CellAddress): readonly MenuItem[] => {
    const runId = cells.get(cellKey(place))?.run.id
    if (runId === undefined) return []
    const copy = (): void => copyText(getCachedRun(queries, runId)?.answer.text ?? '', { title: t('cell.copied') })
    const inspect = (): void => show({ kind: 'inspector', runId })
    const inspectItem = { label: t('cell.inspect'), icon: SearchCode, onSelect: inspect }
    return [
      { label: t('cell.openShort'), icon: Maximize2, onSelect: () => show({ kind: 'answer', place }) },
      { label: t('cell.copy'), icon: Copy, onSelect: copy },
      { label: t('cell.pickShort'), icon: GitCompareArrows, onSelect: () => pick(place) },
      ...(arrangeRow(getSetup(), place, cells).isHidden ? [] : [inspectItem]),
    ]
  }
  const actions: CellActions = {
    run: (place) => running.start([place]),
    stop: running.stop,
    open: (place) => show({ kind: 'answer', place }),
    pick,
    menu: (button, place) => open(button, getMenuItems(place)),
    setUp: (columnId) => show({ kind: 'column', columnId }),
    askInstead: (place, change) => {
      const column = getSetup().columns.find(({ id }) => id === place.columnId)
      if (!column?.target) return
      const target = withTargetChange(column.target, change)
      editing.edit((setup) => withColumn(setup, { ...column, target }))
      running.start([place])
    },
    rate: running.rate,
  }
  const run = (scope: 'all' | 'open'): void =>
    startRunsOrConfirm(scope === 'all' ? listRunnableCells(getSetup()) : listOpenCells(getSetup(), cells))
  // Ctrl+Enter (or Command+Enter) runs all cells, also while the user types.
  useWindowKey((event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || isDialogOpen()) return
    event.preventDefault()
    run('all')
  })
  const runColumn = (columnId: string): void =>
    startRunsOrConfirm(listRunnableCells(getSetup()).filter((place) => place.columnId === columnId))
  return { running, dialog, show, picked, setPicked, menu, actions, run, runColumn }
}

type GridState = ReturnType<typeof useGrid>

function OpenDialog({ dialog, show, picked, setPicked, running, actions }: GridState) {
  const { cells } = running
  const getName = useCellName(cells)
  const close = (): void => show(undefined)
  if (dialog?.kind === 'column')
    return <ColumnSheet columnId={dialog.columnId} onClose={close} onShow={actions.setUp} />
  if (dialog?.kind === 'answer') return <AnswerDialog {...{ show, actions, cells }} place={dialog.place} />
  if (dialog?.kind === 'inspector') return <RunInspector runId={dialog.runId} onClose={close} />
  if (dialog) {
    const confirm = (): void => {
      close()
      running.start(dialog.places)
    }
    return <LargeRunDialog places={dialog.places} cells={cells} onClose={close} onConfirm={confirm} />
  }
  const [left, right] = picked.flatMap((place): DiffSide[] => {
    const cell = cells.get(cellKey(place))
    return cell ? [{ cell, name: getName(place) }] : []
  })
  return left && right ? <AnswersDiff sides={[left, right]} onClose={() => setPicked([])} /> : null
}

/** Grid of a comparison. `lead`: content shown above the buttons that start runs. */
export function ComparisonGrid({ view, lead }: { readonly view: ComparisonView; readonly lead: ReactNode }) {
  const state = useGrid(view)
  const { running, picked, setPicked, run, runColumn, actions, menu } = state
  const getName = useCellName(running.cells)
  const [firstPicked] = picked
  return (
    <CellActionsContext value={actions}>
      <div className="sticky left-0 flex w-[100cqi] flex-col gap-3.5 px-5 pt-5 pb-1">
        {lead}
        <ExplainedFailure failure={running.failure} />
      </div>
      <RunBar
        running={running}
        onRun={run}
        picked={firstPicked && picked.length === 1 ? getName(firstPicked) : undefined}
        onClearPicked={() => setPicked([])}
      />
      <ComparisonTable cells={running.cells} picked={picked.map(cellKey)} onRunColumn={runColumn} />
      <ComparisonTotals cells={running.cells} />
      {menu}
      <OpenDialog {...state} />
    </CellActionsContext>
  )
}

/** Estimated share of the remaining quota. 0 if the quota or the output is unknown. */
function getQuotaShare(
  { target, inputTokens, outputTokens = 0 }: ModelEstimate,
  getRemainingTokens: (planId: string, modelCode: string) => number | undefined,
): number {
  const remaining = target.kind === 'plan' ? getRemainingTokens(target.planId, target.modelCode) : undefined
  return remaining === undefined ? 0 : (inputTokens + outputTokens) / Math.max(1, remaining)
}

/** Dialog that confirms a large run. Lists the estimated requests and tokens per model. */
function LargeRunDialog(props: {
  readonly places: readonly CellAddress[]
  readonly cells: CellMap
  readonly onClose: () => void
  readonly onConfirm: () => void
}) {
  const { places, cells, onClose, onConfirm } = props
  const texts = useTargetTexts()
  const { getRemainingTokens } = useModelQuotas()
  const setup = useSetup((currentSetup) => currentSetup)
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t('big.title', { count: places.length })}
      description={t('big.text')}
      confirmLabel={t('big.confirm', { count: places.length })}
      onConfirm={onConfirm}
    >
      <ul className="flex flex-col gap-1" aria-label={t('big.shares')}>
        {estimateByModel(setup, places, cells).map((estimate) => {
          const { target, requests, inputTokens, outputTokens } = estimate
          const quotaShare = getQuotaShare(estimate, getRemainingTokens)
          return (
            <li
              key={`${target.kind} ${texts(target).where} ${target.modelCode}`}
              className="flex flex-wrap justify-between gap-x-4 tabular-nums"
            >
              <span>
                {target.modelCode} <span className="text-muted">{texts(target).where}</span>
              </span>
              <span className={quotaShare > 1 ? 'text-danger' : undefined}>
                {[
                  t('big.requests', { count: requests }),
                  outputTokens === undefined
                    ? t('estimate.input', { tokens: formatCount(inputTokens).short })
                    : t('estimate.tokens', { tokens: formatCount(inputTokens + outputTokens).short }),
                  quotaShare > 0 && t('estimate.share', { share: shareText(quotaShare) }),
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </li>
          )
        })}
      </ul>
    </ConfirmDialog>
  )
}

interface DiffSide {
  readonly cell: ComparisonCell
  readonly name: string
}

function AnswersDiff(props: { readonly sides: readonly [DiffSide, DiffSide]; readonly onClose: () => void }) {
  const { sides, onClose } = props
  const [isSwapped, setIsSwapped] = useState(false)
  const [left, right] = isSwapped ? [sides[1], sides[0]] : sides
  const leftColumnRun = useRun(left.cell.run.id)
  const rightRun = useRun(right.cell.run.id)
  return (
    <Dialog
      size="lg"
      onClose={onClose}
      title={t('diff.title')}
      footer={[{ label: t('diff.swap'), icon: ArrowLeftRight, onClick: () => setIsSwapped(!isSwapped) }]}
    >
      {leftColumnRun && rightRun ? (
        <TextDiff before={leftColumnRun.answer.text} after={rightRun.answer.text} names={[left.name, right.name]} />
      ) : (
        <SkeletonRows rows={4} />
      )}
    </Dialog>
  )
}

function AnswerDialog(
  props: Pick<GridState, 'show' | 'actions'> & { readonly place: CellAddress; readonly cells: CellMap },
) {
  const { place, cells, show, actions } = props
  const { getSetup } = useEditing()
  const name = useCellName(cells)(place)
  const cell = cells.get(cellKey(place))
  const liveRun = useRun(cell?.run.id)
  if (!cell) return null
  // Blind mode hides the model.
  const { isHidden } = arrangeRow(getSetup(), place, cells)
  const runAgain = (): void => actions.run(place)
  const run = liveRun?.run ?? cell.run
  const isStreaming = isRunActive(run)
  return (
    <Dialog
      size="lg"
      onClose={() => show(undefined)}
      title={name}
      footer={[
        liveRun && <CopyText key="copy" size="md" text={liveRun.answer.text} label={t('cell.copy')} />,
        !isHidden && {
          label: t('cell.inspect'),
          icon: SearchCode,
          onClick: () => show({ kind: 'inspector', runId: run.id }),
        },
        isStreaming
          ? { label: t('cell.stopShort'), icon: Square, onClick: () => actions.stop(run.id) }
          : { label: t('cell.againShort'), icon: RotateCw, onClick: runAgain },
      ]}
    >
      <div className="flex select-text flex-col gap-3">
        {isHidden ? null : <RunDetails run={run} />}
        {canRate(run) ? (
          <div className="flex flex-wrap items-center gap-x-3">
            <Rating value={cell.rating} name={name} onRate={(rating) => actions.rate(run.id, rating)} />
            {cell.check ? <CheckBadge check={cell.check} isLong /> : null}
          </div>
        ) : null}
        <RunProblem
          run={run}
          onAgain={runAgain}
          onUse={(change) => actions.askInstead(place, change)}
          onChooseModel={() => actions.setUp(place.columnId)}
        />
        {liveRun ? <FullAnswer answer={liveRun.answer} isStreaming={isStreaming} /> : null}
      </div>
    </Dialog>
  )
}

/** A run with at least this many requests must be confirmed. */
const largeRunMinRequests = 20

type TokenField = 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'

function Sums({ runs }: Pick<ComparisonRuns, 'runs'>) {
  if (runs.length === 0) return null
  const endedRuns = runs.filter((run) => !isRunActive(run))
  const sumTokens = (name: TokenField): number => endedRuns.reduce((sum, run) => sum + (run[name] ?? 0), 0)
  const [input, output] = [sumTokens('inputTokens'), sumTokens('outputTokens')]
  const cache = sumTokens('cacheReadTokens') + sumTokens('cacheWriteTokens')
  const failedCount = endedRuns.filter(({ state }) => state === 'failed').length
  const uncountedCount = endedRuns.filter(
    ({ state, inputTokens, outputTokens }) => state !== 'failed' && (inputTokens ?? outputTokens) === undefined,
  ).length
  return (
    <InlineDetails
      items={[
        <span
          key="tokens"
          title={t('sums.formula', {
            input: formatNumber(input),
            output: formatNumber(output),
            cache: formatNumber(cache),
          })}
        >
          {t('sums.tokens', { tokens: formatCount(input + output + cache).short })}
        </span>,
        failedCount > 0 && <span className="text-danger">{t('sums.failed', { count: failedCount })}</span>,
        uncountedCount > 0 && (
          <span title={t('sums.uncountedHint')}>{t('sums.uncounted', { count: uncountedCount })}</span>
        ),
      ]}
    />
  )
}

function Estimate({ cells }: Pick<ComparisonRuns, 'cells'>) {
  const setup = useSetup((currentSetup) => currentSetup)
  const estimates = useMemo(() => estimateByModel(setup, listRunnableCells(setup), cells), [setup, cells])
  if (estimates.length === 0) return null
  const inputTokens = estimates.reduce((sum, estimate) => sum + estimate.inputTokens, 0)
  const outputTokens = estimates.reduce((sum, estimate) => sum + (estimate.outputTokens ?? 0), 0)
  return (
    <span className="text-muted text-sm tabular-nums" title={t('estimate.hint')}>
      {estimates.some((estimate) => estimate.outputTokens === undefined)
        ? t('estimate.input', { tokens: formatCount(inputTokens).short })
        : t('estimate.tokens', { tokens: formatCount(inputTokens + outputTokens).short })}
    </span>
  )
}

function RunBar(props: {
  readonly running: ComparisonRuns
  readonly onRun: (scope: 'all' | 'open') => void
  /** Name of the selected answer, to which a second one will be compared. */
  readonly picked: string | undefined
  readonly onClearPicked: () => void
}) {
  const { running, onRun, picked, onClearPicked } = props
  const setup = useSetup((currentSetup) => currentSetup)
  const [isMarkdown, setIsMarkdown] = useIsMarkdown()
  const cellCount = listRunnableCells(setup).length
  const { cells, runs, isActive, progress } = running
  const openCellCount = listOpenCells(setup, cells).length
  const progressText = t('run.progress', progress)
  return (
    <div className="sticky top-0 left-0 z-4 flex h-13 w-[100cqi] items-center gap-3 bg-page px-5">
      <div className="flex flex-none items-center gap-3">
        <Button
          variant="primary"
          icon={Play}
          busy={running.isStarting}
          disabled={cellCount === 0}
          title={cellCount === 0 ? t('run.nothing') : undefined}
          aria-keyshortcuts="Control+Enter Meta+Enter"
          onClick={() => onRun('all')}
        >
          {t('run.all', { count: cellCount })}
        </Button>
        {runs.length > 0 && openCellCount > 0 && !isActive ? (
          <Button icon={ListRestart} title={t('run.openHint')} onClick={() => onRun('open')}>
            {t('run.open', { count: openCellCount })}
          </Button>
        ) : null}
        {isActive ? (
          <>
            <Button icon={Square} onClick={running.stopAll}>
              {t('run.stop')}
            </Button>
            <span className="inline-flex items-center gap-2 text-muted text-sm tabular-nums" role="status">
              <span className="w-24">
                <ProgressBar value={progress.count === 0 ? 0 : progress.done / progress.count} label={progressText} />
              </span>
              {progressText}
            </span>
          </>
        ) : (
          <Estimate cells={cells} />
        )}
      </div>
      {picked === undefined ? null : (
        <span
          className={joinClassNames(
            'inline-flex h-8 min-w-0 items-center gap-1.5 rounded-md border border-accent-line',
            'bg-accent-soft pr-0.5 pl-2.5 text-sm',
          )}
          role="status"
        >
          <GitCompareArrows size={14} aria-hidden="true" />
          <span className="truncate">{t('diff.pickSecond', { name: picked })}</span>
          <IconButton size="sm" icon={X} label={t('diff.stop')} onClick={onClearPicked} />
        </span>
      )}
      <span className="min-w-0 flex-1 truncate text-right text-muted text-sm tabular-nums">
        <Sums runs={runs} />
      </span>
      <div className="flex-none">
        <SegmentedControl
          label={t('look.label')}
          value={isMarkdown ? 'markdown' : 'plain'}
          onValueChange={(value) => setIsMarkdown(() => value === 'markdown')}
          segments={[
            { value: 'markdown', label: t('look.markdown') },
            { value: 'plain', label: t('look.plain') },
          ]}
        />
      </div>
    </div>
  )
}
