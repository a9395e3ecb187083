import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { run } from '../lib/processes.mjs'
import { resolveFromRoot } from '../lib/project.mjs'
import { StepFailure } from '../lib/steps.mjs'
import {
  builderConfig,
  keyFileMimeType,
  linkScheme,
  packageLicences,
  placeholderPackage,
  productName,
  programName,
} from './builder-config.mjs'
import { releaseNotes, shippedPackages, thirdPartyNotices } from './shipped.mjs'

/**
 * @typedef {'dir' | 'tar' | 'deb' | 'rpm' | 'appimage' | 'nsis' | 'dmg'} Target
 * @typedef {{ electronVersion: string, output: string }} Options
 */

const project = JSON.parse(readFileSync(resolveFromRoot('package.json'), 'utf8'))
const packageVersion = String(project.version)
const summary = String(project.description)
const longDescription =
  'Connects coding tools to a prepaid token plan, stores keys in the keychain, shows the remaining quota, and manages the agent platform.'
const debianArch =
  /** @type {Record<string, string>} */ ({ x64: 'amd64', arm64: 'arm64' })[process.arch] ?? process.arch
const rpmArch =
  /** @type {Record<string, string>} */ ({ x64: 'x86_64', arm64: 'aarch64' })[process.arch] ?? process.arch

/**
 * Shared libraries of Chromium and the keychain, and the opener of links. "|" separates the names in different
 * releases.
 */
const debianDepends = [
  'libc6',
  'libgtk-3-0 | libgtk-3-0t64',
  'libnss3',
  'libgbm1',
  'libasound2 | libasound2t64',
  'libatspi2.0-0 | libatspi2.0-0t64',
  'libxss1',
  'libxtst6',
  'libsecret-1-0',
  'libuuid1',
  'xdg-utils',
]
const rpmRequires = [
  'gtk3',
  'nss',
  'mesa-libgbm',
  'alsa-lib',
  'at-spi2-core',
  'libXScrnSaver',
  'libXtst',
  'libsecret',
  'xdg-utils',
]

/**
 * Returns why a target can't be built on this machine, or undefined.
 * @param {Target} target
 * @param {{ isNamed: boolean }} options `isNamed`: the user named the target, so its tools may be downloaded
 * @returns {string | undefined}
 */
export function getUnbuildableReason(target, { isNamed }) {
  const isLinux = process.platform === 'linux'
  if (target === 'nsis' && process.platform !== 'win32') return 'installers for Windows are built on Windows'
  if (target === 'dmg' && process.platform !== 'darwin') return 'disk images are built on macOS'
  if (['tar', 'deb', 'rpm', 'appimage'].includes(target) && !isLinux) return 'packages for Linux are built on Linux'
  if (target === 'deb') return missingProgramError('dpkg-deb', 'dpkg')
  if (target === 'rpm') return missingProgramError('rpmbuild', 'rpm')
  if (target === 'appimage' && !isNamed && !process.env.APPIMAGE_TOOLS_PATH)
    return 'its runtime has to be downloaded: add --target appimage, or set APPIMAGE_TOOLS_PATH to a folder that has it'
  return undefined
}

/**
 * @param {string} program
 * @param {string} debianPackage
 */
function missingProgramError(program, debianPackage) {
  const { error } = spawnSync(program, ['--version'], { stdio: 'ignore' })
  return error ? `${program} is missing (on Debian: sudo apt-get install ${debianPackage})` : undefined
}

/**
 * Builds one target. Returns the paths of its files, or of the folder.
 * @param {Target} target
 * @param {Options} options
 * @returns {Promise<readonly string[]>}
 */
export async function buildTarget(target, options) {
  if (target === 'dir') return [await getUnpackedFolder(options)]
  if (target === 'tar') return [await tarball(options)]
  if (target === 'deb') return [await debianPackage(options)]
  if (target === 'rpm') return [await rpmPackage(options)]
  if (target === 'appimage') return electronBuilder({ linux: ['AppImage'] }, options)
  if (target === 'dmg') await installBothArchitectures()
  // Formats and architectures are in the configuration. Formats on the command line would limit the build to the
  // architecture of this computer.
  return electronBuilder(target === 'dmg' ? { mac: [] } : { win: [] }, options)
}

