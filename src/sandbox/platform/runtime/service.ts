import type { Service } from '../operation'

/** Runtimes (spec, "Endpoints", B). */
export const runtime: Service = { base: '/runtime', access: 'iam', operations: [] }
