/**
 * @typedef {object} LockEntry
 * @property {string} [version]
 * @property {string} [integrity]
 * @property {boolean} [optional]
 * @property {boolean} [devOptional]
 * @property {boolean} [link]
 *
 * @typedef {{ packages?: Record<string, LockEntry> }} LockFile
 */

/**
 * Paths in node_modules that differ from the lock file: missing, another version, or superfluous. Optional packages may
 * be missing, such as those for other platforms.
 * @param {LockFile} wanted package-lock.json
 * @param {LockFile} installed node_modules/.package-lock.json, which npm writes at the end
 */
export function differences(wanted, installed) {
  const wantedPackages = Object.entries(wanted.packages ?? {}).filter(([path]) => path !== '')
  const foundPackages = installed.packages ?? {}
  const missingPackages = wantedPackages
    .filter(
      ([path, entry]) =>
        !areEqual(entry, foundPackages[path]) && !(isOptional(entry) && foundPackages[path] === undefined),
    )
    .map(([path]) => path)
  const wantedPaths = new Set(wantedPackages.map(([path]) => path))
  return [...missingPackages, ...Object.keys(foundPackages).filter((path) => !wantedPaths.has(path))]
}

/** @param {LockEntry} entry */
function isOptional(entry) {
  return entry.optional === true || entry.devOptional === true
}

/**
 * @param {LockEntry} wanted
 * @param {LockEntry | undefined} found
 */
function areEqual(wanted, found) {
  return found !== undefined && found.version === wanted.version && found.integrity === wanted.integrity
}
