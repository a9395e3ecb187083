import { aip } from './aip'
import { consoleService } from './console'
import { iam } from './iam'
import { identity } from './identity'
import { inference } from './inference'
import { memory } from './memory/service'
import type { Service } from './operation'
import { registry } from './registry'
import { runtime } from './runtime/service'

/** Everything the platform listener simulates. */
export const services: readonly Service[] = [consoleService, identity, runtime, memory, registry, aip, inference, iam]
