import { randomInt } from 'node:crypto'
import { hashOf } from '../tools/content'

/** Without those that are read as another: 0 and O, 1, I and L, U and V. */
const letters = '23456789ABCDEFGHJKMNPQRSTWXYZ'
const groups = 3
const groupLength = 4

/** An acknowledgement code, as `K7QD-9M2X-4RTA`: 58 bits. */
export function newCode(): string {
  const group = (): string => Array.from({ length: groupLength }, () => letters[randomInt(letters.length)]).join('')
  return Array.from({ length: groups }, group).join('-')
}

/** What is kept of a code; the same however it was typed. */
export const hashOfCode = (code: string): string => hashOf(code.toUpperCase().replace(/[^0-9A-Z]/g, ''))
