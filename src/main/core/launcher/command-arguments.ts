// The window's start reads this file first, so it must import nothing of the app.
import { fileURLToPath } from 'node:url'

/** Variable with the part of the tool's standard input that the launcher has already read. */
export const statusInputVariable = 'COMPANION_STATUS_INPUT'

/** The installed app treats the arguments after this flag as a command: `platform-companion --cli -- plan list`. */
const commandFlag = '--cli'

/** The command's arguments. Undefined when started for the window. */
export function commandArguments(argv: readonly string[]): readonly string[] | undefined {
  const end = argv.indexOf('--')
  const flagIndex = argv.indexOf(commandFlag)
  return flagIndex >= 0 && end === flagIndex + 1 ? argv.slice(end + 1) : undefined
}

/** Switches of the installed app for a command, which needs no display and no sandboxed process of Chromium. */
export const appSwitches = (platform: NodeJS.Platform): readonly string[] => [
  ...(platform === 'linux' ? ['--ozone-platform=headless', '--no-sandbox', '--no-zygote', '--log-level=3'] : []),
  '--disable-gpu',
  commandFlag,
  '--',
]

/** Maximum total length of the arguments. A longer command line would crash a running app, which receives it. */
const maxWindowArguments = 8 * 1024

/** Drops arguments that are too long for the single-instance lock's message. */
export function limitArguments(args: readonly string[]): readonly string[] {
  let length = 0
  return args.filter((arg) => {
    if (length + arg.length > maxWindowArguments) return false
    length += arg.length + 1
    return true
  })
}

export const linkScheme = 'platform-companion'

/** Window path for each path of a deep link. */
const pathByLinkWord: Readonly<Record<string, string>> = { import: '/handout/open' }

const deepLinkPattern = new RegExp(`^${linkScheme}:/*(?<place>[a-z]+)/?$`, 'i')

/** The window path of a link. Undefined for other texts, including links with anything extra, such as a key. */
export function readDeepLink(url: string): string | undefined {
  const linkName = deepLinkPattern.exec(url)?.groups?.place?.toLowerCase()
  return linkName !== undefined && Object.hasOwn(pathByLinkWord, linkName) ? pathByLinkWord[linkName] : undefined
}

/** Window path of the first link among the arguments from the system. */
export function findDeepLink(args: readonly string[]): string | undefined {
  return args.map(readDeepLink).find((path) => path !== undefined)
}

/** Window path that asks for the key file that the system opened with the app. */
export const openedKeyFilePath = '/handout/open?opened'

/** Path of the first key file among the arguments from the system. Undefined without one. */
export function findKeyFile(args: readonly string[]): string | undefined {
  const file = args.find((arg) => !arg.startsWith('-') && arg.toLowerCase().endsWith('.age'))
  if (!file?.startsWith('file:')) return file
  try {
    return fileURLToPath(file)
  } catch {
    return undefined
  }
}
