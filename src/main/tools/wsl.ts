import { execFile } from 'node:child_process'
import { posix } from 'node:path'
import { AppError } from '@shared/failure'
import type { ToolEnvironment } from '../core/environment'
import { attributesOnly, type Disk, type FileFacts, type OpenFile } from '../core/files/disk'
import type { Variables } from './login-shell'

/** One Linux distribution of the Windows Subsystem for Linux. */
type Distribution = { readonly name: string; readonly isDefault: boolean }

/** Begins with no dash, so that it can be no option of `wsl.exe`, and holds nothing that a share or a shell reads. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/

/** Distributions that programs keep for themselves; nobody works in them. */
const OF_PROGRAMS = /^(?:docker|rancher|podman)-/i

/**
 * The distributions in what `wsl.exe --list` prints, with `--verbose` or `--quiet`. Headings and messages, which are in
 * the user's language, and names that are none are left out.
 */
export function parseDistributions(printed: Uint8Array): Distribution[] {
  return decode(printed)
    .split(/\r?\n/)
    .flatMap(readLine)
    .filter(({ name }) => NAME.test(name) && !OF_PROGRAMS.test(name))
}

/** The name, when it may be given to `wsl.exe`; `input.invalid` for any other text. */
function requireDistribution(name: string): string {
  if (NAME.test(name)) return name
  throw new AppError('input.invalid', 'This is not the name of a Linux distribution. Choose one from the list.', {
    field: 'site',
  })
}

/** `wsl.exe` writes UTF-16LE, with or without a byte order mark; UTF-8 where WSL_UTF8 is set. */
function decode(printed: Uint8Array): string {
  const isWide = printed[0] === 0xff ? printed[1] === 0xfe : printed[1] === 0
  const text = new TextDecoder(isWide ? 'utf-16le' : 'utf-8').decode(printed)
  return text.replaceAll('\0', '')
}

/** A line of `--quiet` is a name; one of `--verbose` ends with the version, which a heading and a message do not. */
function readLine(line: string): Distribution[] {
  const [, star, rest = ''] = /^\s*(\*?)\s*(.*?)\s*$/.exec(line) ?? []
  const [name = '', ...columns] = rest.split(/\s{2,}/)
  const isRow = columns.length === 0 || /\s[12]$/.test(rest)
  return isRow ? [{ name, isDefault: star === '*' }] : []
}

/** What a distribution is asked with, and how its files are looked for from Windows. */
type WslAccess = {
  readonly run: WslRun
  readonly exists: (path: string) => boolean
  /** A random word, to tell what the shell's files print from what was asked for. */
  readonly mark: string
}

/** The tools' surroundings in a distribution: its user's home and variables. Fails with `file.unreadable`. */
export async function wslEnvironment(distribution: string, { run, exists, mark }: WslAccess): Promise<ToolEnvironment> {
  const name = requireDistribution(distribution)
  const printed = await run(environmentArguments(name, mark)).catch((cause: unknown) => {
    throw unreachable(name, cause)
  })
  const vars = readVariables(printed, mark)
  const home = vars.HOME
  if (home === undefined || !home.startsWith('/')) throw unreachable(name)
  return { home, platform: 'linux', vars, exists: (path) => exists(toShare(name, path)) }
}

/**
 * The arguments that print a distribution's variables after `mark`. `--exec` keeps the user's shell out, which would read
 * the line a second time; and the line needs no quote, dollar or backslash, which Windows would read a first time.
 */
function environmentArguments(distribution: string, mark: string): string[] {
  const line = `echo ${mark} && exec env -0`
  return ['--distribution', requireDistribution(distribution), '--exec', 'sh', '-lc', line]
}

/** The variables behind `mark`; none when it is not there. */
function readVariables(printed: Uint8Array, mark: string): Variables {
  const [, text = ''] = Buffer.from(printed).toString().split(`${mark}\n`)
  const records = text.split('\0').filter((record) => record.indexOf('=') > 0)
  return Object.fromEntries(
    records.map((record) => [record.slice(0, record.indexOf('=')), record.slice(record.indexOf('=') + 1)]),
  )
}

function unreachable(distribution: string, cause?: unknown): AppError {
  const message = `The Linux distribution ${distribution} did not respond. Start it once yourself, then try again.`
  return new AppError('file.unreadable', message, { cause })
}

