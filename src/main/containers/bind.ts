import { networkInterfaces } from 'node:os'
import type { ContainerCheck } from '@shared/contract'
import { reach } from './ask'

type Finding = ContainerCheck['findings'][number]

const reachMs = 1500

const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.')

/** The addresses of this machine that others reach it by. */
export const ownAddresses = (): readonly string[] =>
  Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address)

/** Whether what listens at one address listens at all of this machine's (spec: bind 0.0.0.0). `own` are the machine's other addresses. */
export async function bindFinding(
  { address, port }: { readonly address: string; readonly port: number },
  own: readonly string[],
): Promise<Finding> {
  const say = (state: Finding['state'], seen: string): Finding => ({ what: 'bind', state, seen })
  const isHere = isLoopback(address)
  if (!isHere && !own.includes(address)) return say('passed', `It is reached over the network at ${address}.`)
  const others = isHere ? own : ['127.0.0.1']
  if (others.length === 0) {
    return say(
      'unknown',
      'This machine has no other address than loopback, so it cannot be told whether it listens on 0.0.0.0.',
    )
  }
  const outcomes = await Promise.all(others.map((one) => reach(one, port, reachMs)))
  const places = (wanted: string): string => others.filter((_, at) => outcomes[at] === wanted).join(', ')
  if (outcomes.includes('open')) return say('passed', `It is reached at ${address} and at ${places('open')}.`)
  if (!outcomes.includes('closed')) {
    return say('unknown', `Nothing answered at ${places('silent')}: a firewall may stand before it.`)
  }
  const only = isHere ? `on loopback only (${address})` : `at ${address} only`
  return say('failed', `It listens ${only}: ${places('closed')} refused the connection. Bind 0.0.0.0.`)
}
