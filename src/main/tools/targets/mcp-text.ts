import { AppError } from '@shared/failure'
import {
  isCredentialPrefix,
  isSecretArgument,
  isSecretHeader,
  isSecretSetting,
  MASKED,
  maskSecretForms,
  Secret,
} from '../../core/secret'

/** A text in an MCP server's settings: literal parts, and variables that the tool replaces. */
export type McpText = readonly TextPart[]
type TextPart = string | Secret | Variable

interface Variable {
  /** Source text of the variable, such as `${env:NAME}`. */
  readonly raw: string
  /** Name of an environment variable. Without `env` and `place`, only the original tool understands the variable. */
  readonly env?: string | undefined
  readonly fallback?: string | undefined
  /** Name of a folder or file, such as the workspace, that several tools replace with its path. */
  readonly place?: string | undefined
}

export interface Syntax {
  /** Matches all text that the tool replaces or runs. Named groups: `env` (or `bare`) with `fallback`, or `place`. */
  readonly pattern: RegExp
  readonly env?: (name: string) => string
  readonly fallback?: (name: string, value: string) => string
  readonly places?: RegExp
}

/** Splits a text into literal parts and variables. Without a syntax, the whole text is literal. */
export function parseText(text: string, syntax: Syntax | undefined): McpText {
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
export const hasVariable = (text: McpText): boolean => text.some(isVariable)

/** Name of the environment variable if the text is only that variable and has no fallback. Otherwise undefined. */
export function getSingleVariable([part, ...rest]: McpText): string | undefined {
  if (part === undefined || !isVariable(part) || rest.length > 0) return undefined
  return part.fallback === undefined ? part.env : undefined
}

/** Returns the text if it contains no variables and no secrets. Otherwise returns undefined. */
export const getLiteral = (text: McpText): string | undefined =>
  text.every((part) => typeof part === 'string') ? text.join('') : undefined

/** The text as in the tool's file, with known secrets masked. */
export const rawText = (text: McpText): string =>
  text.map((part) => (isVariable(part) ? part.raw : part instanceof Secret ? MASKED : part)).join('')

/** The text for display, with all parts masked that look like secrets. */
export function showText(text: McpText, option?: McpText): string {
  const unmaskedText = rawText(text)
  const maskedText = maskSecretForms(unmaskedText)
  return hasSecret(text, option) && maskedText === unmaskedText ? MASKED : maskedText
}

/** Character that replaces a variable during the search for secrets. */
const gapCharacter = '\uE000'

/** Whether literal parts look like a secret, or the name of the setting or of the option before it indicates one. */
export function hasSecret(text: McpText, option: McpText = []): boolean {
  if (text.some((part) => part instanceof Secret)) return true
  const [marked, name] = [text, option].map((parts) =>
    parts.map((part) => (typeof part === 'string' ? part : gapCharacter)).join(''),
  ) as [string, string]
  const isSecretOption = /^--?[\w-]+$/.test(name) && isSecretSetting(name) && !marked.startsWith('-')
  // `user:${PASSWORD}@host` contains no secret, because the password is a variable.
  const literal = marked.replace(/:\/\/[\w.-]*:?\uE000@/g, '://').replaceAll(gapCharacter, '')
  return (isSecretOption && literal !== '') || isSecretArgument(literal, name) || maskSecretForms(literal) !== literal
}

/** Whether a variable or header contains literal text, which may be a secret. */
export function isValue(name: string, text: McpText): boolean {
  if (!hasVariable(text) || hasSecret(text)) return true
  const literal = text.filter((part) => typeof part === 'string').join('')
  return (isSecretSetting(name) || isSecretHeader(name)) && !isCredentialPrefix(literal)
}

/**
 * Converts a text into another tool's syntax. Fails with `input.invalid`, naming the part, if the tool does not
 * support a variable, or would treat literal text as a variable or command.
 */
export function writeText(text: McpText, field: string, tool: string, syntax: Syntax | undefined): string {
  const variables: string[] = []
  const parts = text.map((part) => {
    if (!isVariable(part)) return part instanceof Secret ? part.expose() : part
    const variable = writeVariable(part, syntax)
    if (variable === undefined) throw createUnsupportedError(`${tool} has nothing like ${part.raw} (${field}).`)
    variables.push(variable)
    return variable
  })
  const joinedText = parts.join('')
  const replacedTexts = syntax ? [...joinedText.matchAll(syntax.pattern)].map(([raw]) => raw) : variables
  const literal = replacedTexts.find((raw, index) => raw !== variables[index])
  if (literal === undefined) return joinedText
  throw createUnsupportedError(`${tool} would replace or run ${maskSecretForms(literal)} (${field}).`)
}

function writeVariable({ raw, env, fallback, place }: Variable, syntax: Syntax | undefined): string | undefined {
  if (env === undefined) return place !== undefined && syntax?.places?.test(place) ? raw : undefined
  return fallback === undefined ? syntax?.env?.(env) : syntax?.fallback?.(env, fallback)
}

export const createUnsupportedError = (message: string): AppError =>
  new AppError('input.invalid', `${message} Add the server there yourself.`, { field: 'toolId' })
