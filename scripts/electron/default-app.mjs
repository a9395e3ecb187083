/**
 * The files of `default_app.asar`, which loads the app that is named on the command line: `electron [-r module] path`.
 * An ES module with top-level await, so that Electron does not report `ready` before the app's own code has run.
 */
export const defaultApp = {
  'package.json': `${JSON.stringify({ name: 'electron', productName: 'Electron', main: 'main.js', type: 'module' })}\n`,
  'main.js': `import { app } from 'electron/main'
import { existsSync, readFileSync } from 'node:fs'
import { Module } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'

const { appPath, modules, version } = parse(process.argv.slice(1))
if (version) {
  console.log('v' + process.versions.electron)
  process.exit(0)
}
if (appPath === undefined) {
  console.error('Usage: electron [-r MODULE]... PATH [ARGUMENT]...')
  process.exit(1)
}
if (modules.length > 0) Module._preloadModules(modules)
try {
  await load(resolve(appPath))
} catch (error) {
  console.error('The app threw an error while it was loaded.')
  console.error(error instanceof Error ? error.stack : error)
  process.exit(1)
}

function parse(args) {
  const modules = []
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index]
    if (arg === '-v' || arg === '--version') return { modules, version: true }
    if (arg === '-r' || arg === '--require') modules.push(args[(index += 1)])
    else if (arg.startsWith('--app=')) return { modules, appPath: arg.slice('--app='.length) }
    else if (!arg.startsWith('-')) return { modules, appPath: arg }
  }
  return { modules }
}

async function load(path) {
  Object.defineProperty(process, 'defaultApp', { configurable: false, enumerable: true, value: true })
  const manifest = join(path, 'package.json')
  const isFolder = existsSync(manifest)
  if (isFolder) describe(JSON.parse(readFileSync(manifest, 'utf8')))
  const file = Module._resolveFilename(path, null, true)
  app.setAppPath(isFolder ? path : dirname(file))
  await import(pathToFileURL(file).toString())
}

function describe({ name, productName, version, desktopName, v8Flags }) {
  if (version) app.setVersion(version)
  if (productName || name) app.name = productName || name
  app.setDesktopName(desktopName || app.name + '.desktop')
  if (v8Flags) setFlagsFromString(v8Flags)
}
`,
}
