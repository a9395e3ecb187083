import { useCallback, useSyncExternalStore } from 'react'
import { useSearchParams } from 'react-router'
import { create } from 'zustand'

const useValues = create<Readonly<Record<string, unknown>>>(() => ({}))

/** State for the lifetime of the window, shared by all users of a key. `initial` must be the same on every call. */
export function useWindowState<T>(key: string, initial: T) {
  // The type cast requires that all callers with the same key use the same type.
  const value = useValues((values) => (Object.hasOwn(values, key) ? (values[key] as T) : initial))
  const setValue = useCallback(
    (change: (previousValue: T) => T): void =>
      useValues.setState((values) => ({
        [key]: change(Object.hasOwn(values, key) ? (values[key] as T) : initial),
      })),
    [key, initial],
  )
  return [value, setValue] as const
}

/** Whether a media query such as `(max-width: 900px)` matches. */
export function useMediaQuery(media: string): boolean {
  const subscribe = useCallback(
    (onChange: () => void) => {
      const query = window.matchMedia(media)
      query.addEventListener('change', onChange)
      return () => query.removeEventListener('change', onChange)
    },
    [media],
  )
  const isMatching = (): boolean => window.matchMedia(media).matches
  return useSyncExternalStore(subscribe, isMatching, isMatching)
}

/** Query of the page address. `change` sets parameters and removes empty ones, without a new history entry. */
export function useAddressQuery() {
  const [query, setQuery] = useSearchParams()
  const change = useCallback(
    (changes: Readonly<Record<string, string | undefined>>): void =>
      setQuery(
        (previousQuery) => {
          const nextQuery = new URLSearchParams(previousQuery)
          for (const [name, value] of Object.entries(changes)) {
            if (value === undefined || value === '') nextQuery.delete(name)
            else nextQuery.set(name, value)
          }
          return nextQuery
        },
        { replace: true },
      ),
    [setQuery],
  )
  return [query, change] as const
}
