import { execFile } from 'node:child_process'
import { posix } from 'node:path'
import { AppError } from '@shared/failure'
import type { ToolEnvironment } from '../core/environment'
import { attributesOnlyArgs, type Disk, type FileStats, type OpenFile } from '../core/files/disk'
import type { Variables } from './login-shell'

/** Accepted names: no leading dash (an option of `wsl.exe`), and no special character of a share or a shell. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/

/** Internal distributions of programs, without users. */
const PROGRAM_DISTRIBUTIONS = /^(?:docker|rancher|podman)-/i

/** Parses `wsl.exe --list` with `--verbose` or `--quiet`. Skips localized headings and messages, and invalid names. */
export function parseDistributions(printed: Uint8Array): string[] {
  // `wsl.exe` writes UTF-16LE with or without a byte order mark, or UTF-8 if WSL_UTF8 is set.
  const isUtf16 = printed[0] === 0xff ? printed[1] === 0xfe : printed[1] === 0
  return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8')
    .decode(printed)
    .replaceAll('\0', '')
    .split(/\r?\n/)
    .flatMap((line) => {
      const [, rowText = ''] = /^\s*\*?\s*(.*?)\s*$/.exec(line) ?? []
      const [name = '', ...columns] = rowText.split(/\s{2,}/)
      // With `--quiet`, a line is a name. With `--verbose`, lines of distributions end with a version, unlike headings
      // and messages.
      return columns.length === 0 || /\s[12]$/.test(rowText) ? [name] : []
    })
    .filter((name) => NAME.test(name) && !PROGRAM_DISTRIBUTIONS.test(name))
}

/** Checks that a distribution's name is safe for `wsl.exe`. Fails with `input.invalid`. */
function requireDistribution(name: string): string {
  if (NAME.test(name)) return name
  const message = 'This is not the name of a Linux distribution. Choose one from the list.'
  throw new AppError('input.invalid', message, { field: 'site' })
}

/** Home and variables of a distribution's user. `mark` separates the output from that of shell files. */
export async function wslEnvironment(
  distribution: string,
  { run, exists, mark }: { readonly run: WslRun; readonly exists: (path: string) => boolean; readonly mark: string },
): Promise<ToolEnvironment> {
  const name = requireDistribution(distribution)
  // `--exec` avoids the user's shell, which would parse the line again. The line needs no quote, dollar or backslash,
  // which Windows would interpret.
  const args = ['--distribution', name, '--exec', 'sh', '-lc', `echo ${mark} && exec env -0`]
  const wslOutput = await run(args).catch((cause: unknown) => {
    throw createUnreachableError(name, cause)
  })
  const [, text = ''] = Buffer.from(wslOutput).toString().split(`${mark}\n`)
  const records = text.split('\0').filter((record) => record.indexOf('=') > 0)
  const vars: Variables = Object.fromEntries(
    records.map((record) => [record.slice(0, record.indexOf('=')), record.slice(record.indexOf('=') + 1)]),
  )
  const home = vars.HOME
  if (home === undefined || !home.startsWith('/')) throw createUnreachableError(name)
  return { home, platform: 'linux', vars, exists: (path) => exists(toShare(name, path)) }
}

function createUnreachableError(distribution: string, cause?: unknown): AppError {
  const message = `The Linux distribution ${distribution} did not respond. Start it once yourself, then try again.`
  return new AppError('file.unreadable', message, { cause })
}

