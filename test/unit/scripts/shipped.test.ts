import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { releaseNotes, sha256Sums } from '../../../scripts/package/shipped.mjs'
import { makeFolder } from '../support/folders'

/** The SHA-256 of "abc", from FIPS 180-4. */
const abcSha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'

describe('the SHA-256 sums of a release', () => {
  it('list each file with its checksum, sorted by name', async () => {
    const folder = makeFolder()
    writeFileSync(join(folder, 'b.deb'), 'abc')
    writeFileSync(join(folder, 'a.rpm'), Buffer.alloc(3_000_000, 'x'))
    const sums = await sha256Sums(folder, ['b.deb', 'a.rpm'])
    expect(sums).toMatch(new RegExp(`^[0-9a-f]{64} {2}a\\.rpm\n${abcSha256} {2}b\\.deb\n$`))
  })

  it.skipIf(process.platform !== 'linux')('are accepted by sha256sum until a file is changed', async () => {
    const folder = makeFolder()
    writeFileSync(join(folder, 'app 1.deb'), 'abc')
    const sums = await sha256Sums(folder, ['app 1.deb'])
    const check = () => spawnSync('sha256sum', ['--check', '--strict'], { cwd: folder, input: sums, encoding: 'utf8' })
    expect(check()).toMatchObject({ status: 0, stdout: 'app 1.deb: OK\n' })
    writeFileSync(join(folder, 'app 1.deb'), 'abd')
    expect(check().status).toBe(1)
  })
})

describe('the notes of a release', () => {
  const changelogs: Record<string, string> = {
    'CHANGELOG.md':
      '# Changelog\n\n## Unreleased\n\n- New\n\n## [1.2.0] - 2026-11-01\n\n### Added\n\n- Faster\n\n## 1.1.0\n\n- Old\n',
    'CHANGELOG.vi.md': '# Nhật ký\n\n## Chưa phát hành\n\n- Mới\n\n## 1.2.0\n\n- Nhanh hơn\n',
  }
  const listNotes = (version: string) => releaseNotes(version, (name) => changelogs[name] ?? '')

  it('are the version’s section in the changelog of each language', () => {
    expect(listNotes('1.2.0')).toEqual({ en: '### Added\n\n- Faster', vi: '- Nhanh hơn' })
  })

  it('are the unreleased section for a version without one, and never those of another one', () => {
    expect(listNotes('1.3.0')).toEqual({ en: '- New', vi: '- Mới' })
    expect(releaseNotes('1.3.0', () => '# Changelog\n\n## 1.1.0\n\n- Old\n')).toEqual({ en: '', vi: '' })
  })

  it('are no longer than the app accepts', () => {
    const { en } = releaseNotes('1.3.0', () => `# Changelog\n\n## Unreleased\n\n${'- more\n'.repeat(9000)}`)
    expect(en).toHaveLength(20_000)
  })
})
