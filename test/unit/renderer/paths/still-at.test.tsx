import { expect, test } from 'vitest'
import { isCurrentRoute } from '../../../../src/renderer/paths'

test.each([
  ['#/memories/a/events?page=2', true],
  ['#/memories/a/events', true],
  ['#/memories/a/records', false],
  ['#/memories/a/events/b', false],
  ['', true],
])('at %s the page of the events is still current: %s', (hash, isThere) => {
  location.hash = hash
  expect(isCurrentRoute('/memories/a/events')).toBe(isThere)
  location.hash = ''
})

test.each([
  ['#/tools/crush?do=undo', '?do=undo', true],
  ['#/tools/crush', '', true],
  ['#/tools/crush?at=project', '', false],
  ['#/tools/crush', '?do=undo', false],
])('at %s the page with the query “%s” is still current: %s', (hash, search, isThere) => {
  location.hash = hash
  expect(isCurrentRoute('/tools/crush', search)).toBe(isThere)
  location.hash = ''
})
