import { aip } from './aip/service'
import { consoleService } from './console/service'
import { iam } from './iam/service'
import { identity } from './identity/service'
import { inference } from './inference/service'
import { memory } from './memory/service'
import type { Service } from './operation'
import { registry } from './registry/service'
import { runtime } from './runtime/service'

/** Everything the platform listener simulates. */
export const services: readonly Service[] = [consoleService, identity, runtime, memory, registry, aip, inference, iam]
