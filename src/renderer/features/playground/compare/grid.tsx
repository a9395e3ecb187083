import type { ComparisonColumn } from '@shared/contract'
import { useVirtualizer } from '@tanstack/react-virtual'
import i18next from 'i18next'
import { ArrowLeft, ArrowRight, Copy, Play, Plus, SlidersHorizontal, Trash2 } from 'lucide-react'
import { useRef } from 'react'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { joinClassNames } from '../../../ui/cn'
import { Sheet } from '../../../ui/dialog'
import { FieldGroup, TextAreaField, TextField } from '../../../ui/field'
import { IconButton } from '../../../ui/icon-button'
import { MenuButton } from '../../../ui/menu'
import { Switch } from '../../../ui/switch'
import { useScrollPosition } from '../../../ui/use-scroll-place'
import { countSetParameters, getStandard, ParametersFields, TargetSelect, useTargetTexts } from '..'
import { useCellActions, useCellName, useEditing, useSetup } from './editing'
import { GridCell } from './grid-cell'
import {
  arrangeRow,
  blindLetter,
  type CellMap,
  canRun,
  cellKey,
  columnName,
  columnNumber,
  type GridRow,
  getRowHeight,
  limits,
  listRows,
  newId,
  withColumn,
  withCopiedColumn,
  withMovedColumn,
  withNewColumn,
  withoutColumn,
} from './setup'

const t = i18next.getFixedT(null, 'compare')

/** Heights in px. The toolbar (52 px) and the sticky header row cover the top of the grid. */
const headHeight = 56
const stickyHeight = 52 + headHeight
const rowHeight = 236
const reservedHeight = 150
const widths = { cases: 168, column: 248, add: 44 } as const

const headClass = 'flex min-w-0 flex-wrap items-center gap-x-1 border-r py-1 pr-2 pl-1 text-left font-normal'

interface GridProps {
  readonly cells: CellMap
  readonly picked: readonly string[]
  readonly onRunColumn: (columnId: string) => void
}

function CaseHeader(props: { row: GridRow; variables: readonly string[]; hasRepeats: boolean }) {
  const { row, variables, hasRepeats } = props
  return (
    <th
      scope="row"
      className={joinClassNames(
        'sticky left-0 z-2 flex min-w-0 flex-col gap-1.5 overflow-hidden border-r bg-surface',
        'py-2.5 pr-3 pl-5 text-left font-normal shadow-underline',
      )}
    >
      <span className="font-medium text-faint text-xs">
        {row.caseId === undefined ? null : t('case', { number: row.number })}
        {hasRepeats ? <span className="block">{t('repeat', { number: row.repeat ?? 1 })}</span> : null}
      </span>
      <dl className="flex min-h-0 flex-col gap-1.5 overflow-hidden">
        {variables.map((name, index) => (
          <div key={name}>
            <dt className="truncate text-faint text-xs">{name}</dt>
            <dd className="wrap-anywhere line-clamp-3 text-sm leading-4.25" title={row.values[index]}>
              {row.values[index] === '' ? '–' : row.values[index]?.slice(0, 300)}
            </dd>
          </div>
        ))}
      </dl>
    </th>
  )
}

function GridHeader(
  props: Pick<GridProps, 'onRunColumn'> & {
    readonly columns: readonly ComparisonColumn[]
    readonly hasHeader: boolean
    readonly isBlind: boolean
  },
) {
  const { columns, hasHeader, isBlind, onRunColumn } = props
  const { edit } = useEditing()
  const { setUp } = useCellActions()
  const add = (): void => {
    const id = newId()
    edit((setup) => withNewColumn(setup, id))
    setUp(id)
  }
  return (
    <>
      {hasHeader ? (
        <th
          scope="col"
          className={joinClassNames(
            headClass,
            'sticky left-0 z-1 bg-surface py-0 pr-3 pl-5 text-faint text-xs shadow-underline',
          )}
        >
          {t('cases.title')}
        </th>
      ) : null}
      {columns.map((column, index) =>
        isBlind ? (
          <th key={column.id} scope="col" className={joinClassNames(headClass, 'px-3')}>
            <span className="truncate font-semibold">{t('blind.answer', { letter: blindLetter(index) })}</span>
          </th>
        ) : (
          <ColumnHead key={column.id} column={column} number={index + 1} onRun={onRunColumn} />
        ),
      )}
      <td className="flex items-center justify-center">
        {isBlind ? null : (
          <IconButton
            icon={Plus}
            label={t(columns.length >= limits.columns ? 'column.noMore' : 'column.add', { count: limits.columns })}
            disabled={columns.length >= limits.columns}
            onClick={add}
          />
        )}
      </td>
    </>
  )
}

