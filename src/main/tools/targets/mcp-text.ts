import { AppError } from '@shared/failure'
import { Secret } from '../../core/secret'
import { isBareScheme, isSecretArgument, MASKED, maskForms } from '../../core/secret-forms'
import { isSecretHeader, isSecretSetting } from '../../core/secret-names'

/** A text of an MCP server, with literal parts and variables that the tool replaces. */
export type Text = readonly TextPart[]
type TextPart = string | Secret | Variable

interface Variable {
  /** The source text, such as `${env:NAME}`. */
  readonly raw: string
  /**
   * Name of an environment variable. With neither `env` nor `place`, the placeholder has a meaning only in the original
   * tool.
   */
  readonly env?: string | undefined
  readonly fallback?: string | undefined
  /** Placeholder for a folder or file that several tools support under the same name. */
  readonly place?: string | undefined
}

export interface Syntax {
  /** All syntax that the tool replaces or runs. Groups: `env` (or `bare`) with its `fallback`, or `place`. */
  readonly pattern: RegExp
  readonly env?: (name: string) => string
  readonly fallback?: (name: string, value: string) => string
  readonly places?: RegExp
}

/** Parses a text in this syntax. Without a syntax it is literal. */
export function parseText(text: string, syntax: Syntax | undefined): Text {
  const variableMatches = syntax ? [...text.matchAll(syntax.pattern)] : []
  const partStarts = [0, ...variableMatches.map(({ index, 0: raw }) => index + raw.length)]
  return partStarts.flatMap((start, index): TextPart[] => {
    const match = variableMatches[index]
    const literal = text.slice(start, match?.index)
    const { bare, env = bare, fallback, place } = match?.groups ?? {}
    return [...(literal === '' ? [] : [literal]), ...(match ? [{ raw: match[0], env, fallback, place }] : [])]
  })
}

const isVariable = (part: TextPart): part is Variable => typeof part === 'object' && !(part instanceof Secret)
export const hasVariable = (text: Text): boolean => text.some(isVariable)

/** The environment variable that makes up the whole text, without a fallback. */
export function getSingleVariable([part, ...rest]: Text): string | undefined {
  if (part === undefined || !isVariable(part) || rest.length > 0) return undefined
  return part.fallback === undefined ? part.env : undefined
}

/** A text without variables and secrets, or undefined. */
export const getLiteral = (text: Text): string | undefined =>
  text.every((part) => typeof part === 'string') ? text.join('') : undefined

/** The source text with secrets masked. */
export const rawText = (text: Text): string =>
  text.map((part) => (isVariable(part) ? part.raw : part instanceof Secret ? MASKED : part)).join('')

/** The source text with all secret-like parts masked. */
export function showText(text: Text, option?: Text): string {
  const shownText = rawText(text)
  const maskedText = maskForms(shownText)
  return hasSecret(text, option) && maskedText === shownText ? MASKED : maskedText
}

/** Placeholder of a variable while a text is searched for secrets. */
const gap = '\uE000'

/**
 * Whether the literal parts look like a secret, or the setting's name or the preceding option (`--api-key`) names one.
 */
export function hasSecret(text: Text, option: Text = []): boolean {
  if (text.some((part) => part instanceof Secret)) return true
  const [marked, name] = [text, option].map((parts) =>
    parts.map((part) => (typeof part === 'string' ? part : gap)).join(''),
  ) as [string, string]
  const isNamed = /^--?[\w-]+$/.test(name) && isSecretSetting(name) && !marked.startsWith('-')
  // `user:${PASSWORD}@host` has no secret.
  const literal = marked.replace(/:\/\/[\w.-]*:?\uE000@/g, '://').replaceAll(gap, '')
  return (isNamed && literal !== '') || isSecretArgument(literal, name) || maskForms(literal) !== literal
}

/** Whether a variable or header has a literal value, which may be secret. */
export function isValue(name: string, text: Text): boolean {
  if (!hasVariable(text) || hasSecret(text)) return true
  const literal = text.filter((part) => typeof part === 'string').join('')
  return (isSecretSetting(name) || isSecretHeader(name)) && !isBareScheme(literal)
}

interface Destination {
  readonly tool: string
  readonly syntax: Syntax | undefined
}

/**
 * A text in another tool's syntax. Fails with `input.invalid` and the name of a part that the tool lacks, or would
 * replace or run although it is literal.
 */
export function writeText(text: Text, field: string, { tool, syntax }: Destination): string {
  const parts = text.map((part) => {
    if (!isVariable(part)) return part instanceof Secret ? part.expose() : part
    const writtenVariable = writeVariable(part, syntax)
    if (writtenVariable === undefined) throw createUnsupportedError(`${tool} has nothing like ${part.raw} (${field}).`)
    return writtenVariable
  })
  const wholeText = parts.join('')
  const variables = parts.filter((_, index) => hasVariable(text.slice(index, index + 1)))
  const replacedVariables = syntax ? [...wholeText.matchAll(syntax.pattern)].map(([raw]) => raw) : variables
  const literal = replacedVariables.find((raw, index) => raw !== variables[index])
  if (literal === undefined) return wholeText
  throw createUnsupportedError(`${tool} would replace or run ${maskForms(literal)} (${field}).`)
}

function writeVariable({ raw, env, fallback, place }: Variable, syntax: Syntax | undefined): string | undefined {
  if (env === undefined) return place !== undefined && syntax?.places?.test(place) ? raw : undefined
  return fallback === undefined ? syntax?.env?.(env) : syntax?.fallback?.(env, fallback)
}

export const createUnsupportedError = (message: string): AppError =>
  new AppError('input.invalid', `${message} Add the server there yourself.`, { field: 'toolId' })
