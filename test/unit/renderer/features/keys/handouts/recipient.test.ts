import { expect, it } from 'vitest'
import { findRecipientProblem } from '../../../../../../src/renderer/features/keys/handouts/handout-fields'

const recipientKey = 'age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p'

it.each([
  ['', 'empty'],
  ['   ', 'empty'],
  [recipientKey, undefined],
  [`  ${recipientKey}\n`, undefined],
  [`age1pq1${'q'.repeat(1900)}`, undefined],
  [recipientKey.slice(0, 12), 'wrong'],
  [recipientKey.toUpperCase(), 'wrong'],
  [`${recipientKey} ${recipientKey}`, 'wrong'],
  ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5', 'wrong'],
  ['AGE-SECRET-KEY-1QQQQ', 'secret'],
  ['# public key: age1x\nage-secret-key-1qqqq', 'secret'],
] as const)('reads %j as %s', (text, problem) => {
  expect(findRecipientProblem(text)).toBe(problem)
})
