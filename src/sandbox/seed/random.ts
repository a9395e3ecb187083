import { createHash } from 'node:crypto'
import { hourMs } from '../timing'

/** Numbers that look random and are the same for the same seed and purpose. */
export interface Random {
  /** From 0 up to, not including, 1. */
  readonly next: () => number
  /** A whole number from `least` to `most`, both possible. */
  readonly int: (least: number, most: number) => number
  /** One of a list that is not empty. */
  readonly pick: <Item>(items: readonly [Item, ...Item[]]) => Item
  /** Digits of a hexadecimal number. */
  readonly hex: (length: number) => string
}

/** A source of its own for each purpose, so that a change in one part of the world leaves the others as they are. */
export function createRandom(seed: string, purpose: string): Random {
  let state = createHash('sha256').update(`${seed}|${purpose}`).digest().readUInt32LE(0)
  // Mulberry32.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const int = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1))
  return {
    next,
    int,
    pick: (items) => items[int(0, items.length - 1)] ?? items[0],
    hex: (length) => {
      const words = Array.from({ length: Math.ceil(length / 8) }, () => Math.floor(next() * 4_294_967_296))
      return words
        .map((word) => word.toString(16).padStart(8, '0'))
        .join('')
        .slice(0, length)
    },
  }
}

/** ISO 8601 UTC. */
export const at = (ms: number): string => new Date(ms).toISOString()

/** The beginning of the hour: the seeded past ends there, so that what happens from now on is not mixed into it. */
export const startOfHour = (ms: number): number => Math.floor(ms / hourMs) * hourMs
