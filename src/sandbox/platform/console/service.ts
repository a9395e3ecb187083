import type { Service } from '../operation'

/** The console contract (ours: the spec shows no endpoints behind the console). */
export const consoleService: Service = { base: '/console', access: 'iam', operations: [] }
