import type { ContainerCheck, MethodInput } from '@shared/contract'
import { type ContainerAddress, contractPort, readContainerAddress } from './address'
import { reach } from './ask'
import { asker } from './asker'
import { bindFinding, ownAddresses } from './bind'
import { healthFinding } from './health'
import { noSample, sampleOf, sendSample } from './sample'

/** What a check may be told beside its question. */
export interface CheckOptions {
  readonly signal?: AbortSignal | undefined
  /** How long the answers may take; 5 s for the health check and 60 s for the sample unless given (ours). */
  readonly healthMs?: number
  readonly sampleMs?: number
  /** The addresses by which others reach this machine; those of its interfaces unless given. */
  readonly own?: readonly string[]
}

type Question = Omit<MethodInput<'containers.check'>, 'callId'>
type Finding = ContainerCheck['findings'][number]

const longestSeen = 2000

/**
 * Asks a container what the runtime's contract demands. Fails with `address.*`, `input.invalid` or `net.hostNotFound` before anything is
 * sent, and with `net.cancelled` when it is stopped; all else is a finding.
 */
export async function checkContainer(question: Question, options: CheckOptions = {}): Promise<ContainerCheck> {
  const { signal, healthMs = 5000, sampleMs = 60_000, own = ownAddresses() } = options
  const startedAt = new Date()
  const wanted = sampleOf(question)
  const where = await readContainerAddress(question.url)
  const address = await listeningAddress(where, healthMs)
  const ask = asker(where, address ?? where.addresses[0] ?? '', signal)
  const health = await healthFinding(ask, healthMs)
  const bind = address === undefined ? noBind : await bindFinding({ address, port: where.port }, own)
  const outcome = address === undefined ? { findings: noSample } : await sendSample(ask, wanted, sampleMs)
  const findings = [portFinding(where, address !== undefined), health, bind, ...outcome.findings]
  return {
    url: where.url,
    at: startedAt.toISOString(),
    durationMs: Date.now() - startedAt.getTime(),
    findings: findings.map((finding) => ({ ...finding, seen: finding.seen.slice(0, longestSeen) })),
    ...('sample' in outcome ? { sample: outcome.sample } : {}),
  }
}

/** A name such as localhost may stand for several addresses, of which only one is listened at. */
async function listeningAddress({ addresses, port }: ContainerAddress, timeoutMs: number): Promise<string | undefined> {
  for (const address of addresses) if ((await reach(address, port, timeoutMs)) === 'open') return address
  return undefined
}

/** A published port may be another than the one inside, which is the one that counts. */
function portFinding({ port }: ContainerAddress, isOpen: boolean): Finding {
  if (!isOpen) return { what: 'port', state: 'failed', seen: `Nothing listens on port ${port}.` }
  if (port === contractPort) return { what: 'port', state: 'passed', seen: `The port is ${contractPort}.` }
  const seen = `The address has port ${port}. In the runtime the container must listen on ${contractPort}; whether it does inside cannot be told by a mapped port.`
  return { what: 'port', state: 'unknown', seen }
}

const noBind: Finding = {
  what: 'bind',
  state: 'unknown',
  seen: 'Nothing listens, so it cannot be told where it binds.',
}
