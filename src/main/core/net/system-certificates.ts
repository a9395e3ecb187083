import { X509Certificate } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import tls, { rootCertificates } from 'node:tls'
import { readRegularFile } from '../data-dir'

export const pemBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Bundles of Debian, Fedora, openSUSE and Alpine. The first existing one is the system's. */
const linuxBundles = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
]

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
    return readCertificateFile(path).toString('latin1')
  } catch {
    return ''
  }
}

export const readCertificateFile = (path: string): Buffer => readRegularFile(path, 10)
