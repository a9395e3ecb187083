import { z } from 'zod'

/** An image that a program reads from `file` into its variable number `number` (from 1). */
export interface CodeImage {
  readonly number: number
  readonly file: string
}

/** A text of the body that ends with an image's base64. */
export class ImageText {
  readonly prefix: string
  readonly image: CodeImage

  constructor(prefix: string, image: CodeImage) {
    this.prefix = prefix
    this.image = image
  }
}

/** An image where a standard writes it: `prefix` and `base64` together are the text that stands there. */
export interface BodyImage {
  readonly prefix: string
  readonly mediaType: string
  readonly base64: string
}

/** Where the Messages standard has images. */
const Source = z.looseObject({ type: z.literal('base64'), media_type: z.string(), data: z.string() })

const dataUrl = /^(data:(image\/[\w.+-]+);base64,)/

/** The JSON value with something else in the place of each image: `data` of a base64 source, `url` as a data URL; the very value where there is none. */
export function replaceImages(value: unknown, replace: (image: BodyImage) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map((item) => replaceImages(item, replace))
    return items.some((item, at) => item !== value[at]) ? items : value
  }
  // Of thousands of messages hardly one is a source: the others are not parsed.
  const source = 'data' in value ? Source.safeParse(value).data : undefined
  const changed = Object.entries(value).flatMap(([name, member]) => {
    const image = imageIn(name, member, source)
    const put = image === undefined ? replaceImages(member, replace) : replace(image)
    return put === member ? [] : [[name, put] as const]
  })
  return changed.length > 0 ? { ...value, ...Object.fromEntries(changed) } : value
}

function imageIn(name: string, member: unknown, source: z.infer<typeof Source> | undefined): BodyImage | undefined {
  if (name === 'data' && source) return { prefix: '', mediaType: source.media_type, base64: source.data }
  return name === 'url' ? imageOf(member) : undefined
}

function imageOf(url: unknown): BodyImage | undefined {
  if (typeof url !== 'string') return undefined
  const [, prefix, mediaType] = dataUrl.exec(url) ?? []
  if (prefix === undefined || mediaType === undefined) return undefined
  return { prefix, mediaType, base64: url.slice(prefix.length) }
}

const KEPT = 48

/** The JSON value with the base64 of its images by beginning and end alone, as it is kept and shown; still the same to `codeOf`. */
export function shortenImages(value: unknown): unknown {
  return replaceImages(value, ({ prefix, base64 }) => {
    if (base64.length <= 4 * KEPT) return prefix + base64
    return `${prefix}${base64.slice(0, KEPT)}… (${base64.length} characters) …${base64.slice(-KEPT)}`
  })
}
