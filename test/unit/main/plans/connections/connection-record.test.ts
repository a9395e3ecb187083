import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Confirm } from '../../../../../src/main/core/consent/consent'
import { realDisk } from '../../../../../src/main/core/files/disk'
import { Secret } from '../../../../../src/main/core/secret'
import {
  type AddressInput,
  createConnectionFiles,
  normalizeConnection,
  readDraft,
  toConnectionFile,
} from '../../../../../src/main/plans/connections/connection-record'
import { makeConnections } from '../../../../support/connections'
import { expectFailure } from '../../../support/failures'
import { makeFileFolder } from '../../../support/folders'
import { selfSignedIdentity } from '../../gateway/answering-server'

describe('corrected addresses', () => {
  it.each<[keyof AddressInput, string, string, string[]]>([
    [
      'tokenPlanUrl',
      ' https://GW.example.com/v1/ ',
      'https://gw.example.com',
      ['trimmed', 'suffixRemoved', 'lowercased', 'trailingSlashRemoved'],
    ],
    ['identityApiUrl', 'https://iam.example.com/api/v1//', 'https://iam.example.com/api/v1', ['trailingSlashRemoved']],
    ['consoleUrl', 'https://console.example.com/', 'https://console.example.com', ['trailingSlashRemoved']],
    ['inferenceUrl', 'https://inference.example.com/v1', 'https://inference.example.com/v1', []],
    ['memoryApiUrl', 'memory.example.com/memory', 'https://memory.example.com/memory', ['schemeAdded']],
    [
      'memoryApiUrl',
      'https://memory.example.com/m?token=x#y',
      'https://memory.example.com/m',
      ['queryRemoved', 'fragmentRemoved'],
    ],
    ['runtimeApiUrl', 'http://127.0.0.1:4861/runtime', 'http://127.0.0.1:4861/runtime', []],
    ['aipApiUrl', 'HTTPS://AIP.example.com:443/a b', 'https://aip.example.com/a%20b', []],
    ['registryHost', 'registry.example.com', 'registry.example.com', []],
    ['registryHost', 'https://registry.example.com:5000/team/', 'registry.example.com:5000', ['suffixRemoved']],
    ['registryHost', '127.0.0.1:4861', '127.0.0.1:4861', []],
  ])('%s: %s is %s', (field, text, value, corrections) => {
    const addressInput = text.includes('a b') ? text.replace('a b', 'a%20b') : text
    const normalizedConnection = normalizeConnection({ addresses: { [field]: addressInput } })
    expect(normalizedConnection.addresses).toEqual({ [field]: value })
    expect(normalizedConnection.corrections.every((correction) => correction.field === field)).toBe(true)
    for (const expectedCorrection of corrections)
      expect(normalizedConnection.corrections.map(({ correction }) => correction)).toContain(expectedCorrection)
    if (corrections.length === 0 && addressInput === value) expect(normalizedConnection.corrections).toEqual([])
  })

  it.each([
    ['aipApiUrl', 'ftp://aip.example.com', 'address.scheme'],
    ['tokenPlanUrl', 'https://gw.example.com/console', 'address.path'],
    ['registryHost', 'http://registry.example.com', 'address.insecure'],
    ['runtimeApiUrl', 'runtime', 'address.notAnAddress'],
  ] as const)('refuses %s = %s and names the field', (field, text, code) => {
    expect(() => normalizeConnection({ addresses: { [field]: text } })).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ code, field }) }),
    )
  })
})

const connectionFile = {
  name: 'work',
  tokenPlanUrl: 'https://gw.example.com',
  consoleUrl: 'https://console.example.com/api',
  identityApiUrl: 'https://iam.example.com/api/v1',
  runtimeApiUrl: 'https://runtime.example.com',
  memoryApiUrl: 'https://memory.example.com',
  registryApiUrl: 'https://registry.example.com',
  aipApiUrl: 'https://aip.example.com',
  inferenceUrl: 'https://inference.example.com/v1',
  registryHost: 'registry.example.com',
  tokenSource: { kind: 'client-credentials', tokenUrl: 'https://iam.example.com/token', clientId: 'app', scope: 'all' },
  caFile: '/etc/ssl/own.pem',
}

