import type { AuditVerdict } from '@shared/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linesOf, verifyLines } from '../../../../../src/main/audit/trail'
import { linesWith } from '../trails'

const { lines, head } = linesWith(12)
const whole = Buffer.from(lines.map((line) => `${line}\n`).join(''))

const verify = (bytes: Uint8Array, end: Parameters<typeof verifyLines>[1] = head): Promise<AuditVerdict> =>
  verifyLines(linesOf([bytes]), end)
const joined = (some: readonly string[]): Uint8Array => Buffer.from(some.map((line) => `${line}\n`).join(''))
const at = fc.integer({ min: 0, max: lines.length - 1 })

/** The number of the line that a byte belongs to, its line feed included. */
const lineAt = (offset: number): number => whole.subarray(0, offset).filter((byte) => byte === 0x0a).length + 1

describe('verifying', () => {
  it('finds nothing in lines as they were written, however they are cut into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: whole.length }), { maxLength: 8 }), async (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), whole.length]
        const chunks = places.slice(1).map((to, n) => whole.subarray(places[n], to))
        expect(await verifyLines(linesOf(chunks), head)).toEqual({ isWhole: true, count: 12 })
      }),
    )
  })

  it('finds every change of a single byte, in the line where it is', async () => {
    for (let offset = 0; offset < whole.length; offset += 1) {
      const changed = Buffer.from(whole)
      changed[offset] = (whole[offset] ?? 0) ^ (1 + (offset % 255))
      const verdict = await verify(changed)
      expect(verdict, `byte ${offset}`).toMatchObject({ isWhole: false, brokenAt: lineAt(offset) })
    }
  }, 60_000)

  it('finds every byte that was removed or put in', async () => {
    for (let offset = 0; offset < whole.length; offset += 1) {
      const [before, after] = [whole.subarray(0, offset), whole.subarray(offset)]
      const without = await verify(Buffer.concat([before, after.subarray(1)]))
      expect(without, `without byte ${offset}`).toMatchObject({ isWhole: false, brokenAt: lineAt(offset) })
      const more = await verify(Buffer.concat([before, Buffer.from(' '), after]))
      expect(more, `one more at ${offset}`).toMatchObject({ isWhole: false, brokenAt: lineAt(offset) })
    }
  }, 60_000)

  it('finds removed lines anywhere, also at the end, and says which is the first', async () => {
    await fc.assert(
      fc.asyncProperty(at, fc.integer({ min: 1, max: lines.length }), async (from, many) => {
        const verdict = await verify(joined(lines.toSpliced(from, many)))
        expect(verdict).toMatchObject({ isWhole: false, brokenAt: from + 1, reason: 'removed' })
      }),
    )
  })

  it('finds two lines that changed places, and one that was moved', async () => {
    await fc.assert(
      fc.asyncProperty(at, at, async (one, other) => {
        fc.pre(one !== other)
        const swapped = lines.map((line, n) => (n === one ? lines[other] : n === other ? lines[one] : line) ?? '')
        const first = Math.min(one, other) + 1
        expect(await verify(joined(swapped))).toEqual({
          isWhole: false,
          count: 12,
          brokenAt: first,
          reason: 'reordered',
        })
        const moved = lines.toSpliced(one, 1).toSpliced(other, 0, lines[one] ?? '')
        expect(await verify(joined(moved))).toEqual({ isWhole: false, count: 12, brokenAt: first, reason: 'reordered' })
      }),
    )
  })

  it('finds lines that come twice or come from another trail', async () => {
    const { lines: others } = linesWith(20)
    for (let n = 0; n < lines.length; n += 1) {
      expect(await verify(joined(lines.toSpliced(n, 0, lines[n] ?? '')))).toMatchObject({ isWhole: false })
      const foreign = (others[n] ?? '').replace('"window"', '"commandLine"')
      expect(await verify(joined(lines.with(n, foreign)))).toMatchObject({ isWhole: false, brokenAt: n + 1 })
    }
    expect(await verify(joined(others))).toEqual({ isWhole: false, count: 20, brokenAt: 13, reason: 'changed' })
  })

  it('finds whatever else was done to the bytes', async () => {
    const place = fc.integer({ min: 0, max: whole.length })
    await fc.assert(
      fc.asyncProperty(place, place, fc.uint8Array({ maxLength: 40 }), async (a, b, bytes) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)]
        const tampered = Buffer.concat([whole.subarray(0, from), bytes, whole.subarray(to)])
        expect((await verify(tampered)).isWhole).toBe(tampered.equals(whole))
      }),
      { numRuns: 500 },
    )
  })

  it.each<[string, Parameters<typeof verifyLines>[1], Partial<AuditVerdict>]>([
    ['there is none', { doubt: 'removed' }, { brokenAt: 13, reason: 'removed' }],
    ['it cannot be read', { doubt: 'unreadable' }, { brokenAt: 13, reason: 'unreadable' }],
    ['it counts more', { ...head, count: 15 }, { brokenAt: 13, reason: 'removed' }],
    ['it has another hash', { ...head, hash: 'f'.repeat(64) }, { brokenAt: 12, reason: 'changed' }],
  ])('trusts no lines whose head does not vouch for them: %s', async (_, end, expected) => {
    expect(await verify(whole, end)).toEqual({ isWhole: false, count: 12, ...expected })
  })
})
