import type { Service } from '../operation'
import { apiKeyOperations } from './api-keys'
import { modelOperations } from './models'

/** Model and API-key management (spec, "Endpoints", B). */
export const aip: Service = { base: '/aip', access: 'iam', operations: [...apiKeyOperations, ...modelOperations] }
