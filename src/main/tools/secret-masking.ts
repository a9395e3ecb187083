import { visit } from 'jsonc-parser'
import { isHarmlessSetting, isPasswordSetting, isSecretSetting, splitWords } from '../core/secret-names'
import { splice, type TextEdit } from './editors/editor'

export const MASKED = '[secret]'

/** Patterns of known secret formats. The first group is kept. */
const secretForms: readonly RegExp[] = [
  /\b((?:bearer|basic)\s+)[\w.~+/=-]{6,}/gi,
  /()\b(?:sk|pk|rk)[-_][\w-]{6,}/g,
  /()\b(?:gh[pousr]_|github_pat_|glpat-|xox[a-z]-|npm_|hf_|AKIA|ASIA|AIza|ya29\.)[\w-]{8,}/g,
  /()\beyJ[\w-]{8,}\.[\w.-]+/g,
  /([a-z][a-z\d+.-]{0,20}:\/\/)[^\s"'/@?#]+(?=@)/gi,
  /([?&][\w-]{0,64}(?:key|pat|pwd|auth|jwt|sig|signature|credential)=)(?!\{|\$|\[secret\])[^\s"'&#]+/gi,
  /((?:--?|[?&"']|\b)[\w-]{0,64}(?:api[-_]?key|token|secret|passw(?:or)?d|authorization)["']?\s*[=:]\s*["']?)(?!\{|\$|\[secret\]|(?:bearer|basic)\s)[^\s"',;&}\]]+/gi,
]

const maybeSecretForm =
  /bearer|basic|[spr]k[-_]|gh[pousr]_|github_pat_|glpat-|xox|npm_|hf_|akia|asia|aiza|ya29|eyj|:\/\/[^\s"'/@?#]*@|api[-_]?key|token|secret|passw|authorization|[?&][\w-]*=/i

/** Names and commands that refer to a secret without containing it. */
const references: readonly RegExp[] = [
  /^(?:(?:bearer|basic)\s+)?(?:\{(?:env|file):[^}]*\}|\$\{\{[^}]*\}\}|\$\{[^}]*\}|\$[A-Za-z_]\w*|%\w+%)$/i,
  /^(?:!|\$\()["']?[^"'|;&$`]*["']? key print --plan [\w-]+ --key [\w-]+\)?$/,
]

/** Masks secret-like parts of a text. Keeps the number of lines. */
export function maskForms(text: string): string {
  if (!maybeSecretForm.test(text)) return text
  return secretForms.reduce((left, form) => left.replace(form, (_match, kept: string) => kept + MASKED), text)
}

/**
 * A value of a settings file: source text (`raw`), value, and enclosing names with the nearest last. `whole` formats a
 * fully masked value.
 */
type MaskedValue = {
  readonly raw: string
  readonly value: unknown
  readonly names: readonly string[]
  readonly whole: string
}

export function maskValue({ raw, value, names, whole }: MaskedValue): string {
  if (typeof value !== 'string') return typeof value === 'number' && names.some(isPasswordSetting) ? whole : raw
  if (value === '' || references.some((reference) => reference.test(value))) return raw
  const isNamed = names.some(isSecretSetting) && !names.slice(-1).some(isHarmlessSetting)
  if (isNamed && !isCount(value, names) && !isVariableName(value, names)) return whole
  const hidden = maskForms(raw)
  return hidden === raw && !raw.includes(value) && maskForms(value) !== value ? whole : hidden
}

/** A token count is not a secret. */
const isCount = (value: string, names: readonly string[]): boolean =>
  /^\d{1,9}$/.test(value) && splitWords(names.at(-1) ?? '').includes('tokens')

/** `envKey` and similar names hold the name of a variable, not a key. */
const isVariableName = (value: string, names: readonly string[]): boolean =>
  /^[A-Z][A-Z0-9_]*$/.test(value) && splitWords(names.at(-1) ?? '').includes('env')

/** Masks values of secret names and secret-like values in a JSON text. */
export function maskSecrets(text: string): string {
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const body = text.slice(bom.length)
  return bom + splice(body, findSecrets(body))
}

function findSecrets(text: string): TextEdit[] {
  const found: TextEdit[] = []
  let flag: string | undefined
  const literal = (value: unknown, { offset, length }: TextRange, path: readonly (string | number)[]): void => {
    const raw = text.slice(offset, offset + length)
    const content = maskValue({ raw, value, names: candidateNames(path, flag), whole: `"${MASKED}"` })
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

type TextRange = Pick<TextEdit, 'offset' | 'length'>

/** Names that describe a value: its path, or the preceding option in an argument list. */
function candidateNames(path: readonly (string | number)[], flag: string | undefined): string[] {
  const names = path.filter((segment) => typeof segment === 'string')
  if (typeof path.at(-1) !== 'number' || flag === undefined) return names
  return names.slice(-1).some(isHarmlessSetting) ? [flag] : [...names, flag]
}
