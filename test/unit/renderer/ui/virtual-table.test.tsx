import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import {
  type Sorting,
  toggleSorting,
  type VirtualColumn,
  VirtualTable,
} from '../../../../src/renderer/ui/virtual-table'
import { installMain, renderInApp } from '../support/fake-main'
import { mockElementSize } from '../support/sized'

interface TableRow {
  readonly id: string
}

mockElementSize(400)

const columns: readonly VirtualColumn<TableRow>[] = [
  { id: 'name', header: 'Name', width: '1fr', sortable: true, cell: ({ id }) => id },
  {
    id: 'act',
    header: 'Act',
    width: '80px',
    cell: ({ id }, tabIndex) => (
      <button type="button" tabIndex={tabIndex}>
        Act on {id}
      </button>
    ),
  },
]
const tableRows = Array.from({ length: 500 }, (_, index): TableRow => ({ id: `thing-${index}` }))

function TestTable({ rows, onOpen }: { rows: readonly TableRow[]; onOpen: (openedRow: TableRow) => void }) {
  const [sorting, setSorting] = useState<Sorting>({ by: 'name', isDescending: false })
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set())
  return (
    <>
      <output data-testid="ticked">{[...keys].join(' ')}</output>
      <VirtualTable
        label="Things"
        columns={columns}
        rows={sorting.isDescending ? rows.toReversed() : rows}
        rowKey={({ id }) => id}
        rowHeight={40}
        sorting={sorting}
        onSort={(column) => setSorting(toggleSorting(sorting, column))}
        onOpen={onOpen}
        selection={{
          keys,
          onChange: setKeys,
          canSelect: ({ id }) => id !== 'thing-1',
          getLabel: ({ id }) => `Select ${id}`,
          allLabel: 'Select all',
        }}
      />
    </>
  )
}

async function renderTable(rows: readonly TableRow[] = tableRows) {
  const openedRowIds: string[] = []
  installMain({})
  await renderInApp(<TestTable rows={rows} onOpen={({ id }) => openedRowIds.push(id)} />)
  const getFocusedText = (): string => document.activeElement?.textContent ?? ''
  const readSelectedKeys = (): string => screen.getByTestId('ticked').textContent ?? ''
  return {
    opened: openedRowIds,
    focused: getFocusedText,
    ticked: readSelectedKeys,
    press: (keys: string) => userEvent.keyboard(keys),
  }
}

const row = (name: string): HTMLElement => {
  const rowElement = screen.getByText(name).closest('tr')
  if (!rowElement) throw new Error(`No row ${name}`)
  return rowElement
}

describe('a virtual table', () => {
  it('has the total number of rows, and renders those on the screen', async () => {
    await renderTable()
    expect(screen.getByRole('table', { name: 'Things' }).getAttribute('aria-rowcount')).toBe('501')
    const rowCount = screen.getAllByRole('row').length
    expect(rowCount).toBeGreaterThan(5)
    expect(rowCount).toBeLessThan(40)
  })

  it('has one row in the tab order, with its controls', async () => {
    await renderTable()
    const focusableRows = screen.getAllByRole('row').filter((rowElement) => rowElement.tabIndex === 0)
    expect(focusableRows).toEqual([row('thing-0')])
    expect(screen.getByRole('button', { name: 'Act on thing-0' }).tabIndex).toBe(0)
    expect(screen.getByRole('button', { name: 'Act on thing-2' }).tabIndex).toBe(-1)
  })

  it('moves by the arrow keys, stops at its ends, and opens the current row', async () => {
    const { focused, press, opened } = await renderTable(tableRows.slice(0, 6))
    row('thing-0').focus()
    await press('{ArrowUp}')
    expect(focused()).toContain('thing-0')
    await press('{ArrowDown}{ArrowDown}')
    expect(focused()).toContain('thing-2')
    await press('{End}{ArrowDown}')
    expect(focused()).toContain('thing-5')
    await press('{Home}')
    expect(focused()).toContain('thing-0')
    await press('{ArrowDown}{Enter}')
    expect(opened).toEqual(['thing-1'])
  })

  it('reaches a row that is not on the screen', async () => {
    const { focused, press } = await renderTable()
    row('thing-0').focus()
    await press('{End}')
    await screen.findByText('thing-499')
    expect(focused()).toContain('thing-499')
  })

  it('moves through a row’s controls with left and right, and leaves Enter to them', async () => {
    const { focused, press, opened } = await renderTable()
    row('thing-0').focus()
    await press('{ArrowRight}{ArrowRight}')
    expect(focused()).toBe('Act on thing-0')
    await press('{Enter}')
    expect(opened).toEqual([])
    await press('{ArrowLeft}{ArrowLeft}')
    expect(document.activeElement).toBe(row('thing-0'))
  })

  it('selects rows with Space if allowed, and all of them together', async () => {
    const { ticked, press } = await renderTable(tableRows.slice(0, 4))
    row('thing-0').focus()
    await press(' {ArrowDown} {ArrowDown} ')
    expect(ticked()).toBe('thing-0 thing-2')
    expect(screen.getByRole('checkbox', { name: 'Select all' }).getAttribute('aria-checked')).toBe('mixed')
    await userEvent.click(screen.getByRole('checkbox', { name: 'Select all' }))
    expect(ticked()).toBe('thing-0 thing-2 thing-3')
    await userEvent.click(screen.getByRole('checkbox', { name: 'Select all' }))
    expect(ticked()).toBe('')
  })

  it('shows the sort order, and reverses it on a second click', async () => {
    await renderTable(tableRows.slice(0, 3))
    const header = screen.getByRole('columnheader', { name: /Name/ })
    expect(header.getAttribute('aria-sort')).toBe('ascending')
    await userEvent.click(screen.getByRole('button', { name: 'Name' }))
    expect(header.getAttribute('aria-sort')).toBe('descending')
    expect(screen.getAllByRole('row').map((rowElement) => rowElement.textContent)[1]).toContain('thing-2')
  })
})
