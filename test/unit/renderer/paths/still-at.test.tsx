import { expect, test } from 'vitest'
import { isStillAt } from '../../../../src/renderer/paths'

test.each([
  ['#/memories/a/events?page=2', true],
  ['#/memories/a/events', true],
  ['#/memories/a/records', false],
  ['#/memories/a/events/b', false],
  ['', true],
])('at %s the page of the events is still there: %s', (hash, isThere) => {
  location.hash = hash
  expect(isStillAt('/memories/a/events')).toBe(isThere)
  location.hash = ''
})
