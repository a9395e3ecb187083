import { AppError } from '@shared/failure'
import { InvalidArgumentError } from 'commander'
import { describe, expect, it } from 'vitest'
import { checkArguments, findOperation, readBody } from '../../../../src/main/cli/api-arguments'
import { collectPair } from '../../../../src/main/cli/options'

const catchRefusal = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    if (error instanceof AppError && error.failure.code === 'input.invalid') return error.message
    throw error
  }
  return 'nothing was refused'
}

describe('collectPair', () => {
  it.each([
    ['id=m-1', 'id', 'm-1'],
    ['namespace=/a=b', 'namespace', '/a=b'],
    ['name=', 'name', ''],
  ])('reads %s', (text, name, value) => {
    expect([...collectPair(text, new Map())]).toEqual([[name, value]])
  })

  it.each([['id'], ['=x'], ['']])('refuses %s', (text) => {
    expect(() => collectPair(text, new Map())).toThrow(InvalidArgumentError)
  })

  it('refuses a duplicate name', () => {
    expect(() => collectPair('id=2', new Map([['id', '1']]))).toThrow('twice')
  })
})

describe('findOperation', () => {
  it('suggests similar ids', () => {
    expect(catchRefusal(() => findOperation('memory.memory.list'))).toMatch(
      /^Unknown operation "memory\.memory\.list"\. Did you mean .*memory\.memories\.list.*\? "companion api list" lists them all\.$/,
    )
  })

  it.each([['constructor'], ['__proto__'], [''], ['-']])('knows no operation %s', (id) => {
    expect(catchRefusal(() => findOperation(id))).toContain(`Unknown operation ${JSON.stringify(id)}.`)
  })
})

describe('checkArguments', () => {
  it.each([
    ['memory.memories.get', { path: { name: 'x' } }, 'memory.memories.get has no path parameter "name". It has: id.'],
    ['memory.memories.get', {}, 'memory.memories.get needs the path parameter id.'],
    ['memory.memories.get', { path: { id: '' } }, 'memory.memories.get needs the path parameter id.'],
    [
      'runtime.flavors.list',
      { query: { page: '1' } },
      'runtime.flavors.list has no query parameter "page". It has none.',
    ],
    [
      'memory.records.list',
      { path: { id: 'm' }, query: { limit: '5' } },
      'memory.records.list needs the query parameter namespace.',
    ],
    [
      'memory.records.list',
      { path: { id: 'm' }, query: { namespaces: '/a' } },
      'memory.records.list has no query parameter "namespaces". It has: namespace, limit.',
    ],
  ])('refuses wrong arguments of %s and lists the valid ones', (id, args, text) => {
    expect(catchRefusal(() => checkArguments(findOperation(id), args))).toBe(text)
  })

  it.each([
    ['memory.memories.get', { path: { id: 'm-1' } }],
    ['memory.memories.get', { path: { id: 0 } }],
    ['registry.images.list', { path: { repoId: 'r' } }],
    ['registry.images.list', { path: { repoId: 'r' }, query: { name: '', page: 1 } }],
    ['runtime.endpoints.setVersion', { path: { id: 'r', endpointId: 'e' }, query: { version: 2 } }],
  ])('accepts valid arguments of %s', (id, args) => {
    expect(() => checkArguments(findOperation(id), args)).not.toThrow()
  })
})

describe('readBody', () => {
  const file = async (path: string): Promise<string> =>
    ({ 'body.json': '\uFEFF{"a": 1}', '-': '[2]' })[path] ?? 'sk-no json'

  it.each([
    ['{"name": "x"}', { name: 'x' }],
    ['@body.json', { a: 1 }],
    ['@-', [2]],
    ['null', null],
  ])('reads %s', async (text, body) => {
    expect(await readBody(text, file)).toEqual(body)
  })

  it.each([['{"key": "sk-secret-'], ['@other.json'], ['']])(
    'refuses invalid JSON without repeating it',
    async (text) => {
      const refusal: unknown = await readBody(text, file).catch((error: unknown) => error)
      expect(refusal).toMatchObject({ failure: { code: 'input.invalid', field: 'body' } })
      expect(String(refusal)).not.toContain('sk-')
    },
  )
})
