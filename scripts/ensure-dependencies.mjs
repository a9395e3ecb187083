import { existsSync, readFileSync } from 'node:fs'
import { differences } from './lib/installed.mjs'
import { withLock } from './lib/lock.mjs'
import { run } from './lib/processes.mjs'
import { npm, resolveFromRoot, root } from './lib/project.mjs'
import { script } from './lib/script.mjs'
import { StepFailure, step } from './lib/steps.mjs'

const progressMs = 1000
const minNodeVersion = [20, 19]

/** Causes and fixes of npm's error messages. */
const knownFailures = [
  {
    pattern: /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|network/i,
    reason: 'the npm registry cannot be reached',
    remedy: 'check the connection (and the proxy, `npm config get proxy`), then run the command again',
  },
  {
    pattern: /EUSAGE|in sync/,
    reason: 'package.json and package-lock.json do not agree',
    remedy: 'run `npm install` and look at what it changes in package-lock.json',
  },
  { pattern: /ENOSPC/, reason: 'the disk is full', remedy: 'free about 1 GB, then run the command again' },
  {
    pattern: /EACCES|EPERM/,
    reason: 'a file in node_modules or in the npm cache belongs to another user',
    remedy: 'make the files named above yours again (chown), then run the command again',
  },
  {
    pattern: /EINTEGRITY/,
    reason: 'a downloaded package does not have the expected checksum',
    remedy: 'run `npm cache verify`, then run the command again',
  },
]

/** Runs `npm ci` if node_modules is missing or differs from package-lock.json. */
export async function ensureDependencies() {
  checkNode()
  if (isUpToDate()) return
  await withLock('dependencies', async () => {
    if (!isUpToDate()) await step('Installing dependencies (npm ci)', install)
  })
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const [wantedMajor = 0, wantedMinor = 0] = minNodeVersion
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return
  throw new StepFailure('This Node.js is too old.', {
    reason: `version ${process.versions.node} runs this script; ${minNodeVersion.join('.')} or newer is needed`,
    remedy: 'install a current Node.js',
  })
}

function isUpToDate() {
  const marker = resolveFromRoot('node_modules/.package-lock.json')
  if (!existsSync(marker)) return false
  const installedLock = readLock(marker)
  if (differences(readLock(resolveFromRoot('package-lock.json')), installedLock).length > 0) return false
  return Object.keys(installedLock.packages ?? {}).every((path) => existsSync(resolveFromRoot(path)))
}

/**
 * @param {string} path
 * @returns {import('./lib/installed.mjs').LockFile}
 */
function readLock(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}

/** @param {import('./lib/steps.mjs').Progress} progress */
async function install({ report }) {
  const { command, args, shell } = npm()
  const paths = Object.keys(readLock(resolveFromRoot('package-lock.json')).packages ?? {}).filter((path) => path !== '')
  const timer = setInterval(
    () => report(`${paths.filter(isUnpacked).length} of up to ${paths.length} packages`),
    progressMs,
  )
  const options = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']
  const { code, output } = await run(command, [...args, ...options], { cwd: root, shell, keepOutput: true })
  clearInterval(timer)
  if (code !== 0) throw failure(code, output)
}

/** @param {string} path */
function isUnpacked(path) {
  return existsSync(resolveFromRoot(path, 'package.json'))
}

/**
 * @param {number} code
 * @param {string} output
 */
function failure(code, output) {
  const matchingFailure = knownFailures.find(({ pattern }) => pattern.test(output))
  return new StepFailure('The packages could not be installed.', {
    reason: matchingFailure?.reason ?? `npm ci ended with exit code ${code}`,
    remedy: matchingFailure?.remedy ?? 'run `npm ci` yourself to see its full output',
    output,
  })
}

await script(import.meta.url, ensureDependencies)
