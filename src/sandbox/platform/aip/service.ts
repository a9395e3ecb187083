import type { Service } from '../operation'

/** Model and API-key management (spec, "Endpoints", B). */
export const aip: Service = { base: '/aip', access: 'iam', operations: [] }
