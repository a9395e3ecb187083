import type { Service } from '../operation'

/** Access control (spec, "Endpoints", B). */
export const identity: Service = { base: '/identity/api/v1', access: 'iam', operations: [] }
