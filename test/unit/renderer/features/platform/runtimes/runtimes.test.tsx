import { describe, expect, test } from 'vitest'
import { buildBody, initialValues } from '../../../../../../src/renderer/features/platform/resources/form-control'
import type { Json } from '../../../../../../src/renderer/features/platform/resources/resource'
import { changedFields, runtimes } from '../../../../../../src/renderer/features/platform/runtimes/runtimes'
import { runtimePath } from '../../../../../../src/renderer/paths'

describe('an edit of a runtime', () => {
  const update = runtimes.actions.find(({ isMain }) => isMain)
  if (!update?.listFields) throw new Error('A runtime cannot be updated.')
  const { listFields } = update
  const listFormFields = (row: Json) => listFields({ row, name: 'a', id: 'r', scope: {} })

  test('offers variables only in a form that it can send back', () => {
    const listIds = (row: Json) => listFormFields(row).map(({ id }) => id)
    expect(listIds({ env: { LEVEL: 'debug' } })).toContain('environment')
    expect(listIds({ env: [{ name: 'LEVEL', value: 'debug' }] })).not.toContain('environment')
    const fields = listFormFields({ env: { LEVEL: 'debug' } })
    const rows = [{ key: 'r1', cells: { name: 'LEVEL', value: 'info' } }]
    expect(buildBody(fields, { environment: rows })).toEqual({ env: { LEVEL: 'info' } })
  })

  test('sends nothing for missing or complex values', () => {
    const fields = listFormFields({ id: 'r', flavor: { id: 'f' }, status: 'ACTIVE' })
    expect(buildBody(fields, initialValues({ ...update, fields }, undefined))).toEqual({})
  })
})

test('compares versions by their configuration, not by number and date', () => {
  const version = (number: string, row: object) => ({ number, row: { version: number, id: number, ...row } })
  const newerVersion = version('2', { created_at: '2', image: 'a:2', replicas: 2, flavorId: 's' })
  const olderVersion = version('1', { created_at: '1', image: 'a:1', replicas: 2, env: { A: '1' } })
  expect(changedFields(newerVersion, olderVersion)).toEqual([
    { name: 'image', was: 'a:2', is: 'a:1' },
    { name: 'flavorId', was: 's', is: '' },
    { name: 'env', was: '', is: '{"A":"1"}' },
  ])
})

test('the path of a tab supports identifiers with any characters', () => {
  expect(runtimePath('a/b', 'logs', { endpoint: 'x y' })).toBe('/runtimes/a%2Fb/logs?endpoint=x+y')
  expect(runtimePath('a')).toBe('/runtimes/a')
})
