import { invalidInput } from './refusals'

/** A query parameter that must be there; it may be empty only where the spec says so (`mayBeEmpty`). Throws 400. */
export function required(query: URLSearchParams, name: string, { mayBeEmpty = false } = {}): string {
  const value = query.get(name)
  if (value === null) throw invalidInput(`The query parameter "${name}" is required.`)
  if (value === '' && !mayBeEmpty) throw invalidInput(`The query parameter "${name}" must not be empty.`)
  return value
}

/** A whole number in a query, between `least` and `most`, or `usual` when it is left out. Throws 400. */
export function wholeNumber(
  query: URLSearchParams,
  name: string,
  { least, most, usual }: { least: number; most: number; usual: number },
): number {
  const text = query.get(name)
  if (text === null) return usual
  const value = Number(text)
  if (!/^-?\d{1,9}$/.test(text) || value < least || value > most) {
    throw invalidInput(
      `The query parameter "${name}" must be a whole number from ${least} to ${most}; it was "${text.slice(0, 40)}".`,
    )
  }
  return value
}
