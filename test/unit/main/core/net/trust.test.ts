import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { afterAll, describe, expect, it } from 'vitest'
import { readSystemCertificates } from '../../../../../src/main/core/net/system-certificates'
import { requireCertificates } from '../../../../../src/main/core/net/trust'
import { makeSharedFolder } from '../../../support/folders'
import { createAuthority } from './test-authority'

const folder = makeSharedFolder()
const authority = createAuthority(['DNS:company.test'])
afterAll(authority.remove)

const readCertificatePem = () => readFileSync(authority.pemFile, 'utf8').trim()
const addedBy = (variables: Record<string, string>): string[] => {
  const defaults = readSystemCertificates({})
  return readSystemCertificates(variables).filter((certificate) => !defaults.includes(certificate))
}

describe('the authorities of this computer', () => {
  it.each(['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'])('include the file of %s', (name) => {
    expect(addedBy({ [name]: authority.pemFile })).toEqual([readCertificatePem()])
  })

  it('include the files in the folders of SSL_CERT_DIR', () => {
    copyFileSync(authority.pemFile, join(folder, 'a1b2c3d4.0'))
    expect(addedBy({ SSL_CERT_DIR: `/nonexistent:${folder}` })).toEqual([readCertificatePem()])
  })

  it('omit those that Node trusts already, damaged ones, and missing files', () => {
    const bundle = join(folder, 'bundle.pem')
    const damagedCertificate = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'
    const pem = readCertificatePem()
    writeFileSync(bundle, [rootCertificates[0], damagedCertificate, pem, pem].join('\n'))
    expect(addedBy({ SSL_CERT_FILE: bundle, NODE_EXTRA_CA_CERTS: '/nonexistent/ca.pem' })).toEqual([pem])
  })
})

it.skipIf(process.platform === 'win32')('a pipe, a device or a huge file is no certificate file', () => {
  const [pipe, huge] = [join(folder, 'pipe'), join(folder, 'huge')]
  execFileSync('mkfifo', [pipe])
  writeFileSync(huge, readCertificatePem())
  truncateSync(huge, 2 ** 40)
  for (const path of [pipe, huge, '/dev/zero', folder]) {
    expect(addedBy({ SSL_CERT_FILE: path })).toEqual([])
    expect(() => requireCertificates(path)).toThrow(/cannot be read/)
  }
})