/** The hosts under which Windows shares the files of distributions: the present one, and that of older Windows 10. */
type WslHost = 'wsl.localhost' | 'wsl$'

/** The share of Windows for an absolute path in a distribution, as `\\wsl.localhost\Ubuntu\home\x`. */
export function toShare(distribution: string, path: string, host: WslHost = 'wsl.localhost'): string {
  if (!path.startsWith('/')) throw notAPath('A path in a Linux distribution begins with a slash.')
  // Windows takes these apart or refuses them, and what it would find is another file.
  if (/[\\:*?"<>|\p{Cc}]/u.test(path)) throw notAPath('Windows cannot reach a path with such characters in it.')
  return `\\\\${host}\\${requireDistribution(distribution)}${path.replace(/\/+/g, '\\')}`
}

/** The distribution and the path in it behind a share of Windows; undefined for any other path. */
export function fromShare(path: string): { readonly distribution: string; readonly path: string } | undefined {
  const [, distribution, rest = ''] = /^[\\/]{2}(?:wsl\.localhost|wsl\$)[\\/]([^\\/]+)(.*)$/is.exec(path) ?? []
  if (distribution === undefined) return undefined
  return { distribution, path: rest.replace(/[\\/]+/g, '/') || '/' }
}

/** Where a distribution has a path of a Windows drive, as `/mnt/c/Users/x`; undefined for a share or a relative path. */
export function toMount(path: string, root = '/mnt'): string | undefined {
  const [, drive, rest = ''] = /^([A-Za-z]):(?:[\\/](.*))?$/s.exec(path) ?? []
  if (drive === undefined) return undefined
  const tail = rest.replace(/[\\/]+/g, '/')
  return `${root === '/' ? '' : root}/${drive.toLowerCase()}${tail === '' ? '' : `/${tail}`}`
}

/** True for an absolute path of Linux, also when the `join` of Windows turned its slashes. */
export function isLinuxPath(path: string): boolean {
  return /^(?:\/(?!\/)|\\(?!\\))/.test(path)
}

const notAPath = (message: string): AppError => new AppError('input.invalid', message)

/** Runs `wsl.exe` with arguments and resolves with the bytes it printed. Rejects when it fails or takes too long. */
type WslRun = (args: readonly string[]) => Promise<Uint8Array>

const TIME_LIMIT_MS = 15_000

/** The `wsl.exe` of this machine, without a shell between. The first call may have to start the distribution. */
export const runWsl: WslRun = (args) =>
  new Promise((resolve, reject) => {
    const options = { encoding: 'buffer', timeout: TIME_LIMIT_MS, windowsHide: true } as const
    const child = execFile('wsl.exe', args, options, (error, stdout) => (error ? reject(error) : resolve(stdout)))
    child.stdin?.on('error', () => undefined).end()
  })

/** Of a file that Windows shows nothing about: what cannot give anything away. */
const PRIVATE = 0o600

/**
 * A disk on which every Linux path is one of a distribution; paths of Windows stay what they are. Windows neither shows
 * nor sets the permissions of Linux, so the distribution is asked for them and told. Not tried on Windows.
 */
export function wslDisk(distribution: string, disk: Disk, run: WslRun): Disk {
  const linux = (path: string): string => path.replaceAll('\\', '/')
  const at = (path: string): string => (isLinuxPath(path) ? toShare(distribution, linux(path)) : path)
  const inside = (...argv: string[]): Promise<Uint8Array> => run(['--distribution', distribution, '--exec', ...argv])
  const place: Inside = {
    readMode: (path) => readMode(inside, path),
    setMode: (path, mode) => setMode(inside, path, mode),
  }
  return {
    // Windows writes as the user of the distribution, whose files say another number.
    user: undefined,
    isWritable: (path) => disk.isWritable(at(path)),
    readFile: (path) => disk.readFile(at(path)),
    lstat: async (path) => {
      const facts = await disk.lstat(at(path))
      return isLinuxPath(path) ? withMode(facts, await place.readMode(linux(path))) : facts
    },
    readlink: async (path) => {
      const target = await disk.readlink(at(path))
      return isLinuxPath(path) ? at(posix.resolve(posix.dirname(linux(path)), linux(target))) : target
    },
    realpath: async (path) => {
      const real = await disk.realpath(at(path))
      return fromShare(real)?.path ?? real
    },
    readdir: (path) => disk.readdir(at(path)),
    create: async (path, mode) => {
      const file = await disk.create(at(path), mode)
      if (!isLinuxPath(path)) return file
      const linuxFile = { file, path: linux(path), place }
      try {
        // Before the first byte is in it: Windows gave it the permissions that the distribution starts files with.
        await place.setMode(linuxFile.path, mode)
      } catch (error) {
        await file.close()
        await disk.unlink(at(path))
        throw error
      }
      return openInside(linuxFile)
    },
    open: async (path) => {
      const file = await disk.open(at(path))
      return isLinuxPath(path) ? openInside({ file, path: linux(path), place }) : file
    },
    copyAttributes: async (from, to) => {
      if (isLinuxPath(to)) await inside('cp', ...attributesOnly, linux(from), linux(to))
      else await disk.copyAttributes(from, to)
    },
    rename: (from, to) => disk.rename(at(from), at(to)),
    unlink: (path) => disk.unlink(at(path)),
    mkdir: async (path, mode) => {
      await disk.mkdir(at(path), mode)
      if (isLinuxPath(path)) await place.setMode(linux(path), mode).catch(() => undefined)
    },
    rmdir: (path) => disk.rmdir(at(path)),
    syncFolder: (path) => disk.syncFolder(at(path)),
  }
}

type Inside = {
  readMode(path: string): Promise<number>
  setMode(path: string, mode: number): Promise<void>
}

type RunInside = (...argv: string[]) => Promise<Uint8Array>

async function readMode(inside: RunInside, path: string): Promise<number> {
  const printed = await inside('stat', '-c', '%a', '--', path).catch(() => new Uint8Array())
  const mode = Number.parseInt(Buffer.from(printed).toString(), 8)
  return Number.isNaN(mode) ? PRIVATE : mode
}

async function setMode(inside: RunInside, path: string, mode: number): Promise<void> {
  await inside('chmod', mode.toString(8), '--', path)
}

const withMode = (facts: FileFacts, mode: number): FileFacts => ({
  mode,
  uid: facts.uid,
  gid: facts.gid,
  nlink: facts.nlink,
  isFile: () => facts.isFile(),
  isSymbolicLink: () => facts.isSymbolicLink(),
})

/** A file whose permissions cannot be set is not written: it may have to be private. The owner is the user anyway. */
function openInside({ file, path, place }: { file: OpenFile; path: string; place: Inside }): OpenFile {
  return {
    writeFile: (bytes) => file.writeFile(bytes),
    overwrite: (bytes) => file.overwrite(bytes),
    chmod: (mode) => place.setMode(path, mode),
    chown: async () => undefined,
    sync: () => file.sync(),
    close: () => file.close(),
  }
}

/** Where the launcher of this app and the command interpreter of Windows are, as Windows writes paths. */
type WindowsLauncher = {
  readonly launcher: string
  readonly systemRoot?: string
  /** Where the distribution has the drives of Windows. */
  readonly mountRoot?: string
}

/**
 * The helper command as a program and its arguments inside a distribution. Linux starts no `.cmd`, so `cmd.exe` does, by
 * its `/mnt` path, and is given the launcher as Windows writes it. Undefined where that cannot be quoted safely: `cmd`
 * takes its line apart once more and keeps the quotes around a path only while nothing in the line is special to it
 * (`cmd /?`); then another way to deliver the key has to do. Not tried on Windows.
 */
export function wslHelperArgv(
  { launcher, systemRoot = 'C:\\Windows', mountRoot = '/mnt' }: WindowsLauncher,
  args: readonly string[],
): string[] | undefined {
  const interpreter = toMount(`${systemRoot}\\System32\\cmd.exe`, mountRoot)
  const isSafe =
    /^[A-Za-z]:\\[^&<>()@^|%!"';,=`*?/\p{Cc}]+$/u.test(launcher) && args.every((arg) => /^[\w.-]+$/.test(arg))
  return interpreter !== undefined && isSafe ? [interpreter, '/d', '/c', launcher, ...args] : undefined
}
