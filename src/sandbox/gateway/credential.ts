import type { IncomingHttpHeaders } from 'node:http'

/** A header in which a tool may send its key. */
export type CredentialHeader = 'authorization' | 'x-api-key'

/** The key a request presents, and the headers it used for it. */
export interface Credential {
  readonly secret: string | undefined
  readonly headers: readonly CredentialHeader[]
}

/** Reads `Authorization: Bearer` first, then `x-api-key`; an empty bearer counts as none. */
export function readCredential(headers: IncomingHttpHeaders): Credential {
  const bearer = /^Bearer\s+(\S.*)$/i.exec(headers.authorization ?? '')?.[1]?.trim()
  const apiKey = headers['x-api-key']
  const plain = typeof apiKey === 'string' && apiKey.trim() !== '' ? apiKey.trim() : undefined
  const names: readonly CredentialHeader[] = ['authorization', 'x-api-key']
  return { secret: bearer ?? plain, headers: names.filter((name) => headers[name] !== undefined) }
}
