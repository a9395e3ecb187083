import { rmSync, writeFileSync } from 'node:fs'
import type { AuditVerdict } from '@shared/contract'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { getRounds } from '../../../../../support/depth'
import { makeFolder } from '../../../../support/folders'
import { createLines, listFiles, openTrail } from '../trails'

const { lines, head } = createLines(12)
const trailBytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
let folder = ''
beforeEach(() => {
  folder = makeFolder()
})

async function verify(bytes: Uint8Array, headText = JSON.stringify(head)): Promise<AuditVerdict> {
  writeFileSync(listFiles(folder).lines, bytes)
  if (headText === '') rmSync(listFiles(folder).head, { force: true })
  else writeFileSync(listFiles(folder).head, headText)
  return openTrail(folder).verify()
}
const joinLines = (some: readonly string[]): Uint8Array => Buffer.from(some.map((line) => `${line}\n`).join(''))
const lineIndex = fc.integer({ min: 0, max: lines.length - 1 })
const runs = { numRuns: getRounds(50, 200) }

/** Number of the line that contains a byte, including its line feed. */
const getLineNumber = (offset: number): number =>
  trailBytes.subarray(0, offset).filter((byte) => byte === 0x0a).length + 1

/** Whether the verdict reports the changed line or the one before it as the first invalid line. */
const isLocated = ({ isWhole: isComplete, brokenAt = 0 }: AuditVerdict, line: number): boolean =>
  !isComplete && brokenAt <= line && brokenAt >= line - 1

describe('verifying', () => {
  it('confirms unchanged lines', async () => {
    expect(await verify(trailBytes)).toEqual({ isWhole: true, count: 12 })
  })

  it('detects a change of a single byte, and trusts no changed line', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: trailBytes.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        async (offset, mask) => {
          const changedBytes = Buffer.from(trailBytes)
          changedBytes[offset] = (trailBytes[offset] ?? 0) ^ mask
          expect(isLocated(await verify(changedBytes), getLineNumber(offset)), `byte ${offset}`).toBe(true)
        },
      ),
      runs,
    )
  })

  it('detects a removed and an inserted byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: trailBytes.length - 1 }), async (offset) => {
        const [leadingBytes, trailingBytes] = [trailBytes.subarray(0, offset), trailBytes.subarray(offset)]
        expect(
          isLocated(await verify(Buffer.concat([leadingBytes, trailingBytes.subarray(1)])), getLineNumber(offset)),
        ).toBe(true)
        expect(
          isLocated(
            await verify(Buffer.concat([leadingBytes, Buffer.from(' '), trailingBytes])),
            getLineNumber(offset),
          ),
        ).toBe(true)
      }),
      runs,
    )
  })

  it('detects lines that were removed, swapped, moved or repeated', async () => {
    await fc.assert(
      fc.asyncProperty(lineIndex, lineIndex, fc.integer({ min: 1, max: 12 }), async (a, b, deleteCount) => {
        expect(await verify(joinLines(lines.toSpliced(a, deleteCount)))).toMatchObject({
          isWhole: false,
          brokenAt: a + 1,
        })
        expect(await verify(joinLines(lines.toSpliced(a, 0, lines[a] ?? '')))).toMatchObject({ isWhole: false })
        fc.pre(a !== b)
        const firstLine = Math.min(a, b) + 1
        const swappedLines = lines.map((line, n) => (n === a ? lines[b] : n === b ? lines[a] : line) ?? '')
        expect(await verify(joinLines(swappedLines))).toMatchObject({ isWhole: false, count: 12, brokenAt: firstLine })
        const movedLines = lines.toSpliced(a, 1).toSpliced(b, 0, lines[a] ?? '')
        expect(await verify(joinLines(movedLines))).toMatchObject({ isWhole: false, count: 12, brokenAt: firstLine })
      }),
      runs,
    )
  })

  it('detects lines from another trail', async () => {
    const { lines: otherLines } = createLines(20)
    for (let index = 0; index < lines.length; index += 1) {
      const foreignLine = (otherLines[index] ?? '').replace('"window"', '"commandLine"')
      expect(await verify(joinLines(lines.with(index, foreignLine)))).toMatchObject({
        isWhole: false,
        brokenAt: index + 1,
      })
    }
    expect(await verify(joinLines(otherLines))).toEqual({ isWhole: false, count: 20, brokenAt: 13, reason: 'changed' })
  })

  it('detects any other change of the bytes', async () => {
    const offset = fc.integer({ min: 0, max: trailBytes.length })
    await fc.assert(
      fc.asyncProperty(offset, offset, fc.uint8Array({ maxLength: 40 }), async (a, b, bytes) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)]
        const tamperedBytes = Buffer.concat([trailBytes.subarray(0, from), bytes, trailBytes.subarray(to)])
        expect((await verify(tamperedBytes)).isWhole).toBe(tamperedBytes.equals(trailBytes))
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
    expect(await verify(trailBytes, headText)).toEqual({ isWhole: false, count: 12, ...expected })
  })
})
