import { AppError } from '@shared/failure'

/** How things of one kind are called. */
export interface Called<T> {
  /** What one is, as `plan`. */
  readonly what: string
  readonly idsOf: (one: T) => readonly string[]
  readonly namesOf: (one: T) => readonly string[]
}

/**
 * The one that has this id, else the only one that has this name; undefined when there is none. Fails with `input.invalid` and the ids when
 * several have the name.
 */
export function oneOf<T>(all: readonly T[], wanted: string, { what, idsOf, namesOf }: Called<T>): T | undefined {
  const byId = all.find((one) => idsOf(one).includes(wanted))
  if (byId !== undefined) return byId
  const named = all.filter((one) => namesOf(one).includes(wanted))
  if (named.length < 2) return named[0]
  const ids = named.map((one) => idsOf(one)[0]).join(', ')
  const message = `There are ${named.length} of the name ${wanted}: ${ids}. Name the ${what} by its id.`
  throw new AppError('input.invalid', message, { field: what })
}
