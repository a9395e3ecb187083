import type { CellAddress, ComparisonCell, ComparisonSetup, ComparisonView } from '@shared/contract'
import { ArrowLeftRight, Copy, GitCompareArrows, Maximize2, RotateCw, SearchCode, Square } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyText, useCopyText } from '../../../copy-text'
import { ExplainedFailure } from '../../../failures'
import { useFormats } from '../../../format'
import { isDialogOpen, useWindowKey } from '../../../shortcuts'
import { Button } from '../../../ui/button'
import { ConfirmDialog, Dialog } from '../../../ui/dialog'
import { type MenuItem, useSharedMenu } from '../../../ui/menu'
import { SkeletonRows } from '../../../ui/skeleton'
import { useModelQuotas } from '../../usage/quota'
import {
  isRunActive,
  RunDetails,
  RunInspector,
  RunProblem,
  shareText,
  useRun,
  useRunsStore,
  useTargetTexts,
  withTargetChange,
} from '..'
import { useCellName } from './cell-name'
import {
  arrangeRow,
  type CellMap,
  canRate,
  cellKey,
  estimateByModel,
  listOpenCells,
  listRunnableCells,
  type ModelEstimate,
} from './cells'
import { ColumnSheet } from './column-sheet'
import { type CellActions, CellActionsContext, type EditSession, useEditing, useSetup } from './editing'
import { ComparisonTable } from './grid'
import { CheckBadge, FullAnswer } from './grid-cell'
import { Rating } from './rating'
import { RunBar } from './run-bar'
import { withColumn } from './setup'
import { TextDiff } from './text-diff'
import { ComparisonTotals } from './totals'
import { type ComparisonRuns, useComparisonRuns } from './use-comparison-runs'

interface GridOverlays {
  readonly columnId?: string | undefined
  readonly answer?: CellAddress | undefined
  readonly inspected?: string | undefined
  /** Cells of a large run that the user has not confirmed yet. */
  readonly placesToConfirm?: readonly CellAddress[] | undefined
  readonly picked: readonly CellAddress[]
}

const getSetup = (editing: EditSession): ComparisonSetup => editing.store.getState().draft.setup

function useCellMenu(
  comparisonRuns: ComparisonRuns,
  show: (changes: Partial<GridOverlays>) => void,
  pick: (place: CellAddress) => void,
) {
  const { t } = useTranslation('compare')
  const copyText = useCopyText()
  const editSession = useEditing()
  return (place: CellAddress): readonly MenuItem[] => {
    const cell = comparisonRuns.cells.get(cellKey(place))
    if (!cell) return []
    const copy = (): void => {
      const text = useRunsStore.getState().entries[cell.run.id]?.live?.answer.text ?? ''
      copyText(text, { title: t('cell.copied') })
    }
    return [
      { label: t('cell.openShort'), icon: Maximize2, onSelect: () => show({ answer: place }) },
      { label: t('cell.copy'), icon: Copy, onSelect: copy },
      { label: t('cell.pickShort'), icon: GitCompareArrows, onSelect: () => pick(place) },
      ...(arrangeRow(getSetup(editSession), place, comparisonRuns.cells).isHidden
        ? []
        : [{ label: t('cell.inspect'), icon: SearchCode, onSelect: () => show({ inspected: cell.run.id }) }]),
    ]
  }
}

