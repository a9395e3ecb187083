import { firstSchema } from './schema'

/**
 * What makes version n + 1 of a file of version n, by n. A row is never changed: files made by it are out there. A member that the contract adds to
 * what is kept as JSON is a row too (an empty one), so that an app that does not know it leaves the file alone.
 */
export const migrations: readonly string[] = [firstSchema]
