import type { AddressCorrection } from '@shared/contract/common'
import type { Failure } from '@shared/failure'
import { err, ok, type Result } from '@shared/result'
import { addressFailure } from './pasted-address'

/** A checked host in its canonical form; `port` is empty when none was given. */
export type Host = {
  readonly name: string
  readonly port: string
  readonly corrections: readonly AddressCorrection[]
}

/** Whether a host, as `URL.hostname` writes it, is this machine: localhost, *.localhost, 127.0.0.0/8 or [::1]. */
export function isLoopbackHost(name: string): boolean {
  return /^(?:.+\.)?localhost$/.test(name) || /^127(?:\.\d{1,3}){3}$/.test(name) || name === '[::1]'
}

/** Checks `host[:port]` as a gateway's: names need a dot, numbers must be whole addresses, wildcards are refused. */
export function checkHost(authority: string): Result<Host, Failure> {
  const [, written, portText] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(authority) ?? []
  if (written === undefined) return err(noHost)
  if (written === '') return err(noHost)
  const port = readPort(portText ?? '')
  if (port === undefined) return err(badPort)

  const lower = written.toLowerCase()
  const name = canonicalName(lower.replace(/\.$/, ''))
  const refused = name === undefined ? noHost : refuseName(name, lower.replace(/\.$/, ''))
  if (name === undefined || refused !== undefined) return err(refused ?? noHost)
  return ok({
    name,
    port,
    corrections: [
      ...(lower === written ? [] : ['lowercased' as const]),
      ...(name === lower && port === (portText ?? '') ? [] : ['hostEncoded' as const]),
    ],
  })
}

/** The port without leading zeros, empty when there is none, or undefined when it cannot be one. */
function readPort(text: string): string | undefined {
  if (text === '') return ''
  const port = /^\d+$/.test(text) ? Number(text) : 0
  return port >= 1 && port <= 65_535 ? String(port) : undefined
}

/** The host as the platform's own address parser writes it (punycode, short IPv6), or undefined when it refuses. */
function canonicalName(written: string): string | undefined {
  return URL.canParse(`https://${written}/`) ? new URL(`https://${written}/`).hostname : undefined
}

function refuseName(name: string, written: string): Failure | undefined {
  if (['[::]', '[::ffff:0:0]'].includes(name) || /^0\./.test(name)) return wildcard
  if (name.startsWith('[')) return undefined
  // The parser reads 2130706433, 0x7f.1 and 127.1 as 127.0.0.1: a number that is not written as it is meant is a slip.
  if (/^\d+(?:\.\d+){3}$/.test(name)) return name === written && Number.parseInt(name, 10) < 224 ? undefined : noHost
  if (isLoopbackHost(name)) return undefined
  if (!name.includes('.')) return noDot
  return name.length <= 253 && name.split('.').every(isLabel) ? undefined : noHost
}

const isLabel = (label: string): boolean => /^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?$/.test(label)

const noHost = addressFailure(
  'address.notAnAddress',
  'This is not the address of a host. Paste the gateway address as https://host, as the plan shows it.',
)

const noDot = addressFailure(
  'address.notAnAddress',
  'The host has no dot, so it is not the name of a gateway. Paste the whole gateway address, as https://gateway.example.com.',
)

const badPort = addressFailure(
  'address.notAnAddress',
  'What follows the colon is not a port. Use a number from 1 to 65535, or leave the colon and the port out.',
)

const wildcard = addressFailure(
  'address.notAnAddress',
  'This address means every network of a machine, not one host. For a gateway on this machine use http://127.0.0.1 and its port.',
)
