import { execFile } from 'node:child_process'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, posix, win32 } from 'node:path'
import which from 'which'
import { z } from 'zod'
import { joinPath, type ToolEnvironment } from '../core/environment'
import { limitConcurrency, shareRunning } from '../core/work-queue'
import type { Target } from './target'

export type Detection = { readonly installed: boolean; readonly executable?: string; readonly version?: string }

/** Install folders that are missing from the PATH of desktop apps. `~` is the home folder. */
const wellKnownFolders: readonly string[] = [
  '~/.local/bin',
  '~/.npm-global/bin',
  '~/.bun/bin',
  '~/.opencode/bin',
  '~/.claude/local',
  '~/.volta/bin',
  '~/.asdf/shims',
  '~/.local/share/mise/shims',
  '~/.local/share/pnpm',
  '~/Library/pnpm',
  '~/AppData/Roaming/npm',
  '~/AppData/Local/pnpm',
  '/usr/local/bin',
  '/opt/homebrew/bin',
  '/home/linuxbrew/.linuxbrew/bin',
]

/** Creates a function that detects a tool. It caches the version until the executable changes, and never rejects. */
export function createToolDetector(
  environment: ToolEnvironment,
  {
    run = runVersion,
    timeoutMs = 10_000,
    cacheFile,
  }: {
    readonly run?: typeof runVersion
    /** Time limit of a version command in ms. */
    readonly timeoutMs?: number
    readonly cacheFile?: string
  } = {},
): (target: Pick<Target, 'executables' | 'markers'>) => Promise<Detection> {
  const knownVersions = new Map<string, { readonly stamp: string; readonly version: Promise<string | undefined> }>()
  const runWithLimit = limitConcurrency(maxRuns)
  // Detects tools concurrently and lists each folder only once.
  const listFolders = shareRunning(() => listInstallFolders(environment))
  return async ({ executables, markers }) => {
    const folders = [getPathVariable(environment), ...(await listFolders())].filter((folder) => folder !== '')
    const path = folders.join(environment.platform === 'win32' ? win32.delimiter : posix.delimiter)
    const executable = await findFirst(executables, path)
    if (executable === undefined) return { installed: (markers?.(environment) ?? []).some(environment.exists) }
    const stats = await stat(executable).catch(() => undefined)
    const fileStamp = `${stats?.mtimeMs} ${stats?.size}`
    const savedVersion = cacheFile === undefined ? undefined : readVersionFile(cacheFile)[executable]
    const cachedVersion = knownVersions.get(executable) ?? savedVersion
    const detectVersion = async (): Promise<string | undefined> =>
      (await readPackageVersion(executable)) ??
      versionPattern.exec(await runWithLimit(() => run(executable, environment, timeoutMs)))?.[0]
    const version = Promise.resolve(cachedVersion?.stamp === fileStamp ? cachedVersion.version : detectVersion())
    knownVersions.set(executable, { stamp: fileStamp, version })
    const detectedVersion = await version.catch((error: unknown) => {
      // Do not cache a timeout, because the next attempt may succeed when the computer is less busy.
      if (error instanceof Error && 'killed' in error && error.killed === true) knownVersions.delete(executable)
      return undefined
    })
    if (cacheFile !== undefined && detectedVersion !== undefined && cachedVersion?.stamp !== fileStamp)
      saveVersion(cacheFile, executable, { stamp: fileStamp, version: detectedVersion })
    return { installed: true, executable, ...(detectedVersion === undefined ? {} : { version: detectedVersion }) }
  }
}

const versionPattern = /\d+\.\d+(?:\.\d+)?(?:[-+][\w.-]+)?/

/** Maximum number of concurrent version commands, because each starts a whole runtime. */
const maxRuns = 2

const VersionFile = z.record(z.string(), z.object({ stamp: z.string(), version: z.string() }))

type SavedVersions = z.infer<typeof VersionFile>

/** Cached versions by executable path. A missing file is harmless. */
function readVersionFile(path: string): SavedVersions {
  try {
    return VersionFile.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return {}
  }
}

function saveVersion(path: string, executable: string, version: SavedVersions[string]): void {
  try {
    const temporaryFile = `${path}.${process.pid}`
    writeFileSync(temporaryFile, JSON.stringify({ ...readVersionFile(path), [executable]: version }), { mode: 0o600 })
    renameSync(temporaryFile, path)
  } catch {
    return
  }
}

async function findFirst(commands: readonly string[], path: string): Promise<string | undefined> {
  for (const command of commands) {
    const executable = await which(command, { path, nothrow: true }).catch(() => null)
    if (executable !== null) return executable
  }
  return undefined
}

/** Value of the PATH variable, whose name can be `Path` on Windows. */
const getPathVariable = ({ vars }: ToolEnvironment): string => vars.PATH ?? vars.Path ?? ''

/** Existing folders of npm, well-known installers and nvm's Node versions (newest first). */
async function listInstallFolders(environment: ToolEnvironment): Promise<string[]> {
  const { home, vars } = environment
  const prefix = vars.npm_config_prefix ?? vars.NPM_CONFIG_PREFIX
  const npm = prefix === undefined ? [] : [prefix, joinPath(environment, prefix, 'bin')]
  const wellKnownPaths = wellKnownFolders.map((folder) =>
    folder.startsWith('~/') ? joinPath(environment, home, folder.slice(2)) : folder,
  )
  const nodeRoot = joinPath(environment, vars.NVM_DIR || joinPath(environment, home, '.nvm'), 'versions', 'node')
  const nodeVersions = (await readdir(nodeRoot).catch(() => []))
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .map((version) => joinPath(environment, nodeRoot, version, 'bin'))
  const folders = [...npm, ...wellKnownPaths, ...nodeVersions]
  const folderStats = await Promise.all(folders.map((folder) => stat(folder).catch(() => undefined)))
  return folders.filter((_, index) => folderStats[index]?.isDirectory() === true)
}

/** Reads the version of an npm program from its package.json. Running the program would load a whole runtime. */
async function readPackageVersion(executable: string): Promise<string | undefined> {
  try {
    const folder = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/.][^\\/]*(?=[\\/])/.exec(
      await realpath(executable),
    )?.[0]
    return folder && PackageFile.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))).version
  } catch {
    return undefined
  }
}

const PackageFile = z.object({ version: z.string().max(100) })

/**
 * Runs a program to get its version. Only batch files are run in a shell. Adds the program's folder to PATH, because
 * it may contain Node. Kills the program on timeout, but does not wait for its child processes.
 */
function runVersion(executable: string, environment: ToolEnvironment, timeoutMs: number): Promise<string> {
  const isBatch = environment.platform === 'win32' && /\.(?:cmd|bat)$/i.test(executable)
  const { dirname, delimiter } = environment.platform === 'win32' ? win32 : posix
  const options = {
    timeout: timeoutMs,
    killSignal: 'SIGKILL' as const,
    windowsHide: true,
    shell: isBatch,
    env: { ...environment.vars, PATH: [dirname(executable), getPathVariable(environment)].join(delimiter) },
    cwd: environment.home,
  }
  return new Promise((resolve, reject) => {
    const child = execFile(isBatch ? `"${executable}"` : executable, ['--version'], options, (error, printed) =>
      error ? reject(error) : resolve(printed),
    )
    child.stdin?.on('error', () => undefined).end()
    child.on('exit', (_code, signal) => {
      if (signal !== null) for (const output of [child.stdout, child.stderr]) output?.destroy()
    })
  })
}
