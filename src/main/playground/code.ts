import type { PlaygroundWire } from '@shared/contract'
import { AppError } from '@shared/failure'
import { z } from 'zod'
import { quoteForSh } from '../core/environment'
import { isObject, parseExternalJson } from '../gateway/server-message'

/** A sent request. Its images may be shortened (`toShortenedJson`), but its body may not. */
type CodeRequest = Pick<PlaygroundWire, 'requestAddress' | 'requestHeaders' | 'requestBody'>

/**
 * A program that sends the request and prints the response. Reads the key from the environment variable `PLAN_KEY` and
 * images from files.
 */
export function writeCode(request: CodeRequest, language: keyof typeof languages): string {
  return languages[language](toCodeParts(request))
}

/** Syntax of literals in a programming language. */
interface LiteralStyle {
  readonly indent: string
  /** Text after the last item of a list: a comma, or empty if the language forbids a trailing comma. */
  readonly lastComma: string
  text(text: string): string
  name(name: string): string
  /** Formats a number, boolean or null. */
  literal(value: unknown): string
  image(image: ImageText): string
}

/** Quotes a text as JSON, whose escapes are valid in all these languages. */
const quoteText = (text: string): string => JSON.stringify(text)

const jsonStyle: LiteralStyle = {
  indent: '  ',
  lastComma: '',
  text: quoteText,
  name: quoteText,
  literal: (value) => JSON.stringify(value),
  image: ({ prefix, image }) => `"${prefix}\${${shellImage(image)}}"`,
}

/** An image as its variable, after its quoted prefix, if any. */
const joinImage = ({ prefix }: ImageText, variable: string): string =>
  prefix === '' ? variable : `${quoteText(prefix)} + ${variable}`

/** A JSON value as a multiline literal. `margin` indents all lines except the first. */
function writeLiteral(value: unknown, style: LiteralStyle, margin = ''): string {
  if (typeof value === 'string') return style.text(value)
  if (value instanceof ImageText) return style.image(value)
  if (typeof value !== 'object' || value === null) return style.literal(value)
  const innerMargin = margin + style.indent
  const [start, end] = Array.isArray(value) ? '[]' : '{}'
  const lines = Object.entries(value).map(([name, member]: [string, unknown]) => {
    const prefix = Array.isArray(value) ? '' : `${style.name(name)}: `
    return innerMargin + prefix + writeLiteral(member, style, innerMargin)
  })
  return lines.length === 0 ? `${start}${end}` : `${start}\n${lines.join(',\n')}${style.lastComma}\n${margin}${end}`
}

/** A request header. With `hasKey`, `value` is only the text before the key. */
interface CodeHeader {
  readonly name: string
  readonly value: string
  readonly hasKey: boolean
}

interface CodeParts {
  readonly address: string
  readonly headers: readonly CodeHeader[]
  /** Request body, with `ImageText` in place of images. */
  readonly body: unknown
  readonly images: readonly CodeImage[]
  readonly kind: AnswerKind
  readonly isStream: boolean
}

/** Headers that generated code omits: those that HTTP clients set themselves, and this app's name. */
const omittedHeaders = ['user-agent', 'host', 'content-length', 'connection', 'accept-encoding', 'transfer-encoding']

/** Extracts the parts of a request for code. Throws `playground.unreadable` for a shortened body. */
function toCodeParts({ requestAddress, requestHeaders, requestBody }: CodeRequest): CodeParts {
  const requestJson = parseExternalJson(requestBody)
  if (requestJson === undefined)
    throw new AppError(
      'playground.unreadable',
      'The request was too long to be kept whole, so that it cannot be shown as code. Send a shorter one.',
    )
  const images = new Map<string, CodeImage>()
  const body: unknown = JSON.parse(requestBody, function (this: unknown, name, member: unknown) {
    const bodyImage = readImage(this, name, member)
    if (!bodyImage) return member
    const { prefix, mediaType, base64 } = bodyImage
    const image = images.get(base64) ?? {
      number: images.size + 1,
      file: `image-${images.size + 1}.${/^image\/(\w+)/.exec(mediaType)?.[1] ?? 'bin'}`,
    }
    images.set(base64, image)
    return new ImageText(prefix, image)
  })
  return {
    address: requestAddress,
    headers: requestHeaders.filter(([name]) => !omittedHeaders.includes(name.toLowerCase())).map(toCodeHeader),
    body,
    images: [...images.values()],
    kind: toAnswerKind(requestAddress),
    isStream: isObject(requestJson) && requestJson.stream === true,
  }
}

