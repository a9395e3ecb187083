import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'
import { AppError } from '@shared/failure'

/**
 * Whom to trust besides the default roots: the certificates in these files (PEM, one or several, or DER); undefined
 * when there are none. Fails with `file.unreadable` or `file.unparsable`.
 */
export function readTrust(caFiles: readonly string[]): SecureContext | undefined {
  if (caFiles.length === 0) return undefined
  return createSecureContext({ ca: [...rootCertificates, ...caFiles.flatMap(readCertificates)] })
}

function readCertificates(path: string): string[] {
  const bytes = readFile(path)
  const blocks = bytes.toString('latin1').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)
  try {
    return (blocks ?? [bytes]).map((one) => new X509Certificate(one).toString())
  } catch (cause) {
    const message = `There is no certificate in ${path}, or a damaged one. Name a file with the certificate of an authority (PEM or DER).`
    throw new AppError('file.unparsable', message, { field: 'caFiles', cause })
  }
}

function readFile(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    const message = `The certificate file ${path} cannot be read. Check its path and permissions.`
    throw new AppError('file.unreadable', message, { field: 'caFiles', cause })
  }
}
