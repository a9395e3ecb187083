import { operations } from '../platform/services'
import type { Operation } from '../platform/table'
import { purposes } from './operation-purposes'
import { type Output, print, table } from './output'

/** Prints the operations of a service, or all. */
export function listOperations(output: Output, service?: string): void {
  const found = operations.filter((one) => service === undefined || one.service === service)
  const headings = ['ID', 'VERB', 'PATH', 'PATH PARAMETERS', 'QUERY', 'PURPOSE']
  print(output, found.map(viewOf), () => table(headings, found.map(rowOf)))
}

const purposeOf: ReadonlyMap<string, string> = new Map(Object.entries(purposes))

/** An operation as `api list --json` prints it; `default` is what is sent when the caller leaves the parameter out. */
function viewOf({ id, service, method, path, pathParams, paging, ...query }: Operation) {
  const parameter = (name: string) => ({
    name,
    required: query.requiredQuery.includes(name),
    ...(name in query.defaultQuery ? { default: query.defaultQuery[name] } : {}),
  })
  const isPaged = paging !== undefined
  return {
    id,
    service,
    method,
    path,
    pathParams,
    query: query.query.map(parameter),
    isPaged,
    purpose: purposeOf.get(id),
  }
}

function rowOf({ id, method, path, pathParams, query, requiredQuery, defaultQuery }: Operation): string[] {
  const mark = (name: string): string => {
    if (!requiredQuery.includes(name)) return name
    return name in defaultQuery ? `${name} (required, may be empty)` : `${name} (required)`
  }
  return [id, method, path, pathParams.join(', ') || '-', query.map(mark).join(', ') || '-', purposeOf.get(id) ?? '']
}
