import { AppError } from '@shared/failure'

/** One Linux distribution of the Windows Subsystem for Linux. */
export type Distribution = { readonly name: string; readonly isDefault: boolean }

/** Begins with no dash, so that it can be no option of `wsl.exe`, and holds nothing that a share or a shell reads. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/

/** Distributions that programs keep for themselves; nobody works in them. */
const OF_PROGRAMS = /^(?:docker|rancher|podman)-/i

/** The arguments that list distributions in a form for `parseDistributions`. */
export const listArguments: readonly string[] = ['--list', '--verbose']

/**
 * The distributions in what `wsl.exe --list` prints, with `--verbose` or `--quiet`. Headings and messages, which are in
 * the user's language, and names that are none are left out.
 */
export function parseDistributions(printed: Uint8Array): Distribution[] {
  return decode(printed)
    .split(/\r?\n/)
    .flatMap(readLine)
    .filter(({ name }) => NAME.test(name) && !OF_PROGRAMS.test(name))
}

/** The name, when it may be given to `wsl.exe`; `input.invalid` for any other text. */
export function requireDistribution(name: string): string {
  if (NAME.test(name)) return name
  throw new AppError('input.invalid', 'This is not the name of a Linux distribution. Choose one of the list.', {
    field: 'site',
  })
}

/** `wsl.exe` writes UTF-16LE, with or without a byte order mark; UTF-8 where WSL_UTF8 is set. */
function decode(printed: Uint8Array): string {
  const isWide = printed[0] === 0xff ? printed[1] === 0xfe : printed[1] === 0
  const text = new TextDecoder(isWide ? 'utf-16le' : 'utf-8').decode(printed)
  return text.replaceAll('\0', '')
}

/** A line of `--quiet` is a name; one of `--verbose` ends with the version, which a heading and a message do not. */
function readLine(line: string): Distribution[] {
  const [, star, rest = ''] = /^\s*(\*?)\s*(.*?)\s*$/.exec(line) ?? []
  const [name = '', ...columns] = rest.split(/\s{2,}/)
  const isRow = columns.length === 0 || /\s[12]$/.test(rest)
  return isRow ? [{ name, isDefault: star === '*' }] : []
}