/** Windows share of an absolute path in a distribution, such as `\\wsl.localhost\Ubuntu\home\x`. */
function toShare(distribution: string, path: string): string {
  if (!path.startsWith('/')) throw createInvalidPathError('A path in a Linux distribution begins with a slash.')
  // Windows rejects these characters or treats them specially, so the path would refer to another file.
  if (/[\\:*?"<>|\p{Cc}]/u.test(path))
    throw createInvalidPathError('Windows cannot reach a path with such characters in it.')
  return `\\\\wsl.localhost\\${requireDistribution(distribution)}${path.replace(/\/+/g, '\\')}`
}

/** Linux path in a distribution's share. Undefined for a path that is not in the share of a distribution. */
function parseWslShare(path: string): string | undefined {
  const [, rest] = /^[\\/]{2}(?:wsl\.localhost|wsl\$)[\\/][^\\/]+(.*)$/is.exec(path) ?? []
  return rest === undefined ? undefined : rest.replace(/[\\/]+/g, '/') || '/'
}

/** Whether a path is an absolute Linux path, even with backslashes from the Windows `join`. */
const isLinuxPath = (path: string): boolean => /^(?:\/(?!\/)|\\(?!\\))/.test(path)

const createInvalidPathError = (message: string): AppError => new AppError('input.invalid', message)

/** Runs `wsl.exe` and resolves with its output. Rejects on failure or timeout. */
type WslRun = (args: readonly string[]) => Promise<Uint8Array>

const TIME_LIMIT_MS = 15_000

/** Runs without a shell. The first call may have to start the distribution. */
export const runWsl: WslRun = (args) =>
  new Promise((resolve, reject) => {
    const options = { encoding: 'buffer', timeout: TIME_LIMIT_MS, windowsHide: true } as const
    const child = execFile('wsl.exe', args, options, (error, stdout) => (error ? reject(error) : resolve(stdout)))
    child.stdin?.on('error', () => undefined).end()
  })

/** Mode to assume if the permissions of a file are unknown. */
const PRIVATE_FILE_MODE = 0o600

/**
 * A disk whose Linux paths belong to a distribution. Windows paths stay unchanged. Windows cannot read or set Linux
 * permissions, so commands in the distribution do. Not tried on Windows.
 */
export function wslDisk(distribution: string, disk: Disk, run: WslRun): Disk {
  const linux = (path: string): string => path.replaceAll('\\', '/')
  const toDiskPath = (path: string): string => (isLinuxPath(path) ? toShare(distribution, linux(path)) : path)
  const runInDistribution = (...argv: string[]): Promise<Uint8Array> =>
    run(['--distribution', distribution, '--exec', ...argv])
  const readMode = async (path: string): Promise<number> => {
    const wslOutput = await runInDistribution('stat', '-c', '%a', '--', linux(path)).catch(() => new Uint8Array())
    const mode = Number.parseInt(Buffer.from(wslOutput).toString(), 8)
    return Number.isNaN(mode) ? PRIVATE_FILE_MODE : mode
  }
  const setMode = async (path: string, mode: number): Promise<void> => {
    await runInDistribution('chmod', mode.toString(8), '--', linux(path))
  }
  // If a command in the distribution cannot set the mode, nothing is written, because the content may have to be
  // private. The owner is always the user, so it is never set.
  const wrapFile = (file: OpenFile, path: string): OpenFile => ({
    writeFile: (bytes) => file.writeFile(bytes),
    overwrite: (bytes) => file.overwrite(bytes),
    chmod: (mode) => setMode(path, mode),
    chown: async () => undefined,
    sync: () => file.sync(),
    close: () => file.close(),
  })
  return {
    // Skip the check of the file owner. Windows writes as the distribution's user, but reports another owner id.
    user: undefined,
    isWritable: (path) => disk.isWritable(toDiskPath(path)),
    readFile: (path) => disk.readFile(toDiskPath(path)),
    lstat: async (path) => {
      const stats = await disk.lstat(toDiskPath(path))
      return isLinuxPath(path) ? replaceMode(stats, await readMode(path)) : stats
    },
    readlink: async (path) => {
      const target = await disk.readlink(toDiskPath(path))
      return isLinuxPath(path) ? toDiskPath(posix.resolve(posix.dirname(linux(path)), linux(target))) : target
    },
    realpath: async (path) => {
      const realPath = await disk.realpath(toDiskPath(path))
      return parseWslShare(realPath) ?? realPath
    },
    readdir: (path) => disk.readdir(toDiskPath(path)),
    create: async (path, mode) => {
      const file = await disk.create(toDiskPath(path), mode)
      if (!isLinuxPath(path)) return file
      try {
        // Set the mode before the first byte is written, because Windows uses the distribution's default mode.
        await setMode(path, mode)
      } catch (error) {
        await file.close()
        await disk.unlink(toDiskPath(path))
        throw error
      }
      return wrapFile(file, path)
    },
    open: async (path) => {
      const file = await disk.open(toDiskPath(path))
      return isLinuxPath(path) ? wrapFile(file, path) : file
    },
    copyAttributes: async (from, to) => {
      if (isLinuxPath(to)) await runInDistribution('cp', ...attributesOnlyArgs, linux(from), linux(to))
      else await disk.copyAttributes(from, to)
    },
    rename: (from, to) => disk.rename(toDiskPath(from), toDiskPath(to)),
    unlink: (path) => disk.unlink(toDiskPath(path)),
    mkdir: async (path, mode) => {
      await disk.mkdir(toDiskPath(path), mode)
      if (isLinuxPath(path)) await setMode(path, mode).catch(() => undefined)
    },
    rmdir: (path) => disk.rmdir(toDiskPath(path)),
    syncFolder: (path) => disk.syncFolder(toDiskPath(path)),
  }
}

const replaceMode = (stats: FileStats, mode: number): FileStats => ({
  mode,
  uid: stats.uid,
  gid: stats.gid,
  nlink: stats.nlink,
  isFile: () => stats.isFile(),
  isSymbolicLink: () => stats.isSymbolicLink(),
})

/**
 * The helper command for a tool inside a distribution. Linux cannot start a `.cmd` file, so the command runs
 * `cmd.exe` by its `/mnt` path, with the launcher's Windows path. Undefined if that path cannot be quoted safely:
 * `cmd` parses its line again, and keeps quotes only around a path without special characters (`cmd /?`). Another
 * delivery must then be used. Not tested on Windows.
 */
export function wslHelperArgv(launcher: string, args: readonly string[]): string[] | undefined {
  const isSafe =
    /^[A-Za-z]:\\[^&<>()@^|%!"';,=`*?/\p{Cc}]+$/u.test(launcher) && args.every((arg) => /^[\w.-]+$/.test(arg))
  return isSafe ? ['/mnt/c/Windows/System32/cmd.exe', '/d', '/c', launcher, ...args] : undefined
}
