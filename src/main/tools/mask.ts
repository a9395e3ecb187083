import { visit } from 'jsonc-parser'
import { splice, type TextEdit } from './editors/splice'
import { MASKED, maskForms, maskValue } from './secret-words'

/** A JSON text as it may be shown: values of secret names, and what has the form of a secret anywhere, as `[secret]`. */
export function maskSecrets(text: string): string {
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const body = text.slice(bom.length)
  return bom + splice(body, findSecrets(body))
}

function findSecrets(text: string): TextEdit[] {
  const found: TextEdit[] = []
  let flag: string | undefined
  const literal = (value: unknown, { offset, length }: Place, path: readonly (string | number)[]): void => {
    const raw = text.slice(offset, offset + length)
    const content = maskValue({ raw, value, names: namesOf(path, flag), whole: `"${MASKED}"` })
    flag = typeof value === 'string' && value.startsWith('-') ? value : undefined
    if (content !== raw) found.push({ offset, length, content })
  }
  visit(
    text,
    {
      onObjectProperty: () => {
        flag = undefined
      },
      onLiteralValue: (...[value, offset, length, , , path]) => literal(value, { offset, length }, path()),
      onComment: (offset, length) => {
        found.push({ offset, length, content: maskForms(text.slice(offset, offset + length)) })
      },
    },
    { allowTrailingComma: true, allowEmptyContent: true },
  )
  return found
}

type Place = Pick<TextEdit, 'offset' | 'length'>

/** The names that speak for a value: those of its path, or the option before it in a list of arguments. */
function namesOf(path: readonly (string | number)[], flag: string | undefined): string[] {
  const names = path.filter((segment) => typeof segment === 'string')
  return typeof path.at(-1) === 'number' && flag !== undefined ? [...names, flag] : names
}
