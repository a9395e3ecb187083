import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { electronFolder } from './electron/official.mjs'
import { ensureBuild } from './ensure-build.mjs'
import { ensureDependencies } from './ensure-dependencies.mjs'
import { ensureElectron } from './ensure-electron.mjs'
import { resolveFromRoot } from './lib/project.mjs'
import { script } from './lib/script.mjs'
import { printLine, step } from './lib/steps.mjs'

const allPackageTargets = /** @type {const} */ (['dir', 'tar', 'deb', 'rpm', 'appimage', 'nsis', 'dmg'])
const usage = `Usage: npm run package [-- --target ${allPackageTargets.join(',')}] [--output FOLDER]`

/** @typedef {typeof allPackageTargets[number]} Target */

/**
 * Builds the requested packages that are possible here, and reports the others with the reason.
 * @param {string[]} args
 */
async function makePackages(args) {
  const { values } = parseArgs({ args, options: { target: { type: 'string' }, output: { type: 'string' } } })
  const requestedTargets = values.target?.split(',') ?? [...defaultTargets()]
  const targets = allPackageTargets.filter((target) => requestedTargets.includes(target))
  const isTargetGiven = values.target !== undefined
  if (targets.length !== new Set(requestedTargets).size) {
    console.error(usage)
    return 2
  }
  await ensureDependencies()
  await ensureElectron()
  await ensureBuild()
  const { getUnbuildableReason: builderMissing, buildTarget } = await import('./package/targets.mjs')
  const electronVersion = readFileSync(join(electronFolder, 'dist/version'), 'utf8').trim().replace(/^v/, '')
  const output = values.output ?? resolveFromRoot('dist')
  const { version } = JSON.parse(readFileSync(resolveFromRoot('package.json'), 'utf8'))
  /** @type {string[]} */
  const files = []
  let failedCount = 0
  for (const target of targets) {
    const missingProgram = builderMissing(target, { isNamed: isTargetGiven })
    if (missingProgram !== undefined) {
      failedCount += isTargetGiven ? 1 : 0
      printLine(`-- ${target}: not built here: ${missingProgram}`)
      continue
    }
    const paths = await step(`Packaging ${target}`, () => buildTarget(target, { electronVersion, output }))
    if (paths.length === 0) failedCount += 1
    for (const path of paths) {
      printLine(`   ${path}`)
      if (!existsSync(path)) failedCount += 1
      else if (statSync(path).isFile()) files.push(basename(path))
    }
  }
  if (files.length > 0) {
    const { billOfMaterials, releaseNotes, sha256Sums, shippedPackages, signedRelease } = await import(
      './package/shipped.mjs'
    )
    const { UPDATE_SIGNING_KEY: key, UPDATE_PAGE: page } = process.env
    if (key) {
      // Installer that the update description names. Without an installer, the description only announces the version.
      const ownFile = files.find((name) => /\.(AppImage|exe|zip)$/.test(name))
      const release = {
        version,
        releasedAt: new Date().toISOString(),
        notes: releaseNotes(version),
        ...(page && { page }),
        ...(ownFile && { file: join(output, ownFile) }),
      }
      const channel = version.includes('-') ? 'beta' : 'stable'
      const architectures = process.platform === 'darwin' ? ['x64', 'arm64'] : [process.arch]
      const descriptions = architectures.map((arch) => `${channel}-${process.platform}-${arch}.json`)
      const { description, signature } = await signedRelease({ descriptions, ...release }, key)
      for (const name of descriptions) {
        writeFileSync(join(output, name), description)
        writeFileSync(join(output, `${name}.sig`), signature)
        printLine(`-- for updates: ${name}, signed`)
      }
    }
    // Each system has its own bill of materials, because native packages differ.
    const billFileName = `platform-companion-${version}-${process.platform}.cdx.json`
    writeFileSync(join(output, billFileName), await billOfMaterials(shippedPackages(), electronVersion))
    writeFileSync(join(output, 'SHA256SUMS'), await sha256Sums(output, [...files, billFileName]))
    printLine(`-- what is in it: ${billFileName}; sums: SHA256SUMS`)
  }
  return failedCount > 0 ? 1 : 0
}

/** @returns {readonly Target[]} */
function defaultTargets() {
  if (process.platform === 'darwin') return ['dmg']
  return process.platform === 'win32' ? ['nsis'] : ['tar', 'deb', 'rpm', 'appimage']
}

await script(import.meta.url, makePackages)
