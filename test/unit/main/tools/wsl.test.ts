import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, win32 } from 'node:path'
import { describe, expect, it, test, vi } from 'vitest'
import type { Disk, FileStats, OpenFile } from '../../../../src/main/core/files/disk'
import { parseDistributions, wslDisk, wslEnvironment, wslHelperArgv } from '../../../../src/main/tools/wsl'
import { makeFolder } from '../../support/folders'

/** Path where Windows looks for a file of a distribution. */
async function toShare(distribution: string, path: string): Promise<string | undefined> {
  const shares: string[] = []
  const access = createWslAccess('abc123\nHOME=/home/x\0', (share) => shares.push(share) > 0)
  const environment = await wslEnvironment(distribution, access)
  environment.exists(path)
  return shares[0]
}

test.each([
  ['/', '\\\\wsl.localhost\\Ubuntu\\'],
  ['/home/minh/.claude/settings.json', '\\\\wsl.localhost\\Ubuntu\\home\\minh\\.claude\\settings.json'],
  ['/home//minh/', '\\\\wsl.localhost\\Ubuntu\\home\\minh\\'],
  ['/home/Nguyễn Văn', '\\\\wsl.localhost\\Ubuntu\\home\\Nguyễn Văn'],
])('%s of a distribution is at the share %s', async (path, share) => {
  expect(await toShare('Ubuntu', path)).toBe(share)
})

test.each(['home/x', '', 'C:\\x', '/a\\b', '/a:b', '/a*', '/a?', '/a"', '/a<b', '/a|b', '/a\nb'])(
  '%j has no share',
  async (path) => {
    await expect(toShare('Ubuntu', path)).rejects.toThrow()
  },
)

const encodeUtf16 = (text: string, mark = ''): Buffer => Buffer.from(mark + text, 'utf16le')
const encodeUtf8 = (text: string): Buffer => Buffer.from(text)

const verboseOutput = [
  '  NAME                   STATE           VERSION',
  '* Ubuntu-24.04           Running         2',
  '  Debian                 Stopped         1',
  '  docker-desktop         Running         2',
  '  docker-desktop-data    Stopped         2',
  '',
].join('\r\n')

const expectedDistributions = ['Ubuntu-24.04', 'Debian']

describe('the list of distributions', () => {
  test.each([
    ['UTF-16', encodeUtf16(verboseOutput)],
    ['UTF-16 with a byte order mark', encodeUtf16(verboseOutput, '\uFEFF')],
    ['UTF-8', encodeUtf8(verboseOutput)],
    ['blank lines between', encodeUtf16(verboseOutput.replaceAll('\r\n', '\r\n\r\n'))],
    ['bare line feeds', encodeUtf16(verboseOutput.replaceAll('\r\n', '\n'))],
    ['carriage returns doubled', encodeUtf16(verboseOutput.replaceAll('\r\n', '\r\r\n'))],
  ])('is read from %s, without internal distributions', (_case, printed) => {
    expect(parseDistributions(printed)).toEqual(expectedDistributions)
  })

  it('is read from the quiet output', () => {
    expect(parseDistributions(encodeUtf16('Ubuntu-24.04\r\nDebian\r\n'))).toEqual(expectedDistributions)
  })

  it('is read in another language with longer words', () => {
    const germanWslOutput =
      '  NAME      STATUS          VERSION\r\n* Ubuntu    Wird ausgeführt 2\r\n  Debian    Beendet         2\r\n'
    expect(parseDistributions(encodeUtf16(germanWslOutput))).toEqual(['Ubuntu', 'Debian'])
  })

  test.each([
    ['nothing', ''],
    ['a message', 'Windows Subsystem for Linux has no installed distributions.\r\n'],
    ['a message of several lines', 'There is none.\r\nUse "wsl.exe --list --online" to list 2\r\n'],
    ['a name with a blank in it', '  My Distro    Stopped         2\r\n'],
    ['a name that is an option', '  --shutdown    Stopped         2\r\n'],
    ['a name with a path in it', '  ..\\x    Stopped         2\r\n  .    Stopped         2\r\n'],
  ])('is empty for %s', (_case, printed) => {
    expect(parseDistributions(encodeUtf16(printed))).toEqual([])
  })
})

test.each(['', '-d', '--exec', 'a b', 'a"b', 'a&b', '..', '.hidden', 'a/b', 'a\\b', 'a\0', 'a\n', 'x'.repeat(65)])(
  '%j is not a distribution name',
  async (name) => {
    await expect(toShare(name, '/')).rejects.toMatchObject({ failure: { code: 'input.invalid' } })
  },
)

test.each(['Ubuntu', 'Ubuntu-24.04', 'kali-linux', 'my_own.1', '_x'])('%s is a distribution name', async (name) => {
  expect(await toShare(name, '/')).toBe(`\\\\wsl.localhost\\${name}\\`)
})

type WslAccess = Parameters<typeof wslEnvironment>[1]

const createWslAccess = (printed: string | Error, exists: WslAccess['exists'] = () => false): WslAccess => ({
  mark: 'abc123',
  exists,
  run: async () => {
    if (printed instanceof Error) throw printed
    return Buffer.from(printed)
  },
})

