import { X509Certificate } from 'node:crypto'
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'
import { AppError } from '@shared/failure'
import { pemBlock, readCertificateFile, readSystemCertificates } from './system-certificates'

/**
 * Trusts the certificates of Node, of this computer, and of `caFiles` (DER, or PEM with one or several certificates).
 * Undefined if only Node's certificates apply. Fails with `file.unreadable` or `file.unparsable`.
 */
export function loadTrustedCertificates(caFiles: readonly string[]): SecureContext | undefined {
  const added = caFiles.flatMap((path) => readCertificates(path, 'caFiles'))
  if (added.length > 0) return createTrustContext([...systemCertificates(), ...added])
  systemTrust ??= { context: createTrustContext(systemCertificates()) }
  return systemTrust.context
}

const createTrustContext = (added: readonly string[]): SecureContext | undefined =>
  added.length === 0 ? undefined : createSecureContext({ ca: [...rootCertificates, ...added] })

let systemTrust: { readonly context: SecureContext | undefined } | undefined

/** Rejects a file without a certificate: `file.unreadable` or `file.unparsable`, with the field `caFile`. */
export function requireCertificates(path: string): void {
  readCertificates(path, 'caFile')
}

let knownCertificates: readonly string[] | undefined

/** Reads the system's certificates once. A later change applies after the next start, as in a browser. */
function systemCertificates(): readonly string[] {
  knownCertificates ??= readSystemCertificates(process.env)
  return knownCertificates
}

function readCertificates(path: string, field: 'caFile' | 'caFiles'): string[] {
  let bytes: Buffer
  try {
    bytes = readCertificateFile(path)
  } catch (cause) {
    const message = `The certificate file ${path} cannot be read. Check its path and permissions.`
    throw new AppError('file.unreadable', message, { field, cause })
  }
  const blocks = bytes.toString('latin1').match(pemBlock)
  try {
    return (blocks ?? [bytes]).map((block) => new X509Certificate(block).toString())
  } catch (cause) {
    const message = `There is no certificate in ${path}, or a damaged one. Name a file with the certificate of an authority (PEM or DER).`
    throw new AppError('file.unparsable', message, { field, cause })
  }
}
