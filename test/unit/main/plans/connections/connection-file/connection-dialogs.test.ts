import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Confirm } from '../../../../../../src/main/core/consent/consent'
import { realDisk } from '../../../../../../src/main/core/files/disk'
import { Secret } from '../../../../../../src/main/core/secret'
import { createConnectionFiles } from '../../../../../../src/main/plans/connections/connection-file'
import { makeConnections } from '../../../../../support/connections'
import { selfSignedIdentity } from '../../../gateway/answering-server'

const folder = mkdtempSync(join(tmpdir(), 'companion-files-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A user who chooses this path in every dialog, or closes it if undefined. */
function createWithChosenFile(path: string | undefined, confirm: Confirm = async () => false) {
  const { connections } = makeConnections()
  const suggestedNames: string[] = []
  const dialogs = {
    open: async () => path,
    save: async (name: string) => {
      suggestedNames.push(name)
      return path
    },
  }
  return {
    connections,
    suggested: suggestedNames,
    files: createConnectionFiles({ connections, owners: () => connections.list(), confirm, dialogs, disk: realDisk }),
  }
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

  it.each<[string, () => string, object]>([
    ['that is not there', () => join(folder, 'none.json'), { code: 'file.unreadable' }],
    ['that is a folder', () => folder, { code: 'file.unreadable' }],
    ['that is far too long', () => writeTestFile('long.json', ' '.repeat(64_001)), { code: 'file.unparsable' }],
    [
      'that is no text',
      () => writeTestFile('bytes.json', new Uint8Array([0xff, 0xfe, 0x00])),
      { code: 'file.unparsable' },
    ],
    ['that is no JSON', () => writeTestFile('bad.json', '{\n"name"\n}'), { code: 'file.unparsable', line: 3 }],
    [
      'with a secret',
      () => writeTestFile('s.json', '{"name":"a","secret":"canary-0123"}'),
      { code: 'input.invalid', field: 'secret' },
    ],
  ])('%s are refused, naming the file if it is at fault', async (_, path, failure) => {
    const chosenPath = path()
    const readFileAction = createWithChosenFile(chosenPath).files.read()
    await expect(readFileAction).rejects.toMatchObject({ failure })
    await expect(readFileAction).rejects.not.toThrow(/canary/)
    if ('code' in failure && failure.code !== 'input.invalid') await expect(readFileAction).rejects.toThrow(chosenPath)
  })

  it('that cannot be written are reported and stay unchanged', async () => {
    const path = writeTestFile('protected.json', 'old')
    chmodSync(path, 0o400)
    const { files, id } = await exportConnection(path)
    await expect(files.write(id)).rejects.toMatchObject({ failure: { code: 'file.unwritable' } })
    expect(readFileSync(path, 'utf8')).toBe('old')
    await expect(files.write('gone')).rejects.toMatchObject({ failure: { code: 'connection.notFound' } })
  })

  it('for certificates must contain a certificate', async () => {
    const path = writeTestFile('ca.pem', selfSignedIdentity.cert)
    expect(await createWithChosenFile(path).files.chooseCertificates()).toEqual({ path })
    const key = writeTestFile('key.pem', selfSignedIdentity.key)
    await expect(createWithChosenFile(key).files.chooseCertificates()).rejects.toMatchObject({
      failure: { code: 'file.unparsable' },
    })
    mkdirSync(join(folder, 'dir.pem'))
    await expect(createWithChosenFile(join(folder, 'dir.pem')).files.chooseCertificates()).rejects.toMatchObject({
      failure: { code: 'file.unreadable' },
    })
  })
})

describe('a certificate file', () => {
  const officeInput = { name: 'office' }

  it('needs no confirmation when chosen in a dialog or a connection file, or already in use', async () => {
    const pemPath = writeTestFile('chosen.pem', selfSignedIdentity.cert)
    const dialogWithPem = createWithChosenFile(pemPath)
    await dialogWithPem.files.chooseCertificates()
    await dialogWithPem.files.requireTrusted({ ...officeInput, caFile: ` ${pemPath} ` })
    const dialogWithCaFile = createWithChosenFile(
      writeTestFile('office.json', JSON.stringify({ name: 'office', caFile: pemPath })),
    )
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
    await expect(files.requireTrusted(connectionInput)).rejects.toMatchObject({ failure: { code: 'input.declined' } })
    await files.requireTrusted(connectionInput)
    await files.requireTrusted(connectionInput)
    expect(consentQuestions).toHaveLength(2)
    expect(consentQuestions[0]).toEqual({ kind: 'trustCertificates', connection: 'office', path: '/etc/shadow' })
  })
})
