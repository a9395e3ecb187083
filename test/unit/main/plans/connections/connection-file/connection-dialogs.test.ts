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
import { untrusted } from '../../../gateway/answering-server'

const folder = mkdtempSync(join(tmpdir(), 'companion-files-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A user who chooses this path in every dialog, or closes it if undefined. */
function choosing(path: string | undefined, confirm: Confirm = async () => false) {
  const { connections } = makeConnections()
  const suggested: string[] = []
  const dialogs = {
    openConnection: async () => path,
    openCertificates: async () => path,
    saveConnection: async (name: string) => {
      suggested.push(name)
      return path
    },
  }
  return {
    connections,
    suggested,
    files: createConnectionFiles({ connections, owners: () => connections.list(), confirm, dialogs, disk: realDisk }),
  }
}

async function saved(path: string | undefined, name = 'work') {
  const made = choosing(path)
  const input = { name, addresses: { aipApiUrl: 'https://aip.example.com' }, tokenSource: { kind: 'pasted' } as const }
  const { connection } = await made.connections.save(input, new Secret('token-0123456789'))
  return { ...made, id: connection.id }
}

function written(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

describe('connection files', () => {
  it('are written privately, without the secret, and can be read again', async () => {
    const path = join(folder, 'out.json')
    const { files, id, suggested } = await saved(path, 'Đội / một')
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
    const target = written('target.json', 'old')
    const link = join(folder, 'link.json')
    symlinkSync(target, link)
    const { files, id } = await saved(link)
    await files.write(id)
    expect(JSON.parse(readFileSync(target, 'utf8'))).toMatchObject({ name: 'work' })
  })

  it('are neither read nor written when the dialog is closed', async () => {
    const { files, id } = await saved(undefined)
    expect([await files.read(), await files.write(id), await files.chooseCertificates()]).toEqual([{}, {}, {}])
  })

  it.each<[string, () => string, object]>([
    ['that is not there', () => join(folder, 'none.json'), { code: 'file.unreadable' }],
    ['that is a folder', () => folder, { code: 'file.unreadable' }],
    ['that is far too long', () => written('long.json', ' '.repeat(64_001)), { code: 'file.unparsable' }],
    ['that is no text', () => written('bytes.json', new Uint8Array([0xff, 0xfe, 0x00])), { code: 'file.unparsable' }],
    ['that is no JSON', () => written('bad.json', '{\n"name"\n}'), { code: 'file.unparsable', line: 3 }],
    [
      'with a secret',
      () => written('s.json', '{"name":"a","secret":"canary-0123"}'),
      { code: 'input.invalid', field: 'secret' },
    ],
  ])('%s are refused, naming the file if it is at fault', async (_, path, failure) => {
    const chosen = path()
    const act = choosing(chosen).files.read()
    await expect(act).rejects.toMatchObject({ failure })
    await expect(act).rejects.not.toThrow(/canary/)
    if ('code' in failure && failure.code !== 'input.invalid') await expect(act).rejects.toThrow(chosen)
  })

  it('that cannot be written are reported and stay unchanged', async () => {
    const path = written('protected.json', 'old')
    chmodSync(path, 0o400)
    const { files, id } = await saved(path)
    await expect(files.write(id)).rejects.toMatchObject({ failure: { code: 'file.unwritable' } })
    expect(readFileSync(path, 'utf8')).toBe('old')
    await expect(files.write('gone')).rejects.toMatchObject({ failure: { code: 'connection.notFound' } })
  })

  it('for certificates must contain a certificate', async () => {
    const path = written('ca.pem', untrusted.cert)
    expect(await choosing(path).files.chooseCertificates()).toEqual({ path })
    const key = written('key.pem', untrusted.key)
    await expect(choosing(key).files.chooseCertificates()).rejects.toMatchObject({
      failure: { code: 'file.unparsable' },
    })
    mkdirSync(join(folder, 'dir.pem'))
    await expect(choosing(join(folder, 'dir.pem')).files.chooseCertificates()).rejects.toMatchObject({
      failure: { code: 'file.unreadable' },
    })
  })
})

describe('a certificate file', () => {
  const office = { name: 'office' }

  it('needs no confirmation when chosen in a dialog or a connection file, or already in use', async () => {
    const pem = written('chosen.pem', untrusted.cert)
    const inDialog = choosing(pem)
    await inDialog.files.chooseCertificates()
    await inDialog.files.requireTrusted({ ...office, caFile: ` ${pem} ` })
    const inFile = choosing(written('office.json', JSON.stringify({ name: 'office', caFile: pem })))
    await inFile.files.read()
    await inFile.files.requireTrusted({ ...office, caFile: pem })
    const used = choosing(undefined)
    const { connection } = await used.connections.save({ name: 'office', addresses: {}, caFile: pem })
    await used.files.requireTrusted({ id: connection.id, name: 'office', caFile: pem })
    await used.files.requireTrusted({ name: 'office' })
  })

  it('needs confirmation before it is read when its path came from the page', async () => {
    const asked: unknown[] = []
    const { files } = choosing(undefined, async (question) => asked.push(question) > 1)
    const wish = { ...office, caFile: '/etc/shadow' }
    await expect(files.requireTrusted(wish)).rejects.toMatchObject({ failure: { code: 'input.declined' } })
    await files.requireTrusted(wish)
    await files.requireTrusted(wish)
    expect(asked).toHaveLength(2)
    expect(asked[0]).toEqual({ kind: 'trustCertificates', connection: 'office', path: '/etc/shadow' })
  })
})
