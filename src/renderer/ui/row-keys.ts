import type { KeyboardEvent } from 'react'

interface RowKeys {
  readonly count: number
  readonly active: number
  /** Rows that fit on the screen: what Page Up and Page Down move by. */
  readonly pageSize: number
  readonly move: (index: number) => void
  readonly open: (index: number) => void
  readonly toggle: ((index: number) => void) | undefined
}

const controls = 'a[href], button:not(:disabled), [role="checkbox"], [role="switch"]'

/** Moves the focus along the controls of a row; to the row itself before the first one. */
function moveInRow(row: HTMLElement, step: 1 | -1): void {
  const stops = [row, ...row.querySelectorAll<HTMLElement>(controls)]
  const at = stops.findIndex((stop) => stop.matches(':focus'))
  stops[at + step]?.focus()
}

function targetOf(key: string, { active, count, pageSize }: RowKeys): number | undefined {
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + pageSize,
    PageUp: active - pageSize,
    Home: 0,
    End: count - 1,
  }
  const target = targets[key]
  return target === undefined ? undefined : Math.min(count - 1, Math.max(0, target))
}

/** The keys of a table's rows: up, down, page, Home, End; Enter opens, Space ticks, left and right reach the controls. */
export function rowKeys(keys: RowKeys): (event: KeyboardEvent<HTMLElement>) => void {
  return (event) => {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return
    if (!(event.target instanceof HTMLElement)) return
    const row = event.target.closest('tr')
    // What opens from a row, such as a menu, is drawn elsewhere but tells its keys here.
    if (!row || !event.currentTarget.contains(row)) return
    const isOnRow = event.target === row
    const target = targetOf(event.key, keys)
    if (target !== undefined) keys.move(target)
    else if (event.key === 'ArrowRight') moveInRow(row, 1)
    else if (event.key === 'ArrowLeft') moveInRow(row, -1)
    else if (event.key === 'Enter' && isOnRow) keys.open(keys.active)
    else if (event.key === ' ' && isOnRow) keys.toggle?.(keys.active)
    else return
    event.preventDefault()
  }
}
