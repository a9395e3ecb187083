export { ManyWrite, useSayWritten } from './bulk-write'
