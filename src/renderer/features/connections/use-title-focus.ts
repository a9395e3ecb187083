import { useEffect } from 'react'

/** When a view takes the place of another and nothing has the focus, its title gets it, as the shell does between pages. */
export function useTitleFocus(): void {
  useEffect(() => {
    if (document.activeElement !== document.body) return
    document.querySelector<HTMLElement>('[data-page-title]')?.focus({ preventScroll: true })
  }, [])
}