/** npm installs the database driver for this architecture only. A universal app needs both. */
async function installBothArchitectures() {
  const { optionalDependencies } = JSON.parse(readFileSync(resolveFromRoot('node_modules/libsql/package.json'), 'utf8'))
  const missingDependencies = Object.entries(optionalDependencies).filter(
    ([name]) => name.startsWith('@libsql/darwin-') && !existsSync(resolveFromRoot('node_modules', name)),
  )
  const wantedPackages = missingDependencies.map(([name, version]) => `${name}@${version}`)
  // Without --force, npm refuses packages of another architecture.
  if (wantedPackages.length > 0) await runCommand('npm', ['install', '--no-save', '--force', ...wantedPackages])
}

/**
 * @param {import('electron-builder').CliOptions} targets
 * @param {Options} options
 */
async function electronBuilder(targets, options) {
  const { build } = await import('electron-builder')
  mkdirSync(options.output, { recursive: true })
  // Without a certificate, CI sets CSC_LINK to an empty text, which electron-builder would treat as a path.
  if (process.env.CSC_LINK === '') delete process.env.CSC_LINK
  writeFileSync(join(options.output, packageLicences), thirdPartyNotices(shippedPackages()))
  const paths = await build({ ...targets, publish: 'never', config: builderConfig(options) })
  return paths.filter((path) => !path.endsWith('.blockmap'))
}

/** @type {Map<string, Promise<string>>} */
const folders = new Map()

/**
 * Returns the folder of the unpacked app, which all Linux packages share.
 * @param {Options} options
 */
function getUnpackedFolder(options) {
  const { output } = options
  const path = join(
    output,
    process.platform === 'linux' && process.arch === 'x64'
      ? 'linux-unpacked'
      : `${process.platform}-${process.arch}-unpacked`,
  )
  const buildPromise =
    folders.get(output) ?? electronBuilder({ dir: true }, options).then(() => addLauncherScript(path))
  folders.set(output, buildPromise)
  return buildPromise
}

/** @param {string} folder */
function addLauncherScript(folder) {
  writeFileSync(join(folder, 'companion'), commandScript(`$(dirname "$(readlink -f "$0")")`), { mode: 0o755 })
  return folder
}

/**
 * Shell script of the `companion` command. Starts the app without a display and without Chromium's sandboxed processes.
 * @param {string} folder of the app, in shell syntax
 */
const commandScript = (folder) =>
  `#!/bin/sh\nexec "${folder}/${programName}" --ozone-platform=headless --no-sandbox --no-zygote --log-level=3 --disable-gpu --cli -- "$@"\n`

/** @param {Options} options */
async function tarball(options) {
  const folder = await getUnpackedFolder(options)
  const name = `${programName}-${packageVersion}${placeholderPackage(options.electronVersion)}-${process.arch}`
  const path = join(options.output, `${name}.tar.gz`)
  const extraFolder = join(options.output, 'tar-tree')
  rmSync(extraFolder, { recursive: true, force: true })
  cpSync(resolveFromRoot('resources/linux'), extraFolder, { recursive: true })
  stageShare(join(extraFolder, 'share'), 'zsh/site-functions')
  const transform = ['--owner=0', '--group=0', '--mode=go-w', `--transform=s,^\\.,${name},`]
  await runCommand('tar', ['--create', '--gzip', `--file=${path}`, ...transform, '.', '-C', extraFolder, '.'], folder)
  rmSync(extraFolder, { recursive: true })
  return path
}

/** Creates the folders of a file below `tree` and returns its path. */
function createTreeFile(/** @type {string} */ tree, /** @type {string} */ inTree) {
  const path = join(tree, inTree)
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o755 })
  return path
}

/**
 * Files of the system's `share` folder: desktop entry, AppStream metadata, icons, completions and manual page.
 * @param {string} share
 * @param {string} zshFolder zsh completion folder in `share`
 */
function stageShare(share, zshFolder) {
  const write = (/** @type {string} */ name, /** @type {string | Buffer} */ content) =>
    writeFileSync(createTreeFile(share, name), content)
  write(`applications/${programName}.desktop`, desktopEntry)
  write(`metainfo/${appStreamId}.metainfo.xml`, appStreamMetadata)
  write(`mime/packages/${programName}.xml`, mimeTypes)
  for (const size of [16, 24, 32, 48, 64, 128, 256, 512])
    cpSync(
      resolveFromRoot(`resources/icons/${size}x${size}.png`),
      createTreeFile(share, `icons/hicolor/${size}x${size}/apps/${programName}.png`),
    )
  write('bash-completion/completions/companion', runCompanion('completion', 'bash'))
  write(`${zshFolder}/_companion`, runCompanion('completion', 'zsh'))
  write('fish/vendor_completions.d/companion.fish', runCompanion('completion', 'fish'))
  write('man/man1/companion.1.gz', gzipSync(runCompanion('manual'), { level: 9 }))
  write(`man/man1/${programName}.1.gz`, gzipSync('.so man1/companion.1\n', { level: 9 }))
}