function toCodeHeader([name, value]: readonly [string, string]): CodeHeader {
  if (/^authorization$/i.test(name)) return { name, value: 'Bearer ', hasKey: true }
  if (/^(?:x-)?api-key$/i.test(name)) return { name, value: '', hasKey: true }
  return { name, value, hasKey: false }
}

type AnswerKind = 'chat' | 'completion' | 'messages' | 'other'

/** Detects the API by the path of the request URL. For `other`, the generated code prints the response unchanged. */
function toAnswerKind(address: string): AnswerKind {
  const path = /^[^?#]*/.exec(address)?.[0].replace(/\/+$/, '') ?? ''
  if (path.endsWith('/chat/completions')) return 'chat'
  if (path.endsWith('/completions')) return 'completion'
  return path.endsWith('/messages') ? 'messages' : 'other'
}

/** An image file that a program reads into variable `number` (from 1). */
interface CodeImage {
  readonly number: number
  readonly file: string
}

/** A text in a request body that ends with the base64 data of an image, such as a data URL. */
class ImageText {
  constructor(
    readonly prefix: string,
    readonly image: CodeImage,
  ) {}
}

/** An image in a request body. `prefix` followed by `base64` is the original text. */
interface BodyImage {
  readonly prefix: string
  readonly mediaType: string
  readonly base64: string
}

/** Source of an image in the Messages standard. */
const Source = z.looseObject({ type: z.literal('base64'), media_type: z.string(), data: z.string() })

const dataUrl = /^data:(image\/[\w.+-]+);base64,/

/** Reads an image from a member of an object: `data` of a base64 source, or a data URL in `url`. */
function readImage(object: unknown, name: string, member: unknown): BodyImage | undefined {
  if (name === 'data') {
    const source = Source.safeParse(object).data
    return source && { prefix: '', mediaType: source.media_type, base64: source.data }
  }
  if (name !== 'url' || typeof member !== 'string') return undefined
  const [prefix, mediaType] = dataUrl.exec(member) ?? []
  return prefix && mediaType ? { prefix, mediaType, base64: member.slice(prefix.length) } : undefined
}

const maxShownBase64Length = 48

/** A request body as JSON with shortened images, for storage and display. The generated code stays the same. */
export function toShortenedJson(requestBody: unknown): string {
  return JSON.stringify(requestBody, function (this: unknown, name, member: unknown) {
    const { prefix = '', base64 = '' } = readImage(this, name, member) ?? {}
    if (base64.length <= 4 * maxShownBase64Length) return member
    return `${prefix}${base64.slice(0, maxShownBase64Length)}… (${base64.length} characters) …${base64.slice(-maxShownBase64Length)}`
  })
}

const shellImage = ({ number }: CodeImage): string => `IMAGE_${number}`

/** Escapes text for a here-document with variables. A quoted here-document needs no escapes. */
const quoteForShell = (text: string): string => JSON.stringify(text).replace(/[\\$`]/g, '\\$&')

const jsonWithImages: LiteralStyle = { ...jsonStyle, text: quoteForShell, name: quoteForShell }

/**
 * Shell script with curl. The body is a here-document, because a conversation may exceed the maximum argument length.
 */
function curl({ address, headers, body, images, isStream }: CodeParts): string {
  const args = [
    ['curl', '--fail-with-body', '--silent', '--show-error', ...(isStream ? ['--no-buffer'] : [])].join(' '),
    `--url ${quoteForSh(address)}`,
    ...headers.map((header) => `--header ${toCurlHeader(header)}`),
    `--data-binary @- <<${images.length === 0 ? "'JSON'" : 'JSON'}`,
  ]
  return [
    ...(headers.some(({ hasKey }) => hasKey) ? ['# PLAN_KEY holds the key. To type it unseen: read -rs PLAN_KEY'] : []),
    ...images.map((image) => `${shellImage(image)}=$(base64 < ${quoteForSh(image.file)} | tr -d '\\n')`),
    args.join(' \\\n  '),
    writeLiteral(body, images.length === 0 ? jsonStyle : jsonWithImages),
    'JSON',
    '',
  ].join('\n')
}

function toCurlHeader({ name, value, hasKey }: CodeHeader): string {
  const text = `${name}: ${value}`
  return hasKey ? `"${text.replace(/[\\$`"]/g, '\\$&')}$PLAN_KEY"` : quoteForSh(text)
}

