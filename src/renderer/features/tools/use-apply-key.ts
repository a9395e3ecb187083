import { useEffect } from 'react'

/**
 * Ctrl+Enter (Command+Enter on a Mac) does the one thing that a page is for, while it can be done, wherever the focus
 * is on the page. It listens before the controls do, because some of them keep Enter to themselves.
 */
export function useApplyKey(apply: (() => void) | undefined): void {
  useEffect(() => {
    if (!apply) return
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat) return
      if (document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]')) return
      event.preventDefault()
      event.stopPropagation()
      apply()
    }
    window.addEventListener('keydown', press, { capture: true })
    return () => window.removeEventListener('keydown', press, { capture: true })
  }, [apply])
}
