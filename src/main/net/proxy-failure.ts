import { AppError } from '@shared/failure'
import type { Route } from './proxy'

/** Only the proxy itself is connected to, so what stops a connection or a tunnel before it stands is the proxy's. */
const proxyCodes: readonly unknown[] = [
  'UND_ERR_ABORTED',
  'UND_ERR_CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]

/** `net.proxy` when what broke an exchange along this route is its proxy's. */
export function proxyFailure(error: unknown, route: Route): AppError | undefined {
  if (route.kind === 'direct' || !isOfProxy(error)) return undefined
  const { host } = new URL(route.url)
  const message = `The proxy ${host} cannot be reached or did not let the request through. Check the proxy settings, and its user and password if it needs them.`
  return new AppError('net.proxy', message)
}

function isOfProxy(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('code' in error && proxyCodes.includes(error.code)) || isOfProxy(error.cause)
}
