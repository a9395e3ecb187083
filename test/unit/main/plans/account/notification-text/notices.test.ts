import { expect, it } from 'vitest'
import { batchNotifications, joinNames } from '../../../../../../src/main/plans/account/notification-text'

const noticeTexts = {
  one: (n: number) => ({ title: `one ${n}`, body: '', path: `/${n}` }),
  all: (noticeNumbers: readonly number[]) => ({ title: `all ${noticeNumbers.length}`, body: '', path: '/' }),
}

it.each([
  [0, []],
  [4, ['one 0', 'one 1', 'one 2', 'one 3']],
  [5, ['all 5']],
  [900, ['all 900']],
])('%i produce the notices %j', (count, titles) => {
  const noticeNumbers = Array.from({ length: count }, (_, n) => n)
  expect(batchNotifications(noticeNumbers, noticeTexts).map(({ title }) => title)).toEqual(titles)
})

it.each([
  [['a'], 'a', 'a'],
  [['a', 'b', 'a'], 'a and b', 'a và b'],
  [['a', 'b', 'c', 'd'], 'a, b and 2 more', 'a, b và 2 mục khác'],
])('the names %j are joined as %s', (names, en, vi) => {
  expect([joinNames(names, 'en'), joinNames(names, 'vi')]).toEqual([en, vi])
})
