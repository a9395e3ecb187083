export { BulkWrite, useSayWritten } from './bulk-write'
