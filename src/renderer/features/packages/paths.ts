/** Where all packages are. */
export const packagesPath = '/plans/packages'

/** The page of a package. */
export const packagePath = (packageId: string): string => `${packagesPath}/${encodeURIComponent(packageId)}`

/** Packages side by side. */
export const comparePath = (packageIds: readonly string[]): string =>
  `${packagesPath}/compare?ids=${packageIds.map(encodeURIComponent).join(',')}`
