import { describe, expect, it, test } from 'vitest'
import { readPort } from '../../../../../src/renderer/features/relay/relay-page'
import { freeUpstreams, isSameUpstream, moved } from '../../../../../src/renderer/features/relay/upstream-dialog'
import { keyHere } from '../../support/key-care'
import { plan } from '../../support/views'

const two = plan({ keys: [keyHere({ id: 'k1' }), keyHere({ id: 'k2' })] })
const one = plan({ id: 'p2', name: 'second', keys: [keyHere({ id: 'k3' })] })

describe('fallbacks', () => {
  it('include every unused key, and a plan’s first key even if it is implicit', () => {
    expect(freeUpstreams([two, one], [{ planId: 'p1' }])).toEqual([{ planId: 'p1', keyId: 'k2' }, { planId: 'p2' }])
    expect(
      freeUpstreams(
        [two, one],
        [
          { planId: 'p2', keyId: 'k3' },
          { planId: 'p1', keyId: 'k2' },
        ],
      ),
    ).toEqual([{ planId: 'p1', keyId: 'k1' }])
  })

  it('treat the first key and no key as equal', () => {
    expect(isSameUpstream({ planId: 'p1' }, { planId: 'p1', keyId: 'k1' }, [two])).toBe(true)
    expect(isSameUpstream({ planId: 'p1' }, { planId: 'p1', keyId: 'k2' }, [two])).toBe(false)
  })

  test.each([
    [0, 1, ['b', 'a', 'c']],
    [2, -1, ['a', 'c', 'b']],
    [0, -1, ['a', 'b', 'c']],
    [2, 1, ['a', 'b', 'c']],
    [7, -1, ['a', 'b', 'c']],
  ])('move number %i by %i', (at, by, after) => {
    expect(moved(['a', 'b', 'c'], at, by)).toEqual(after)
  })
})

test.each([
  ['4870', 4870],
  [' 1024 ', 1024],
  ['65535', 65_535],
  ['1023', undefined],
  ['65536', undefined],
  ['48.7', undefined],
  ['0x1fff', undefined],
  ['1e4', undefined],
  ['', undefined],
])('parses the port %j as %s', (text, port) => {
  expect(readPort(text)).toBe(port)
})
