import type { Strategy } from '../../state/memory-state'
import type { SessionKey } from './contents'

const withoutTrailing = (namespace: string): string => {
  let end = namespace.length
  while (namespace[end - 1] === '/') end -= 1
  return namespace.slice(0, end)
}

/** Whether a namespace is the wanted one or below it at a `/`; `/` holds all, a trailing `/` means nothing (ours). */
export function isWithin(wanted: string): (namespace: string) => boolean {
  const root = withoutTrailing(wanted)
  return (namespace) => root === '' || withoutTrailing(namespace) === root || namespace.startsWith(`${root}/`)
}

/** Where a strategy puts what it makes from a session; what is no placeholder stays as it is. */
export function fillNamespace({ id, namespace }: Strategy, { actorId, sessionId }: SessionKey): string {
  const values: Readonly<Record<string, string>> = { strategyId: id, actorId, sessionId }
  return namespace.replace(/\{(strategyId|actorId|sessionId)\}/g, (placeholder, name) => values[name] ?? placeholder)
}
