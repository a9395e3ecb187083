import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AuditEntry } from '@shared/contract'
import { AuditTrail } from '../../../../../src/main/core/audit/trail'
import { computeHash } from '../../../../../src/main/core/files/files'

export const noopLog = { info: () => undefined, error: () => undefined }

export function openTrail(dataDir: string, by: AuditEntry['by'] = 'window'): AuditTrail {
  return new AuditTrail({ dataDir, by, clock: () => new Date('2026-05-04T03:02:01.000Z'), log: noopLog })
}

export const listFiles = (dataDir: string) => ({
  lines: join(dataDir, 'audit.jsonl'),
  head: join(dataDir, 'audit.head'),
})

/** Creates log lines in the stored format, with the matching head of the hash chain. */
export function createLines(count: number) {
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
export function writeTrail(dataDir: string, count: number): void {
  const { lines, head } = createLines(count)
  writeFileSync(listFiles(dataDir).lines, lines.map((line) => `${line}\n`).join(''))
  writeFileSync(listFiles(dataDir).head, JSON.stringify(head))
}
