import { generatePath } from 'react-router'
import type { Target } from './form-values'
import { identifierOf, nameOf } from './lookup'
import type { Json, Resource, Scope, Subject } from './resource'

/** A row of a list as something that can be called by name. */
export const subjectOf = (resource: Resource, row: Json, scope: Scope): Subject => ({
  row,
  name: nameOf(row, resource),
  id: identifierOf(row, resource.identifier),
  scope,
})

/** The parameters that name a thing in a call; those of what it is part of alone while it has no identifier. */
export function targetOf({ identifier }: Resource, { id, scope }: Pick<Subject, 'id' | 'scope'>): Target {
  const named = id === undefined ? {} : { [identifier.param]: id }
  return identifier.to === 'query' ? { path: scope, query: named } : { path: { ...scope, ...named }, query: {} }
}

/** The place of a list in the window. */
export const listPath = ({ at }: Resource, scope: Scope): string => generatePath(at, scope)

/** The place of one thing's page in the window. */
export const thingPath = (resource: Resource, scope: Scope, id: string): string =>
  `${listPath(resource, scope)}/${encodeURIComponent(id)}`
