export { RequestsTable } from './requests-section'
