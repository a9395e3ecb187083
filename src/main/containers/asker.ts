import { AppError } from '@shared/failure'
import { explainNetworkError } from '../gateway/explain-network'
import type { ContainerAddress } from './address'
import { askContainer, type ContainerAnswer, type ContainerRequest } from './ask'

/** A request to the container, without where it is. */
export type Wish = Omit<ContainerRequest, 'address' | 'port'>

/** Makes a request and waits so long; without an answer it tells why in words. Fails with `net.cancelled` when the check was stopped. */
export type Ask = (
  wish: Wish,
  timeoutMs: number,
) => Promise<ContainerAnswer | { readonly why: string; readonly code: string }>

/** Asks the container at one of its addresses. */
export function asker(where: ContainerAddress, address: string, signal: AbortSignal | undefined): Ask {
  return async (wish, timeoutMs) => {
    const deadline = AbortSignal.timeout(timeoutMs)
    const either = signal === undefined ? deadline : AbortSignal.any([deadline, signal])
    const headers = { host: `${where.host}:${where.port}`, ...wish.headers }
    try {
      const answer = await askContainer({ ...wish, headers, address, port: where.port }, either)
      if (signal?.aborted) throw cancelled()
      return answer
    } catch (error) {
      if (signal?.aborted) throw cancelled()
      const { code, message } = explainNetworkError(error, where.url)
      const words = {
        'net.timeout': `No answer within ${timeoutMs / 1000} s.`,
        'net.refused': `Nothing listens. ${startHint}`,
      }
      return { code, why: code === 'net.timeout' || code === 'net.refused' ? words[code] : message }
    }
  }
}

const startHint = 'Start the container and publish its port: docker run -p 8080:8080.'

const cancelled = (): AppError =>
  new AppError('net.cancelled', 'The check was cancelled. Start it again when you need it.')
