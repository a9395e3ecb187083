import { expect, it } from 'vitest'
import { listOperations } from '../../../../src/main/cli/api-list'
import { consoleOperations, readFacts } from '../platform/harness'
import { memoryOutput } from './memory-output'

interface Row {
  readonly id: string
  readonly query: readonly { readonly name: string; readonly required: boolean; readonly default?: unknown }[]
}

it('lists every operation with the parameters of the spec', () => {
  const output = memoryOutput({ isJson: true })
  listOperations(output)
  const rows: Row[] = JSON.parse(output.stdout())
  const operationFacts = [...readFacts(), ...consoleOperations]
  expect(rows.map(({ id }) => id).sort()).toEqual(operationFacts.map(({ id }) => id).sort())
  for (const { id, method, path, pathParams, query, requiredQuery } of operationFacts) {
    const row = rows.find((operation) => operation.id === id)
    expect(row).toMatchObject({ method, path, pathParams, purpose: expect.stringMatching(/\S/) })
    expect(row?.query.map(({ name }) => name).sort(), id).toEqual([...query].sort())
    expect(
      row?.query.filter(({ required }) => required).map(({ name }) => name),
      id,
    ).toEqual(requiredQuery)
  }
})

it('shows one operation per line, with required parameters marked', () => {
  const output = memoryOutput()
  listOperations(output, 'registry')
  const lines = output.stdout().trimEnd().split('\n')
  expect(lines).toHaveLength(11)
  expect(lines[0]).toMatch(/^ID +VERB +PATH +PATH PARAMETERS +QUERY +PURPOSE$/)
  expect(lines.find((line) => line.startsWith('registry.images.list'))).toMatch(
    /^registry\.images\.list +GET +\/v1\/repository\/\{repoId\}\/images +repoId +name \(required, may be empty\), page, size +list images$/,
  )
  expect(lines.find((line) => line.startsWith('registry.images.delete'))).toContain('imageName (required)')
})
