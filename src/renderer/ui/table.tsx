import clsx from 'clsx'
import { Fragment, type ReactNode } from 'react'
import styles from './table.module.css'

export interface Column<Row> {
  readonly id: string
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  readonly align?: 'left' | 'right'
  /** A CSS width; columns without one share what is left. */
  readonly width?: string
  /** Keeps the header for screen readers only (for action columns). */
  readonly headerHidden?: boolean
}

export interface TableProps<Row> {
  /** What the table holds, for a screen reader. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string | number
  /** What stands beneath a row, across all columns; nothing for most. */
  readonly detail?: (row: Row) => ReactNode
}

/** Dense rows of 32 px with hairlines, in a frame of its own. Long cells end in an ellipsis. */
export function Table<Row>({ caption, columns, rows, rowKey, detail }: TableProps<Row>) {
  return (
    <div className={styles.frame}>
      <table className={styles.table}>
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ id, header, align, width, headerHidden }) => (
              <th key={id} scope="col" className={clsx(align === 'right' && styles.right)} style={{ width }}>
                {headerHidden ? <span className="sr-only">{header}</span> : header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const more = detail?.(row)
            return (
              <Fragment key={rowKey(row)}>
                <tr>
                  {columns.map(({ id, cell, align }) => (
                    <td key={id} className={clsx(align === 'right' && styles.right)}>
                      {cell(row)}
                    </td>
                  ))}
                </tr>
                {more ? (
                  <tr className={styles.detail}>
                    <td colSpan={columns.length}>{more}</td>
                  </tr>
                ) : null}
              </Fragment>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
