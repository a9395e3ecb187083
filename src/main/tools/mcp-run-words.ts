export interface StoredValues {
  readonly account: string
  readonly names: readonly string[]
}

const itemOption = '--item='
const valueOption = '--value='

/** Arguments of `mcp run` before the program to run. As `--value=NAME`, no name is parsed as an option. */
export const buildRunArgs = ({ account, names }: StoredValues): readonly string[] => [
  'mcp',
  'run',
  `${itemOption}${account}`,
  ...names.map((name) => valueOption + name),
  '--',
]

/** Parses an `mcp run` command: which stored values it uses, and the number of arguments before its program. */
export function parseRunWords(
  message: readonly string[],
): { readonly kept: StoredValues; readonly length: number } | undefined {
  const end = message.indexOf('--')
  if (end === -1 || message[0] !== 'mcp' || message[1] !== 'run' || end === message.length - 1) return undefined
  const length = end + 1
  const runArguments = message.slice(2, end)
  const [firstWord = '', ...otherWords] = runArguments
  const account = firstWord.slice(itemOption.length)
  const isItem = firstWord.startsWith(itemOption) && account.startsWith('mcp:')
  if (isItem && otherWords.every((word) => word.startsWith(valueOption)))
    return { kept: { account, names: otherWords.map((word) => word.slice(valueOption.length)) }, length }
  // Earlier app versions passed tool, server and names as separate arguments.
  const [tool, server, ...names] = runArguments
  const isEarlierFormat = names.length > 0 && runArguments.every((word) => !word.startsWith('-'))
  return isEarlierFormat ? { kept: { account: `mcp:${tool}:${server}`, names }, length } : undefined
}