/**
 * Files of a package below `/`: the app in /opt, its commands and the files in /usr/share.
 * @param {string} tree
 * @param {string} zshFolder zsh completion folder in /usr/share
 * @param {Options} options
 */
async function stage(tree, zshFolder, options) {
  rmSync(tree, { recursive: true, force: true })
  cpSync(await getUnpackedFolder(options), createTreeFile(tree, `opt/${programName}`), { recursive: true })
  // On systems without user namespaces, Chromium's sandbox helper must be setuid root.
  chmodSync(join(tree, 'opt', programName, 'chrome-sandbox'), 0o4755)
  symlinkSync(`/opt/${programName}/companion`, createTreeFile(tree, 'usr/bin/companion'))
  symlinkSync(`/opt/${programName}/${programName}`, join(tree, 'usr/bin', programName))
  stageShare(join(tree, 'usr/share'), zshFolder)
  cpSync(resolveFromRoot('LICENSE'), createTreeFile(tree, `usr/share/doc/${programName}/copyright`))
}

const runCompanion = (/** @type {string[]} */ ...args) =>
  execFileSync(process.execPath, [resolveFromRoot('out/main/cli.cjs'), ...args], { encoding: 'utf8' })

const vietnameseSummary = 'Ứng dụng cho gói token LLM trả trước và nền tảng agent'

const desktopEntry = `[Desktop Entry]
Type=Application
Name=${productName}
Comment=${summary}
Comment[vi]=${vietnameseSummary}
Exec=/opt/${programName}/${programName} %U
Icon=${programName}
Terminal=false
Categories=Development;
MimeType=x-scheme-handler/${linkScheme};${keyFileMimeType};
StartupWMClass=${productName}
`

/** The shared MIME database has no type for files of age. */
const mimeTypes = `<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="${keyFileMimeType}">
    <comment>age encrypted file</comment>
    <comment xml:lang="vi">tệp mã hóa bằng age</comment>
    <magic>
      <match type="string" offset="0" value="age-encryption.org/v1"/>
      <match type="string" offset="0" value="-----BEGIN AGE ENCRYPTED FILE-----"/>
    </magic>
    <glob pattern="*.age"/>
  </mime-type>
</mime-info>
`

const appStreamId = 'io.platform_companion.app'
const appStreamMetadata = `<?xml version="1.0" encoding="UTF-8"?>
<component type="desktop-application">
  <id>${appStreamId}</id>
  <metadata_license>MIT</metadata_license>
  <project_license>MIT</project_license>
  <name>${productName}</name>
  <summary>${summary}</summary>
  <summary xml:lang="vi">${vietnameseSummary}</summary>
  <developer id="io.platform_companion"><name>The Platform Companion developers</name></developer>
  <description>
    <p>${longDescription}</p>
    <p xml:lang="vi">Kết nối công cụ lập trình với gói token trả trước, lưu key trong keychain, hiển thị quota còn lại và quản lý nền tảng agent.</p>
  </description>
  <launchable type="desktop-id">${programName}.desktop</launchable>
  <provides><binary>${programName}</binary><binary>companion</binary></provides>
  <content_rating type="oars-1.1"/>
</component>
`

/** Message of a package before its removal. */
const removalNotice = `cat <<'END'
Coding tools that Platform Companion configured get no key after it is removed.
To undo their configuration, each user runs this before the removal: companion restore --all
END`

const refresh = `if command -v update-mime-database >/dev/null; then update-mime-database /usr/share/mime || true; fi
if command -v update-desktop-database >/dev/null; then update-desktop-database -q /usr/share/applications || true; fi
if command -v gtk-update-icon-cache >/dev/null; then gtk-update-icon-cache -q -t /usr/share/icons/hicolor || true; fi`

const maintainer = 'The Platform Companion developers <noreply@platform-companion.invalid>'

/** Breaks a text into indented lines that fit Debian's limit of 80 characters. */
const wrapLines = (/** @type {string} */ text, /** @type {string} */ indent) =>
  text.replaceAll(/(.{1,72})(?:\s+|$)/g, `${indent}$1\n`)

