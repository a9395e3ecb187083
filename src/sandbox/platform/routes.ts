import type { Exchange } from '../http/listener'
import { Refused } from '../http/refused'
import { createRouter } from '../http/router'
import type { Operation, Service } from './operation'
import { services } from './services'

/** An operation with the service it belongs to. */
export interface Target {
  readonly service: Service
  readonly operation: Operation
}

/** The operation behind a method and a path. */
export const findTarget = createRouter<Target>(
  services.flatMap((service) =>
    service.operations.map((operation) => ({
      method: operation.method,
      pattern: service.base + operation.path,
      handler: { service, operation },
    })),
  ),
)

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** The service below whose base a path lies, also where it has no operation: it words the refusal. */
export const serviceAt = (path: string): Service | undefined =>
  services.find(({ base }) => path === base || path.startsWith(`${base}/`))

/** 405 for a path that takes other methods, else 404. */
export function nowhere({ method, path }: Exchange): Refused {
  const others = methods.filter((other) => findTarget(other, path)).join(', ')
  const place = path.slice(0, 200)
  if (others === '') {
    return new Refused({ status: 404, code: 'NOT_FOUND', message: `The platform has no ${method} ${place}.` })
  }
  const message = `${place} takes ${others}, not ${method}.`
  return new Refused({ status: 405, code: 'METHOD_NOT_ALLOWED', message, headers: { allow: others } })
}
