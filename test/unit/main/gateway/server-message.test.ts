import { expect, it } from 'vitest'
import { parseExternalJson } from '../../../../src/main/gateway/server-message'

it.each([
  ['nothing', ''],
  ['half a value', '{"a":'],
  ['what is nested 600 deep', `${'['.repeat(600)}${']'.repeat(600)}`],
  ['what opens a million brackets and closes none', '['.repeat(1_000_000)],
  ['ten million empty values', `[${'[],'.repeat(10_000_000)}[]]`],
  ['a string without an end', `{"a":"${'x'.repeat(600)}\\"`],
])('rejects %s as JSON', (_, text) => {
  expect(parseExternalJson(text)).toBeUndefined()
})

it.each([
  ['1e999', null],
  ['[-1e400, 1E+309, 1e308]', [null, null, 1e308]],
  [`{"a": 1${'0'.repeat(400)}, "b": "1e999"}`, { a: null, b: '1e999' }],
  ['{"id": "a1e4567", "n": 1}', { id: 'a1e4567', n: 1 }],
])('reads %s', (text, value) => {
  expect(parseExternalJson(text)).toEqual(value)
})

it('reads brackets, commas and quotes in a string as text', () => {
  const value = { text: `${'["\\'.repeat(1000)}`, 'a"b': ',,,'.repeat(1000), nested: [[[['x']]]] }
  expect(parseExternalJson(JSON.stringify(value))).toEqual(value)
})

it('reads a member called __proto__ as a member', () => {
  const value = parseExternalJson('{"__proto__": {"polluted": 1}}')
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  expect(Object.keys(Object(value))).toEqual(['__proto__'])
})
