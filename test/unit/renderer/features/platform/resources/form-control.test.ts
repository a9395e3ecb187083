import { describe, expect, it } from 'vitest'
import { apiKeys } from '../../../../../../src/renderer/features/platform/models/models'
import {
  buildBody,
  buildRequest,
  extraId,
  type FormValue,
  findProblem,
  initialValues,
  readRows,
} from '../../../../../../src/renderer/features/platform/resources/form-control'
import {
  type CellValue,
  type FormField,
  identityName,
  type ResourceCall,
  replicas,
} from '../../../../../../src/renderer/features/platform/resources/resource'

const field = (overrides: Partial<FormField>): FormField => ({ id: 'x', kind: 'text', label: () => 'X', ...overrides })
const secret = { pendingId: 'p1', masked: 'sk-…1234' }

const problems: readonly [string, Partial<FormField>, FormValue, string | undefined][] = [
  ['is missing', { isRequired: true }, '  ', 'common:required'],
  ['may be left out', {}, '', undefined],
  ['is a secret that is missing', { kind: 'secret', isRequired: true }, undefined, 'common:required'],
  ['is a secret that was taken', { kind: 'secret', isRequired: true }, secret, undefined],
  ['breaks its rule', { rule: identityName }, 'a b', 'resources:rules.identityName'],
  ['keeps its rule but for spaces around it', { rule: identityName }, ' a ', undefined],
  [
    'is a list of which one breaks the rule',
    { kind: 'list', rule: identityName },
    'a\nb c',
    'resources:rules.identityName',
  ],
  ['is no number', { kind: 'number', rule: replicas }, 'two', 'resources:rules.replicas'],
  ['chooses nothing where something must be chosen', { kind: 'checks', isRequired: true }, [], 'common:required'],
]

it.each(problems)('a value that %s', (_, overrides, value, problem) => {
  expect(findProblem(field(overrides), value)).toBe(problem)
})

it.each([
  ['', undefined],
  ['{"a": 1}', undefined],
  ['[1]', 'resources:problems.jsonObject'],
  ['nonsense', 'resources:problems.jsonObject'],
])('added JSON %s', (text, problem) => {
  expect(findProblem(field({ kind: 'json' }), text)).toBe(problem)
})

describe('the body of a call', () => {
  const fields: readonly FormField[] = [
    field({ id: 'name' }),
    field({ id: 'note', kind: 'area' }),
    field({ id: 'count', kind: 'number' }),
    field({ id: 'scopes', kind: 'list' }),
    field({ id: 'can', kind: 'checks' }),
    field({ id: 'apiKey', kind: 'secret', at: ['auth', 'apiKey'] }),
    field({ id: 'agentName', to: 'path' }),
    field({ id: 'version', to: 'query', kind: 'number' }),
  ]
  const values = {
    name: ' n ',
    note: ' as typed ',
    count: '3',
    scopes: ' a \n\n b',
    can: ['pull'],
    apiKey: secret,
    agentName: 'me',
    version: '4',
    [extraId]: '{"auth": {"kind": "static"}, "name": "over"}',
  }

  it('has every value in its form, a secret by id, and the added JSON on top', () => {
    expect(buildBody(fields, values)).toEqual({
      name: 'over',
      note: ' as typed ',
      count: 3,
      scopes: ['a', 'b'],
      can: ['pull'],
      auth: { apiKey: { $pending: 'p1' }, kind: 'static' },
    })
  })

  it('omits empty fields', () => {
    const emptyValues = { name: '', count: ' ', scopes: '', can: [], apiKey: undefined, [extraId]: ' ' }
    expect(buildBody(fields, emptyValues)).toEqual({})
  })

  it('is omitted from a call without one, while path and query have their own values', () => {
    const noText = () => ''
    const texts = { title: noText, confirm: noText, done: noText }
    const sampleCall: ResourceCall = { ...texts, operation: 'o', fields: fields.filter(({ to }) => to) }
    const request = buildRequest(sampleCall, values, { path: { name: 'p' }, query: {} })
    expect(request).toEqual({
      operation: 'o',
      path: { name: 'p', agentName: 'me' },
      query: { version: '4' },
      body: { auth: { kind: 'static' }, name: 'over' },
    })
    expect(buildRequest(sampleCall, { agentName: 'me' }, { path: {}, query: {} })).not.toHaveProperty('body')
  })

  it('keeps `__proto__` out of every object', () => {
    buildBody([], { [extraId]: '{"__proto__": {"polluted": true}}' })
    expect({}).not.toHaveProperty('polluted')
  })
})

describe('rows', () => {
  const columns = [
    { id: 'name', label: () => 'Name', isRequired: true },
    { id: 'value', label: () => 'Value' },
  ]
  const variables = field({ kind: 'rows', rows: { format: 'object', columns, addLabel: () => 'Add' } })
  const strategies = field({ kind: 'rows', rows: { format: 'list', columns, addLabel: () => 'Add' } })
  const row = (name: string, value: CellValue) => ({ key: crypto.randomUUID(), cells: { name, value } })

  it('are sent as an object or as a list, without empty rows and cells', () => {
    const rows = [row(' LOG_LEVEL ', ' debug '), row('', ''), row('EMPTY', ''), row('KEY', secret)]
    const sentObject = { LOG_LEVEL: ' debug ', EMPTY: '', KEY: { $pending: 'p1' } }
    expect(buildBody([variables], { x: rows })).toEqual({ x: sentObject })
    const sentList = [{ name: 'LOG_LEVEL', value: 'debug' }, { name: 'EMPTY' }]
    expect(buildBody([strategies], { x: rows.slice(0, 3) })).toEqual({ x: sentList })
    expect(buildBody([variables, strategies], { x: [] })).toEqual({})
  })

  it.each([
    ['resources:problems.rowRequired', [row('', 'debug')]],
    ['resources:problems.rowDuplicate', [row('A', '1'), row('A ', '2')]],
    [undefined, [row('A', '1'), row('', '')]],
  ])('have the problem %s', (problem, rows) => {
    expect(findProblem(variables, rows)).toBe(problem)
  })

  it('are sent together when one changes, with masked secrets by their handle', () => {
    const secrets = [{ handle: 'h1', at: '/env/a~1b~0', masked: '…1234' }]
    const format = { format: 'object', columns, addLabel: () => '' } as const
    const initial = readRows({ LEVEL: 'debug', 'a/b~': '…1234' }, format, { secrets, at: 'env' })
    if (!initial) throw new Error('The rows are not readable.')
    const changedField = { ...variables, initial }
    expect(buildBody([changedField], { x: initial })).toEqual({})
    expect(buildBody([changedField], { x: initial.slice(1) })).toEqual({ x: { 'a/b~': { $held: 'h1' } } })
    expect(buildBody([changedField], { x: [] })).toEqual({ x: {} })
  })

  it.each([[['LEVEL=debug']], [{ LEVEL: 1 }], [{ LEVEL: { from: 'x' } }], ['text'], [null]])(
    'leave %j to the JSON',
    (value) => {
      const place = { secrets: [], at: 'env' }
      expect(readRows(value, { format: 'object', columns, addLabel: () => '' }, place)).toBeUndefined()
    },
  )
})

it('the form of a new object starts empty, whatever is on the screen', () => {
  if (!apiKeys.create) throw new Error('No key can be made.')
  const subject = { row: { name: 'maps', description: 'Routes' }, name: 'maps', id: 'maps', scope: {} }
  expect(initialValues(apiKeys.create, subject)).toEqual({ name: '', description: '', [extraId]: '' })
})
