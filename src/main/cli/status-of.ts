import type { Failure } from '@shared/failure'

const SERVERS_WORDS = ' The server says: '

/**
 * The status that an answer of the platform was refused with, or undefined when there was none. A failure has no field
 * for it; its message names it in brackets before anything that the server said.
 */
export function statusOf({ code, message }: Failure): number | undefined {
  if (!/^(api|gateway)\./.test(code)) return undefined
  const [ours = ''] = message.split(SERVERS_WORDS)
  const [, status] = /\(([1-5]\d{2})\)/.exec(ours) ?? []
  return status === undefined ? undefined : Number(status)
}
