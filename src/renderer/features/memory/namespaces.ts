import { identifierOf } from '../resources/lookup'
import type { Json } from '../resources/resource'
import { namespacesOf, type SessionKey, strategyIdentifier } from './names'

/** What may stand in braces in a strategy's namespace, in any spelling: a list of ours (decisions 5). */
const places: readonly (readonly [
  RegExp,
  (strategyId: string, session: SessionKey | undefined) => string | undefined,
])[] = [
  [/^(longterm)?(memory)?strategy(id)?$/, (strategyId) => strategyId],
  [/^(actor|user)(id)?$/, (_, session) => session?.actorId],
  [/^(session|thread)(id)?$/, (_, session) => session?.sessionId],
]

const valueFor = (name: string, strategyId: string, session: SessionKey | undefined): string | undefined => {
  const bare = name.replaceAll(/[^a-z]/gi, '').toLowerCase()
  return places.find(([pattern]) => pattern.test(bare))?.[1](strategyId, session)
}

function filled(strategy: Json, session: SessionKey | undefined): string | undefined {
  const [namespace] = namespacesOf(strategy)
  const id = identifierOf(strategy, strategyIdentifier) ?? ''
  return namespace?.replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => valueFor(name, id, session) ?? whole)
}

/** The namespace that a strategy's records of a session lie in; nothing when the strategy does not say, or leaves something open. */
export function namespaceFor(strategy: Json, session: SessionKey): string | undefined {
  const namespace = filled(strategy, session)
  return namespace?.includes('{') ? undefined : namespace
}

/** The part of a strategy's namespace that all its records share: up to the first place that something else stands in. */
export function prefixOf(strategy: Json): string | undefined {
  const namespace = filled(strategy, undefined)
  if (namespace === undefined) return undefined
  const open = namespace.indexOf('{')
  if (open < 0) return namespace
  const shared = namespace.slice(0, open).replace(/\/+$/, '')
  return shared === '' ? '/' : shared
}
