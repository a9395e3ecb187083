import type { Service } from '../operation'

/** Memory (spec, "Endpoints", B). */
export const memory: Service = { base: '/memory', access: 'iam', operations: [] }
