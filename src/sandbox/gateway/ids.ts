import { randomBytes } from 'node:crypto'

/** What the ids of this process share: a counter behind it is enough to make them unique. */
const ours = randomBytes(10).toString('hex')
let last = 0

/** A new id: the prefix and 32 hex digits. */
export function newId(prefix: string): string {
  last += 1
  return prefix + ours + last.toString(16).padStart(12, '0')
}
