import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { AuditEntry, AuditVerdict } from '@shared/contract'
import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { AuditTrail } from '../../../../../src/main/core/audit/trail'
import { computeHash } from '../../../../../src/main/core/files/files'
import { buildProgram } from '../../../../support/build-program'
import { getRounds, isDeepRun } from '../../../../support/depth'
import { makeFolder, makeProgramFolder } from '../../../support/folders'

const noopLog = { info: () => undefined, error: () => undefined }

function openTrail(dataDir: string, by: AuditEntry['by'] = 'window'): AuditTrail {
  return new AuditTrail({ dataDir, by, clock: () => new Date('2026-05-04T03:02:01.000Z'), log: noopLog })
}

const listFiles = (dataDir: string) => ({
  lines: join(dataDir, 'audit.jsonl'),
  head: join(dataDir, 'audit.head'),
})

/** Creates log lines in the stored format, with the matching head of the hash chain. */
function createLines(count: number) {
  const lines: string[] = []
  let hash = '0'.repeat(64)
  for (let number = 1; number <= count; number += 1) {
    const entryTime = new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString()
    const names = { planName: 'team', keyName: `key ${number}` }
    const line = JSON.stringify({ number, at: entryTime, what: 'keyAdded', ...names, by: 'window', previous: hash })
    lines.push(line)
    hash = computeHash(line)
  }
  const bytes = Buffer.byteLength(lines.join('\n')) + (count > 0 ? 1 : 0)
  return { lines, head: { count, bytes, hash } }
}

/** Writes a trail of `count` lines into a folder. */
function writeTrail(dataDir: string, count: number): void {
  const { lines, head } = createLines(count)
  writeFileSync(listFiles(dataDir).lines, lines.map((line) => `${line}\n`).join(''))
  writeFileSync(listFiles(dataDir).head, JSON.stringify(head))
}

const builtAppFolder = makeProgramFolder()
/** The program that writes many entries, built for plain Node. */
let program = ''
let folder = ''
beforeEach(() => {
  folder = makeFolder()
})

beforeAll(async () => {
  program = await buildProgram(resolve(import.meta.dirname, 'note-many.ts'), builtAppFolder)
}, 60_000)

const startWriter = (...args: readonly string[]) =>
  spawn(process.execPath, [program, folder, ...args], { stdio: 'inherit' })

const note = { what: 'keyAdded', planName: 'team', keyName: 'An' } as const

describe('the audit trail', () => {
  it('records the user of the operating system in each line, also in CSV', async () => {
    const deps = { dataDir: folder, by: 'window', osUser: 'an', clock: () => new Date(), log: noopLog } as const
    const trail = new AuditTrail(deps)
    await trail.note(note)
    expect(await trail.list({ limit: 1 })).toMatchObject([{ ...note, by: 'window', osUser: 'an' }])
    expect((await trail.csv({})).split(/\r?\n/)[1]).toMatch(/,window,an$/)
    expect(await trail.verify()).toMatchObject({ isWhole: true })
  })

  it('keeps entries in order, numbered and chained, readable only by the owner', async () => {
    await openTrail(folder).note(note)
    await openTrail(folder, 'commandLine').note({ what: 'revoked', subject: 'An' })
    expect(await openTrail(folder).list({ limit: 10 })).toEqual([
      { number: 2, at: '2026-05-04T03:02:01.000Z', what: 'revoked', subject: 'An', by: 'commandLine' },
      { number: 1, at: '2026-05-04T03:02:01.000Z', ...note, by: 'window' },
    ])
    expect(await openTrail(folder).verify()).toEqual({ isWhole: true, count: 2 })
    const { lines, head } = listFiles(folder)
    expect([statSync(lines).mode & 0o777, statSync(head).mode & 0o777]).toEqual([0o600, 0o600])
  })

  it('is valid and empty initially', async () => {
    expect(await openTrail(folder).verify()).toEqual({ isWhole: true, count: 0 })
    expect(await openTrail(folder).list({ limit: 10 })).toEqual([])
  })

  it('masks secrets and accepts only declared fields', async () => {
    const secret = 'sk-0123456789abcdef0123'
    await openTrail(folder).note({ what: 'keyRenamed', keyName: secret, subject: `Bearer ${secret}` })
    await openTrail(folder).note(Object.assign({ key: secret }, note))
    expect(readFileSync(listFiles(folder).lines, 'utf8')).not.toContain(secret)
    expect(await openTrail(folder).verify()).toEqual({ isWhole: true, count: 2 })
  })

  it('logs entries that could not be written, and does not fail', async () => {
    writeFileSync(join(folder, 'file'), '')
    const warnings: string[] = []
    const log = { info: () => undefined, error: (event: string) => void warnings.push(event) }
    const trail = new AuditTrail({ dataDir: join(folder, 'file'), by: 'window', clock: () => new Date(), log })
    await trail.note(note)
    expect(warnings).toEqual(['audit.note'])
  })

  it('builds one chain from three concurrent processes', async () => {
    const exits = ['1', '2', '3'].map((name) => once(startWriter(name), 'exit'))
    expect((await Promise.all(exits)).map(([code]) => code)).toEqual([0, 0, 0])
    expect(await openTrail(folder).verify()).toEqual({ isWhole: true, count: 30 })
    const subjects = (await openTrail(folder).list({ limit: 100 })).map(({ subject }) => subject)
    expect(new Set(subjects).size).toBe(30)
  }, 60_000)

  it('is valid after every kill, and continues', async () => {
    for (const minEntryCount of isDeepRun ? [2000, 6000, 12_000] : [2000]) {
      const writerProcess = startWriter('killed', '1000000')
      await vi.waitFor(() => expect(statSync(listFiles(folder).lines).size).toBeGreaterThan(minEntryCount), 20_000)
      writerProcess.kill('SIGKILL')
      await once(writerProcess, 'exit')
      const { isWhole: isComplete, count } = await openTrail(folder).verify()
      expect([isComplete, count > 5]).toEqual([true, true])
      await openTrail(folder).note(note)
      const auditVerdict = await openTrail(folder).verify()
      expect([auditVerdict.isWhole, auditVerdict.count - count]).toEqual([true, expect.toBeOneOf([1, 2])])
    }
  }, 90_000)
})