const nestArrays = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`
const toDraft = (file: unknown) => readDraft(JSON.stringify(file))

describe('a connection file', () => {
  it.each([
    ['everything', connectionFile],
    ['a name only', { name: 'empty' }],
    ['a command', { name: 'c', tokenSource: { kind: 'command', command: ['helper', '--for', 'a b'] } }],
    ['a pasted token', { name: 'p', tokenSource: { kind: 'pasted' } }],
  ])('with %s is read, and written again unchanged', (_, file) => {
    const { corrections, ...draft } = toDraft(file)
    expect(corrections).toEqual([])
    const record = { id: 'i', createdAt: '2026-01-01T00:00:00Z', kept: 'keychain' as const, secretAt: 'x', ...draft }
    expect(JSON.parse(JSON.stringify(toConnectionFile(record)))).toEqual(file)
  })

  it('makes the connection’s name unambiguous', () => {
    expect(readDraft(`\uFEFF${JSON.stringify({ name: ' of\u202efice\u0000\n two ' })}`).name).toBe('office two')
    expect(() => toDraft({ name: '\u200b' })).toThrow(/name is not valid/)
    expect(() => toDraft({ name: 'a', 'x\u202ey\n': 1 })).toThrow(/has no xy\. Correct/)
  })

  const CANARY = 'canary-0123456789abcdef'
  const userUrl = `https://me:${CANARY}@h.example.com`
  const source = { kind: 'client-credentials', tokenUrl: 'https://iam.example.com/t', clientId: 'a' }
  const insecureSource = { ...source, tokenUrl: 'http://h.example.com' }
  it.each([
    ['a client secret', { name: 'a', tokenSource: { ...source, clientSecret: CANARY } }, 'clientSecret'],
    ['a secret as servers write it', { name: 'a', client_secret: CANARY }, 'client_secret'],
    ['a token', { name: 'a', tokenSource: { kind: 'pasted', token: CANARY } }, 'token'],
    ['a password', { name: 'a', password: CANARY }, 'password'],
    ['an API key', { name: 'a', apiKey: CANARY }, 'apiKey'],
    ['a secret deep inside', { name: 'a', more: [{ access_token: CANARY }] }, 'access_token'],
    ['a token in its command', { name: 'a', tokenSource: { kind: 'command', command: [`sk-${CANARY}`] } }, 'command'],
    ['a user in an address', { name: 'a', aipApiUrl: userUrl }, 'aipApiUrl', 'address.credentials'],
    ['an unknown key', { name: 'a', identityUrl: 'https://x.example.com' }, 'identityUrl'],
    ['an unknown key of its source', { name: 'a', tokenSource: { ...source, audience: 'x' } }, 'audience'],
    ['no name', { tokenPlanUrl: 'https://gw.example.com' }, 'name'],
    ['a name of spaces', { name: '  ' }, 'name'],
    ['an address that is a number', { name: 'a', aipApiUrl: 7 }, 'aipApiUrl'],
    ['an unsafe address', { name: 'a', aipApiUrl: 'http://h.example.com' }, 'aipApiUrl', 'address.insecure'],
    ['an unsafe token address', { name: 'a', tokenSource: insecureSource }, 'tokenUrl', 'address.insecure'],
    ['another kind of source', { name: 'a', tokenSource: { kind: 'magic' } }, 'tokenSource.kind'],
    [
      'a source without its client',
      { name: 'a', tokenSource: { ...source, clientId: undefined } },
      'tokenSource.clientId',
    ],
    [
      'a command without its program',
      { name: 'a', tokenSource: { kind: 'command', command: [] } },
      'tokenSource.command',
    ],
    ['a command line', { name: 'a', tokenSource: { kind: 'command', command: 'helper' } }, 'tokenSource.command'],
  ])('with %s is refused', (_, file, field, code = 'input.invalid') => {
    const parseDraft = () => toDraft(file)
    expect(parseDraft).toThrow(expect.objectContaining({ failure: expect.objectContaining({ code, field }) }))
    expect(parseDraft).not.toThrow(new RegExp(CANARY))
  })

  it.each([
    ['no JSON', '{\n  "name": "a",\n  oops\n}', { code: 'file.unparsable', line: 3 }],
    ['nothing', '', { code: 'file.unparsable' }],
    ['a comment', '{\n  // mine\n  "name": "a"\n}', { code: 'file.notStrict', line: 2 }],
    ['a list', '[]', { code: 'file.unparsable', line: 1 }],
    ['a text', '"sk-0123456789abcdef"', { code: 'file.unparsable' }],
    ['null', 'null', { code: 'file.unparsable' }],
    ['a very deep list', nestArrays(30_000), { code: 'input.invalid' }],
    ['a deep list', nestArrays(4_000), { code: 'input.invalid' }],
  ])('that contains %s is refused', (_, text, failure) => {
    expect(() => readDraft(text)).toThrow(expect.objectContaining({ failure: expect.objectContaining(failure) }))
    expect(() => readDraft(text)).not.toThrow(/sk-|oops/)
  })
})

