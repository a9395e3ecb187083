/** The modules that the ledger benchmark uses, as one bundle. */
export { Database } from '../../../src/main/core/sqlite/database'
export { openLedger } from '../../../src/main/usage/ledger/open-ledger'
export { createLedger } from '../../../src/main/usage/ledger-client'
