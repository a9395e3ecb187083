import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'

/** Asks again which secrets are kept; nothing of the platform has changed. */
export function useRefreshKept(): () => void {
  const queries = useQueryClient()
  return useCallback(() => void queries.invalidateQueries({ queryKey: ['resources.keptSecrets'] }), [queries])
}
