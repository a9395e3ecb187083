import type { z } from 'zod'

/** SQL text that is inserted into a statement without escaping. It must never contain external input. */
export class RawSql {
  constructor(readonly text: string) {}
}

export type Statement = [text: TemplateStringsArray, ...values: unknown[]]

/** Runs a statement and validates the returned rows. Interpolated values become SQL parameters. Fails with `team.*`. */
export type Query = <S extends z.ZodType>(schema: S) => (...statement: Statement) => Promise<z.output<S>[]>

export function toQuery(...[text, ...values]: Statement): { readonly text: string; readonly values: unknown[] } {
  const parameters: unknown[] = []
  const parts = values.map((value, index) => {
    if (value instanceof RawSql) return `${value.text}${text[index + 1]}`
    parameters.push(value)
    return `$${parameters.length}${text[index + 1]}`
  })
  return { text: `${text[0]}${parts.join('')}`, values: parameters }
}
