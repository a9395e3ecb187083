import type { HourSum } from '../../src/main/usage/ports'

/** What a computer of a team is told to do; it may be killed at any time and started again with the same orders. */
export interface TeamOrders {
  readonly dataDir: string
  readonly keychainDir: string
  readonly name: string
  readonly role: 'lead' | 'member'
  readonly connectionId: string
  /** Keys of its own that it notes something of. */
  readonly changes: number
  /** Keys of which two leads note something: each another field, and then the same field. */
  readonly shared: number
  /** Times that it rotates the one key that all leads rotate. */
  readonly rotations: number
  /** Where whoever rotates that key leaves a file while it does. */
  readonly folder: string
}

/** What a member counted: the same every time. */
export const hoursOf = (member: string, count: number): HourSum[] =>
  Array.from({ length: count }, (_, at) => ({
    start: Date.UTC(2026, 10, 1) + at * 3_600_000,
    ...{ planId: 'plan', keyId: `key of ${member}`, toolId: 'codex', modelCode: `m${at % 3}` },
    ...{ requests: at + 1, errors: at % 2, inputTokens: at * 10, outputTokens: at, cacheTokens: 0 },
  }))
