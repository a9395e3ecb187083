import { useCallback } from 'react'
import { useCall } from '../../ipc'

/** What a tool is called, by its id; the id itself while that is not known. */
export function useNameOfTool(): (id: string) => string {
  const { data: tools } = useCall('tools.list', {})
  return useCallback((id) => tools?.find((tool) => tool.id === id)?.name ?? id, [tools])
}

/** The names of the tools with these ids, as far as they are known. */
export function useToolNames(ids: readonly string[]): readonly string[] {
  return ids.map(useNameOfTool())
}
