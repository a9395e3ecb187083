import { InvalidArgumentError } from 'commander'

/** Values by name, as `--path` and `--query` give them. */
export type Pairs = ReadonlyMap<string, string>

/** Takes one more `name=value`; the value may hold `=` and may be empty. */
export function collectPair(text: string, before: Pairs): Pairs {
  const at = text.indexOf('=')
  const name = text.slice(0, at)
  if (at < 1) throw new InvalidArgumentError('Write it as name=value.')
  if (before.has(name)) throw new InvalidArgumentError(`${name} is given twice.`)
  return new Map([...before, [name, text.slice(at + 1)]])
}
