import { translate } from './phrase-book'
import type { Rule } from './question'

/** What may follow `answer with` when it asks for a kind of answer rather than for these words. */
const noWords =
  '(?!(?:only |just )?the (?:number|result|answer|sum|total)[\\s.!]*(?:\\n|$)|an? (?:\\S+ )?(?:list|table|code|function|greeting|sentence|word|number|json|essay|story|haiku|poem|joke|paragraph|summary|answer|reply|response|object)\\b|(?:valid |only |raw )*json\\b|\\d+[- ](?:words?|sentences?|paragraphs?)\\b|(?:something|anything) about\\b|(?:một )?(?:danh sách|bảng|đoạn|câu chuyện|bài)(?!\\p{L}))'

/** The words to say: what stands in quotes, or all of it without the politeness around it. */
function exactWords(request: string): string {
  const quoted = /^[^"“'‘`]*["“'‘`](.+)["”'’`]/.exec(request)?.[1]
  if (quoted !== undefined) return quoted
  const bare = request
    .replace(
      /^(?:(?:exactly|only|just|the (?:single |one )?(?:words?|text|phrase|following|string))\b(?: is)?[:\s]*)+/i,
      '',
    )
    .replace(/^(?:(?:đúng|chính xác|chỉ|(?:một )?(?:từ|câu|chữ)(?: sau)?)(?!\p{L})[:\s]*)+/iu, '')
    .replace(/(?<![,\s])[,\s]+(?:and nothing else|only|exactly|please|in one word|thôi|nhé)[.!]*$/i, '')
  return bare.replace(/\.$/, '')
}

function inLanguage(words: string): string | undefined {
  const [, text, language] = /^["“'‘]?(.{1,200}?)["”'’]? in (english|vietnamese)[.!]?$/i.exec(words) ?? []
  return text && translate(text, language?.toLowerCase() === 'vietnamese' ? 'vi' : 'en')
}

const say = (request: string): string => inLanguage(request) ?? exactWords(request)

/** Requests for exact words, which coding tools check a model with. */
export const exactRules: readonly Rule[] = [
  {
    pattern: new RegExp(
      `(?:^|[.!?\\n])[^\\S\\n]*(?:please |kindly |just |only |now )*(?:say|repeat|echo|(?:reply|respond|answer)(?: only| exactly| just)? with)\\b:?\\s+${noWords}([^\\n]+)`,
      'iu',
    ),
    answer: ([, request = '']) => say(request),
  },
  {
    pattern: new RegExp(
      `(?:^|[.!?\\n])[^\\S\\n]*(?:hãy |vui lòng |xin |làm ơn |chỉ |bạn )*(?:nói|lặp lại|nhắc lại|trả lời(?= ?:| đúng| chính xác| chỉ|[^\\n]{0,12}["“'\`]))(?!\\p{L})(?! về| cho| tôi)[:\\s]+${noWords}([^\\n]+)`,
      'iu',
    ),
    answer: ([, request = '']) => exactWords(request),
  },
]

/** Coding tools pass a prompt from the command line on in quotes. */
export function unwrap(prompt: string): string {
  return /^\s*"([^"\\]*(?:\\.[^"\\]*)*)"\s*$/s.exec(prompt)?.[1]?.replaceAll('\\"', '"') ?? prompt
}
