export { BulkWrite, useUndoableToast } from './bulk-write'
