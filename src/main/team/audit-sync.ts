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

  /** Returns the number of sent lines. Fails with `team.*`. The next run continues from there. */
  async run(): Promise<number> {
    const { database, trail, machineUid } = this.deps
    let sentCount = 0
    let cursor = await this.#cursor()
    for (;;) {
      const lines = await trail.after({ number: cursor, limit: batchSize })
      const last = lines.at(-1)
      if (last === undefined) break
      const entries = lines.map(({ entry: { number, at, what, planName, keyName, subject }, digest }) => ({
        ...{ number, at, what, planName, keyName, subject, digest },
      }))
      await database.rows(
        z.object({}),
      )`SELECT companion_team.note_audit(${machineUid}::uuid, ${JSON.stringify(entries)}::jsonb)`
      sentCount += lines.length
      cursor = last.entry.number
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
    let last = { number: 0, hash: firstDigest }
    for (;;) {
      const rows = await database.rows(
        AuditRow,
      )`SELECT number, at, person, machine, what, plan_name, key_name, subject, previous, hash FROM companion_team.audit
        WHERE number > ${last.number} ORDER BY number LIMIT 5000`
      if (rows.length === 0) return { isWhole: true, count: last.number }
      for (const row of rows) {
        const number = last.number + 1
        if (row.number !== number) return { isWhole: false, count: last.number, brokenAt: number, reason: 'removed' }
        const parts = [
          last.hash,
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
        if (row.previous !== last.hash || row.hash !== hash)
          return { isWhole: false, count: last.number, brokenAt: number, reason: 'changed' }
        last = { number, hash }
      }
    }
  }

  /** Number of the last sent line. 0 after the local log was replaced, because existing lines are skipped. */
  async #cursor(): Promise<number> {
    const { database, trail, machineUid } = this.deps
    const [last] = await database.rows(
      z.object({ source_number: z.number().int(), source_digest: z.string() }),
    )`SELECT a.source_number, a.source_digest FROM companion_team.audit AS a JOIN companion_team.machines AS m ON m.id = a.machine
      WHERE m.uid = ${machineUid}::uuid ORDER BY a.source_number DESC LIMIT 1`
    if (last === undefined) return 0
    const [line] = await trail.after({ number: last.source_number - 1, limit: 1 })
    return line?.entry.number === last.source_number && line.digest === last.source_digest ? last.source_number : 0
  }
}
