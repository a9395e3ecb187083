import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { electronFolder } from '../electron/official.mjs'
import { fromRoot } from '../lib/project.mjs'

/** The name of program, folder and package; without a space, with which neither Chromium's sandbox nor xdg-open works. */
export const programName = 'platform-companion'
export const productName = 'Platform Companion'
export const linkScheme = 'platform-companion'

/**
 * The file that tells the app where to look for updates and whose signature counts; a package that was made without
 * both does not look.
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

/**
 * What is built of this checkout, for electron-builder.
 * @param {{ electronVersion: string, output: string }} options
 * @returns {import('electron-builder').Configuration}
 */
export function builderConfig({ electronVersion, output }) {
  const here = `${process.platform}-${process.arch}`
  return {
    appId: 'io.platform-companion.app',
    productName: process.platform === 'linux' ? programName : productName,
    copyright: 'MIT',
    directories: { output, buildResources: fromRoot('resources') },
    electronVersion,
    electronDist: `${electronFolder}/dist`,
    npmRebuild: false,
    asar: true,
    asarUnpack: ['**/*.node'],
    files: [
      'out/**',
      '!out/**/*.map',
      '!out/.build-stamp',
      'resources/icon.png',
      'package.json',
      '!node_modules/**/*.{md,map,ts,c,cc,h,gyp,gypi}',
      '!node_modules/@libsql/*-musl/**',
      '!node_modules/node-addon-api/**',
      `!node_modules/keytar/prebuilds/!(${here})/**`,
      '!node_modules/keytar/{script,src,build}/**',
    ],
    electronFuses: {
      runAsNode: false,
      enableCookieEncryption: true,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      grantFileProtocolExtraPrivileges: false,
    },
    protocols: [{ name: productName, schemes: [linkScheme] }],
    extraFiles: [{ from: fromRoot('LICENSE'), to: 'LICENSE' }],
    extraResources: [fromRoot('resources/update-cache.yml'), ...updateSource(output)].map((from) => ({
      from,
      to: basename(from),
    })),
    linux: {
      executableName: programName,
      icon: fromRoot('resources/icons'),
      category: 'Development',
      target: ['dir'],
      artifactName: `${programName}-\${version}-\${arch}.\${ext}`,
      desktop: { entry: { Name: productName, StartupWMClass: productName } },
    },
    mac: {
      category: 'public.app-category.developer-tools',
      icon: fromRoot('resources/icon.icns'),
      target: [
        { target: 'dmg', arch: ['universal'] },
        { target: 'zip', arch: ['universal'] },
      ],
      hardenedRuntime: true,
      gatekeeperAssess: false,
      entitlements: fromRoot('resources/entitlements.mac.plist'),
      entitlementsInherit: fromRoot('resources/entitlements.mac.plist'),
      // With APPLE_ID, APPLE_APP_SPECIFIC_PASSWORD and APPLE_TEAM_ID set.
      notarize: Boolean(process.env.APPLE_TEAM_ID),
    },
    win: { icon: fromRoot('resources/icon.ico'), target: [{ target: 'nsis', arch: ['x64', 'arm64'] }] },
    nsis: {
      oneClick: false,
      perMachine: false,
      allowToChangeInstallationDirectory: false,
      deleteAppDataOnUninstall: false,
    },
    publish: null,
  }
}
