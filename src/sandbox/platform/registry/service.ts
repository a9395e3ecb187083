import type { Service } from '../operation'
import { imageOperations } from './images'
import { repositoryOperations } from './repositories'
import { robotAccountOperations } from './robot-accounts'

/** The container registry (spec, "Endpoints", B). */
export const registry: Service = {
  base: '/registry',
  access: 'iam',
  operations: [...repositoryOperations, ...imageOperations, ...robotAccountOperations],
}
