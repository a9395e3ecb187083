import { createHash } from 'node:crypto'
import type { AuditVerdict } from '@shared/contract'
import { z } from 'zod'
import type { AuditTrail } from '../core/audit/trail'
import type { TeamDatabase } from './database'

const batchSize = 500
const firstDigest = '0'.repeat(64)

const AuditRow = z.object({
  number: z.number().int(),
  at: z.string(),
  person: z.number().int(),
  machine: z.number().int(),
  what: z.string(),
  plan_name: z.string(),
  key_name: z.string(),
  subject: z.string(),
  previous: z.string(),
  hash: z.string(),
})

interface AuditSyncDeps {
  readonly trail: Pick<AuditTrail, 'after' | 'count'>
  readonly database: TeamDatabase
  readonly machineUid: string
}

/**
 * Sends this computer's audit log to the space, where the database chains the lines of all computers. Skips lines that
 * exist already.
 */
export class AuditSync {
  #sent: number | undefined

  constructor(private readonly deps: AuditSyncDeps) {}

  /**
   * Sends new audit lines and returns their number. Fails with `team.*`. The next run continues after the last sent
   * line.
   */
  async run(): Promise<number> {
    const { database, trail, machineUid } = this.deps
    let sentCount = 0
    let cursor = await this.#cursor()
    for (;;) {
      const lines = await trail.after({ number: cursor, limit: batchSize })
      const lastLine = lines.at(-1)
      if (lastLine === undefined) break
      const entries = lines.map(({ entry: { number, at, what, planName, keyName, subject }, digest }) => ({
        number,
        at,
        what,
        planName,
        keyName,
        subject,
        digest,
      }))
      await database.run`SELECT companion_team.note_audit(${machineUid}::uuid, ${JSON.stringify(entries)}::jsonb)`
      sentCount += lines.length
      cursor = lastLine.entry.number
    }
    this.#sent = cursor
    return sentCount
  }

  /** Number of unsent lines, without querying the database. */
  async waiting(): Promise<number> {
    return this.#sent === undefined ? 0 : Math.max(0, (await this.deps.trail.count()) - this.#sent)
  }

  /** Checks the hash chain of the whole space. */
  async verify(): Promise<AuditVerdict> {
    const { database } = this.deps
    let lastEntry = { number: 0, hash: firstDigest }
    for (;;) {
      const rows = await database.rows(
        AuditRow,
      )`SELECT number, at, person, machine, what, plan_name, key_name, subject, previous, hash FROM companion_team.audit
        WHERE number > ${lastEntry.number} ORDER BY number LIMIT 5000`
      if (rows.length === 0) return { isWhole: true, count: lastEntry.number }
      for (const row of rows) {
        const number = lastEntry.number + 1
        if (row.number !== number)
          return { isWhole: false, count: lastEntry.number, brokenAt: number, reason: 'removed' }
        const parts = [
          lastEntry.hash,
          number,
          row.at,
          row.person,
          row.machine,
          row.what,
          row.plan_name,
          row.key_name,
          row.subject,
        ]
        const hash = createHash('sha256').update(parts.join('\x1f')).digest('hex')
        if (row.previous !== lastEntry.hash || row.hash !== hash)
          return { isWhole: false, count: lastEntry.number, brokenAt: number, reason: 'changed' }
        lastEntry = { number, hash }
      }
    }
  }

  /**
   * Number of the last line that was sent. 0 if the local log was replaced: all lines are sent again, and existing
   * ones are skipped.
   */
  async #cursor(): Promise<number> {
    const { database, trail, machineUid } = this.deps
    const [lastEntry] = await database.rows(
      z.object({ source_number: z.number().int(), source_digest: z.string() }),
    )`SELECT a.source_number, a.source_digest FROM companion_team.audit AS a JOIN companion_team.machines AS m ON m.id = a.machine
      WHERE m.uid = ${machineUid}::uuid ORDER BY a.source_number DESC LIMIT 1`
    if (lastEntry === undefined) return 0
    const [line] = await trail.after({ number: lastEntry.source_number - 1, limit: 1 })
    return line?.entry.number === lastEntry.source_number && line.digest === lastEntry.source_digest
      ? lastEntry.source_number
      : 0
  }
}
