import { useEffect, useRef, useState } from 'react'

/** Which row of a table the keyboard is on: moved by keys (then the row takes the focus, once `reveal` has it drawn) and by clicks. */
export function useActiveRow(count: number, reveal: (index: number) => void) {
  const [wanted, setActive] = useState(0)
  const body = useRef<HTMLTableSectionElement>(null)
  const isMoving = useRef(false)
  const active = Math.max(0, Math.min(wanted, count - 1))
  const move = (index: number): void => {
    isMoving.current = true
    setActive(index)
    reveal(index)
  }
  useEffect(() => {
    if (!isMoving.current) return
    const row = body.current?.querySelector<HTMLElement>(`[data-index="${active}"]`)
    if (!row) return
    isMoving.current = false
    row.focus({ preventScroll: true })
  })
  return { active, setActive, move, body }
}
