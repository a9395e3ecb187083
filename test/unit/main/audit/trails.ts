import { writeFileSync } from 'node:fs'
import type { AuditEntry } from '@shared/contract'
import { AuditTrail, filesIn, formatLine, type Head, noHash } from '../../../../src/main/audit/trail'
import { computeHash } from '../../../../src/main/tools/files'

export const silent = { info: () => undefined, error: () => undefined }

export function openTrail(dataDir: string, by: AuditEntry['by'] = 'window'): AuditTrail {
  return new AuditTrail({ dataDir, by, clock: () => new Date('2026-05-04T03:02:01.000Z'), log: silent })
}

/** Lines as the trail writes them, and the head that goes with them. */
export function linesWith(count: number): { lines: string[]; head: Head } {
  const lines: string[] = []
  let hash = noHash
  for (let number = 1; number <= count; number += 1) {
    const at = new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString()
    const line = formatLine(
      { number, at, what: 'keyAdded', keyName: `key ${number}`, planName: 'team', by: 'window' },
      hash,
    )
    lines.push(line)
    hash = computeHash(line)
  }
  const bytes = Buffer.byteLength(lines.join('\n')) + (count > 0 ? 1 : 0)
  return { lines, head: { count, bytes, hash } }
}

/** Puts a trail of so many lines into a folder. */
export function placeTrail(dataDir: string, count: number): void {
  const { lines, head } = linesWith(count)
  writeFileSync(filesIn(dataDir).lines, lines.map((line) => `${line}\n`).join(''))
  writeFileSync(filesIn(dataDir).head, JSON.stringify(head))
}
