import type { Service } from '../operation'

/** The container registry (spec, "Endpoints", B). */
export const registry: Service = { base: '/registry', access: 'iam', operations: [] }
