import { execFile } from 'node:child_process'
import { createHash, sign } from 'node:crypto'
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { resolveFromRoot } from '../lib/project.mjs'

/**
 * @typedef {{ name: string, version: string, license: string, folder: string }} ShippedPackage
 * @typedef {{ 'bom-ref': string, name: string, version: string }} Component
 */

/** Package folder of a file, by the last `node_modules` in its path. */
const packageFolder = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/

/**
 * Lists the packages of the app by name: those bundled into the build, according to its source maps, fonts, and those
 * shipped in node_modules.
 * @param {string} outFolder
 * @returns {ShippedPackage[]}
 */
export function shippedPackages(outFolder = resolveFromRoot('out')) {
  const sourceMapPaths = readdirSync(outFolder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.map'),
  )
  const bundledPackages = sourceMapPaths.flatMap((path) => {
    const { sources } = /** @type {{ sources: string[] }} */ (JSON.parse(readFileSync(join(outFolder, path), 'utf8')))
    return sources.flatMap((source) => packageFolder.exec(resolve(outFolder, path, '..', source))?.[0] ?? [])
  })
  const folders = new Set([...bundledPackages, ...fontPackages(), ...nativePackages()])
  const packages = [...folders].filter((folder) => existsSync(join(folder, 'package.json'))).map(shippedPackage)
  // Removes duplicates, because a package version may be installed several times.
  const packagesByName = new Map(packages.map((one) => [`${one.name}@${one.version}`, one]))
  return [...packagesByName.values()].sort((a, b) => a.name.localeCompare(b.name))
}

/** Packages of bundled fonts, which source maps do not contain. */
function fontPackages() {
  const { devDependencies } = JSON.parse(readFileSync(resolveFromRoot('package.json'), 'utf8'))
  return Object.keys(devDependencies)
    .filter((name) => name.startsWith('@fontsource'))
    .map((name) => resolveFromRoot('node_modules', name))
}

