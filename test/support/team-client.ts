import { Secret } from '../../src/main/core/secret'
import { TeamDatabase } from '../../src/main/team/database'
import { AppError } from '../../src/shared/failure'

// Signs in to a database as the app does, closes it, and prints the code of the failure.
const address = { host: '127.0.0.1', port: Number(process.argv[2]), database: 'space', user: 'anna' }
const database = new TeamDatabase({ address, secret: new Secret('pw-anna', 'text') })
const code = await database.requireOwnUser().then(
  () => 'none',
  (error: unknown) => (error instanceof AppError ? error.failure.code : String(error)),
)
await database.close()
process.stdout.write(code)
