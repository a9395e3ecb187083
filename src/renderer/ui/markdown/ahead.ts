import { useEffect } from 'react'

const parts: readonly (() => Promise<unknown>)[] = [() => import('./coloured'), () => import('./set-formula')]

/** Loads what colours code and what sets formulas while the window rests, one after the other: before an answer needs it. */
export function useMarkdownAhead(): void {
  useEffect(() => {
    let id = 0
    const loadFrom = (at: number): void => {
      const load = parts[at]
      if (load)
        id = requestIdleCallback(() => {
          // What does not load now is loaded where it is used, and says so there.
          void load().then(
            () => loadFrom(at + 1),
            () => undefined,
          )
        })
    }
    loadFrom(0)
    return () => cancelIdleCallback(id)
  }, [])
}
