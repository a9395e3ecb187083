import { visit } from 'jsonc-parser'
import {
  isHarmlessSetting,
  isPasswordSetting,
  isSecretArgument,
  isSecretSetting,
  MASKED,
  maskSecretForms,
  splitWords,
} from '../core/secret'
import { splice, splitBom, type TextEdit } from './editors/editor'

/** Variable names, placeholders and commands that refer to a secret without containing it. */
const references: readonly RegExp[] = [
  /^(?:(?:bearer|basic)\s+)?(?:\{(?:env|file):[^}]*\}|\$\{\{[^}]*\}\}|\$\{[^}]*\}|\$[A-Za-z_]\w*|%\w+%)$/i,
  /^(?:!|\$\()["']?[^"'|;&$`]*["']? key print --plan [\w-]+ --key [\w-]+\)?$/,
]

/** A value with its source text (`raw`) and the property names around it. `whole`: the completely masked value. */
type MaskedValue = {
  readonly raw: string
  readonly value: unknown
  readonly names: readonly string[]
  readonly whole: string
}

export function maskValue({ raw, value, names, whole }: MaskedValue): string {
  if (typeof value !== 'string') return typeof value === 'number' && names.some(isPasswordSetting) ? whole : raw
  if (value === '' || references.some((reference) => reference.test(value))) return raw
  const hasSecretName = names.some(isSecretSetting) && !names.slice(-1).some(isHarmlessSetting)
  const nameWords = splitWords(names.at(-1) ?? '')
  const isTokenCount = /^\d{1,9}$/.test(value) && nameWords.includes('tokens')
  // A setting such as `envKey` contains the name of a variable.
  const isVariableName = /^[A-Z][A-Z0-9_]*$/.test(value) && nameWords.includes('env')
  if (hasSecretName && !isTokenCount && !isVariableName) return whole
  const maskedForms = maskSecretForms(raw)
  if (maskedForms !== raw) return maskedForms
  const isSecret = isSecretArgument(value, names.at(-1)) || maskSecretForms(value) !== value
  return isSecret ? whole : raw
}

/** Masks values of secret names and secret-like values in a JSON text. */
export function maskSecrets(source: string): string {
  const { bom, text } = splitBom(source)
  const maskEdits: TextEdit[] = []
  let flag: string | undefined
  visit(
    text,
    {
      onObjectProperty: () => {
        flag = undefined
      },
      onLiteralValue: (...[value, offset, length, , , path]) => {
        const rawText = text.slice(offset, offset + length)
        const content = maskValue({ raw: rawText, value, names: candidateNames(path(), flag), whole: `"${MASKED}"` })
        flag = typeof value === 'string' && value.startsWith('-') ? value : undefined
        if (content !== rawText) maskEdits.push({ offset, length, content })
      },
      onComment: (offset, length) => {
        maskEdits.push({ offset, length, content: maskSecretForms(text.slice(offset, offset + length)) })
      },
    },
    { allowTrailingComma: true, allowEmptyContent: true },
  )
  return bom + splice(text, maskEdits)
}

/** Names that show whether a value is secret: its path, or the option before it in an argument list. */
function candidateNames(path: readonly (string | number)[], flag: string | undefined): string[] {
  const names = path.filter((segment) => typeof segment === 'string')
  if (typeof path.at(-1) !== 'number' || flag === undefined) return names
  return names.slice(-1).some(isHarmlessSetting) ? [flag] : [...names, flag]
}
