import type { ComparisonColumn, ComparisonSetup } from '@shared/contract'
import { useVirtualizer } from '@tanstack/react-virtual'
import clsx from 'clsx'
import { ArrowLeft, ArrowRight, Copy, Ellipsis, Play, Plus, SlidersHorizontal, Trash2 } from 'lucide-react'
import { memo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Badge } from '../../ui/badge'
import { IconButton } from '../../ui/icon-button'
import { Menu } from '../../ui/menu'
import { useScrollPlace } from '../../ui/use-scroll-place'
import { countSet, useTargetWords } from '../playground'
import { type CellMap, canRun, cellKey, columnName, type GridRow, rowsOf } from './cells'
import { useCellActions, useEditing, useSetup } from './editing'
import styles from './grid.module.css'
import { GridCell } from './grid-cell'
import { most, newId, withCopiedColumn, withMovedColumn, withNewColumn, withoutColumn } from './setup'

/** Stays above the rows: the line of buttons (52 px) and the head. */
const headHeight = 56
const coveredHeight = 52 + headHeight
const rowHeight = 236
const tallest = { least: 320, around: 150 } as const
const widths = { cases: 168, column: 272, add: 44 } as const

interface GridProps {
  readonly cells: CellMap
  /** The keys of the cells that were chosen to be compared. */
  readonly picked: readonly string[]
  readonly onRunColumn: (columnId: string) => void
}

function CaseHead({ row, variables }: { readonly row: GridRow; readonly variables: readonly string[] }) {
  const { t } = useTranslation('compare')
  return (
    <th scope="row" className={styles.case}>
      <span className={styles.caseNumber}>{t('case', { number: row.number })}</span>
      <dl className={styles.values}>
        {variables.map((name, at) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd title={row.values[at]}>{row.values[at] === '' ? '–' : row.values[at]?.slice(0, 300)}</dd>
          </div>
        ))}
      </dl>
    </th>
  )
}

interface GridRowProps extends Pick<GridProps, 'cells' | 'picked'> {
  readonly row: GridRow
  readonly setup: Pick<ComparisonSetup, 'columns' | 'variables' | 'prompt'>
}

/** One row of cells; a cell is drawn anew only when something of its own changed. */
const Cells = memo(function Cells({ row, setup, cells, picked }: GridRowProps) {
  const { t } = useTranslation('compare')
  const nameOf = (column: ComparisonColumn, at: number): string => {
    const name = columnName(column) ?? t('column.numbered', { number: at + 1 })
    return row.caseId === undefined ? name : t('cell.name', { column: name, number: row.number })
  }
  return (
    <>
      {row.caseId === undefined ? null : <CaseHead row={row} variables={setup.variables} />}
      {setup.columns.map((column, at) => {
        const key = cellKey({ columnId: column.id, caseId: row.caseId })
        return (
          <GridCell
            key={column.id}
            column={column}
            caseId={row.caseId}
            cell={cells.get(key)}
            name={nameOf(column, at)}
            isReady={canRun(setup, column)}
            isTall={row.caseId === undefined}
            isPicked={picked.includes(key)}
          />
        )
      })}
    </>
  )
})

function Head({
  columns,
  hasCases,
  onRunColumn,
}: Pick<GridProps, 'onRunColumn'> & { columns: readonly ComparisonColumn[]; hasCases: boolean }) {
  const { t } = useTranslation('compare')
  const { edit } = useEditing()
  const { setUp } = useCellActions()
  const add = (): void => {
    const id = newId()
    edit((setup) => withNewColumn(setup, id))
    setUp(id)
  }
  return (
    <>
      {hasCases ? (
        <th scope="col" className={clsx(styles.head, styles.corner)}>
          {t('cases.title')}
        </th>
      ) : null}
      {columns.map((column, at) => (
        <ColumnHead key={column.id} column={column} number={at + 1} count={columns.length} onRun={onRunColumn} />
      ))}
      <td className={styles.add}>
        <IconButton
          icon={Plus}
          label={t(columns.length >= most.columns ? 'column.noMore' : 'column.add', { count: most.columns })}
          disabled={columns.length >= most.columns}
          onClick={add}
        />
      </td>
    </>
  )
}

