/** Terms of the usage ledger. This file imports no zod schemas, because the ledger's thread would have to load them. */

export const apiStandards = ['chat-completions', 'messages'] as const

export const usageErrorKinds = [
  'key',
  'plan',
  'model',
  'path',
  'quota',
  'rateLimit',
  'badRequest',
  'server',
  'network',
  'aborted',
  'cut',
  'relay',
  'budget',
] as const
