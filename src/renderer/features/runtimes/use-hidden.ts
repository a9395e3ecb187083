import { useSyncExternalStore } from 'react'

function listen(changed: () => void): () => void {
  document.addEventListener('visibilitychange', changed)
  return () => document.removeEventListener('visibilitychange', changed)
}

/** Whether nobody can see the window now: it is minimised, or hidden. */
export const useHidden = (): boolean => useSyncExternalStore(listen, () => document.visibilityState === 'hidden')