function useGrid(view: ComparisonView) {
  const editSession = useEditing()
  const comparisonRuns = useComparisonRuns(view, editSession)
  const [overlays, setOverlays] = useState<GridOverlays>({ picked: [] })
  const show = (changes: Partial<GridOverlays>): void =>
    setOverlays((previousOverlays) => ({ ...previousOverlays, ...changes }))
  const { open, menu } = useSharedMenu()
  const { getRemainingTokens } = useModelQuotas()
  const startRunsOrConfirm = (places: readonly CellAddress[]): void => {
    const estimates = estimateByModel(getSetup(editSession), places, comparisonRuns.cells)
    const isOverQuota = estimates.some((estimate) => getQuotaShare(estimate, getRemainingTokens) > 1)
    if (isOverQuota || places.length > largeRunMinRequests) show({ placesToConfirm: places })
    else comparisonRuns.start(places)
  }
  const pickCell = (place: CellAddress): void => {
    const key = cellKey(place)
    const otherPickedCells = overlays.picked.filter((pickedPlace) => cellKey(pickedPlace) !== key)
    show({
      picked:
        otherPickedCells.length < overlays.picked.length ? otherPickedCells : [...otherPickedCells, place].slice(-2),
    })
  }
  const getMenu = useCellMenu(comparisonRuns, show, pickCell)
  const actions: CellActions = {
    run: (place) => comparisonRuns.start([place]),
    stop: (runId) => comparisonRuns.stop([runId]),
    open: (answer) => show({ answer }),
    pick: pickCell,
    menu: (button, place) => open(button, getMenu(place)),
    setUp: (columnId) => show({ columnId }),
    askInstead: (place, change) => {
      const column = getSetup(editSession).columns.find(({ id }) => id === place.columnId)
      if (!column?.target) return
      const target = withTargetChange(column.target, change)
      editSession.edit((setup) => withColumn(setup, { ...column, target }))
      comparisonRuns.start([place])
    },
    rate: comparisonRuns.rate,
  }
  const run = (scope: 'all' | 'open'): void => {
    const setup = getSetup(editSession)
    startRunsOrConfirm(
      scope === 'all' ? listRunnableCells(setup) : listOpenCells(setup, comparisonRuns.cells, comparisonRuns.getRun),
    )
  }
  // Ctrl+Enter (or Command+Enter) runs all cells, also while the user types.
  useWindowKey((event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || isDialogOpen()) return
    event.preventDefault()
    run('all')
  })
  const runColumn = (columnId: string): void =>
    startRunsOrConfirm(listRunnableCells(getSetup(editSession)).filter((place) => place.columnId === columnId))
  return {
    editing: editSession,
    running: comparisonRuns,
    overlays,
    show,
    menu,
    actions,
    run,
    runColumn,
  }
}

type GridState = ReturnType<typeof useGrid>

function DiffOverlay({ running: comparisonRuns, overlays, show }: GridState) {
  const getName = useCellName(comparisonRuns.cells)
  const diffSides = overlays.picked.flatMap((place): DiffSide[] => {
    const cell = comparisonRuns.cells.get(cellKey(place))
    return cell ? [{ cell, name: getName(place) }] : []
  })
  const [left, right] = diffSides
  return left && right ? <AnswersDiff sides={[left, right]} onClose={() => show({ picked: [] })} /> : null
}

function OpenOverlays(state: GridState) {
  const { overlays, show, running: comparisonRuns } = state
  const { columnId, inspected, placesToConfirm } = overlays
  return (
    <>
      {columnId === undefined ? null : (
        <ColumnSheet
          columnId={columnId}
          onClose={() => show({ columnId: undefined })}
          onShow={(nextColumnId) => show({ columnId: nextColumnId })}
        />
      )}
      {overlays.answer ? <AnswerDialog place={overlays.answer} state={state} /> : null}
      <DiffOverlay {...state} />
      {inspected === undefined ? null : (
        <RunInspector runId={inspected} onClose={() => show({ inspected: undefined })} />
      )}
      {placesToConfirm ? (
        <LargeRunDialog
          places={placesToConfirm}
          cells={comparisonRuns.cells}
          onClose={() => show({ placesToConfirm: undefined })}
          onConfirm={() => {
            show({ placesToConfirm: undefined })
            comparisonRuns.start(placesToConfirm)
          }}
        />
      ) : null}
    </>
  )
}

interface ComparisonGridProps {
  readonly view: ComparisonView
  /** Content shown above the buttons that start runs. */
  readonly lead: ReactNode
}

