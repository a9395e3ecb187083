import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { electronFolder } from '../electron/official.mjs'
import { resolveFromRoot, root } from '../lib/project.mjs'

/** Name of program, folder and package. Must not contain a space, which breaks Chromium's sandbox and xdg-open. */
export const programName = 'platform-companion'
export const productName = 'Platform Companion'
export const linkScheme = 'platform-companion'
/** Type of encrypted key files, `*.age`. */
export const keyFileMimeType = 'application/x-age-encryption'
/** File with the licenses of shipped packages, in the output folder and in the app. */
export const packageLicences = 'LICENSES.packages.txt'

const { devDependencies } = JSON.parse(readFileSync(resolveFromRoot('package.json'), 'utf8'))
/** Marks packages with the fallback runtime in the file name, because they must not be published. */
export const placeholderPackage = (/** @type {string} */ electronVersion) =>
  electronVersion === devDependencies.electron ? '' : `-electron${electronVersion}`

/**
 * File with the update address and the public key for signatures. Without both, the app does not check for updates.
 * @param {string} output
 */
function updateSource(output) {
  const { UPDATE_URL: url, UPDATE_PUBLIC_KEY: publicKey } = process.env
  if (!url || !publicKey) return []
  const path = join(output, 'update-source.json')
  mkdirSync(output, { recursive: true })
  writeFileSync(path, JSON.stringify({ url, publicKey }))
  return [path]
}

/** Time in ms in which a build writes its files. It writes those of main first. */
const writeMs = 60_000

/** Patterns that leave out files of earlier builds, which `electron.vite.config.ts` keeps for a running app. */
function earlierBuilds() {
  const out = resolveFromRoot('out')
  if (!existsSync(join(out, 'main/cli.cjs'))) return []
  const builtAt = statSync(join(out, 'main/cli.cjs')).mtimeMs
  return readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && !file.name.endsWith('.map'))
    .map((file) => join(file.parentPath, file.name))
    .filter((path) => statSync(path).mtimeMs < builtAt - writeMs)
    .map((path) => `!${relative(root, path).replaceAll('\\', '/')}`)
}

/**
 * Returns the configuration of electron-builder for this checkout.
 * @param {{ electronVersion: string, output: string }} options
 * @returns {import('electron-builder').Configuration}
 */
export function builderConfig({ electronVersion, output }) {
  const isMac = process.platform === 'darwin'
  // A universal Mac app has the native modules of both architectures.
  const platformPattern = isMac ? 'darwin-*' : `${process.platform}-${process.arch}`
  const licenceFiles = [
    { from: resolveFromRoot('LICENSE'), to: 'LICENSE' },
    { from: join(output, packageLicences), to: packageLicences },
  ]
  const resources = [resolveFromRoot('resources/update-cache.yml'), ...updateSource(output)]
  return {
    appId: 'io.platform-companion.app',
    productName: process.platform === 'linux' ? programName : productName,
    copyright: 'MIT',
    directories: { output, buildResources: resolveFromRoot('resources') },
    electronVersion,
    // The installed runtime has one architecture. electron-builder downloads both for a universal Mac app.
    ...(!isMac && { electronDist: `${electronFolder}/dist` }),
    async afterPack({ appOutDir }) {
      // Electron's default app can't be loaded with these fuses.
      await rm(join(appOutDir, 'resources/default_app.asar'), { force: true })
      // Debian's policy forbids executable libraries.
      const libraries = readdirSync(appOutDir).filter((name) => /\.so(\.\d+)*$/.test(name))
      for (const name of libraries) chmodSync(join(appOutDir, name), 0o644)
    },
    npmRebuild: false,
    asar: true,
    asarUnpack: ['**/*.node'],
    files: [
      'out/**',
      '!out/**/*.map',
      '!out/.build-stamp',
      ...earlierBuilds(),
      'resources/icon.png',
      'package.json',
      '!node_modules/**/*.{md,map,ts,c,cc,h,gyp,gypi}',
      '!node_modules/@libsql/*-musl/**',
      '!node_modules/node-addon-api/**',
      `!node_modules/keytar/prebuilds/!(${platformPattern})/**`,
      '!node_modules/keytar/{script,src,build}/**',
    ],
    electronFuses: {
      runAsNode: false,
      enableCookieEncryption: true,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      loadBrowserProcessSpecificV8Snapshot: false,
      grantFileProtocolExtraPrivileges: false,
    },
    protocols: [{ name: productName, schemes: [linkScheme] }],
    fileAssociations: [{ ext: 'age', name: 'Key file', role: 'Viewer', mimeType: keyFileMimeType }],
    extraFiles: isMac ? [] : licenceFiles,
    extraResources: [...resources.map((from) => ({ from, to: basename(from) })), ...(isMac ? licenceFiles : [])],
    linux: {
      executableName: programName,
      icon: resolveFromRoot('resources/icons'),
      category: 'Development',
      target: ['dir'],
      artifactName: `${programName}-\${version}${placeholderPackage(electronVersion)}-\${arch}.\${ext}`,
      desktop: { entry: { Name: productName, StartupWMClass: productName } },
    },
    mac: {
      category: 'public.app-category.developer-tools',
      icon: resolveFromRoot('resources/icon.icns'),
      artifactName: `${programName}-\${version}-universal.\${ext}`,
      // Both halves of the universal app (x64 and arm64) contain these files, each built for one architecture.
      x64ArchFiles: '**/*.node',
      target: [
        { target: 'dmg', arch: ['universal'] },
        { target: 'zip', arch: ['universal'] },
      ],
      hardenedRuntime: true,
      gatekeeperAssess: false,
      entitlements: resolveFromRoot('resources/entitlements.mac.plist'),
      entitlementsInherit: resolveFromRoot('resources/entitlements.mac.plist'),
      // Notarization requires APPLE_ID, APPLE_APP_SPECIFIC_PASSWORD and APPLE_TEAM_ID.
      notarize: Boolean(process.env.APPLE_TEAM_ID),
    },
    // The database driver has no build for Windows on ARM, which can run x64 programs.
    win: { icon: resolveFromRoot('resources/icon.ico'), target: [{ target: 'nsis', arch: ['x64'] }] },
    nsis: {
      artifactName: `${programName}-\${version}-setup.\${ext}`,
      oneClick: false,
      perMachine: false,
      allowToChangeInstallationDirectory: false,
      deleteAppDataOnUninstall: false,
    },
    // The AppImage's own runtime needs no libfuse2 and keeps Chromium's sandbox.
    toolsets: { appimage: '1.0.3' },
    publish: null,
  }
}
