import { createHash } from 'node:crypto'
import type { AuditVerdict } from '@shared/contract'
import { z } from 'zod'
import type { AuditTrail } from '../core/audit/trail'
import type { SpaceContext } from './register-sync'

const batchSize = 500

const AuditRow = z.object({ number: z.int(), content: z.array(z.string()), previous: z.string(), hash: z.string() })

/** Sends this computer's audit log to the space, where the database chains the lines of all computers. */
export class AuditSync {
  #sent: number | undefined

  constructor(
    private readonly deps: Pick<SpaceContext, 'database' | 'machineUid'> & {
      readonly trail: Pick<AuditTrail, 'after' | 'count'>
    },
  ) {}

  /** Sends new audit lines. Fails with `team.*`. The next run continues after the last sent line. */
  async run(): Promise<void> {
    const { database, trail, machineUid } = this.deps
    let cursor = await this.#cursor()
    for (;;) {
      const lines = await trail.after({ number: cursor, limit: batchSize })
      if (lines.length === 0) break
      const entries = lines.map(({ entry: { by: _, osUser: __, ...entry }, digest }) => ({ ...entry, digest }))
      await database.run`SELECT companion_team.note_audit(${machineUid}::uuid, ${JSON.stringify(entries)}::jsonb)`
      cursor = lines.at(-1)?.entry.number ?? cursor
    }
    this.#sent = cursor
  }

  /** Number of unsent lines, without querying the database. */
  async waiting(): Promise<number> {
    return this.#sent === undefined ? 0 : Math.max(0, (await this.deps.trail.count()) - this.#sent)
  }

  async verify(): Promise<AuditVerdict> {
    let count = 0
    let previous = '0'.repeat(64)
    for (;;) {
      const rows = await this.deps.database.rows(
        AuditRow,
      )`SELECT number, ARRAY[number::text, at, person::text, machine::text, what, plan_name, key_name, subject] AS content, previous, hash
        FROM companion_team.audit WHERE number > ${count} ORDER BY number LIMIT 5000`
      if (rows.length === 0) return { isWhole: true, count }
      for (const row of rows) {
        const brokenAt = count + 1
        if (row.number !== brokenAt) return { isWhole: false, count, brokenAt, reason: 'removed' }
        const line = [previous, ...row.content].join('\x1f')
        const hash = createHash('sha256').update(line).digest('hex')
        if (row.previous !== previous || row.hash !== hash)
          return { isWhole: false, count, brokenAt, reason: 'changed' }
        count = brokenAt
        previous = hash
      }
    }
  }

  /** Last sent line. 0 if the local log was replaced: all lines are sent again, and existing ones are skipped. */
  async #cursor(): Promise<number> {
    const { database, trail, machineUid } = this.deps
    const [last] = await database.rows(
      z.object({ number: z.number().int(), digest: z.string() }),
    )`SELECT a.source_number AS number, a.source_digest AS digest FROM companion_team.audit AS a JOIN companion_team.machines AS m ON m.id = a.machine
      WHERE m.uid = ${machineUid}::uuid ORDER BY a.source_number DESC LIMIT 1`
    if (last === undefined) return 0
    const [line] = await trail.after({ number: last.number - 1, limit: 1 })
    return line?.entry.number === last.number && line.digest === last.digest ? last.number : 0
  }
}
