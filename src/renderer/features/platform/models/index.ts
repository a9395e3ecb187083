export { apiKeys, models } from './models'