describe('an interrupted write', () => {
  const { lines, head } = createLines(3)
  const [firstLine, secondLine, thirdLine = ''] = lines
  const writeTrailFiles = (appendedText: string) => {
    writeFileSync(listFiles(folder).lines, `${firstLine}\n${secondLine}\n${appendedText}`)
    writeFileSync(listFiles(folder).head, JSON.stringify({ ...createLines(2).head, next: thirdLine }))
  }

  it.each([
    ['before a byte of the line', '', 2],
    ['in the middle of the line', thirdLine.slice(0, 40), 2],
    ['before the line feed', thirdLine, 2],
    ['before the head', `${thirdLine}\n`, 3],
  ])('%s is harmless and is completed by the next one', async (_, appendedText, count) => {
    writeTrailFiles(appendedText)
    expect(await openTrail(folder).verify()).toEqual({ isWhole: true, count })
    await openTrail(folder).note(note)
    expect(await openTrail(folder).verify()).toEqual({ isWhole: true, count: 4 })
    expect(readFileSync(listFiles(folder).lines, 'utf8').split('\n').slice(0, 3)).toEqual(lines)
    expect(head.count).toBe(3)
  })

  it('hides no tampering, so a different line in its place is detected, also later', async () => {
    writeTrailFiles(`${thirdLine.replace('key 3', 'key 9')}\n`)
    const expectedResult = { isWhole: false, count: 3, brokenAt: 3, reason: 'changed' }
    expect(await openTrail(folder).verify()).toEqual(expectedResult)
    await openTrail(folder).note(note)
    expect(await openTrail(folder).verify()).toMatchObject({ isWhole: false, brokenAt: 3 })
  })
})

const replaceInFile = (path: string, from: string, to: string): void =>
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to))

describe('tampering followed by new entries', () => {
  it.each([
    ['the last line removed', (path: string, fileBytes: Buffer) => truncateSync(path, fileBytes.lastIndexOf('{')), 3],
    ['half of the last line', (path: string, fileBytes: Buffer) => truncateSync(path, fileBytes.length - 30), 3],
    ['the last line changed', (path: string) => replaceInFile(path, 'key 3', 'key 4'), 3],
    ['all lines removed', (path: string) => truncateSync(path, 0), 1],
  ])('is still detected: %s', async (_, tamper, brokenAt) => {
    writeTrail(folder, 3)
    const { lines } = listFiles(folder)
    tamper(lines, readFileSync(lines))
    expect(await openTrail(folder).verify()).toMatchObject({ isWhole: false, brokenAt })
    await openTrail(folder).note(note)
    await openTrail(folder).note(note)
    expect(await openTrail(folder).verify()).toMatchObject({ isWhole: false, brokenAt })
  })

  it.each([
    ['missing', (path: string) => truncateSync(path, 0), 'unreadable'],
    ['damaged', (path: string) => writeFileSync(path, '{"count":3}'), 'unreadable'],
  ])('is detected when the head is %s, now and after the next entry', async (_, tamper, reason) => {
    writeTrail(folder, 3)
    tamper(listFiles(folder).head)
    expect(await openTrail(folder).verify()).toEqual({ isWhole: false, count: 3, brokenAt: 4, reason })
    await openTrail(folder).note(note)
    expect(await openTrail(folder).verify()).toEqual({ isWhole: false, count: 4, brokenAt: 3, reason: 'changed' })
  })
})

