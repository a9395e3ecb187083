/** The scheme that opens the app. */
export const linkScheme = 'platform-companion'

/** Where a link leads in the window, by what stands behind the scheme. */
const places: Readonly<Record<string, string>> = { import: '/handout/open' }

const form = new RegExp(`^${linkScheme}:/*(?<place>[a-z]+)/?$`, 'i')

/** The window's path that a link opens; undefined for any other text. A link with anything more in it, such as a key, is none. */
export function readDeepLink(url: string): string | undefined {
  const place = form.exec(url)?.groups?.place?.toLowerCase()
  return place !== undefined && Object.hasOwn(places, place) ? places[place] : undefined
}

/** The path of the first link among the arguments that a system starts the app with. */
export function deepLinkIn(args: readonly string[]): string | undefined {
  return args.map(readDeepLink).find((path) => path !== undefined)
}
