import { X509Certificate } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import tls, { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'
import { AppError } from '@shared/failure'

const pemBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/**
 * Trusts the certificates of Node, of this computer, and of `caFiles` (DER, or PEM with one or several certificates).
 * Undefined if only Node's certificates apply. Fails with `file.unreadable` or `file.unparsable`.
 */
export function loadTrustedCertificates(caFiles: readonly string[]): SecureContext | undefined {
  if (caFiles.length > 0) return createTrustContext([...systemCertificates(), ...caFiles.flatMap(readCertificates)])
  systemTrust ??= { context: createTrustContext(systemCertificates()) }
  return systemTrust.context
}

const createTrustContext = (added: readonly string[]): SecureContext | undefined =>
  added.length === 0 ? undefined : createSecureContext({ ca: [...rootCertificates, ...added] })

let systemTrust: { readonly context: SecureContext | undefined } | undefined

/** Rejects a file without a certificate: `file.unreadable` or `file.unparsable`, with the field `caFile`. */
export function requireCertificates(path: string): void {
  try {
    readCertificates(path)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new AppError(error.failure.code, error.message, { field: 'caFile', cause: error })
  }
}

/** Bundles of Debian, Fedora, openSUSE and Alpine. The first existing one is the system's. */
const linuxBundles = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
]

let knownCertificates: readonly string[] | undefined

/** Reads the system's certificates once. A later change applies after the next start, as in a browser. */
function systemCertificates(): readonly string[] {
  knownCertificates ??= readSystemCertificates(process.env)
  return knownCertificates
}

/** Authorities beyond Node's list, of the system and the variables. Skips unreadable files, like OpenSSL and Node. */
export function readSystemCertificates(variables: Readonly<Record<string, string | undefined>>): string[] {
  const { SSL_CERT_FILE, SSL_CERT_DIR = '', NODE_EXTRA_CA_CERTS } = variables
  const folders = SSL_CERT_DIR.split(delimiter).filter((folder) => folder !== '')
  const files = [SSL_CERT_FILE, NODE_EXTRA_CA_CERTS, ...folders.flatMap(listFiles)]
  // Node supports the system's store since 22.15. Before that, only Linux has it in a file.
  const getCertificates: ((kind: 'system') => string[]) | undefined = Reflect.get(tls, 'getCACertificates')
  const nodeCertificates = getCertificates?.('system') ?? []
  const bundle = process.platform === 'linux' ? linuxBundles.map(readText).find((text) => text !== '') : undefined
  const texts = [...nodeCertificates, bundle ?? '', ...files.map((path) => (path ? readText(path) : ''))]
  const uniqueCertificates = new Map(
    texts.flatMap((text) => text.match(pemBlock) ?? []).map((pem) => [withoutWhitespace(pem), pem]),
  )
  for (const certificatePem of rootCertificates) uniqueCertificates.delete(withoutWhitespace(certificatePem))
  return [...uniqueCertificates.values()].filter(isCertificate)
}

const withoutWhitespace = (pem: string): string => pem.replace(/\s/g, '')

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem)
    return true
  } catch {
    return false
  }
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name))
  } catch {
    return []
  }
}

function readText(path: string): string {
  try {
    return readRegularFile(path).toString('latin1')
  } catch {
    return ''
  }
}

function readCertificates(path: string): string[] {
  let bytes: Buffer
  try {
    bytes = readRegularFile(path)
  } catch (cause) {
    const message = `The certificate file ${path} cannot be read. Check its path and permissions.`
    throw new AppError('file.unreadable', message, { field: 'caFiles', cause })
  }
  const blocks = bytes.toString('latin1').match(pemBlock)
  try {
    return (blocks ?? [bytes]).map((block) => new X509Certificate(block).toString())
  } catch (cause) {
    const message = `There is no certificate in ${path}, or a damaged one. Name a file with the certificate of an authority (PEM or DER).`
    throw new AppError('file.unparsable', message, { field: 'caFiles', cause })
  }
}

const maxFileBytes = 10_000_000

/** Reading a pipe or device might never end. */
function readRegularFile(path: string): Buffer {
  const fileStats = statSync(path)
  if (fileStats.isFile() && fileStats.size <= maxFileBytes) return readFileSync(path)
  throw new Error(`${path} is no file or too large.`)
}
