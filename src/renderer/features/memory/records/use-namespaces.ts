import { useCall } from '../../../ipc'
import { rowsOf } from '../../resources/lookup'
import type { Json } from '../../resources/resource'
import { prefixOf } from '../namespaces'
import type { OpenMemory } from '../open-memory'
import { useSeen } from '../seen-store'

/** Under which all records lie where namespaces are paths (ours; a server may see it otherwise). */
const rootNamespace = '/'

const none: readonly string[] = []

/** The strategies of a memory, as far as they are known now. */
export function useStrategies({ connection, memoryId }: OpenMemory): readonly Json[] {
  const { data } = useCall('resources.call', {
    connectionId: connection.id,
    operation: 'memory.strategies.list',
    path: { id: memoryId },
  })
  return rowsOf(data?.data)
}

/** Namespaces to pick from: those that were typed, that records told of, and that strategies name. */
export function useNamespaces(open: OpenMemory): readonly string[] {
  const strategies = useStrategies(open)
  const seen = useSeen(({ namespaces }) => namespaces[open.memoryId] ?? none)
  const named = strategies.flatMap((strategy) => prefixOf(strategy) ?? [])
  return [...new Set([...named, rootNamespace, ...seen])]
}
