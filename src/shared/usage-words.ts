/** Without zod schemas, so that the ledger's thread does not load them. */

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
