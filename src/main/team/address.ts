import { X509Certificate } from 'node:crypto'
import querystring from 'node:querystring'
import { CleanName } from '@shared/contract/common'
import { AppError } from '@shared/failure'
import { parseJson } from '@shared/json'
import { z } from 'zod'
import { isLoopbackHost } from '../core/net/address'
import type { TeamAddress } from '../core/settings/records'

const maxTextLength = 64 * 1024

const addressFields = {
  host: z.string().regex(/^[A-Za-z0-9.:_-]{1,255}$/),
  port: z.number().int().min(1).max(65_535),
  database: CleanName(63),
  /** CA certificates (PEM) that issued the server's certificate. Undefined if a public authority issued it. */
  ca: z.string().max(maxTextLength).optional(),
}

/** An invitation to join a lead space. It contains no secrets. */
export const Invitation = z.strictObject({
  kind: z.literal('companion-team-invitation'),
  version: z.literal(1),
  spaceId: z.uuid(),
  spaceName: CleanName(100),
  person: CleanName(100),
  /** Accepts only invitations for leads. Older app versions also wrote invitations for members. */
  role: z.literal('lead'),
  user: CleanName(63),
  ...addressFields,
})
export type Invitation = z.infer<typeof Invitation>

/** Parses an invitation. Fails with `team.badInvitation`. */
export function readInvitation(text: string): Invitation {
  const invitation = text.length > maxTextLength ? undefined : Invitation.safeParse(parseJson(text)).data
  if (invitation) return { ...invitation, ca: toCertificates(invitation.ca) }
  throw new AppError('team.badInvitation', 'This file is not an invitation to a team. Ask the lead for a new one.')
}

export const invitationText = (invitation: Invitation): string => `${JSON.stringify(invitation, undefined, 2)}\n`

/** Parses `postgres://user@host:5432/database`. Fails with `input.invalid`, which never quotes a password. */
export function readTeamAddress(text: string, certificates?: string): TeamAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    throw inputError('Write the address as postgres://user@host:5432/database.')
  }
  if (url.password !== '' || url.searchParams.has('password'))
    throw inputError('Leave the password out of the address. It is asked for separately and saved in the keychain.')
  if (url.search !== '' || url.hash !== '') throw inputError('Remove everything after the database name.')
  const parseResult = z.object({ user: CleanName(63), ...addressFields }).safeParse({
    user: querystring.unescape(url.username),
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? 5432 : Number(url.port),
    database: querystring.unescape(url.pathname.slice(1)),
    ca: toCertificates(certificates),
  })
  if (parseResult.success) return parseResult.data
  throw inputError('The address needs a user, a host and a database: postgres://user@host:5432/database.')
}

const inputError = (message: string): AppError => new AppError('input.invalid', message, { field: 'address' })

/** Extracts and checks certificates. Fails with `file.unparsable`. */
export function readCertificates(text: string): string {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  try {
    if (blocks.length === 0) throw new Error('none')
    return blocks.map((block) => new X509Certificate(block).toString()).join('')
  } catch (cause) {
    const message = 'There is no certificate in this file, or a damaged one. Name a PEM file of certificates.'
    throw new AppError('file.unparsable', message, { field: 'ca', cause })
  }
}

const toCertificates = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : readCertificates(text)

/** SHA-256 of the first certificate, for people to compare. Undefined without a certificate. */
export const computeFingerprint = (ca: string | undefined): string | undefined =>
  ca === undefined ? undefined : new X509Certificate(ca).fingerprint256

/** Whether the connection needs TLS. A database on this computer needs it only if it has its own certificate. */
export const needsTls = ({ host, ca }: Pick<TeamAddress, 'host' | 'ca'>): boolean =>
  ca !== undefined || !isLoopbackHost(host.includes(':') ? `[${host}]` : host)

export const formatAddress = ({ user, host, port, database }: TeamAddress): string =>
  `postgres://${encodeURIComponent(user)}@${host.includes(':') ? `[${host}]` : host}:${port}/${encodeURIComponent(database)}`