/** Grid with a column per model or prompt and a row per case. The header is sticky, and rows are virtualized. */
export function ComparisonTable({ cells, picked, onRunColumn }: GridProps) {
  const setup = useSetup((currentSetup) => currentSetup)
  const { columns, cases, isBlind = false } = setup
  const getName = useCellName(cells)
  const containerRef = useRef<HTMLTableElement>(null)
  const scrollPosition = useScrollPosition(containerRef)
  const rows = listRows(setup)
  const hasRepeats = rows.some(({ repeat }) => repeat !== undefined)
  const hasHeader = cases.length > 0 || hasRepeats
  const maxCellHeight = (scrollPosition.scroller?.clientHeight ?? 0) - reservedHeight
  const height = hasHeader ? rowHeight : getRowHeight([...cells.values()], maxCellHeight)
  const virtualizer = useVirtualizer({
    count: rows.length,
    estimateSize: () => height,
    getScrollElement: () => scrollPosition.scroller,
    scrollMargin: scrollPosition.top + headHeight,
    scrollPaddingStart: stickyHeight,
    overscan: 1,
    useFlushSync: false,
  })
  const template = [
    ...(hasHeader ? [`${widths.cases}px`] : []),
    `repeat(${columns.length}, minmax(${widths.column}px, 1fr))`,
    `${widths.add}px`,
  ].join(' ')
  const minWidth = (hasHeader ? widths.cases : 0) + columns.length * widths.column + widths.add
  return (
    <table
      ref={containerRef}
      className="block w-full border-t bg-surface tabular-nums contain-inline-size"
      style={{ minWidth }}
      aria-label={t('grid')}
      aria-rowcount={rows.length + 1}
    >
      <thead className="sticky top-13 z-3 block">
        <tr
          aria-rowindex={1}
          className="grid bg-surface shadow-underline"
          style={{ gridTemplateColumns: template, height: headHeight }}
        >
          <GridHeader columns={columns} hasHeader={hasHeader} isBlind={isBlind} onRunColumn={onRunColumn} />
        </tr>
      </thead>
      <tbody className="relative block" style={{ height: rows.length * height }}>
        {virtualizer.getVirtualItems().map(({ index }) => {
          const row = rows[index]
          if (!row) return null
          const { caseId, repeat } = row
          const { columns: rowColumns, isHidden } = arrangeRow(setup, row, cells)
          const blind = isBlind ? (isHidden ? 'hidden' : 'revealed') : undefined
          return (
            <tr
              key={cellKey({ columnId: '', ...row })}
              aria-rowindex={index + 2}
              className="absolute left-0 grid w-full shadow-underline contain-layout contain-style"
              style={{ gridTemplateColumns: template, height, top: index * height }}
            >
              {hasHeader ? <CaseHeader row={row} variables={setup.variables} hasRepeats={hasRepeats} /> : null}
              {rowColumns.map((column) => {
                const place = { columnId: column.id, caseId, repeat }
                const key = cellKey(place)
                return (
                  <GridCell
                    key={column.id}
                    {...{ column, caseId, repeat, blind }}
                    cell={cells.get(key)}
                    name={getName(place)}
                    isReady={canRun(setup, column)}
                    isTall={!hasHeader}
                    isPicked={picked.includes(key)}
                  />
                )
              })}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

/** Header of a column. A click opens the column's settings. */
function ColumnHead(props: {
  readonly column: ComparisonColumn
  /** Number of the column, counted from 1. */
  readonly number: number
  readonly onRun: (columnId: string) => void
}) {
  const { column, number, onRun } = props
  const { setUp } = useCellActions()
  const texts = useTargetTexts()
  const { duplicate, left, right, remove } = useColumnActions(column)
  const name = columnName(column) ?? t('column.numbered', { number })
  const parameterCount = countSetParameters(column.parameters)
  const targetTexts = column.target ? texts(column.target) : undefined
  const model = column.name.trim() === '' ? undefined : column.target?.modelCode
  return (
    <th scope="col" className={headClass}>
      <button
        type="button"
        className="flex h-11.5 min-w-0 flex-1 flex-col justify-center rounded-md px-2 text-left hover:bg-hover"
        onClick={() => setUp(column.id)}
      >
        <span className="truncate font-semibold">{name}</span>
        <span className="truncate text-muted text-sm">
          {targetTexts
            ? [model, targetTexts.where, targetTexts.standard].filter(Boolean).join(' · ')
            : t('cell.noModel')}
        </span>
      </button>
      <span className="flex max-h-12 flex-col items-end gap-0.5 overflow-hidden">
        {column.prompt === undefined ? null : <Badge tone="accent">{t('column.ownPrompt')}</Badge>}
        {column.system.trim() === '' ? null : (
          <span title={column.system}>
            <Badge>{t('column.system')}</Badge>
          </span>
        )}
        {parameterCount === 0 ? null : <Badge>{t('column.parameters', { count: parameterCount })}</Badge>}
      </span>
      <MenuButton
        size="sm"
        label={t('column.more', { name })}
        items={[
          { label: t('column.setUp'), icon: SlidersHorizontal, onSelect: () => setUp(column.id) },
          { label: t('column.run'), icon: Play, disabled: !column.target, onSelect: () => onRun(column.id) },
          'separator',
          duplicate,
          left,
          right,
          'separator',
          { ...remove, danger: true },
        ]}
      />
    </th>
  )
}

export const growingAreaClass = 'field-sizing-content max-h-[30vh] min-h-14'

function Fields(props: { column: ComparisonColumn; onChange: (column: ComparisonColumn, field?: string) => void }) {
  const { column, onChange } = props
  const sharedPrompt = useSetup((setup) => setup.prompt)
  const { prompt, ...columnWithoutPrompt } = column
  const { target, system, parameters, name } = column
  return (
    <FieldGroup>
      <TargetSelect
        label={t('column.target')}
        value={target}
        onChange={(chosen) => onChange({ ...column, target: chosen }, 'target')}
      />
      <TextField
        label={t('column.name')}
        optional
        value={name}
        maxLength={100}
        placeholder={target?.modelCode ?? ''}
        onChange={(nextName) => onChange({ ...column, name: nextName }, 'name')}
      />
      <Switch
        label={t('column.ownPromptSwitch')}
        hint={t('column.ownPromptHint')}
        checked={prompt !== undefined}
        onCheckedChange={(on) => onChange(on ? { ...column, prompt: sharedPrompt } : columnWithoutPrompt)}
      />
      {prompt === undefined ? null : (
        <TextAreaField
          label={t('column.prompt')}
          value={prompt}
          className={growingAreaClass}
          rows={5}
          onChange={(text) => onChange({ ...column, prompt: text }, 'prompt')}
        />
      )}
      <TextAreaField
        label={t('column.systemLabel')}
        optional
        value={system}
        className={growingAreaClass}
        rows={3}
        maxLength={200_000}
        onChange={(text) => onChange({ ...column, system: text }, 'system')}
      />
      <ParametersFields
        value={parameters}
        standard={getStandard(target)}
        onChange={(nextParameters) => onChange({ ...column, parameters: nextParameters }, 'parameters')}
      />
    </FieldGroup>
  )
}

function useColumnActions(column: ComparisonColumn) {
  const { edit } = useEditing()
  const { length } = useSetup((setup) => setup.columns)
  const number = useSetup((setup) => columnNumber(setup, column.id))
  const { id } = column
  return {
    duplicate: {
      label: t('column.duplicate'),
      icon: Copy,
      disabled: length >= limits.columns,
      onSelect: () => edit((setup) => withCopiedColumn(setup, column)),
    },
    left: {
      label: t('column.left'),
      icon: ArrowLeft,
      disabled: number === 1,
      onSelect: () => edit((setup) => withMovedColumn(setup, id, -1)),
    },
    right: {
      label: t('column.right'),
      icon: ArrowRight,
      disabled: number === length,
      onSelect: () => edit((setup) => withMovedColumn(setup, id, 1)),
    },
    remove: {
      label: t('column.remove'),
      icon: Trash2,
      disabled: length === 1,
      onSelect: () => edit((setup) => withoutColumn(setup, id)),
    },
  }
}

function SheetFooter({ column, onClose, onShow }: ColumnSheetProps & { readonly column: ComparisonColumn }) {
  const { getSetup } = useEditing()
  const { left, right, duplicate, remove } = useColumnActions(column)
  const showCopy = (): void => {
    duplicate.onSelect()
    const { columns } = getSetup()
    const copy = columns[columns.findIndex(({ id }) => id === column.id) + 1]
    if (copy) onShow(copy.id)
  }
  const removeAndClose = (): void => {
    onClose()
    remove.onSelect()
  }
  return (
    <>
      {[left, right, { ...duplicate, onSelect: showCopy }, { ...remove, onSelect: removeAndClose }].map(
        ({ onSelect, ...action }) => (
          <IconButton key={action.label} {...action} onClick={onSelect} />
        ),
      )}
      <Button variant="primary" onClick={onClose}>
        {t('column.done')}
      </Button>
    </>
  )
}

interface ColumnSheetProps {
  readonly columnId: string
  readonly onClose: () => void
  readonly onShow: (columnId: string) => void
}

export function ColumnSheet({ columnId, onClose, onShow }: ColumnSheetProps) {
  const { edit } = useEditing()
  const column = useSetup((setup) => setup.columns.find(({ id }) => id === columnId))
  const number = useSetup((setup) => columnNumber(setup, columnId))
  if (!column) return null
  return (
    <Sheet
      onClose={onClose}
      title={columnName(column) ?? t('column.numbered', { number })}
      description={t('column.savedAsYouGo')}
      footer={<SheetFooter {...{ columnId, column, onClose, onShow }} />}
    >
      <Fields
        key={columnId}
        column={column}
        onChange={(nextColumn, field) =>
          edit((setup) => withColumn(setup, nextColumn), field === undefined ? undefined : `${columnId} ${field}`)
        }
      />
    </Sheet>
  )
}
