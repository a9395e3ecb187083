/** System libraries and programs of the app and of a private desktop, with their packages by distribution. */

/**
 * @typedef {object} SystemPart
 * @property {string} file shared library or program that proves its presence; empty if none does
 * @property {string} debian
 * @property {string} fedora
 * @property {string} arch
 */

/** @type {readonly SystemPart[]} */
export const appPackages = [
  { file: 'libgtk-3.so.0', debian: 'libgtk-3-0', fedora: 'gtk3', arch: 'gtk3' },
  { file: 'libnss3.so', debian: 'libnss3', fedora: 'nss', arch: 'nss' },
  { file: 'libgbm.so.1', debian: 'libgbm1', fedora: 'mesa-libgbm', arch: 'mesa' },
  { file: 'libasound.so.2', debian: 'libasound2', fedora: 'alsa-lib', arch: 'alsa-lib' },
  { file: 'libnotify.so.4', debian: 'libnotify4', fedora: 'libnotify', arch: 'libnotify' },
  { file: 'libsecret-1.so.0', debian: 'libsecret-1-0', fedora: 'libsecret', arch: 'libsecret' },
]

/** @type {readonly SystemPart[]} */
export const desktopPackages = [
  { file: 'Xvfb', debian: 'xvfb', fedora: 'xorg-x11-server-Xvfb', arch: 'xorg-server-xvfb' },
  { file: 'dbus-daemon', debian: 'dbus', fedora: 'dbus-daemon', arch: 'dbus' },
  { file: 'gnome-keyring-daemon', debian: 'gnome-keyring', fedora: 'gnome-keyring', arch: 'gnome-keyring' },
  { file: 'fc-list', debian: 'fontconfig', fedora: 'fontconfig', arch: 'fontconfig' },
  { file: 'curl', debian: 'curl', fedora: 'curl', arch: 'curl' },
  { file: '', debian: 'fonts-liberation', fedora: 'liberation-fonts', arch: 'ttf-liberation' },
]

/**
 * Additional programs of the deep tests.
 * @type {readonly SystemPart[]}
 */
export const deepTestPackages = [
  { file: 'postgres', debian: 'postgresql', fedora: 'postgresql-server', arch: 'postgresql' },
  // debootstrap creates a clean Debian system. The test that uses it runs only on Debian.
  { file: '', debian: 'debootstrap', fedora: 'debootstrap', arch: 'debootstrap' },
]

/**
 * Package names in the output of `dpkg-query -W -f '${binary:Package} ${db:Status-Abbrev}\n'`.
 * @param {string} output
 */
export function installedNames(output) {
  const rows = output.split('\n').map((line) => line.trim().split(/\s+/))
  const names = rows.filter(([, status]) => status === 'ii').map(([name = '']) => name.replace(/:.*$/, ''))
  return new Set(names)
}

/**
 * Debian packages that are installed neither under their name nor under that of newer releases (`NAMEt64`).
 * @param {readonly string[]} names
 * @param {ReadonlySet<string>} installed
 */
export function missingNames(names, installed) {
  return names.filter((name) => !installed.has(name) && !installed.has(`${name}t64`))
}
