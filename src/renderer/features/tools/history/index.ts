export { BulkWrite, useWrittenToast } from './bulk-write'
