import { type Operation, operations } from '../platform/services'
import { type Output, printOutput, table } from './output'

export function listOperations(output: Output, service?: string): void {
  const shownOperations = operations.filter((operation) => service === undefined || operation.service === service)
  const headings = ['ID', 'VERB', 'PATH', 'PATH PARAMETERS', 'QUERY', 'PURPOSE']
  printOutput(output, shownOperations.map(toView), () => table(headings, shownOperations.map(operationRow)))
}

/** JSON of `api list`. `default`: value that is sent when the parameter is omitted. */
function toView({ id, service, method, path, pathParams, paging, purpose, ...query }: Operation) {
  const parameter = (name: string) => ({
    name,
    required: query.requiredQuery.includes(name),
    ...(name in query.defaultQuery ? { default: query.defaultQuery[name] } : {}),
  })
  const parameters = query.query.map(parameter)
  return { id, service, method, path, pathParams, query: parameters, isPaged: paging !== undefined, purpose }
}

function operationRow(operation: Operation): string[] {
  const { id, method, path, pathParams, query, requiredQuery, defaultQuery, purpose } = operation
  const mark = (name: string): string => {
    if (!requiredQuery.includes(name)) return name
    return name in defaultQuery ? `${name} (required, may be empty)` : `${name} (required)`
  }
  return [id, method, path, pathParams.join(', ') || '-', query.map(mark).join(', ') || '-', purpose]
}
