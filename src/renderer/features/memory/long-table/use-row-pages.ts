import { useSyncExternalStore } from 'react'
import type { RowPages } from './row-pages'

/** Draws anew whenever other rows are there; gives what changes then. */
export const useRowPages = (pages: RowPages): number => useSyncExternalStore(pages.subscribe, pages.version)
