import { expect, it } from 'vitest'
import { formatKeyReminder, formatKeyReminders } from '../../../../../../src/main/keys/rotation/stale-keys'

const key = {
  planId: 'p',
  planName: 'team',
  keyId: 'k',
  keyName: 'ci',
  ageDays: 95,
  days: 90,
  canRotate: true,
  marks: [],
}

it('names one old key with the next step, and whom to ask about a handed-over key', () => {
  const issuedKey = { ...key, canRotate: false }
  expect([formatKeyReminder(key, 'en'), formatKeyReminder(issuedKey, 'vi')]).toEqual([
    { title: 'Key ci is 95 days old', body: 'Rotate this key of team. Your tools keep working.' },
    { title: 'Key ci đã 95 ngày', body: 'Hãy xin key mới của team từ người đã cấp key.' },
  ])
})

it('summarizes several keys with the lowest age that all have reached', () => {
  const keys = [key, { ...key, keyName: 'dev', days: 180 }, { ...key, keyName: 'old' }]
  expect([formatKeyReminders(keys, 'en'), formatKeyReminders(keys.slice(0, 2), 'vi')]).toEqual([
    { title: '3 keys are 90 days old or older', body: 'ci, dev and 1 more. Rotate them on the Keys page.' },
    { title: '2 key đã từ 90 ngày trở lên', body: 'ci và dev. Hãy rotate trong trang Key.' },
  ])
})
