import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { withLock } from './lib/lock.mjs'
import { run } from './lib/processes.mjs'
import { packageCommand, resolveFromRoot, root } from './lib/project.mjs'
import { script } from './lib/script.mjs'
import { contentHash } from './lib/stamp.mjs'
import { StepFailure, step } from './lib/steps.mjs'

const buildStampPath = 'out/.build-stamp'
const sources = [
  'src',
  'resources',
  'package.json',
  'package-lock.json',
  'electron.vite.config.ts',
  'tsconfig.base.json',
]

/** Builds the app into `out/` if it is missing or older than the sources. */
export async function ensureBuild() {
  // Check under the build lock, because a concurrent build removes the files that the check hashes.
  await withLock('build', async () => {
    if (!isBuildCurrent()) await step('Building the app (electron-vite build)', build)
  })
}

/**
 * Whether the stamp file matches. It has hashes of sources and output, so it also detects a manual change of either.
 */
function isBuildCurrent() {
  const path = resolveFromRoot(buildStampPath)
  return existsSync(path) && readFileSync(path, 'utf8') === `${sourcesHash()}\n${outputHash()}\n`
}

function sourcesHash() {
  return contentHash(root, sources)
}

function outputHash() {
  return contentHash(root, ['out'], [buildStampPath])
}

async function build() {
  const hashBefore = sourcesHash()
  const command = packageCommand('electron-vite', 'electron-vite')
  const { code, output } = await run(process.execPath, [command, 'build', '--logLevel', 'warn'], {
    cwd: root,
    keepOutput: true,
  })
  if (code !== 0) {
    throw new StepFailure('The app could not be built.', {
      reason: `electron-vite build ended with exit code ${code}; its last lines are above`,
      remedy: 'fix these errors (`npm run check` shows more), then run this command again',
      output,
    })
  }
  writeFileSync(resolveFromRoot(buildStampPath), `${hashBefore}\n${outputHash()}\n`)
}

await script(import.meta.url, ensureBuild)
