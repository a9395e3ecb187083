import type { PlaygroundWire } from '@shared/contract'
import { AppError } from '@shared/failure'
import { z } from 'zod'
import { parseJson } from '../../gateway/server-message'
import { type AnswerKind, answerKindOf } from './answer-kinds'
import { type CodeImage, ImageText, replaceImages } from './images'

/** A request as it went out; images may be shortened in it (`shortenImages`), the body itself not. */
export type CodeRequest = Pick<PlaygroundWire, 'method' | 'requestAddress' | 'requestHeaders' | 'requestBody'>

/** A header; with `hasKey` the key follows on `value`. */
export interface CodeHeader {
  readonly name: string
  readonly value: string
  readonly hasKey: boolean
}

/** What the languages write. */
export interface CodeParts {
  readonly method: string
  readonly address: string
  readonly headers: readonly CodeHeader[]
  /** A JSON value with `ImageText` in the place of images. */
  readonly body: unknown
  readonly images: readonly CodeImage[]
  readonly kind: AnswerKind
  readonly isStream: boolean
}

/** What the client of each language sets by itself, and this app's own name. */
const leftOut = ['user-agent', 'host', 'content-length', 'connection', 'accept-encoding', 'transfer-encoding']

/** Takes a request apart for a program's text. Throws `playground.unreadable` when its body is not whole. */
export function partsOf({ method, requestAddress, requestHeaders, requestBody }: CodeRequest): CodeParts {
  const written = parseJson(requestBody)
  if (written === undefined) throw tooLong()
  const images = new Map<string, CodeImage>()
  const body = replaceImages(written, ({ prefix, mediaType, base64 }) => {
    const image = images.get(base64) ?? imageFile(images.size + 1, mediaType)
    images.set(base64, image)
    return new ImageText(prefix, image)
  })
  return {
    method,
    address: requestAddress,
    headers: requestHeaders.filter(([name]) => !leftOut.includes(name.toLowerCase())).map(headerOf),
    body,
    images: [...images.values()],
    kind: answerKindOf(requestAddress),
    isStream: StreamBody.safeParse(written).success,
  }
}

const StreamBody = z.looseObject({ stream: z.literal(true) })

function tooLong(): AppError {
  const message = 'The request was too long to be kept whole, so that it cannot be shown as code. Send a shorter one.'
  return new AppError('playground.unreadable', message)
}

function imageFile(number: number, mediaType: string): CodeImage {
  return { number, file: `image-${number}.${/^image\/(\w+)/.exec(mediaType)?.[1] ?? 'bin'}` }
}

function headerOf([name, value]: readonly [string, string]): CodeHeader {
  if (/^authorization$/i.test(name)) return { name, value: 'Bearer ', hasKey: true }
  if (/^(?:x-)?api-key$/i.test(name)) return { name, value: '', hasKey: true }
  return { name, value, hasKey: false }
}