describe('the list', () => {
  const count = getRounds(20_000, 100_000)

  it(`pages through ${count} entries from the newest, including deep pages`, async () => {
    writeTrail(folder, count)
    const numbers = async (page: { before?: number } = {}) =>
      (await openTrail(folder).list({ limit: 3, ...page })).map(({ number }) => number)
    expect(await numbers()).toEqual([count, count - 1, count - 2])
    expect(await numbers({ before: count - 2 })).toEqual([count - 3, count - 4, count - 5])
    expect(await numbers({ before: 3 })).toEqual([2, 1])
    expect(await numbers({ before: 1 })).toEqual([])
    expect(await openTrail(folder).verify()).toEqual({ isWhole: true, count })
  }, 60_000)

  it('searches entries by word and kind across pages', async () => {
    const trail = openTrail(folder)
    await trail.note({ what: 'keyDisabled', keyName: 'An' })
    await trail.note({ what: 'handedOut', planName: 'team', keyName: 'ci', subject: 'Trần An' })
    await trail.note({ what: 'secretCopied', keyName: 'robot', subject: 'prod' })
    await trail.note({ what: 'rotationStep', keyName: 'ci', subject: 'ci-2: mint' })
    const findNumbers = async (filter: object) =>
      (await trail.list({ limit: 9, ...filter })).map(({ number }) => number)
    expect(await findNumbers({ text: 'an' })).toEqual([2, 1])
    expect(await findNumbers({ text: 'trần an' })).toEqual([2])
    expect(await findNumbers({ kind: 'keys' })).toEqual([1])
    expect(await findNumbers({ kind: 'issued', text: 'ci' })).toEqual([2])
    expect(await findNumbers({ kind: 'rotations' })).toEqual([4])
    expect(await findNumbers({ kind: 'secrets' })).toEqual([3])
    expect(await findNumbers({ kind: 'plans' })).toEqual([])
    expect(await findNumbers({ text: 'ci', limit: 1, before: 4 })).toEqual([2])
    const [, line] = (await trail.csv({ kind: 'issued' })).split('\r\n')
    expect(line).toMatch(/^2,[^,]+,handedOut,team,ci,,Trần An,window,$/)
  })

  it('omits invalid entries', async () => {
    writeTrail(folder, 2)
    writeFileSync(listFiles(folder).lines, 'nothing\n', { flag: 'a' })
    expect((await openTrail(folder).list({ limit: 5 })).map(({ number }) => number)).toEqual([2, 1])
  })

  it('reports an unreadable file', async () => {
    mkdirSync(listFiles(folder).lines)
    await expect(openTrail(folder).list({ limit: 5 })).rejects.toMatchObject({ failure: { code: 'file.unreadable' } })
    await expect(openTrail(folder).verify()).rejects.toMatchObject({ failure: { code: 'file.unreadable' } })
  })
})

const { lines, head } = createLines(12)
const trailBytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
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

  it('detects a changed, a removed and an inserted byte, and trusts no changed line', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: trailBytes.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        async (offset, mask) => {
          const [leadingBytes, trailingBytes] = [trailBytes.subarray(0, offset), trailBytes.subarray(offset + 1)]
          const byte = trailBytes[offset] ?? 0
          for (const replacement of [[byte ^ mask], [], [0x20, byte]]) {
            const changedBytes = Buffer.concat([leadingBytes, Buffer.from(replacement), trailingBytes])
            expect(isLocated(await verify(changedBytes), getLineNumber(offset)), `byte ${offset}`).toBe(true)
          }
        },
      ),
      runs,
    )
  })

  it('detects lines that were removed, swapped, moved or repeated', async () => {
    await fc.assert(
      fc.asyncProperty(lineIndex, lineIndex, fc.integer({ min: 1, max: 12 }), async (a, b, deleteCount) => {
        const remainingLines = lines.toSpliced(a, deleteCount)
        expect(await verify(joinLines(remainingLines))).toMatchObject({ isWhole: false, brokenAt: a + 1 })
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
      const verdict = await verify(joinLines(lines.with(index, foreignLine)))
      expect(verdict).toMatchObject({ isWhole: false, brokenAt: index + 1 })
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
