import { firstSchema } from './schema'

/** What makes version n + 1 of a file of version n, by n. A row is never changed: files made by it are out there. */
export const migrations: readonly string[] = [firstSchema]
