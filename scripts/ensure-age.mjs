import { spawnSync } from 'node:child_process'
import { run } from './lib/processes.mjs'
import { isSuperuser } from './lib/project.mjs'
import { script } from './lib/script.mjs'
import { StepFailure, step } from './lib/steps.mjs'

/**
 * Installs the age tool if missing, for tests that exchange key files with it. Needs root on Debian or Ubuntu. Fails
 * elsewhere with instructions.
 */
export async function ensureAge() {
  if (isAgeInstalled()) return
  if (!isSuperuser || spawnSync('apt-get', ['--version']).status !== 0) throw failure('it is not on the PATH')
  await step('Installing the public age tool', async () => {
    await runAptGet('update')
    await runAptGet('install', '--yes', '--no-install-recommends', 'age')
  })
  if (!isAgeInstalled()) throw failure('its package is installed, but the program is not on the PATH')
}

const isAgeInstalled = () => spawnSync('age', ['--version']).status === 0

/** @param {...string} args */
async function runAptGet(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const { code, output } = await run('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=120', ...args], {
    env,
    keepOutput: true,
  })
  if (code !== 0)
    throw failure(output.split('\n').find((line) => line.startsWith('E: ')) ?? `apt-get ended with ${code}`)
}

/** @param {string} reason */
function failure(reason) {
  return new StepFailure('The public age tool is missing.', {
    reason,
    remedy: 'install it (`apt-get install age`, `dnf install age`, `brew install age`), then run this command again',
  })
}

await script(import.meta.url, ensureAge)
