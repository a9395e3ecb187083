import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { run } from './lib/processes.mjs'
import { isSuperuser } from './lib/project.mjs'
import { script } from './lib/script.mjs'
import { StepFailure, step } from './lib/steps.mjs'
import { appPackages, deepTestPackages, desktopPackages, installedNames, missingNames } from './lib/system-packages.mjs'

const lineLimit = 70

/** @typedef {import('./lib/system-packages.mjs').SystemPart} SystemPart */

/**
 * Installs the app's Linux libraries. `desktop` also installs the programs of a virtual desktop, and `deep` those of
 * the deep tests. Needs root on Debian or Ubuntu. Elsewhere on Linux, fails with the command to run.
 * @param {{ desktop: boolean, deep?: boolean }} options
 */
export async function ensureSystem({ desktop, deep = false }) {
  if (process.platform !== 'linux') return
  const parts = [...appPackages, ...(desktop ? desktopPackages : []), ...(deep ? deepTestPackages : [])]
  if (hasProgram('dpkg-query')) await ensureDebianPackages(parts)
  else checkOtherLinux(parts)
}

/** @param {readonly SystemPart[]} parts */
async function ensureDebianPackages(parts) {
  const names = parts.map((part) => part.debian)
  const missingPackages = findMissingPackages(names)
  if (missingPackages.length === 0) return
  if (!isSuperuser)
    throw createMissingError(
      missingPackages,
      `sudo apt-get install --no-install-recommends ${resolvePackageNames(missingPackages)}`,
    )
  await step(`Installing system packages (${missingPackages.join(' ')})`, async ({ report }) => {
    await runAptGet(['update'], report)
    await runAptGet(
      ['install', '--yes', '--no-install-recommends', ...resolvePackageNames(missingPackages).split(' ')],
      report,
    )
  })
  const remainingPackages = findMissingPackages(names)
  if (remainingPackages.length > 0)
    throw createMissingError(
      remainingPackages,
      `apt-get install --no-install-recommends ${resolvePackageNames(remainingPackages)}`,
    )
}

/** @param {readonly string[]} names */
function findMissingPackages(names) {
  const packageNames = names.flatMap((name) => [name, `${name}t64`])
  const format = '$' + '{binary:Package} $' + '{db:Status-Abbrev}\\n'
  const { stdout } = spawnSync('dpkg-query', ['-W', '-f', format, ...packageNames], { encoding: 'utf8' })
  return missingNames(names, installedNames(stdout ?? ''))
}

/**
 * Chooses the package names of this operating system release.
 * @param {readonly string[]} names
 */
function resolvePackageNames(names) {
  return names.map((name) => (isAvailable(`${name}t64`) ? `${name}t64` : name)).join(' ')
}

/** @param {string} name */
function isAvailable(name) {
  return spawnSync('apt-cache', ['show', '--no-all-versions', name], { stdio: 'ignore' }).status === 0
}

/**
 * @param {readonly string[]} args
 * @param {(text: string) => void} report
 */
async function runAptGet(args, report) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const options = ['-q', '-o', 'DPkg::Lock::Timeout=120']
  /** @param {import('node:child_process').ChildProcess} child */
  const onStart = (child) => {
    child.stdout?.on('data', (chunk) => report(String(chunk).trim().split('\n').at(-1)?.slice(0, lineLimit) ?? ''))
  }
  const { code, output } = await run('apt-get', [...options, ...args], { env, keepOutput: true, onStart })
  if (code === 0) return
  throw new StepFailure(`apt-get ${args[0]} failed.`, {
    reason: output.split('\n').find((line) => line.startsWith('E: ')) ?? `apt-get ended with exit code ${code}`,
    remedy: `run \`apt-get ${args.join(' ')}\` yourself, then run this command again`,
    output,
  })
}

/** @param {readonly SystemPart[]} parts */
function checkOtherLinux(parts) {
  const libraries = spawnSync('ldconfig', ['-p'], { encoding: 'utf8', env: withSystemPath() }).stdout
  const missingParts = parts.filter((part) => !isPresent(part.file, libraries))
  if (missingParts.length === 0) return
  const { key, command } = packageTool()
  throw createMissingError(
    missingParts.map((part) => part.file || part[key]),
    `${isSuperuser ? '' : 'sudo '}${command} ${missingParts.map((part) => part[key]).join(' ')}`,
  )
}

/**
 * @param {string} file
 * @param {string | null} libraries
 */
function isPresent(file, libraries) {
  if (file === '') return true
  if (!file.includes('.so')) return hasProgram(file)
  return libraries === null || libraries === '' || libraries.includes(`${file} `)
}

/** @returns {{ key: 'debian' | 'fedora' | 'arch', command: string }} */
function packageTool() {
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : ''
  if (/^ID(_LIKE)?=.*arch/m.test(release)) return { key: 'arch', command: 'pacman -S --needed' }
  if (/^ID(_LIKE)?=.*suse/m.test(release)) return { key: 'fedora', command: 'zypper install' }
  return { key: 'fedora', command: 'dnf install' }
}

/** @param {string} name */
function hasProgram(name) {
  const folders = (withSystemPath().PATH ?? '').split(delimiter)
  return folders.some((folder) => existsSync(join(folder, name)))
}

function withSystemPath() {
  return { ...process.env, PATH: `${process.env.PATH ?? ''}${delimiter}/usr/sbin${delimiter}/sbin` }
}

/**
 * @param {readonly string[]} missing
 * @param {string} command
 */
function createMissingError(missing, command) {
  return new StepFailure('System packages are missing.', {
    reason: `not installed: ${missing.join(', ')}`,
    remedy: `run \`${command}\`, then run this command again`,
  })
}

await script(import.meta.url, (args) => ensureSystem({ desktop: args.includes('--desktop') }))
