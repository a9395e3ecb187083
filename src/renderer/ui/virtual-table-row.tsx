import clsx from 'clsx'
import { useMemo } from 'react'
import { Checkbox } from './checkbox'
import styles from './virtual-table.module.css'
import type { VirtualColumn } from './virtual-table-columns'

interface RowProps<Row> {
  readonly row: Row
  readonly index: number
  /** From the table's first row to this one, in px. */
  readonly top: number
  readonly height: number
  readonly columns: readonly VirtualColumn<Row>[]
  readonly template: string
  /** The one that the keyboard is on. */
  readonly isActive: boolean
  /** Rows of this table can be ticked. */
  readonly hasTicks: boolean
  /** What ticking this one means; nothing where it cannot be. */
  readonly tickLabel: string | undefined
  readonly isTicked: boolean
  readonly onTick: (index: number) => void
  readonly onFocus: (index: number) => void
}

/** One row; drawn anew only when something of it changed, so that scrolling costs little. */
export function VirtualTableRow<Row>(props: RowProps<Row>) {
  const { row, index, top, height, columns, template } = props
  const { isActive, hasTicks, tickLabel, isTicked, onTick, onFocus } = props
  return useMemo(() => {
    const tabIndex = isActive ? 0 : -1
    return (
      <tr
        aria-rowindex={index + 2}
        tabIndex={tabIndex}
        data-index={index}
        className={clsx(styles.row, isTicked && styles.ticked)}
        style={{ gridTemplateColumns: template, height, transform: `translateY(${top}px)` }}
        onFocus={() => onFocus(index)}
      >
        {hasTicks ? (
          <td className={styles.tick}>
            {tickLabel === undefined ? null : (
              <Checkbox
                checked={isTicked}
                onCheckedChange={() => onTick(index)}
                label={tickLabel}
                tabIndex={tabIndex}
              />
            )}
          </td>
        ) : null}
        {columns.map(({ id, align, cell }) => (
          <td key={id} className={clsx(styles.cell, align === 'right' && styles.right)}>
            {cell(row, tabIndex)}
          </td>
        ))}
      </tr>
    )
  }, [row, index, top, height, columns, template, isActive, hasTicks, tickLabel, isTicked, onTick, onFocus])
}
