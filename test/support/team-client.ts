import { Secret } from '../../src/main/core/secret'
import { TeamDatabase } from '../../src/main/team/database'
import { AppError } from '../../src/shared/failure'

// Connects to a database like the app, closes it, and prints the failure code.
const address = { host: '127.0.0.1', port: Number(process.argv[2]), database: 'space', user: 'anna' }
const database = new TeamDatabase({ address, secret: new Secret('pw-anna', 'text') })
const code = await database.requireOwnUser().then(
  () => 'none',
  (error: unknown) => (error instanceof AppError ? error.failure.code : String(error)),
)
await database.close()
process.stdout.write(code)
