import type { PlaygroundWire } from '@shared/contract'
import { AppError } from '@shared/failure'
import { z } from 'zod'
import { isObject, parseExternalJson } from '../../gateway/server-message'

/** Syntax of literals in a programming language. */
export interface LiteralStyle {
  readonly indent: string
  /** Text after the last item of a list: a comma, or empty if the language forbids a trailing comma. */
  readonly lastComma: string
  text(text: string): string
  name(name: string): string
  /** Formats a number, boolean or null. */
  literal(value: unknown): string
  image(image: ImageText): string
}

/** A JSON value as a multiline literal. `margin` indents all lines except the first. */
export function writeLiteral(value: unknown, style: LiteralStyle, margin = ''): string {
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

/** A sent request. Its images may be shortened (`shortenImages`), but its body may not. */
export type CodeRequest = Pick<PlaygroundWire, 'method' | 'requestAddress' | 'requestHeaders' | 'requestBody'>

/** A request header. With `hasKey`, `value` is only the text before the key. */
export interface CodeHeader {
  readonly name: string
  readonly value: string
  readonly hasKey: boolean
}

export interface CodeParts {
  readonly method: string
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
export function toCodeParts({ method, requestAddress, requestHeaders, requestBody }: CodeRequest): CodeParts {
  const requestJson = parseExternalJson(requestBody)
  if (requestJson === undefined)
    throw new AppError(
      'playground.unreadable',
      'The request was too long to be kept whole, so that it cannot be shown as code. Send a shorter one.',
    )
  const images = new Map<string, CodeImage>()
  const body = replaceImages(requestJson, ({ prefix, mediaType, base64 }) => {
    const image = images.get(base64) ?? {
      number: images.size + 1,
      file: `image-${images.size + 1}.${/^image\/(\w+)/.exec(mediaType)?.[1] ?? 'bin'}`,
    }
    images.set(base64, image)
    return new ImageText(prefix, image)
  })
  return {
    method,
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

export type AnswerKind = 'chat' | 'completion' | 'messages' | 'other'

/** Detects the API by the path of the request URL. For `other`, the generated code prints the response unchanged. */
function toAnswerKind(address: string): AnswerKind {
  const path = /^[^?#]*/.exec(address)?.[0].replace(/\/+$/, '') ?? ''
  if (path.endsWith('/chat/completions')) return 'chat'
  if (path.endsWith('/completions')) return 'completion'
  return path.endsWith('/messages') ? 'messages' : 'other'
}

/** An image file that a program reads into variable `number` (from 1). */
export interface CodeImage {
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

/** Replaces each image: `data` of a base64 source, or a data URL in `url`. Returns the same object without images. */
function replaceImages(value: unknown, replace: (image: BodyImage) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map((item) => replaceImages(item, replace))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  // Parse only values with `data`, because few of thousands of values are an image source.
  const source = 'data' in value ? Source.safeParse(value).data : undefined
  const changedMembers = Object.entries(value).flatMap(([name, member]) => {
    const image = readImage(name, member, source)
    const replacedValue = image === undefined ? replaceImages(member, replace) : replace(image)
    return replacedValue === member ? [] : [[name, replacedValue] as const]
  })
  return changedMembers.length > 0 ? { ...value, ...Object.fromEntries(changedMembers) } : value
}

function readImage(name: string, member: unknown, source: z.infer<typeof Source> | undefined): BodyImage | undefined {
  if (name === 'data' && source) return { prefix: '', mediaType: source.media_type, base64: source.data }
  if (name !== 'url' || typeof member !== 'string') return undefined
  const [prefix, mediaType] = dataUrl.exec(member) ?? []
  return prefix && mediaType ? { prefix, mediaType, base64: member.slice(prefix.length) } : undefined
}

const maxShownBase64Length = 48

/** Shortens the base64 of images for storage and display. The generated code stays the same. */
export function shortenImages(value: unknown): unknown {
  return replaceImages(value, ({ prefix, base64 }) => {
    if (base64.length <= 4 * maxShownBase64Length) return prefix + base64
    return `${prefix}${base64.slice(0, maxShownBase64Length)}… (${base64.length} characters) …${base64.slice(-maxShownBase64Length)}`
  })
}
