import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A self-signed authority for one test file, made with the `openssl` command. */
interface Authority {
  readonly identity: { readonly key: string; readonly cert: string }
  /** The certificate as a file in both formats. */
  readonly pemFile: string
  readonly derFile: string
  readonly folder: string
  /** Issues a certificate with this common name and returns the files of certificate and key. */
  issue(name: string): { readonly certFile: string; readonly keyFile: string }
  remove(): void
}

/** Creates a self-signed certificate for names such as `DNS:a.test` or `IP:127.0.0.1`. Fails without openssl. */
export function createAuthority(names: readonly string[]): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'companion-ca-'))
  const [keyFile, pemFile, derFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem'), join(folder, 'cert.cer')]
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const subject = ['-subj', '/CN=Test authority', '-addext', `subjectAltName=${names.join(',')}`]
  openssl([...request, ...subject, '-keyout', keyFile, '-out', pemFile])
  openssl(['x509', '-in', pemFile, '-outform', 'DER', '-out', derFile])
  const identity = { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(pemFile, 'utf8') }
  const issue = (name: string) => {
    const files = { certFile: join(folder, `${name}.pem`), keyFile: join(folder, `${name}.key`) }
    const requestFile = join(folder, `${name}.csr`)
    openssl(['req', ...request.slice(2, -2), '-subj', `/CN=${name}`, '-keyout', files.keyFile, '-out', requestFile])
    const signingArgs = ['-CA', pemFile, '-CAkey', keyFile, '-CAcreateserial', '-days', '2']
    openssl(['x509', '-req', '-in', requestFile, ...signingArgs, '-out', files.certFile])
    return files
  }
  const remove = () => rmSync(folder, { recursive: true, force: true })
  return { identity, pemFile, derFile, folder, issue, remove }
}

function openssl(args: readonly string[]): void {
  try {
    execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] })
  } catch (cause) {
    throw new Error('These tests make a certificate with the openssl command, which is missing or failed.', { cause })
  }
}