describe('the environment of a distribution', () => {
  it('contains its home and variables, and its files by their Windows paths', async () => {
    const commands: string[] = []
    const recordExistsCheck = (path: string): boolean => commands.push(path) > 0
    const shellOutput = 'welcome\nHOME=/wrong\0\nabc123\nHOME=/home/x\0XDG_CONFIG_HOME=/home/x/c\0ODD=a=b\nc\0'
    const environment = await wslEnvironment('Ubuntu', createWslAccess(shellOutput, recordExistsCheck))
    expect(environment).toMatchObject({
      home: '/home/x',
      platform: 'linux',
      vars: { HOME: '/home/x', XDG_CONFIG_HOME: '/home/x/c', ODD: 'a=b\nc' },
    })
    expect(environment.exists('/home/x/.some')).toBe(true)
    expect(commands).toEqual(['\\\\wsl.localhost\\Ubuntu\\home\\x\\.some'])
  })

  test.each([
    ['it cannot be started', new Error('secret details')],
    ['it prints nothing', ''],
    ['it prints no mark', 'HOME=/home/x\0'],
    ['it has no home', 'abc123\nPATH=/bin\0'],
    ['its home is no path', 'abc123\nHOME=relative\0'],
  ])('is unavailable when %s', async (_case, printed) => {
    const failedEnvironment = wslEnvironment('Ubuntu', createWslAccess(printed))
    await expect(failedEnvironment).rejects.toMatchObject({ failure: { code: 'file.unreadable' } })
    await expect(failedEnvironment).rejects.not.toThrow(/secret/)
  })

  it('is not read for an invalid name', async () => {
    const run = vi.fn(async () => Buffer.from(''))
    await expect(wslEnvironment('--shutdown', { ...createWslAccess(''), run })).rejects.toThrow('not the name')
    expect(run).not.toHaveBeenCalled()
  })
})

describe('the query', () => {
  it('contains nothing that Windows or a shell in between would interpret', async () => {
    const parts: string[] = []
    const run = async (args: readonly string[]): Promise<Uint8Array> => {
      parts.push(...args)
      return Buffer.from('abc123\nHOME=/home/x\0')
    }
    await wslEnvironment('Ubuntu', { ...createWslAccess(''), run })
    expect(parts.join(' ')).not.toMatch(/["'$\\`%]/)
    expect(parts.slice(0, 3)).toEqual(['--distribution', 'Ubuntu', '--exec'])
  })

  it('is answered by a real sh, whatever its files print', async () => {
    const home = makeFolder()
    writeFileSync(join(home, '.profile'), 'echo noise\nexport RIVAL="a\nb"\n')
    const run = async ([, , , program = '', ...args]: readonly string[]): Promise<Uint8Array> =>
      execFileSync(program, args, { env: { HOME: home, PATH: '/usr/bin:/bin' } })
    const { vars } = await wslEnvironment('Ubuntu', { ...createWslAccess(''), run })
    expect(vars).toMatchObject({ HOME: home, RIVAL: 'a\nb' })
  })
})

const args = ['key', 'print', '--plan', 'plan-1', '--key', 'key-1']

it('cmd.exe is called by its Linux path, with the launcher’s Windows path', () => {
  const launcher = 'C:\\Users\\Nguyễn Văn\\AppData\\Roaming\\companion\\bin\\companion.cmd'
  expect(wslHelperArgv(launcher, args)).toEqual(['/mnt/c/Windows/System32/cmd.exe', '/d', '/c', launcher, ...args])
})

test.each([
  'C:\\a & b\\x.cmd',
  'C:\\a(1)\\x.cmd',
  'C:\\100%\\x.cmd',
  'C:\\a^b\\x.cmd',
  'C:\\a!\\x.cmd',
  "C:\\o'x\\x.cmd",
  'x.cmd',
  '\\\\server\\x.cmd',
  'C:\\a,b\\x.cmd',
])('there is no helper command when the launcher is %s, which cmd would misread', (launcher) => {
  expect(wslHelperArgv(launcher, args)).toBeUndefined()
})

test.each(['a b', 'a&b', '%PATH%', '"', ''])('there is no helper command with the argument %j', (arg) => {
  expect(wslHelperArgv('C:\\x.cmd', ['key', arg])).toBeUndefined()
})

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

test.each([
  ['\\\\wsl.localhost\\Ubuntu\\home\\x', '/home/x'],
  ['\\\\wsl$\\Debian\\', '/'],
  ['\\\\wsl$\\Debian', '/'],
  ['\\\\WSL.LOCALHOST\\Ubuntu\\Home', '/Home'],
  ['//wsl.localhost/Ubuntu/home/x', '/home/x'],
  ['\\\\server\\Ubuntu\\home', '\\\\server\\Ubuntu\\home'],
  ['C:\\Users\\x', 'C:\\Users\\x'],
  ['/home/x', '/home/x'],
])('%s is resolved to %s', async (realPath, expectedPath) => {
  const { disk } = record({ links: { 'C:\\link': realPath } })
  expect(await disk.realpath('C:\\link')).toBe(expectedPath)
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
