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

/** Whether a time in ms since 1970 is plausible. */
export const isUsageMoment = (ms: number): boolean => ms >= Date.UTC(1999, 11, 31) && ms <= Date.UTC(2100, 0, 2)
