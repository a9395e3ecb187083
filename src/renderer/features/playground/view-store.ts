import { useSyncExternalStore } from 'react'
import { create } from 'zustand'

interface ChatView {
  /** Absent: as fits the window. */
  readonly isListOpen: boolean | undefined
  /** Beside the chat, where there is room. */
  readonly isSetupShown: boolean
  /** Over the chat, where there is none. */
  readonly isSetupSheet: boolean
  readonly search: string
  /** The message that is edited in place. */
  readonly editing: string | undefined
  readonly set: (change: Partial<Omit<ChatView, 'set'>>) => void
}

/** What is open beside the chat; kept while the window lives, so that going back finds it as it was. */
export const useChatView = create<ChatView>((set) => ({
  isListOpen: undefined,
  isSetupShown: true,
  isSetupSheet: false,
  search: '',
  editing: undefined,
  set,
}))

/** Whether the window is at least so wide, in px. */
function useWide(width: number): boolean {
  const query = window.matchMedia(`(min-width: ${width}px)`)
  return useSyncExternalStore(
    (changed) => {
      query.addEventListener('change', changed)
      return () => query.removeEventListener('change', changed)
    },
    () => query.matches,
  )
}

/** Which panels stand beside the chat. `isSetupInline`: there is room for the set-up; else it opens as a sheet. */
export function usePanels() {
  const { isListOpen, isSetupShown, isSetupSheet, set } = useChatView()
  const isSetupInline = useWide(1180)
  const hasRoomForList = useWide(960)
  return {
    isListOpen: isListOpen ?? hasRoomForList,
    isSetupInline,
    isSetupOpen: isSetupInline ? isSetupShown : isSetupSheet,
    openSetup: (open: boolean) => set(isSetupInline ? { isSetupShown: open } : { isSetupSheet: open }),
  }
}
