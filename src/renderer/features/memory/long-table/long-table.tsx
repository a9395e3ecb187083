import clsx from 'clsx'
import { type Ref, useCallback, useEffect, useImperativeHandle, useMemo, useRef } from 'react'
import { Checkbox } from '../../../ui/checkbox'
import { rowKeys } from '../../../ui/row-keys'
import { Skeleton } from '../../../ui/skeleton'
import { useActiveRow } from '../../../ui/use-active-row'
import frameStyles from '../../../ui/virtual-table.module.css'
import { columnsFor, templateOf, type VirtualColumn } from '../../../ui/virtual-table-columns'
import { VirtualTableHead } from '../../../ui/virtual-table-head'
import { VirtualTableRow } from '../../../ui/virtual-table-row'
import type { Json } from '../../resources/resource'
import styles from './long-table.module.css'
import { useLongScroll } from './use-long-scroll'

export type LongColumn = VirtualColumn<Json>

/** Which rows of a long list are ticked, by their places. */
export interface PlaceSelection {
  readonly has: (index: number) => boolean
  /** `isRange`: with all between this one and the one ticked before. */
  readonly onTick: (index: number, isRange: boolean) => void
  readonly all: boolean | 'indeterminate'
  readonly onAll: (isTicked: boolean) => void
  readonly allLabel: string
  readonly labelOf: (row: Json, index: number) => string
}

/** What can be told a long list from outside. */
export interface LongTableHandle {
  /** Puts a row at the top of the screen. */
  readonly jump: (index: number) => void
}

export interface LongTableProps {
  /** What it holds, for a screen reader. */
  readonly label: string
  readonly columns: readonly LongColumn[]
  readonly count: number
  /** The row at a place; nothing while it is on its way. */
  readonly rowAt: (index: number) => Json | undefined
  /** In px, the same for all. */
  readonly rowHeight: number
  /** Told which rows are drawn, the last excluded. */
  readonly onRange?: ((from: number, to: number) => void) | undefined
  /** Told the first row on the screen, once one rests there. */
  readonly onRest?: ((first: number) => void) | undefined
  readonly onOpen?: ((row: Json) => void) | undefined
  readonly selection?: PlaceSelection | undefined
  /** Where it begins. */
  readonly start?: number | undefined
  readonly handle?: Ref<LongTableHandle> | undefined
}

/** A row that is on its way stands as this; no server sends it. */
const waiting: Json = { '\u0000': null }

/** Columns whose cells show a shape while their row is on its way. */
function useColumns(columns: readonly LongColumn[], width: number): readonly LongColumn[] {
  return useMemo(
    () =>
      columnsFor(columns, width).map((column) => ({
        ...column,
        cell: (row: Json, tabIndex: number) =>
          row === waiting ? <Skeleton width="60%" height={10} /> : column.cell(row, tabIndex),
      })),
    [columns, width],
  )
}

const placesOf = (from: number, to: number, active: number): readonly number[] => {
  const drawn = Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at)
  // The row with the focus stays, wherever one scrolls to.
  return active < from ? [active, ...drawn] : active >= to ? [...drawn, active] : drawn
}

/** A table of any number of rows of one height, known by their places: the rows on the screen are drawn and asked for, and the page around it scrolls. */
export function LongTable(props: LongTableProps) {
  const { label, columns, count, rowAt, rowHeight, selection, start, handle, onOpen, onRange, onRest } = props
  const frame = useRef<HTMLTableElement>(null)
  const { drawn, height, width, view, jump, reveal, isReady } = useLongScroll({ frame, count, rowHeight, onRest })
  const { active, setActive, move, body } = useActiveRow(count, reveal)
  const { from, to, shift } = drawn
  const shown = useColumns(columns, width)
  const template = templateOf(shown, selection !== undefined)
  useImperativeHandle(handle, () => ({ jump }), [jump])
  useEffect(() => {
    if (to > from) onRange?.(from, to)
  }, [from, to, onRange])
  const isBegun = useRef(false)
  useEffect(() => {
    if (!isReady || isBegun.current) return
    isBegun.current = true
    if (start !== undefined && start > 0) jump(start)
  }, [isReady, start, jump])
  const isRange = useRef(false)
  const latest = useRef({ selection })
  latest.current = { selection }
  const tick = useCallback((index: number) => latest.current.selection?.onTick(index, isRange.current), [])
  const open = (index: number): void => {
    const row = rowAt(index)
    if (row !== undefined) onOpen?.(row)
  }
  const pageSize = Math.max(1, Math.floor(view / rowHeight) - 1)
  const keys = { count, active, pageSize, move, open, toggle: selection && tick }
  const noteShift = ({ shiftKey }: { readonly shiftKey: boolean }): void => {
    isRange.current = shiftKey
  }
  return (
    <table ref={frame} aria-label={label} aria-rowcount={count + 1} className={frameStyles.frame}>
      <VirtualTableHead
        {...{ columns: shown, template }}
        tickAll={
          selection && <Checkbox checked={selection.all} onCheckedChange={selection.onAll} label={selection.allLabel} />
        }
      />
      <tbody
        ref={body}
        className={clsx(frameStyles.body, styles.body)}
        style={{ height }}
        onKeyDown={rowKeys(keys)}
        onKeyDownCapture={noteShift}
        onClickCapture={noteShift}
        onMouseDown={(event) => {
          // A range of rows is meant, not one of text.
          if (event.shiftKey && selection) event.preventDefault()
        }}
        onDoubleClick={({ target }) => {
          if (!(target instanceof Element) || target.closest('button')) return
          const row = target.closest('[data-index]')
          if (row) open(Number(row.getAttribute('data-index')))
        }}
      >
        {placesOf(from, to, count > 0 ? active : from).map((index) => {
          const row = rowAt(index)
          return (
            <VirtualTableRow
              key={index}
              row={row ?? waiting}
              index={index}
              columns={shown}
              template={template}
              top={index * rowHeight + shift}
              height={rowHeight}
              isActive={index === active}
              hasTicks={selection !== undefined}
              tickLabel={row === undefined ? undefined : selection?.labelOf(row, index)}
              isTicked={selection?.has(index) ?? false}
              onTick={tick}
              onFocus={setActive}
            />
          )
        })}
      </tbody>
    </table>
  )
}
