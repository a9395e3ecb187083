import { resolve } from 'node:path'
import type { Site } from '@shared/contract'
import { AppError } from '@shared/failure'
import { type Command, InvalidArgumentError, Option } from 'commander'

export const addConnectionOption = <C extends Command>(command: C): C =>
  command.option('--connection <connection>', 'name or id (default: the active one)')

export const createYesOption = (action: string): Option =>
  new Option('--yes', `${action} (without it, only show what would happen)`)

export type Pairs = ReadonlyMap<string, string>

/** Parses a `NAME=VALUE` option. The value may contain `=` and may be empty. */
export function collectPair(text: string, previousPairs: Pairs): Pairs {
  const separatorIndex = text.indexOf('=')
  const name = text.slice(0, separatorIndex)
  if (separatorIndex < 1) throw new InvalidArgumentError('Use name=value.')
  if (previousPairs.has(name)) throw new InvalidArgumentError(`${name} is given twice.`)
  return new Map([...previousPairs, [name, text.slice(separatorIndex + 1)]])
}

/** Parses a local day such as `2026-12-24` and returns its last second. Undefined for other texts and impossible days. */
export function readEndOfDay(text: string): Date | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)?.map(Number) ?? []
  const end = new Date(year ?? Number.NaN, (month ?? 0) - 1, day, 23, 59, 59)
  // `Date` turns February 31 into a day in March.
  return end.getDate() === day && end.getMonth() + 1 === month ? end : undefined
}

interface ItemNameOptions<T> {
  /** Kind of item, such as `plan`. */
  readonly what: string
  /** Default: the property `id`. */
  readonly listIds?: (item: T) => readonly string[]
  /** Default: the property `name`. */
  readonly listNames?: (item: T) => readonly string[]
}

const listProperty =
  (name: string) =>
  (item: object): readonly string[] => [String(Reflect.get(item, name))]

/** Finds an item by id, or else by its unique name. Fails with `input.invalid` when several have the name. */
export function findByIdOrName<T extends object>(
  items: readonly T[],
  nameOrId: string,
  { what, listIds = listProperty('id'), listNames = listProperty('name') }: ItemNameOptions<T>,
): T | undefined {
  const idMatch = items.find((item) => listIds(item).includes(nameOrId))
  if (idMatch !== undefined) return idMatch
  const nameMatches = items.filter((item) => listNames(item).includes(nameOrId))
  if (nameMatches.length < 2) return nameMatches[0]
  const ids = nameMatches.map((item) => listIds(item)[0]).join(', ')
  const message = `${nameMatches.length} ${what}s are named ${nameOrId}: ${ids}. Use the id.`
  throw new AppError('input.invalid', message, { field: what })
}

/** Finds a key of a plan on this computer by id or name. Fails with `key.notFound`, or `input.invalid` if ambiguous. */
export function findPlanKey<K extends { readonly id: string; readonly name: string }>(
  { name, keys }: { readonly name: string; readonly keys: readonly K[] },
  keyNameOrId: string,
): K {
  const key = findByIdOrName(keys, keyNameOrId, { what: 'key' })
  if (key) return key
  const keyNames = keys.map((item) => item.name).join(', ')
  throw new AppError('key.notFound', `Plan ${name} has no key ${keyNameOrId} on this computer. Its keys: ${keyNames}.`)
}

export const readWholeNumber = (min: number, max: number) => (text: string) => {
  const number = Number(text)
  if (Number.isInteger(number) && number >= min && number <= max) return number
  throw new InvalidArgumentError(`Enter a whole number from ${min} to ${max}.`)
}

export function readKeyName(text: string): string {
  const name = text.trim()
  if (name !== '' && [...name].length <= 50) return name
  throw new InvalidArgumentError('Use 1 to 50 characters.')
}

/** Options for the location of a tool's settings: a project or a WSL distribution. Default: the user's home. */
export interface SiteOptions {
  readonly project?: string
  readonly wsl?: string
}

export function addSiteOptions<C extends Command>(command: C): C {
  return command
    .addOption(new Option('--project <folder>', 'use the settings of a project folder').conflicts('wsl'))
    .option('--wsl <distribution>', 'use the settings in a WSL distribution')
}

/** Reads the location of a tool's settings. A relative folder is resolved against the working directory. */
export function readSite({ project, wsl }: SiteOptions): Site {
  if (project !== undefined) return { kind: 'project', folder: resolve(project) }
  return wsl === undefined ? { kind: 'user' } : { kind: 'wsl', distribution: wsl }
}