/** Packages outside the bundle, with their dependencies. */
function nativePackages() {
  const seenFolders = /** @type {Set<string>} */ (new Set())
  const add = (/** @type {string} */ folder) => {
    if (seenFolders.has(folder)) return
    seenFolders.add(folder)
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    )
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const path = resolveFromRoot('node_modules', name)
      // Optional native packages for other systems are not installed.
      if (existsSync(join(path, 'package.json'))) add(path)
    }
  }
  const { dependencies } = JSON.parse(readFileSync(resolveFromRoot('package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) add(resolveFromRoot('node_modules', name))
  return seenFolders
}

/**
 * @param {string} folder
 * @returns {ShippedPackage}
 */
function shippedPackage(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return { name, version, license: typeof license === 'string' ? license : 'see its licence', folder }
}

/**
 * Formats the licenses of shipped packages.
 * @param {readonly ShippedPackage[]} packages
 */
export function thirdPartyNotices(packages) {
  const notices = packages.map(({ name, version, license, folder }) => {
    const file = readdirSync(folder).find((one) => /^(licen[cs]e|copying)(\.|$)/i.test(one))
    const text = file === undefined ? `Licence: ${license}` : readFileSync(join(folder, file), 'utf8').trim()
    return `${name} ${version} (${license})\n\n${text}`
  })
  const licenceIntro = `Platform Companion is made with Electron (LICENSE.electron.txt, LICENSES.chromium.html) and these packages.`
  return `${[licenceIntro, ...notices].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

/**
 * Returns the software bill of materials (CycloneDX, JSON): npm's list without build tools.
 * @param {readonly ShippedPackage[]} packages
 * @param {string} electronVersion
 * @returns {Promise<string>}
 */
export async function billOfMaterials(packages, electronVersion) {
  const isWindows = process.platform === 'win32'
  const { stdout } = await promisify(execFile)(isWindows ? 'npm.cmd' : 'npm', ['sbom', '--sbom-format=cyclonedx'], {
    cwd: resolveFromRoot(),
    shell: isWindows,
    maxBuffer: 64e6,
  })
  const bomDocument = JSON.parse(stdout)
  // An aliased package is listed under its alias.
  const installedName = (/** @type {string} */ folder) => folder.replaceAll('\\', '/').split('/node_modules/').at(-1)
  const shippedNames = new Set(packages.map(({ folder, version }) => `${installedName(folder)}@${version}`))
  const shippedComponents = bomDocument.components.filter((/** @type {Component} */ one) =>
    shippedNames.has(`${one.name}@${one.version}`),
  )
  const electronComponent = {
    'bom-ref': `electron@${electronVersion}`,
    type: 'framework',
    name: 'electron',
    version: electronVersion,
    purl: `pkg:npm/electron@${electronVersion}`,
    licenses: [{ license: { id: 'MIT' } }],
  }
  const components = [electronComponent, ...shippedComponents]
  const refs = new Set([...components, bomDocument.metadata.component].map((one) => one['bom-ref']))
  const dependencies = bomDocument.dependencies
    .filter((/** @type {{ ref: string }} */ { ref }) => refs.has(ref))
    .map((/** @type {{ ref: string, dependsOn: string[] }} */ { ref, dependsOn }) => ({
      ref,
      dependsOn: dependsOn.filter((one) => refs.has(one)),
    }))
  const component = { ...bomDocument.metadata.component, type: 'application', name: 'platform-companion' }
  return `${JSON.stringify({ ...bomDocument, metadata: { ...bomDocument.metadata, component }, components, dependencies }, null, 2)}\n`
}

/**
 * SHA-256 sums of files in a folder, as `sha256sum --check` reads them.
 * @param {string} folder
 * @param {readonly string[]} names
 */
export async function sha256Sums(folder, names) {
  const lines = await Promise.all(
    [...names].sort().map(async (name) => {
      const hash = createHash('sha256')
      await pipeline(createReadStream(join(folder, name)), hash)
      return `${hash.digest('hex')}  ${name}\n`
    }),
  )
  return lines.join('')
}

/** Maximum length of release notes that the app accepts, in characters. */
const maxNotesLength = 20_000

/**
 * Returns the changelog section of a version in each language. Falls back to the unreleased section.
 * @param {string} version
 * @param {(name: string) => string} [read]
 */
export function releaseNotes(version, read = (name) => readFileSync(resolveFromRoot(name), 'utf8')) {
  const listReleaseNotes = (/** @type {string} */ name) => {
    const [, ...sections] = read(name).split(/^## /m)
    const parseVersion = (/** @type {string} */ section) => /^\[?(\d[^\]\s]*)/.exec(section)?.[1]
    const ownSection = sections.find((section) => parseVersion(section) === version)
    const section = ownSection ?? sections.find((one) => parseVersion(one) === undefined) ?? ''
    return section.replace(/^.*\n/, '').trim().slice(0, maxNotesLength)
  }
  return { en: listReleaseNotes('CHANGELOG.md'), vi: listReleaseNotes('CHANGELOG.vi.md') }
}

/**
 * Creates and signs the update description of a release (`src/main/app/updates.ts` reads it).
 * @param {{ descriptions: string[], version: string, releasedAt: string, notes: { en: string, vi?: string }, page?: string, file?: string }} release
 *   `descriptions`: file names of the published description; `file`: path of the installable file
 * @param {string} privateKey an Ed25519 private key, PEM
 * @returns {Promise<{ description: string, signature: string }>}
 */
export async function signedRelease({ file, ...release }, privateKey) {
  const fileDescription = file === undefined ? undefined : await describedFile(file)
  const description = `${JSON.stringify({ ...release, ...(fileDescription && { file: fileDescription }) }, null, 2)}\n`
  return { description, signature: sign(null, Buffer.from(description), privateKey).toString('base64') }
}

/** @param {string} path */
async function describedFile(path) {
  const hash = createHash('sha512')
  await pipeline(createReadStream(path), hash)
  return { name: basename(path), size: statSync(path).size, sha512: hash.digest('base64') }
}
