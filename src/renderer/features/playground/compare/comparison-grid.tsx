import type { ComparisonCell, ComparisonSetup, ComparisonView } from '@shared/contract'
import { ArrowLeftRight, Copy, GitCompareArrows, Maximize2, RotateCw, SearchCode, Square } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyText, useCopyText } from '../../../copy-text'
import { ExplainedFailure } from '../../../failures'
import { Button } from '../../../ui/button'
import { ConfirmDialog, Dialog } from '../../../ui/dialog'
import { type MenuItem, useSharedMenu } from '../../../ui/menu'
import { SkeletonRows } from '../../../ui/skeleton'
import {
  isRunActive,
  RunDetails,
  RunInspector,
  RunProblem,
  type TargetChange,
  useRun,
  useRunsStore,
  useTargetTexts,
  withTargetChange,
} from '..'
import {
  type CellPosition,
  cellKey,
  columnName,
  columnNumber,
  computeShares,
  listCellPositions,
  listOpenCells,
} from './cells'
import { ColumnSheet } from './column-sheet'
import { type CellActions, CellActionsContext, type EditSession, useEditing, useSetup } from './editing'
import { ComparisonTable } from './grid'
import { FullAnswer } from './grid-cell'
import { RunBar } from './run-bar'
import { withColumn } from './setup'
import { TextDiff } from './text-diff'
import { ComparisonTotals } from './totals'
import { type ComparisonRuns, useComparisonRuns } from './use-comparison-runs'

interface GridOverlays {
  readonly columnId?: string | undefined
  readonly answer?: CellPosition | undefined
  readonly inspected?: string | undefined
  /** Cells of a large run that the user has not confirmed yet. */
  readonly asked?: readonly CellPosition[] | undefined
  readonly picked: readonly CellPosition[]
}

const getSetup = (editing: EditSession): ComparisonSetup => editing.store.getState().draft.setup

function useCellName(editing: EditSession): (place: CellPosition) => string {
  const { t } = useTranslation('compare')
  return ({ columnId, caseId }) => {
    const setup = getSetup(editing)
    const column = setup.columns.find(({ id }) => id === columnId)
    const name = (column && columnName(column)) ?? t('column.numbered', { number: columnNumber(setup, columnId) })
    const caseIndex = setup.cases.findIndex(({ id }) => id === caseId)
    return caseIndex < 0 ? name : t('cell.name', { column: name, number: caseIndex + 1 })
  }
}

function useCellMenu(
  comparisonRuns: ComparisonRuns,
  show: (changes: Partial<GridOverlays>) => void,
  pick: (place: CellPosition) => void,
) {
  const { t } = useTranslation('compare')
  const copyText = useCopyText()
  return (place: CellPosition): readonly MenuItem[] => {
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
      { label: t('cell.inspect'), icon: SearchCode, onSelect: () => show({ inspected: cell.run.id }) },
    ]
  }
}

const isDialogOpen = (): boolean => document.querySelector('[role="dialog"], [role="alertdialog"]') !== null

/** Ctrl+Enter (or Command+Enter) runs all cells, also while the user types. */
function useRunKey(run: () => void): void {
  const latestRunRef = useRef(run)
  latestRunRef.current = run
  useEffect(() => {
    const handleKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || isDialogOpen()) return
      event.preventDefault()
      latestRunRef.current()
    }
    window.addEventListener('keydown', handleKeyDown)
    return () => window.removeEventListener('keydown', handleKeyDown)
  }, [])
}

function useGrid(view: ComparisonView) {
  const editSession = useEditing()
  const comparisonRuns = useComparisonRuns(view, editSession)
  const [overlays, setOverlays] = useState<GridOverlays>({ picked: [] })
  const show = (changes: Partial<GridOverlays>): void =>
    setOverlays((previousOverlays) => ({ ...previousOverlays, ...changes }))
  const { open, menu } = useSharedMenu()
  const startRunsOrConfirm = (places: readonly CellPosition[]): void =>
    places.length > largeRunMinRequests ? show({ asked: places }) : comparisonRuns.start(places)
  const pickCell = (place: CellPosition): void => {
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
  }
  const run = (scope: 'all' | 'open'): void => {
    const setup = getSetup(editSession)
    startRunsOrConfirm(
      scope === 'all' ? listCellPositions(setup) : listOpenCells(setup, comparisonRuns.cells, comparisonRuns.getRun),
    )
  }
  useRunKey(() => run('all'))
  const runColumn = (columnId: string): void =>
    startRunsOrConfirm(listCellPositions(getSetup(editSession)).filter((place) => place.columnId === columnId))
  return {
    editing: editSession,
    running: comparisonRuns,
    overlays,
    show,
    menu,
    actions: useStableActions(actions),
    run,
    runColumn,
  }
}

type GridState = ReturnType<typeof useGrid>

