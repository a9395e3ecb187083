import { shellQuote } from '../../core/environment'
import {
  type CodeHeader,
  type CodeImage,
  type CodeParts,
  type CodeRequest,
  type LiteralStyle,
  toCodeParts,
  writeLiteral,
} from './code-parts'
import { python } from './python'
import { typescript } from './typescript'

const languages = { curl, python, typescript } as const

type CodeLanguage = keyof typeof languages

/**
 * A program that sends the request and prints the response. Reads the key from the environment variable `PLAN_KEY` and
 * images from files.
 */
export function writeCode(request: CodeRequest, language: CodeLanguage): string {
  return languages[language](toCodeParts(request))
}

const quoteText = (text: string): string => shellQuote([text], 'linux')

const imageName = ({ number }: CodeImage): string => `IMAGE_${number}`

const json: LiteralStyle = {
  indent: '  ',
  lastComma: '',
  text: (text) => JSON.stringify(text),
  name: (name) => JSON.stringify(name),
  literal: (value) => JSON.stringify(value),
  image: ({ prefix, image }) => `"${prefix}\${${imageName(image)}}"`,
}

/** Escapes text for a here-document with variables. A quoted here-document needs no escapes. */
const quoteForShell = (text: string): string => JSON.stringify(text).replace(/[\\$`]/g, '\\$&')

const jsonWithImages: LiteralStyle = { ...json, text: quoteForShell, name: quoteForShell }

/**
 * Shell script with curl. The body is a here-document, because a conversation may exceed the maximum argument length.
 */
function curl({ method, address, headers, body, images, isStream }: CodeParts): string {
  const args = [
    ['curl', '--fail-with-body', '--silent', '--show-error', ...(isStream ? ['--no-buffer'] : [])].join(' '),
    ...(method === 'POST' ? [] : [`--request ${quoteText(method)}`]),
    `--url ${quoteText(address)}`,
    ...headers.map((header) => `--header ${headerArgument(header)}`),
    `--data-binary @- <<${images.length === 0 ? "'JSON'" : 'JSON'}`,
  ]
  return [
    ...(headers.some(({ hasKey }) => hasKey) ? ['# PLAN_KEY holds the key. To type it unseen: read -rs PLAN_KEY'] : []),
    ...images.map((image) => `${imageName(image)}=$(base64 < ${quoteText(image.file)} | tr -d '\\n')`),
    args.join(' \\\n  '),
    writeLiteral(body, images.length === 0 ? json : jsonWithImages),
    'JSON',
    '',
  ].join('\n')
}

function headerArgument({ name, value, hasKey }: CodeHeader): string {
  const text = `${name}: ${value}`
  return hasKey ? `"${text.replace(/[\\$`"]/g, '\\$&')}$PLAN_KEY"` : quoteText(text)
}
