import { request } from 'node:http'
import { connect } from 'node:net'

/** One request to a container. */
export interface ContainerRequest {
  readonly method: 'GET' | 'POST'
  /** The IP address that is asked. */
  readonly address: string
  readonly port: number
  /** With its slash. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** What came back: the beginning of the answer, whole or not. */
export interface ContainerAnswer {
  readonly status: number
  readonly text: string
  /** Whether the answer went on when reading ended. */
  readonly isCut: boolean
}

const longestText = 20_000

/** Makes one request, follows nothing. Rejects as sockets do, and with the signal's reason when it aborts before there is a status. */
export function askContainer(asked: ContainerRequest, signal: AbortSignal): Promise<ContainerAnswer> {
  const { method, address, port, path, headers, body } = asked
  return new Promise((resolve, reject) => {
    const sent = request({ method, host: address, port, path, headers, agent: false, signal })
    let endCut: (() => void) | undefined
    // What came of a stream that goes on, or of an answer that broke off, is worth showing.
    sent.on('error', (error) => (endCut ? endCut() : reject(signal.aborted ? signal.reason : error)))
    sent.once('response', (response) => {
      const { statusCode: status = 0 } = response
      let text = ''
      const end = (isCut: boolean): void => {
        resolve({ status, text: text.slice(0, longestText), isCut: isCut || text.length > longestText })
        sent.destroy()
      }
      endCut = () => end(true)
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
        if (text.length > longestText) end(true)
      })
      response.once('end', () => end(false))
      response.once('error', endCut)
    })
    sent.end(body)
  })
}

/** Whether something listens: `open`, `closed` (refused), or `silent` (no answer in time, as behind a firewall). */
export function reach(address: string, port: number, timeoutMs: number): Promise<'open' | 'closed' | 'silent'> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port })
    const end = (outcome: 'open' | 'closed' | 'silent'): void => {
      socket.destroy()
      resolve(outcome)
    }
    socket.setTimeout(timeoutMs, () => end('silent'))
    socket.once('connect', () => end('open'))
    socket.once('error', () => end('closed'))
  })
}