const pythonImage = ({ number }: CodeImage): string => `image_${number}`

const pythonLiterals: Readonly<Record<string, string>> = { null: 'None', true: 'True', false: 'False' }

const pythonStyle: LiteralStyle = {
  indent: '    ',
  lastComma: ',',
  text: quoteText,
  name: quoteText,
  literal: (value) => pythonLiterals[String(value)] ?? JSON.stringify(value),
  image: (text) => joinImage(text, pythonImage(text.image)),
}

/** Code that prints one parsed `event` of a stream. */
const pythonStreamOutput: Readonly<Record<AnswerKind, readonly string[]>> = {
  chat: [
    'for choice in event.get("choices", []):',
    '    print(choice["delta"].get("content") or "", end="", flush=True)',
  ],
  completion: ['for choice in event.get("choices", []):', '    print(choice["text"], end="", flush=True)'],
  messages: [
    'if event["type"] == "content_block_delta":',
    '    print(event["delta"].get("text", ""), end="", flush=True)',
  ],
  other: ['print(event)'],
}

const pythonOutput: Readonly<Record<AnswerKind, string>> = {
  chat: 'print(response.json()["choices"][0]["message"]["content"])',
  completion: 'print(response.json()["choices"][0]["text"])',
  messages: 'print("".join(part.get("text", "") for part in response.json()["content"]))',
  other: 'print(response.json())',
}

function python({ address, headers, body, images, kind, isStream }: CodeParts): string {
  // The `json=` argument sets the content type.
  const sentHeaders = headers.filter(({ name }) => !/^content-type$/i.test(name))
  return [
    '# pip install requests',
    ...(images.length > 0 ? ['import base64'] : []),
    ...(isStream ? ['import json'] : []),
    'import os',
    ...(images.length > 0 ? ['from pathlib import Path'] : []),
    '',
    'import requests',
    '',
    ...(sentHeaders.some(({ hasKey }) => hasKey) ? ['key = os.environ["PLAN_KEY"]'] : []),
    ...images.map(
      (image) => `${pythonImage(image)} = base64.b64encode(Path(${quoteText(image.file)}).read_bytes()).decode()`,
    ),
    `body = ${writeLiteral(body, pythonStyle)}`,
    '',
    `${isStream ? 'with ' : 'response = '}requests.post(`,
    `    ${quoteText(address)},`,
    `    headers={${sentHeaders.map(toPythonHeader).join(', ')}},`,
    '    json=body,',
    ...(isStream ? ['    stream=True,'] : []),
    '    timeout=600,',
    ...(isStream ? pythonStreamLines(kind) : [')', 'response.raise_for_status()', pythonOutput[kind]]),
    '',
  ].join('\n')
}

function toPythonHeader({ name, value, hasKey }: CodeHeader): string {
  if (!hasKey) return `${quoteText(name)}: ${quoteText(value)}`
  return `${quoteText(name)}: ${value === '' ? 'key' : `${quoteText(value)} + key`}`
}

