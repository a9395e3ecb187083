import { AuditTrail } from '../../../../../src/main/core/audit/trail'

const [, , dataDir = '', name = '', wordCount = '10'] = process.argv
const log = {
  info: () => undefined,
  error: (_: string, error: unknown) => {
    throw error
  },
}
const trail = new AuditTrail({ dataDir, by: 'commandLine', clock: () => new Date(), log })
for (let index = 1; index <= Number(wordCount); index += 1)
  await trail.note({ what: 'keyAdded', subject: `${name}-${index}` })
