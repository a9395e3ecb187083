import { win32 } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import type { Disk, FileStats, OpenFile } from '../../../../../src/main/core/files/disk'
import { wslDisk } from '../../../../../src/main/tools/wsl'

const WSL_SHARE = '\\\\wsl.localhost\\Ubuntu'
const fileStats: FileStats = { mode: 0o666, uid: 0, gid: 0, nlink: 1, isFile: () => true, isSymbolicLink: () => false }

/** Simulates a Windows disk and a Linux distribution (WSL), and records the calls to both. */
function record({ links = {}, modes = {}, canChmod = true }: Partial<FakeDistribution> = {}) {
  const calls: string[] = []
  const recordCall = (operation: string, ...paths: string[]): void => void calls.push([operation, ...paths].join(' '))
  const file: OpenFile = {
    writeFile: async () => recordCall('writeFile'),
    overwrite: async () => recordCall('overwrite'),
    chmod: async (mode) => recordCall('windows-chmod', mode.toString(8)),
    chown: async () => recordCall('windows-chown'),
    sync: async () => recordCall('sync'),
    close: async () => recordCall('close'),
  }
  const disk: Disk = {
    user: undefined,
    isWritable: async () => true,
    open: async (path) => {
      recordCall('open', path)
      return file
    },
    copyAttributes: async (from, to) => recordCall('copyAttributes', from, to),
    readFile: async (path) => Buffer.from(path),
    lstat: async (path) => {
      recordCall('lstat', path)
      return fileStats
    },
    readlink: async (path) => links[path] ?? '',
    realpath: async (path) => links[path] ?? path,
    readdir: async (path) => [path],
    create: async (path) => {
      recordCall('create', path)
      return file
    },
    rename: async (from, to) => recordCall('rename', from, to),
    unlink: async (path) => recordCall('unlink', path),
    mkdir: async (path) => recordCall('mkdir', path),
    rmdir: async (path) => recordCall('rmdir', path),
    syncFolder: async (path) => recordCall('syncFolder', path),
  }
  const run = async (args: readonly string[]): Promise<Uint8Array> => {
    recordCall('wsl', ...args)
    if (args.includes('chmod') && !canChmod) throw new Error('refused')
    return Buffer.from(modes[args.at(-1) ?? ''] ?? '')
  }
  return { calls, disk: wslDisk('Ubuntu', disk, run) }
}

type FakeDistribution = {
  readonly links: Readonly<Record<string, string>>
  readonly modes: Readonly<Record<string, string>>
  readonly canChmod: boolean
}

describe('a Linux path', () => {
  test.each([
    ['as it is', '/home/x/.some/a.json'],
    ['with slashes turned by the join of Windows', win32.join('/home/x', '.some', 'a.json')],
  ])('%s belongs to the distribution', async (_case, path) => {
    const { disk } = record()
    expect(Buffer.from(await disk.readFile(path)).toString()).toBe(`${WSL_SHARE}\\home\\x\\.some\\a.json`)
    expect(await disk.readdir(win32.dirname(path))).toEqual([`${WSL_SHARE}\\home\\x\\.some`])
  })

  it('is used inside the distribution for every change', async () => {
    const { disk, calls } = record()
    await disk.rename('/a/new', '\\a\\old')
    await disk.unlink('/a/old')
    await disk.rmdir('/a')
    await disk.syncFolder('/a')
    expect(calls).toEqual([
      `rename ${WSL_SHARE}\\a\\new ${WSL_SHARE}\\a\\old`,
      `unlink ${WSL_SHARE}\\a\\old`,
      `rmdir ${WSL_SHARE}\\a`,
      `syncFolder ${WSL_SHARE}\\a`,
    ])
  })

  it('has the permissions that the distribution reports, and no group or other permissions if unknown', async () => {
    const { disk } = record({ modes: { '/home/x/a': '644\n' } })
    expect((await disk.lstat('\\home\\x\\a')).mode).toBe(0o644)
    expect((await disk.lstat('/home/x/unknown')).mode).toBe(0o600)
  })

  it('gets its permissions before its content when created', async () => {
    const { disk, calls } = record()
    const file = await disk.create('/home/x/a', 0o600)
    await file.writeFile(Buffer.from('x'))
    await file.chmod(0o640)
    await file.chown(1, 1)
    expect(calls).toEqual([
      `create ${WSL_SHARE}\\home\\x\\a`,
      'wsl --distribution Ubuntu --exec chmod 600 -- /home/x/a',
      'writeFile',
      'wsl --distribution Ubuntu --exec chmod 640 -- /home/x/a',
    ])
  })

  it('is removed when it cannot be made private', async () => {
    const { disk, calls } = record({ canChmod: false })
    await expect(disk.create('/home/x/a', 0o600)).rejects.toThrow('refused')
    expect(calls.slice(-2)).toEqual(['close', `unlink ${WSL_SHARE}\\home\\x\\a`])
  })

  it('is created as a folder with its permissions if possible', async () => {
    const { disk, calls } = record({ canChmod: false })
    await disk.mkdir('/home/x/f', 0o700)
    expect(calls).toEqual([`mkdir ${WSL_SHARE}\\home\\x\\f`, 'wsl --distribution Ubuntu --exec chmod 700 -- /home/x/f'])
  })
})

describe('a symbolic link', () => {
  it.each([
    ['/dots/a.json', `${WSL_SHARE}\\dots\\a.json`],
    ['../dots/a.json', `${WSL_SHARE}\\home\\x\\dots\\a.json`],
    ['b.json', `${WSL_SHARE}\\home\\x\\.some\\b.json`],
  ])('to %s leads to a share that Windows does not resolve', async (target, expected) => {
    const { disk } = record({ links: { [`${WSL_SHARE}\\home\\x\\.some\\a.json`]: target } })
    const linkTarget = await disk.readlink('/home/x/.some/a.json')
    expect(win32.resolve('\\home\\x\\.some', linkTarget)).toBe(expected)
  })

  it('is resolved to a Linux path', async () => {
    const { disk } = record({ links: { [`${WSL_SHARE}\\home\\x\\a`]: `${WSL_SHARE}\\dots\\a` } })
    expect(await disk.realpath('\\home\\x\\a')).toBe('/dots/a')
  })
})

it('Windows paths stay unchanged', async () => {
  const { disk, calls } = record()
  const path = 'C:\\Users\\x\\data\\tools\\a.json'
  expect(Buffer.from(await disk.readFile(path)).toString()).toBe(path)
  expect(await disk.lstat(path)).toBe(fileStats)
  expect(await disk.realpath(path)).toBe(path)
  await disk.mkdir(path, 0o700)
  await (await disk.create(path, 0o600)).chmod(0o600)
  expect(calls).toEqual([`lstat ${path}`, `mkdir ${path}`, `create ${path}`, 'windows-chmod 600'])
})
