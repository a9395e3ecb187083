import type { Service } from '../operation'

/** Inference (spec, "Endpoints", B). */
export const inference: Service = { base: '/inference/v1', access: 'iam-or-api-key', operations: [] }
