/** The page that hands out a key. */
export const handoutsPath = '/handout'

/** The same page, begun with a plan and a key of it. */
export const handoutPath = ({ planId, keyId }: { readonly planId: string; readonly keyId?: string }): string =>
  `/handout?${new URLSearchParams({ plan: planId, ...(keyId === undefined ? {} : { key: keyId }) }).toString()}`

/** The page that hands out keys to several. */
export const handoutManyPath = '/handout/many'

/** The page that opens a kit. */
export const openKitPath = '/handout/open'