const folder = makeFileFolder()

/** A user who chooses this path in every dialog, or closes it if undefined. */
function createWithChosenFile(path: string | undefined, confirm: Confirm = async () => false) {
  const { connections } = makeConnections()
  const suggestedNames: string[] = []
  const save = async (name: string) => {
    suggestedNames.push(name)
    return path
  }
  const ports = { connections, owners: () => connections.list(), confirm, disk: realDisk }
  const files = createConnectionFiles({ ...ports, dialogs: { open: async () => path, save } })
  return { connections, suggested: suggestedNames, files }
}

async function exportConnection(path: string | undefined, name = 'work') {
  const dialog = createWithChosenFile(path)
  const input = { name, addresses: { aipApiUrl: 'https://aip.example.com' }, tokenSource: { kind: 'pasted' } as const }
  const { connection } = await dialog.connections.save(input, new Secret('token-0123456789'))
  return { ...dialog, id: connection.id }
}

function writeTestFile(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

describe('connection files', () => {
  it('are written privately, without the secret, and can be read again', async () => {
    const path = join(folder, 'out.json')
    const { files, id, suggested } = await exportConnection(path, 'Đội / một')
    expect(await files.write(id)).toEqual({ path })
    expect(suggested).toEqual(['Đội-một.json'])
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readFileSync(path, 'utf8')).not.toContain('token-0123')
    expect((await files.read()).draft).toEqual({
      name: 'Đội / một',
      addresses: { aipApiUrl: 'https://aip.example.com' },
      tokenSource: { kind: 'pasted' },
      corrections: [],
    })
    expect(readdirSync(folder).filter((name) => name.includes('tmp'))).toEqual([])
  })

  it('replace the target of a link, not the link', async () => {
    const target = writeTestFile('target.json', 'old')
    const link = join(folder, 'link.json')
    symlinkSync(target, link)
    const { files, id } = await exportConnection(link)
    await files.write(id)
    expect(JSON.parse(readFileSync(target, 'utf8'))).toMatchObject({ name: 'work' })
  })

  it('are neither read nor written when the dialog is closed', async () => {
    const { files, id } = await exportConnection(undefined)
    expect([await files.read(), await files.write(id), await files.chooseCertificates()]).toEqual([{}, {}, {}])
  })

  const secretText = '{"name":"a","secret":"canary-0123"}'
  it.each<[string, string | Uint8Array, { code: string; line?: number; field?: string }]>([
    ['that are far too long', ' '.repeat(64_001), { code: 'file.unparsable' }],
    ['that are no text', new Uint8Array([0xff, 0xfe, 0x00]), { code: 'file.unparsable' }],
    ['that are no JSON', '{\n"name"\n}', { code: 'file.unparsable', line: 3 }],
    ['with a secret', secretText, { code: 'input.invalid', field: 'secret' }],
  ])('%s are refused, naming the file if it is at fault', async (_, content, failure) => {
    const path = writeTestFile('bad.json', content)
    const reading = createWithChosenFile(path).files.read()
    await expect(reading).rejects.toMatchObject({ failure })
    await expect(reading).rejects.not.toThrow(/canary/)
    if (failure.code !== 'input.invalid') await expect(reading).rejects.toThrow(path)
  })

  it('that are missing or folders are refused by name', async () => {
    for (const path of [join(folder, 'none.json'), folder]) {
      const message = expect.stringContaining(path)
      await expectFailure(createWithChosenFile(path).files.read(), 'file.unreadable', { message })
    }
  })

  it('that cannot be written are reported and stay unchanged', async () => {
    const path = writeTestFile('protected.json', 'old')
    chmodSync(path, 0o400)
    const { files, id } = await exportConnection(path)
    await expectFailure(files.write(id), 'file.unwritable')
    expect(readFileSync(path, 'utf8')).toBe('old')
    await expectFailure(files.write('gone'), 'connection.notFound')
  })

  it('for certificates must contain a certificate', async () => {
    const path = writeTestFile('ca.pem', selfSignedIdentity.cert)
    expect(await createWithChosenFile(path).files.chooseCertificates()).toEqual({ path })
    const key = writeTestFile('key.pem', selfSignedIdentity.key)
    await expectFailure(createWithChosenFile(key).files.chooseCertificates(), 'file.unparsable')
    mkdirSync(join(folder, 'dir.pem'))
    await expectFailure(createWithChosenFile(join(folder, 'dir.pem')).files.chooseCertificates(), 'file.unreadable')
  })
})

