import { useEffect } from 'react'

/** Ctrl+Enter (Command+Enter on a Mac) does the one thing that a page is for, while it can be done. */
export function useApplyKey(apply: (() => void) | undefined): void {
  useEffect(() => {
    if (!apply) return
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return
      event.preventDefault()
      apply()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [apply])
}
