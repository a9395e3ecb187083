// The window's start reads this file before anything else, so it must not import anything.

/** Variable with the part of the tool's input that the launcher has read. */
export const statusInputVariable = 'COMPANION_STATUS_INPUT'

/** The argument after which the installed app takes the arguments of a command: `platform-companion --cli -- plan list`. */
const commandFlag = '--cli'

/** The arguments of a command in those of the app; undefined when it was started for its window. */
export function commandArguments(argv: readonly string[]): readonly string[] | undefined {
  const end = argv.indexOf('--')
  const at = argv.indexOf(commandFlag)
  return at >= 0 && end === at + 1 ? argv.slice(end + 1) : undefined
}

/**
 * How the installed app is started for a command. It draws nothing, so it needs no screen, and Chromium starts no process that would need
 * its sandbox; what comes after `--` is never taken for a switch of Chromium.
 */
export const appSwitches = (platform: NodeJS.Platform): readonly string[] => [
  ...(platform === 'linux' ? ['--ozone-platform=headless', '--no-sandbox', '--no-zygote', '--log-level=3'] : []),
  ...['--disable-gpu', commandFlag, '--'],
]

/** In characters; a longer command line ends a running app, which receives it through the single-instance lock. */
const maxWindowArguments = 8 * 1024

/** The arguments that fit into the single-instance lock's message, without those that are too long for it. */
export function limitArguments(args: readonly string[]): readonly string[] {
  let length = 0
  return args.filter((arg) => {
    if (length + arg.length > maxWindowArguments) return false
    length += arg.length
    return true
  })
}

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