/** Splits bytes at line feeds, because Python splits decoded text at all Unicode line separators. */
function pythonStreamLines(kind: AnswerKind): readonly string[] {
  return [
    ') as response:',
    '    response.raise_for_status()',
    '    for line in response.iter_lines():',
    '        if not line.startswith(b"data:"):',
    '            continue',
    '        data = line[len(b"data:"):].strip()',
    '        if data == b"[DONE]":',
    '            break',
    '        event = json.loads(data)',
    ...pythonStreamOutput[kind].map((line) => `        ${line}`),
    'print()',
  ]
}

const typescriptImage = ({ number }: CodeImage): string => `image${number}`

const typescriptStyle: LiteralStyle = {
  ...jsonStyle,
  lastComma: ',',
  // A plain `__proto__` in a literal would set the prototype.
  name: (name) =>
    name === '__proto__' ? `[${quoteText(name)}]` : /^[A-Za-z_]\w*$/.test(name) ? name : quoteText(name),
  image: (text) => joinImage(text, typescriptImage(text.image)),
}

/** Expression for the text of one parsed `event` of a stream. */
const typescriptStreamOutput: Readonly<Record<AnswerKind, string>> = {
  chat: 'process.stdout.write(event.choices?.[0]?.delta?.content ?? "")',
  completion: 'process.stdout.write(event.choices?.[0]?.text ?? "")',
  messages: 'if (event.type === "content_block_delta") process.stdout.write(event.delta.text ?? "")',
  other: 'console.log(event)',
}

const typescriptOutput: Readonly<Record<AnswerKind, string>> = {
  chat: 'console.log(answer.choices[0].message.content)',
  completion: 'console.log(answer.choices[0].text)',
  messages: 'console.log(answer.content.map((part: { text?: string }) => part.text ?? "").join(""))',
  other: 'console.log(answer)',
}

function typescript({ address, headers, body, images, kind, isStream }: CodeParts): string {
  return [
    ...(images.length > 0 ? ['import { readFile } from "node:fs/promises"', ''] : []),
    ...(headers.some(({ hasKey }) => hasKey) ? ['const key = process.env.PLAN_KEY'] : []),
    ...images.map((image) => `const ${typescriptImage(image)} = await readFile(${quoteText(image.file)}, "base64")`),
    `const body = ${writeLiteral(body, typescriptStyle)}`,
    '',
    `const response = await fetch(${quoteText(address)}, {`,
    '  method: "POST",',
    '  headers: {',
    ...headers.map((header) => `    ${toTypescriptHeader(header)},`),
    '  },',
    '  body: JSON.stringify(body),',
    '})',
    ...(isStream
      ? typescriptStreamLines(kind)
      : [
          `if (!response.ok) ${throwStatement}`,
          'const answer = JSON.parse(await response.text())',
          typescriptOutput[kind],
        ]),
    '',
  ].join('\n')
}

function toTypescriptHeader({ name, value, hasKey }: CodeHeader): string {
  const propertyName = /^\w+$/.test(name) ? name : quoteText(name)
  if (!hasKey) return `${propertyName}: ${quoteText(value)}`
  return `${propertyName}: \`${value}\${key}\``
}

const throwStatement = 'throw new Error(response.status + " " + (await response.text()))'

const typescriptStreamLines = (kind: AnswerKind): readonly string[] => [
  `if (!response.ok || !response.body) ${throwStatement}`,
  '',
  'let rest = ""',
  'for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {',
  '  const lines = (rest + piece).split(/\\r\\n|\\n|\\r/)',
  '  rest = lines.pop() ?? ""',
  '  for (const line of lines) {',
  '    if (!line.startsWith("data:")) continue',
  '    const data = line.slice("data:".length).trim()',
  '    if (data === "[DONE]") continue',
  '    const event = JSON.parse(data)',
  `    ${typescriptStreamOutput[kind]}`,
  '  }',
  '}',
  'console.log()',
]

const languages = { curl, python, typescript } as const
