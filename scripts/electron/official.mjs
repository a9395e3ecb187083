import { existsSync, readFileSync } from 'node:fs'
import { lstat, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { endProcess, run } from '../lib/processes.mjs'
import { cacheFolder, resolveFromRoot } from '../lib/project.mjs'
import { duration } from '../lib/steps.mjs'

const stallMs = 90_000
const totalMs = 30 * 60_000
const watchMs = 1000

export const electronFolder = resolveFromRoot('node_modules/electron')

export function readElectronVersion() {
  return String(JSON.parse(readFileSync(join(electronFolder, 'package.json'), 'utf8')).version)
}

export function linkedExecutable() {
  const pathFile = join(electronFolder, 'path.txt')
  if (!existsSync(pathFile)) return undefined
  const executable = join(electronFolder, 'dist', readFileSync(pathFile, 'utf8'))
  return existsSync(executable) ? executable : undefined
}

/** Whether the official runtime of this version is complete. */
export function hasOfficialElectron() {
  const versionFile = join(electronFolder, 'dist/version')
  if (linkedExecutable() === undefined || !existsSync(versionFile)) return false
  return readFileSync(versionFile, 'utf8').trim().replace(/^v/, '') === readElectronVersion()
}

/**
 * Downloads the runtime by the electron package. Returns undefined on success, or the reason in one line. Fails after
 * 90 seconds without data.
 * @param {(text: string) => void} report
 * @returns {Promise<string | undefined>}
 */
export async function installOfficial(report) {
  await mkdir(cacheFolder, { recursive: true })
  const temporaryFolder = await mkdtemp(join(cacheFolder, 'electron-download-'))
  await removePartialDownloads()
  const stallState = { stalled: false, timer: /** @type {NodeJS.Timeout | undefined} */ (undefined) }
  const env = {
    ...process.env,
    TMPDIR: temporaryFolder,
    TEMP: temporaryFolder,
    TMP: temporaryFolder,
    ELECTRON_GET_NO_PROGRESS: '1',
  }
  const result = await run(process.execPath, [join(electronFolder, 'install.js')], {
    env,
    keepOutput: true,
    timeoutMs: totalMs,
    onStart: (child) => {
      stallState.timer = watchDownloadSize([temporaryFolder, join(electronFolder, 'dist')], report, () => {
        stallState.stalled = true
        void endProcess(child, 'SIGTERM')
      })
    },
  })
  clearInterval(stallState.timer)
  await rm(temporaryFolder, { recursive: true, force: true })
  if (hasOfficialElectron()) return undefined
  await removePartialDownloads()
  if (stallState.stalled) return `nothing arrived for ${duration(stallMs)}`
  return result.timedOut ? `not finished after ${duration(totalMs)}` : findReason(result.output)
}

/** Removes files of an interrupted download, and the symlink to another runtime (never its target). */
async function removePartialDownloads() {
  const distFolder = join(electronFolder, 'dist')
  await rm(join(electronFolder, 'path.txt'), { force: true })
  const distStats = await lstat(distFolder).catch(() => undefined)
  if (distStats !== undefined) await rm(distFolder, { recursive: true, force: true })
}

/**
 * @param {readonly string[]} folders
 * @param {(text: string) => void} report
 * @param {() => void} onStall
 */
function watchDownloadSize(folders, report, onStall) {
  let size = 0
  let lastGrowthMs = Date.now()
  return setInterval(async () => {
    const sizes = await Promise.all(folders.map(measureFolderSize))
    const currentSize = sizes.reduce((sum, value) => sum + value, 0)
    if (currentSize !== size) lastGrowthMs = Date.now()
    else if (Date.now() - lastGrowthMs > stallMs) onStall()
    size = currentSize
    report(`${Math.round(size / 1_000_000)} MB`)
  }, watchMs)
}

/**
 * Size of all readable files in a folder.
 * @param {string} folder
 */
async function measureFolderSize(folder) {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name))
        .then((found) => found.size)
        .catch(() => 0),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/**
 * The line with the cause in the installer's output.
 * @param {string} output
 */
export function findReason(output) {
  const lines = output.split('\n').map((line) => line.trim())
  if (lines.some((line) => /fetch failed/.test(line))) return 'the download host cannot be reached'
  if (lines.some((line) => /TypeError: terminated/.test(line))) return 'the download broke off'
  return lines.find((line) => /^\w*Error\b.*: /.test(line)) ?? lines.find((line) => line !== '') ?? 'no reason given'
}