export function ComparisonGrid({ view, lead }: ComparisonGridProps) {
  const state = useGrid(view)
  const { running: comparisonRuns, overlays, show, run, runColumn, actions, menu } = state
  const getName = useCellName(comparisonRuns.cells)
  const [firstPicked] = overlays.picked
  return (
    <CellActionsContext value={actions}>
      <div className="sticky left-0 flex w-[100cqi] flex-col gap-3.5 px-5 pt-5 pb-1">
        {lead}
        {comparisonRuns.failure ? <ExplainedFailure failure={comparisonRuns.failure} /> : null}
      </div>
      <RunBar
        running={comparisonRuns}
        onRun={run}
        picked={firstPicked && overlays.picked.length === 1 ? getName(firstPicked) : undefined}
        onClearPicked={() => show({ picked: [] })}
      />
      <ComparisonTable cells={comparisonRuns.cells} picked={overlays.picked.map(cellKey)} onRunColumn={runColumn} />
      <ComparisonTotals running={comparisonRuns} />
      {menu}
      <OpenOverlays {...state} />
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

interface LargeRunDialogProps {
  readonly places: readonly CellAddress[]
  readonly cells: CellMap
  readonly onClose: () => void
  readonly onConfirm: () => void
}

/** Dialog that confirms a large run. Lists the estimated requests and tokens per model. */
function LargeRunDialog({ places, cells, onClose, onConfirm }: LargeRunDialogProps) {
  const { t } = useTranslation('compare')
  const texts = useTargetTexts()
  const { count, locale } = useFormats()
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
                    ? t('estimate.input', { tokens: count(inputTokens).short })
                    : t('estimate.tokens', { tokens: count(inputTokens + outputTokens).short }),
                  quotaShare > 0 && t('estimate.share', { share: shareText(quotaShare, locale) }),
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

interface AnswersDiffProps {
  readonly sides: readonly [DiffSide, DiffSide]
  readonly onClose: () => void
}

function AnswersDiff({ sides, onClose }: AnswersDiffProps) {
  const { t } = useTranslation('compare')
  const [isSwapped, setIsSwapped] = useState(false)
  const [left, right] = isSwapped ? [sides[1], sides[0]] : sides
  const leftColumnRun = useRun(left.cell.run.id)
  const rightRun = useRun(right.cell.run.id)
  return (
    <Dialog
      size="lg"
      onClose={onClose}
      title={t('diff.title')}
      footer={
        <Button icon={ArrowLeftRight} onClick={() => setIsSwapped(!isSwapped)}>
          {t('diff.swap')}
        </Button>
      }
    >
      {leftColumnRun && rightRun ? (
        <TextDiff before={leftColumnRun.answer.text} after={rightRun.answer.text} names={[left.name, right.name]} />
      ) : (
        <SkeletonRows rows={4} />
      )}
    </Dialog>
  )
}

function AnswerDialog({ place, state }: { readonly place: CellAddress; readonly state: GridState }) {
  const { t } = useTranslation('compare')
  const { running: comparisonRuns, show, actions, editing } = state
  const name = useCellName(comparisonRuns.cells)(place)
  const cell = comparisonRuns.cells.get(cellKey(place))
  const liveRun = useRun(cell?.run.id)
  if (!cell) return null
  // Blind mode hides the model.
  const { isHidden } = arrangeRow(getSetup(editing), place, comparisonRuns.cells)
  const runAgain = (): void => actions.run(place)
  const run = liveRun?.run ?? cell.run
  const isStreaming = isRunActive(run)
  return (
    <Dialog
      size="lg"
      onClose={() => show({ answer: undefined })}
      title={name}
      footer={
        <>
          {liveRun ? <CopyText size="md" text={liveRun.answer.text} label={t('cell.copy')} /> : null}
          {isHidden ? null : (
            <Button icon={SearchCode} onClick={() => show({ answer: undefined, inspected: run.id })}>
              {t('cell.inspect')}
            </Button>
          )}
          {isStreaming ? (
            <Button icon={Square} onClick={() => actions.stop(run.id)}>
              {t('cell.stopShort')}
            </Button>
          ) : (
            <Button icon={RotateCw} onClick={runAgain}>
              {t('cell.againShort')}
            </Button>
          )}
        </>
      }
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
          onChooseModel={() => show({ answer: undefined, columnId: place.columnId })}
        />
        {liveRun ? <FullAnswer answer={liveRun.answer} isStreaming={isStreaming} /> : null}
      </div>
    </Dialog>
  )
}

/** A run with at least this many requests must be confirmed. */
const largeRunMinRequests = 20
