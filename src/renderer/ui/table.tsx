import { Fragment, type ReactNode } from 'react'
import { joinClassNames } from './cn'

export interface Column<Row> {
  readonly id: string
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  readonly align?: 'left' | 'right'
  /** CSS width. Columns without one share the remaining width. */
  readonly width?: string
  /** Whether the header is only for screen readers (for action columns). */
  readonly headerHidden?: boolean
}

/** Properties of a column of buttons, whose header is only for screen readers. */
export const actionsColumn = (header: string, width: string) =>
  ({ id: 'actions', header, width, headerHidden: true, align: 'right' }) as const

interface TableProps<Row> {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string | number
  /** Content below a row, across all columns. */
  readonly detail?: (row: Row) => ReactNode
}

const head =
  'sticky top-0 h-7.5 whitespace-nowrap bg-surface px-3 text-left font-medium text-faint text-xs shadow-underline'
const cellClass = 'h-8.5 truncate border-t px-3 group-first/row:border-t-0 group-hover/row:bg-hover'

/** Dense table with rows of 32 px. Long cells end in an ellipsis. */
export function Table<Row>({ caption, columns, rows, rowKey, detail }: TableProps<Row>) {
  return (
    <div className="overflow-auto rounded-lg border bg-surface">
      <table className="w-full table-fixed tabular-nums">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ id, header, align, width, headerHidden }) => (
              <th
                key={id}
                scope="col"
                className={joinClassNames(head, align === 'right' && 'text-right')}
                style={{ width }}
              >
                {headerHidden ? <span className="sr-only">{header}</span> : header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const detailContent = detail?.(row)
            return (
              <Fragment key={rowKey(row)}>
                <tr className="group/row">
                  {columns.map(({ id, cell, align }) => (
                    <td key={id} className={joinClassNames(cellClass, align === 'right' && 'text-right')}>
                      {cell(row)}
                    </td>
                  ))}
                </tr>
                {detailContent ? (
                  <tr>
                    <td className="px-3 pb-2.5" colSpan={columns.length}>
                      {detailContent}
                    </td>
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