function AnswerOverlay({ running: comparisonRuns, overlays, show, actions, editing }: GridState) {
  const getName = useCellName(editing)
  const openCell = overlays.answer
  const cell = openCell && comparisonRuns.cells.get(cellKey(openCell))
  if (!openCell || !cell) return null
  return (
    <AnswerDialog
      name={getName(openCell)}
      cell={cell}
      onClose={() => show({ answer: undefined })}
      onAgain={() => actions.run(openCell)}
      onStop={() => actions.stop(cell.run.id)}
      onInspect={() => show({ answer: undefined, inspected: cell.run.id })}
      onUse={(change) => actions.askInstead(openCell, change)}
      onChooseModel={() => show({ answer: undefined, columnId: openCell.columnId })}
    />
  )
}

function DiffOverlay({ running: comparisonRuns, overlays, show, editing }: GridState) {
  const getName = useCellName(editing)
  const diffSides = overlays.picked.flatMap((place): DiffSide[] => {
    const cell = comparisonRuns.cells.get(cellKey(place))
    return cell ? [{ cell, name: getName(place) }] : []
  })
  const [left, right] = diffSides
  return left && right ? <AnswersDiff sides={[left, right]} onClose={() => show({ picked: [] })} /> : null
}

function OpenOverlays(state: GridState) {
  const { overlays, show, running: comparisonRuns } = state
  const { columnId, inspected, asked } = overlays
  return (
    <>
      {columnId === undefined ? null : (
        <ColumnSheet
          columnId={columnId}
          onClose={() => show({ columnId: undefined })}
          onShow={(nextColumnId) => show({ columnId: nextColumnId })}
        />
      )}
      <AnswerOverlay {...state} />
      <DiffOverlay {...state} />
      {inspected === undefined ? null : (
        <RunInspector runId={inspected} onClose={() => show({ inspected: undefined })} />
      )}
      {asked ? (
        <LargeRunDialog
          places={asked}
          onClose={() => show({ asked: undefined })}
          onConfirm={() => {
            show({ asked: undefined })
            comparisonRuns.start(asked)
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
  const { running: comparisonRuns, overlays, show, run, runColumn, actions, editing, menu } = state
  const getName = useCellName(editing)
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

interface BigRunDialogProps {
  readonly places: readonly CellPosition[]
  readonly onClose: () => void
  readonly onConfirm: () => void
}

/** Dialog that confirms a large run. Lists the number of requests per target. */
function LargeRunDialog({ places, onClose, onConfirm }: BigRunDialogProps) {
  const { t } = useTranslation('compare')
  const texts = useTargetTexts()
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
        {computeShares(setup, places).map(({ target, requests }) => (
          <li key={`${target.kind} ${texts(target).where}`} className="flex justify-between gap-4 tabular-nums">
            <span>{texts(target).where}</span>
            <span>{t('big.requests', { count: requests })}</span>
          </li>
        ))}
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

interface AnswerDialogProps {
  readonly name: string
  readonly cell: ComparisonCell
  readonly onClose: () => void
  readonly onAgain: () => void
  readonly onStop: () => void
  readonly onInspect: () => void
  readonly onUse: (change: TargetChange) => void
  readonly onChooseModel: () => void
}

function AnswerDialog(props: AnswerDialogProps) {
  const { t } = useTranslation('compare')
  const { name, cell, onClose, onAgain, onStop, onInspect, onUse, onChooseModel } = props
  const liveRun = useRun(cell.run.id)
  const run = liveRun?.run ?? cell.run
  const isStreaming = isRunActive(run)
  return (
    <Dialog
      size="lg"
      onClose={onClose}
      title={name}
      footer={
        <>
          {liveRun ? <CopyText size="md" text={liveRun.answer.text} label={t('cell.copy')} /> : null}
          <Button icon={SearchCode} onClick={onInspect}>
            {t('cell.inspect')}
          </Button>
          {isStreaming ? (
            <Button icon={Square} onClick={onStop}>
              {t('cell.stopShort')}
            </Button>
          ) : (
            <Button icon={RotateCw} onClick={onAgain}>
              {t('cell.againShort')}
            </Button>
          )}
        </>
      }
    >
      <div className="flex select-text flex-col gap-3">
        <RunDetails run={run} />
        <RunProblem run={run} onAgain={onAgain} onUse={onUse} onChooseModel={onChooseModel} />
        {liveRun ? <FullAnswer answer={liveRun.answer} isStreaming={isStreaming} /> : null}
      </div>
    </Dialog>
  )
}

/** Returns functions that never change but call the latest actions, so that cells do not re-render. */
function useStableActions(actions: CellActions): CellActions {
  const latestActionsRef = useRef(actions)
  latestActionsRef.current = actions
  return useMemo(
    () => ({
      run: (place) => latestActionsRef.current.run(place),
      stop: (runId) => latestActionsRef.current.stop(runId),
      open: (place) => latestActionsRef.current.open(place),
      pick: (place) => latestActionsRef.current.pick(place),
      menu: (button, place) => latestActionsRef.current.menu(button, place),
      setUp: (columnId) => latestActionsRef.current.setUp(columnId),
      askInstead: (place, change) => latestActionsRef.current.askInstead(place, change),
    }),
    [],
  )
}

/** A run with at least this many requests must be confirmed. */
const largeRunMinRequests = 20
