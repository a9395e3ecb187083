import { type RefObject, useEffect } from 'react'

/** Whether a dialog lies over the field; one that holds it does not. */
const isCovered = (field: HTMLElement): boolean =>
  [...document.querySelectorAll('[role="dialog"], [role="alertdialog"]')].some((dialog) => !dialog.contains(field))

/** While it `isOn`, Ctrl+F (Command+F on a Mac) puts the cursor into the field, unless something lies over it. */
export function useFindKey(field: RefObject<HTMLInputElement | null>, isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return
    const press = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'f' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      const input = field.current
      if (!input || event.defaultPrevented || isCovered(input)) return
      event.preventDefault()
      input.focus()
      input.select()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [field, isOn])
}
