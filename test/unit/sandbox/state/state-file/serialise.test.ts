import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSerialiser } from '../../../../../src/sandbox/state/state-file'

test('produces text that parses like JSON, repeatedly', () => {
  fc.assert(
    fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 1 }), (values) => {
      const serialise = createSerialiser()
      const sharedObject = { all: values, ...values }
      for (const value of [...values, sharedObject, sharedObject]) {
        expect(JSON.parse(serialise(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }
    }),
  )
})

test('omits values that JSON lacks', () => {
  expect(createSerialiser()({ a: undefined, b: [undefined, 1] })).toBe('{"b":[null,1]}')
})

test('does not serialize unchanged branches again', () => {
  const serialise = createSerialiser()
  let readCount = 0
  const branch = {
    deep: {
      get value() {
        readCount += 1
        return 1
      },
    },
  }
  expect(serialise({ branch, other: 1 })).toBe('{"branch":{"deep":{"value":1}},"other":1}')
  expect(serialise({ branch, other: 2 })).toBe('{"branch":{"deep":{"value":1}},"other":2}')
  expect(readCount).toBe(1)
})