describe('a certificate file', () => {
  const officeInput = { name: 'office' }

  it('needs no confirmation when chosen in a dialog or a connection file, or already in use', async () => {
    const pemPath = writeTestFile('chosen.pem', selfSignedIdentity.cert)
    const dialogWithPem = createWithChosenFile(pemPath)
    await dialogWithPem.files.chooseCertificates()
    await dialogWithPem.files.requireTrusted({ ...officeInput, caFile: ` ${pemPath} ` })
    const connectionPath = writeTestFile('office.json', JSON.stringify({ name: 'office', caFile: pemPath }))
    const dialogWithCaFile = createWithChosenFile(connectionPath)
    await dialogWithCaFile.files.read()
    await dialogWithCaFile.files.requireTrusted({ ...officeInput, caFile: pemPath })
    const canceledDialogs = createWithChosenFile(undefined)
    const { connection } = await canceledDialogs.connections.save({ name: 'office', addresses: {}, caFile: pemPath })
    await canceledDialogs.files.requireTrusted({ id: connection.id, name: 'office', caFile: pemPath })
    await canceledDialogs.files.requireTrusted({ name: 'office' })
  })

  it('needs confirmation before it is read when its path came from the page', async () => {
    const consentQuestions: unknown[] = []
    const { files } = createWithChosenFile(undefined, async (question) => consentQuestions.push(question) > 1)
    const connectionInput = { ...officeInput, caFile: '/etc/shadow' }
    await expectFailure(files.requireTrusted(connectionInput), 'input.declined')
    await files.requireTrusted(connectionInput)
    await files.requireTrusted(connectionInput)
    expect(consentQuestions).toHaveLength(2)
    expect(consentQuestions[0]).toEqual({ kind: 'trustCertificates', connection: 'office', path: '/etc/shadow' })
  })
})
