import { AppError } from '@shared/failure'
import { InvalidArgumentError } from 'commander'
import { describe, expect, it } from 'vitest'
import { findOperation } from '../../../../src/main/cli/api-arguments'
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
  it.each([['constructor'], ['__proto__'], [''], ['-']])('knows no operation %s', (id) => {
    expect(catchRefusal(() => findOperation(id))).toContain(`Unknown operation ${JSON.stringify(id)}.`)
  })
})
