import { expect, it } from 'vitest'
import { type GroupedNotice, summarize } from '../../../../src/main/core/notices'

const rotateHint = 'Rotate them on the Keys page.'

it.each<[GroupedNotice['group'], string[], 'en' | 'vi', string, string]>([
  ['alerts', ['team', 'team', 'team'], 'en', '3 alerts about quotas and requests', 'team. Click to see each of them.'],
  ['alerts', ['team', 'pro'], 'vi', '2 cảnh báo về quota và request', 'team và pro. Nhấn để xem từng cảnh báo.'],
  ['plans', ['team', 'pro', 'old'], 'en', '3 plans expire soon or have expired', 'team, pro and 1 more.'],
  ['plans', ['pro', 'old'], 'vi', '2 gói sắp hết hạn hoặc đã hết hạn', 'pro và old.'],
  ['oldKeys', ['ci', 'dev', 'a'], 'en', '3 keys are 90 days old or older', `ci, dev and 1 more. ${rotateHint}`],
  ['oldKeys', ['ci', 'dev'], 'vi', '2 key đã từ 90 ngày trở lên', 'ci và dev. Hãy rotate trong trang Key.'],
  ['relaySwitches', ['a', 'b', 'c', 'd'], 'vi', '4 công cụ đã đổi gói vì quá tải', 'a, b và 2 mục khác'],
])('summarizes notices of %s with the names %j in %s', (group, names, locale, title, body) => {
  // Of several ages, the lowest counts, which all have reached.
  const texts = { title: '', body: '', path: '/' }
  const notices = names.map((name, index) => ({ ...texts, group, name, days: index === 1 ? 180 : 90 }))
  expect(summarize(group, notices, locale)).toMatchObject({ title, body })
})