/** The changes of this version in Debian's format. */
function debianChangelog() {
  const changes = [...releaseNotes(packageVersion).en.matchAll(/^- (.+)/gm)].map(
    ([, text = '']) => `  * ${wrapLines(text, '    ').trim()}\n`,
  )
  const date = new Date().toUTCString().replace('GMT', '+0000')
  return `${programName} (${packageVersion}) stable; urgency=medium\n\n${changes.join('')}\n -- ${maintainer}  ${date}\n`
}

/** @param {Options} options */
async function debianPackage(options) {
  const tree = join(options.output, 'deb-tree')
  await stage(tree, 'zsh/vendor-completions', options)
  const changelog = gzipSync(debianChangelog(), { level: 9 })
  writeFileSync(createTreeFile(tree, `usr/share/doc/${programName}/changelog.gz`), changelog)
  const { stdout } = spawnSync('du', ['-sk', tree], { encoding: 'utf8' })
  const controlFileText = `Package: ${programName}
Version: ${packageVersion}
Section: devel
Priority: optional
Architecture: ${debianArch}
Maintainer: ${maintainer}
Installed-Size: ${Number.parseInt(stdout, 10)}
Depends: ${debianDepends.join(', ')}
Recommends: gnome-keyring | kwalletmanager
Description: ${summary}
${wrapLines(longDescription, ' ')}`
  mkdirSync(join(tree, 'DEBIAN'))
  writeFileSync(join(tree, 'DEBIAN/control'), controlFileText)
  for (const name of ['postinst', 'postrm'])
    writeFileSync(join(tree, 'DEBIAN', name), `#!/bin/sh\nset -e\n${refresh}\n`, { mode: 0o755 })
  // Skip the notice on an upgrade.
  const prerm = `#!/bin/sh\nset -e\nif [ "$1" = remove ]; then\n${removalNotice}\nfi\n`
  writeFileSync(join(tree, 'DEBIAN/prerm'), prerm, { mode: 0o755 })
  const path = join(
    options.output,
    `${programName}_${packageVersion}${placeholderPackage(options.electronVersion)}_${debianArch}.deb`,
  )
  await runCommand('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z6', '--build', tree, path])
  rmSync(tree, { recursive: true })
  return path
}

/** @param {Options} options */
async function rpmPackage(options) {
  const top = join(options.output, 'rpm-tree')
  const tree = join(top, 'files')
  await stage(tree, 'zsh/site-functions', options)
  const spec = `%global __os_install_post %{nil}
%global debug_package %{nil}
%global _build_id_links none
Name: ${programName}
Version: ${packageVersion}
Release: 1
Summary: ${summary}
License: MIT
AutoReqProv: no
${rpmRequires.map((name) => `Requires: ${name}`).join('\n')}
%description
${longDescription}
%install
mkdir -p %{buildroot}
cp -a ${tree}/. %{buildroot}/
%post
${refresh}
%preun
if [ "$1" = 0 ]; then
${removalNotice}
fi
%postun
${refresh}
%files
%defattr(-,root,root,-)
/opt/${programName}
%attr(4755, root, root) /opt/${programName}/chrome-sandbox
/usr/bin/companion
/usr/bin/${programName}
/usr/share/applications/${programName}.desktop
/usr/share/metainfo/${appStreamId}.metainfo.xml
/usr/share/mime/packages/${programName}.xml
/usr/share/icons/hicolor/*/apps/${programName}.png
/usr/share/doc/${programName}
/usr/share/bash-completion/completions/companion
/usr/share/zsh/site-functions/_companion
/usr/share/fish/vendor_completions.d/companion.fish
/usr/share/man/man1/*.1.gz
`
  writeFileSync(join(top, 'package.spec'), spec)
  await runCommand('rpmbuild', [
    '-bb',
    '--quiet',
    '--define',
    `_topdir ${top}`,
    '--define',
    '_binary_payload w6.gzdio',
    '--target',
    rpmArch,
    join(top, 'package.spec'),
  ])
  const builtPath = join(top, 'RPMS', rpmArch, `${programName}-${packageVersion}-1.${rpmArch}.rpm`)
  const path = join(
    options.output,
    `${programName}-${packageVersion}${placeholderPackage(options.electronVersion)}-1.${rpmArch}.rpm`,
  )
  renameSync(builtPath, path)
  rmSync(top, { recursive: true })
  return path
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} [cwd]
 */
async function runCommand(command, args, cwd = resolveFromRoot()) {
  const { code, output } = await run(command, args, { keepOutput: true, cwd })
  if (code === 0) return
  throw new StepFailure(`${command} failed.`, {
    reason: `it ended with ${code}`,
    remedy: 'see its words above',
    output,
  })
}
