import { rmSync, writeFileSync } from 'node:fs'
import type { AuditVerdict } from '@shared/contract'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { makeFolder } from '../../../../support/folders'
import { filesIn, linesWith, openTrail } from '../trails'

const { lines, head } = linesWith(12)
const whole = Buffer.from(lines.map((line) => `${line}\n`).join(''))
let folder = ''
beforeEach(() => {
  folder = makeFolder()
})

async function verify(bytes: Uint8Array, headText = JSON.stringify(head)): Promise<AuditVerdict> {
  writeFileSync(filesIn(folder).lines, bytes)
  if (headText === '') rmSync(filesIn(folder).head, { force: true })
  else writeFileSync(filesIn(folder).head, headText)
  return openTrail(folder).verify()
}
const joined = (some: readonly string[]): Uint8Array => Buffer.from(some.map((line) => `${line}\n`).join(''))
const at = fc.integer({ min: 0, max: lines.length - 1 })
const runs = { numRuns: 200 }

/** Number of the line that contains a byte, including its line feed. */
const lineAt = (offset: number): number => whole.subarray(0, offset).filter((byte) => byte === 0x0a).length + 1

/** Whether the verdict blames no line before the changed one and trusts none after it. */
const isLocated = ({ isWhole, brokenAt = 0 }: AuditVerdict, line: number): boolean =>
  !isWhole && brokenAt <= line && brokenAt >= line - 1

describe('verifying', () => {
  it('confirms unchanged lines', async () => {
    expect(await verify(whole)).toEqual({ isWhole: true, count: 12 })
  })

  it('detects a change of a single byte, and trusts no changed line', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: whole.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        async (offset, mask) => {
          const changed = Buffer.from(whole)
          changed[offset] = (whole[offset] ?? 0) ^ mask
          expect(isLocated(await verify(changed), lineAt(offset)), `byte ${offset}`).toBe(true)
        },
      ),
      runs,
    )
  })

  it('detects a removed and an inserted byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: whole.length - 1 }), async (offset) => {
        const [before, after] = [whole.subarray(0, offset), whole.subarray(offset)]
        expect(isLocated(await verify(Buffer.concat([before, after.subarray(1)])), lineAt(offset))).toBe(true)
        expect(isLocated(await verify(Buffer.concat([before, Buffer.from(' '), after])), lineAt(offset))).toBe(true)
      }),
      runs,
    )
  })

  it('detects lines that were removed, swapped, moved or repeated', async () => {
    await fc.assert(
      fc.asyncProperty(at, at, fc.integer({ min: 1, max: 12 }), async (a, b, many) => {
        expect(await verify(joined(lines.toSpliced(a, many)))).toMatchObject({ isWhole: false, brokenAt: a + 1 })
        expect(await verify(joined(lines.toSpliced(a, 0, lines[a] ?? '')))).toMatchObject({ isWhole: false })
        fc.pre(a !== b)
        const first = Math.min(a, b) + 1
        const swapped = lines.map((line, n) => (n === a ? lines[b] : n === b ? lines[a] : line) ?? '')
        expect(await verify(joined(swapped))).toMatchObject({ isWhole: false, count: 12, brokenAt: first })
        const moved = lines.toSpliced(a, 1).toSpliced(b, 0, lines[a] ?? '')
        expect(await verify(joined(moved))).toMatchObject({ isWhole: false, count: 12, brokenAt: first })
      }),
      runs,
    )
  })

  it('detects lines from another trail', async () => {
    const { lines: others } = linesWith(20)
    for (let n = 0; n < lines.length; n += 1) {
      const foreign = (others[n] ?? '').replace('"window"', '"commandLine"')
      expect(await verify(joined(lines.with(n, foreign)))).toMatchObject({ isWhole: false, brokenAt: n + 1 })
    }
    expect(await verify(joined(others))).toEqual({ isWhole: false, count: 20, brokenAt: 13, reason: 'changed' })
  })

  it('detects any other change of the bytes', async () => {
    const place = fc.integer({ min: 0, max: whole.length })
    await fc.assert(
      fc.asyncProperty(place, place, fc.uint8Array({ maxLength: 40 }), async (a, b, bytes) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)]
        const tampered = Buffer.concat([whole.subarray(0, from), bytes, whole.subarray(to)])
        expect((await verify(tampered)).isWhole).toBe(tampered.equals(whole))
      }),
      runs,
    )
  })

  it.each<[string, string, Partial<AuditVerdict>]>([
    ['is missing', '', { brokenAt: 13, reason: 'removed' }],
    ['cannot be read', '{', { brokenAt: 13, reason: 'unreadable' }],
    ['counts more', JSON.stringify({ ...head, count: 15 }), { brokenAt: 13, reason: 'removed' }],
    ['has another hash', JSON.stringify({ ...head, hash: 'f'.repeat(64) }), { brokenAt: 12, reason: 'changed' }],
  ])('reports a head that %s', async (_, headText, expected) => {
    expect(await verify(whole, headText)).toEqual({ isWhole: false, count: 12, ...expected })
  })
})