/** Columns by cases. The head and the cases stay in sight; only the rows on the screen are drawn. */
export function Grid({ cells, picked, onRunColumn }: GridProps) {
  const { t } = useTranslation('compare')
  const setup = useSetup((all) => all)
  const { columns, cases } = setup
  const frame = useRef<HTMLTableElement>(null)
  const place = useScrollPlace(frame)
  const rows = rowsOf(setup)
  const hasCases = cases.length > 0
  const height = hasCases ? rowHeight : Math.max(tallest.least, (place.scroller?.clientHeight ?? 0) - tallest.around)
  const virtualizer = useVirtualizer({
    count: rows.length,
    estimateSize: () => height,
    getScrollElement: () => place.scroller,
    scrollMargin: place.top + headHeight,
    scrollPaddingStart: coveredHeight,
    overscan: 1,
    useFlushSync: false,
  })
  const template = [
    ...(hasCases ? [`${widths.cases}px`] : []),
    `repeat(${columns.length}, minmax(${widths.column}px, 1fr))`,
    `${widths.add}px`,
  ].join(' ')
  const minWidth = (hasCases ? widths.cases : 0) + columns.length * widths.column + widths.add
  return (
    <table
      ref={frame}
      className={styles.grid}
      style={{ minWidth }}
      aria-label={t('grid')}
      aria-rowcount={rows.length + 1}
    >
      <thead className={styles.headRows}>
        <tr aria-rowindex={1} className={styles.headRow} style={{ gridTemplateColumns: template, height: headHeight }}>
          <Head columns={columns} hasCases={hasCases} onRunColumn={onRunColumn} />
        </tr>
      </thead>
      <tbody className={styles.body} style={{ height: rows.length * height }}>
        {virtualizer.getVirtualItems().map(({ index }) => {
          const row = rows[index]
          if (!row) return null
          return (
            <tr
              key={row.caseId ?? 'only'}
              aria-rowindex={index + 2}
              className={styles.row}
              style={{ gridTemplateColumns: template, height, top: index * height }}
            >
              <Cells row={row} setup={setup} cells={cells} picked={picked} />
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

interface ColumnHeadProps {
  readonly column: ComparisonColumn
  /** From 1. */
  readonly number: number
  readonly count: number
  readonly onRun: (columnId: string) => void
}

function useColumnMenu({ column, number, count, onRun }: ColumnHeadProps) {
  const { t } = useTranslation('compare')
  const { setUp } = useCellActions()
  const { edit } = useEditing()
  const { id } = column
  return [
    { label: t('column.setUp'), icon: SlidersHorizontal, onSelect: () => setUp(id) },
    { label: t('column.run'), icon: Play, disabled: !column.target, onSelect: () => onRun(id) },
    'separator' as const,
    {
      label: t('column.duplicate'),
      icon: Copy,
      disabled: count >= most.columns,
      onSelect: () => edit((setup) => withCopiedColumn(setup, column)),
    },
    {
      label: t('column.left'),
      icon: ArrowLeft,
      disabled: number === 1,
      onSelect: () => edit((setup) => withMovedColumn(setup, id, -1)),
    },
    {
      label: t('column.right'),
      icon: ArrowRight,
      disabled: number === count,
      onSelect: () => edit((setup) => withMovedColumn(setup, id, 1)),
    },
    'separator' as const,
    {
      label: t('column.remove'),
      icon: Trash2,
      danger: true,
      disabled: count === 1,
      onSelect: () => edit((setup) => withoutColumn(setup, id)),
    },
  ]
}

function Marks({ column }: Pick<ColumnHeadProps, 'column'>) {
  const { t } = useTranslation('compare')
  const set = countSet(column.parameters)
  return (
    <>
      {column.prompt === undefined ? null : <Badge tone="accent">{t('column.ownPrompt')}</Badge>}
      {column.system.trim() === '' ? null : (
        <span title={column.system}>
          <Badge>{t('column.system')}</Badge>
        </span>
      )}
      {set === 0 ? null : <Badge>{t('column.parameters', { count: set })}</Badge>}
    </>
  )
}

/** The head of a column: what answers in it, and what can be done with it. A press on it opens how it is set up. */
function ColumnHead(props: ColumnHeadProps) {
  const { column, number } = props
  const { t } = useTranslation('compare')
  const { setUp } = useCellActions()
  const words = useTargetWords()
  const items = useColumnMenu(props)
  const name = columnName(column) ?? t('column.numbered', { number })
  const where = column.target ? words(column.target) : undefined
  const model = column.name.trim() === '' ? undefined : column.target?.modelCode
  return (
    <th scope="col" className={styles.head}>
      <button type="button" className={styles.headButton} onClick={() => setUp(column.id)}>
        <span className={styles.headName}>{name}</span>
        <span className={styles.headWhere}>
          {where ? [model, where.where, where.standard].filter(Boolean).join(' · ') : t('cell.noModel')}
        </span>
      </button>
      <span className={styles.headMarks}>
        <Marks column={column} />
      </span>
      <Menu
        align="end"
        trigger={<IconButton size="sm" icon={Ellipsis} label={t('column.more', { name })} />}
        items={items}
      />
    </th>
  )
}
