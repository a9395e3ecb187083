/** Words that the usage ledger keeps; without schemas, which its thread does not load. */

export const standards = ['chat-completions', 'messages'] as const

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
