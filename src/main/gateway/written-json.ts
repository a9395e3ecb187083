import { AppError } from '@shared/failure'
import { visit } from 'jsonc-parser'

/** What a person wrote as raw JSON, and which field it is in. */
export interface WrittenJson {
  readonly field: string
  readonly text: string
}

/** The value of JSON that a person wrote. Throws `input.invalid` with the field, the line, and in words the column (both from 1) where it breaks. */
export function parseWritten({ field, text }: WrittenJson): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const { line, column } = breakOf(text)
    const message = `${field} is not JSON: it breaks at line ${line}, column ${column}. Put it right there, or leave it empty.`
    throw new AppError('input.invalid', message, { field, line, cause })
  }
}

/** Where a text stops being JSON; its beginning when the parser that knows places has nothing against it. */
function breakOf(text: string): { readonly line: number; readonly column: number } {
  let found: { readonly line: number; readonly column: number } | undefined
  visit(
    text,
    {
      onError: (...[, , , startLine, startCharacter]) => {
        found ??= { line: startLine + 1, column: startCharacter + 1 }
      },
    },
    { disallowComments: true, allowTrailingComma: false },
  )
  return found ?? { line: 1, column: 1 }
}
