import { type RefObject, useEffect } from 'react'

/** Ctrl+F (Command+F on a Mac) puts the cursor into the search field of the page, unless something lies over it. */
export function useFindKey(field: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'f' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      if (document.querySelector('[role="dialog"], [role="alertdialog"]')) return
      const input = field.current?.querySelector('input')
      if (!input) return
      event.preventDefault()
      input.focus()
      input.select()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [field])
}
