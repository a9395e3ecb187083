import { expect, test } from 'vitest'
import { sentinel, setFuses } from '../../../scripts/electron/fuses.mjs'

function binary(wire: string, version = 1): Buffer {
  const header = Buffer.from([version, wire.length])
  return Buffer.concat([Buffer.alloc(1000, 7), sentinel, header, Buffer.from(wire), Buffer.alloc(1000, 9)])
}

test('flips only the fuses that have another value, and no other byte', () => {
  const bytes = binary('10110011')
  const result = setFuses(bytes, { nodeInspect: true, asarIntegrity: true, browserSnapshot: false })
  expect(bytes).toEqual(binary('10111001'))
  expect(result.changed).toEqual(['asarIntegrity', 'browserSnapshot'])
})

test('returns the position of the fuses, so that only they are rewritten', () => {
  const bytes = binary('11111111')
  const { start, length } = setFuses(bytes, { runAsNode: false })
  expect(bytes.subarray(start, start + length).toString()).toBe('01111111')
})

test.each([
  ['without fuses', Buffer.alloc(1000)],
  ['with fuses of a later version', binary('11111111', 2)],
  ['with two sets of fuses', Buffer.concat([binary('11111111'), binary('11111111')])],
  ['whose fuse was removed', binary('r1111111')],
  ['that has fewer fuses', binary('')],
])('refuses a binary %s', (_name, bytes) => {
  expect(() => setFuses(bytes, { runAsNode: true })).toThrow(/fuse/i)
})
