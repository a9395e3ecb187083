import { ensureBuild } from './ensure-build.mjs'
import { ensureDependencies } from './ensure-dependencies.mjs'
import { run } from './lib/processes.mjs'
import { resolveFromRoot } from './lib/project.mjs'
import { script } from './lib/script.mjs'

/**
 * Runs the built-in sandbox as a separate program.
 * @param {string[]} args
 */
async function runSandbox(args) {
  await ensureDependencies()
  await ensureBuild()
  const { code } = await run(process.execPath, [resolveFromRoot('out/main/sandbox.cjs'), ...args])
  return code
}

await script(import.meta.url, runSandbox)
