/** The page with all profiles. */
export const listPath = '/profiles'

/** The page that reads a teammate's profile. */
export const importPath = '/profiles/import'

/** The page of one profile. */
export const profilePath = (id: string): string => `/profiles/${encodeURIComponent(id)}`

/** The page with what switching to a profile would write. */
export const switchPath = (id: string): string => `${profilePath(id)}/switch`
