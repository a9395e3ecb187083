import { shellQuote } from '../../core/environment'
import {
  type CodeHeader,
  type CodeImage,
  type CodeParts,
  type CodeRequest,
  type LiteralStyle,
  literal,
  toCodeParts,
} from './code-parts'
import { python } from './python'
import { typescript } from './typescript'

const languages = { curl, python, typescript } as const

/** What a request can be shown as. */
type CodeLanguage = keyof typeof languages

/** The request as a program that makes it and prints the answer; the key is read from the variable `PLAN_KEY` of the environment, images from files. */
export function writeCode(request: CodeRequest, language: CodeLanguage): string {
  return languages[language](toCodeParts(request))
}

const quote = (text: string): string => shellQuote([text], 'linux')

const imageName = ({ number }: CodeImage): string => `IMAGE_${number}`

/** A here-document that holds no variable stands as it is; in one that does, these must be escaped. */
const escaped = (text: string): string => text.replace(/[\\$`]/g, '\\$&')

const json: LiteralStyle = {
  indent: '  ',
  lastComma: '',
  text: (text) => JSON.stringify(text),
  name: (name) => JSON.stringify(name),
  literal: (value) => JSON.stringify(value),
  image: ({ prefix, image }) => `"${prefix}\${${imageName(image)}}"`,
}

const jsonWithImages: LiteralStyle = {
  ...json,
  text: (text) => escaped(JSON.stringify(text)),
  name: (name) => escaped(JSON.stringify(name)),
}

/** A request for a POSIX shell. The body goes in by a here-document: no argument may be as long as a conversation. */
function curl({ method, address, headers, body, images, isStream }: CodeParts): string {
  const args = [
    ['curl', '--fail-with-body', '--silent', '--show-error', ...(isStream ? ['--no-buffer'] : [])].join(' '),
    ...(method === 'POST' ? [] : [`--request ${quote(method)}`]),
    `--url ${quote(address)}`,
    ...headers.map((header) => `--header ${headerArgument(header)}`),
    `--data-binary @- <<${images.length === 0 ? "'JSON'" : 'JSON'}`,
  ]
  return [
    ...(headers.some(({ hasKey }) => hasKey) ? ['# PLAN_KEY holds the key. To type it unseen: read -rs PLAN_KEY'] : []),
    ...images.map((image) => `${imageName(image)}=$(base64 < ${quote(image.file)} | tr -d '\\n')`),
    args.join(' \\\n  '),
    literal(body, images.length === 0 ? json : jsonWithImages),
    'JSON',
    '',
  ].join('\n')
}

function headerArgument({ name, value, hasKey }: CodeHeader): string {
  const text = `${name}: ${value}`
  return hasKey ? `"${text.replace(/[\\$`"]/g, '\\$&')}$PLAN_KEY"` : quote(text)
}
