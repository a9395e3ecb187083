import { Holder } from '@shared/contract'
import { z } from 'zod'

/**
 * What is noted here of a key. `connectionId`, `planId` and `keyId` are the account's; for a key that was handed over the
 * first is empty and the others are this machine's. The names are for when it is gone, or nobody can be asked.
 */
export const RegisterRecord = z.object({
  connectionId: z.string(),
  planId: z.string(),
  keyId: z.string(),
  planName: z.string(),
  keyName: z.string(),
  masked: z.string().optional(),
  createdAt: z.string().optional(),
  holder: Holder.optional(),
  purpose: z.string().optional(),
  machine: z.string().optional(),
  handedOutAt: z.string().optional(),
  acknowledgedAt: z.string().optional(),
  rotatedAt: z.string().optional(),
  lastUsedAt: z.string().optional(),
  /** Names of others whom it was handed out to. */
  alsoServes: z.array(z.string()),
})
export type RegisterRecord = z.infer<typeof RegisterRecord>

/**
 * The journal of a hand-out: ids and names, never a key or a passphrase. The name of a key that is made for a holder is here
 * before it is made (`making`), so that one whose answer was lost is found again.
 */
export const HandoutRecord = z.object({
  id: z.string(),
  /** The plan on this machine. */
  planId: z.string(),
  holder: Holder,
  /** The key was made for this holder. */
  isOwnKey: z.boolean(),
  keyName: z.string(),
  /** The account's, for a key of an account. */
  accountKeyId: z.string().optional(),
  /** This machine's. */
  keyId: z.string().optional(),
  state: z.enum(['making', 'keyMade', 'written']),
  path: z.string().optional(),
  /** What opens the kit: `passphrase` until somebody was told it, for then it is lost with the process. */
  needs: z.enum(['passphrase', 'toldPassphrase', 'recipient']).optional(),
  /** SHA-256 of the acknowledgement code. */
  codeHash: z.string().optional(),
  at: z.string(),
})
export type HandoutRecord = z.infer<typeof HandoutRecord>
