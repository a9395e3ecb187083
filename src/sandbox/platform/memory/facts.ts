import { asSentence, sentencesOf } from './sentences'

const fewestWords = 3

const oneOf = (phrases: string): string =>
  `(?:${phrases.trim().replace(/\s+/g, ' ').split(', ').join('|')})(?![\\p{L}\\p{N}])`

/** What may stand before a statement and says nothing. */
const interjections = `
  yes, no, yeah, well, ok, okay, sure, hi, hello, hey, thanks, thank you, great, actually, also, by the way, fyi,
  xin chào, chào, chào bạn, chào em, chào anh, chào chị, vâng, dạ, ừ, à, cảm ơn, cảm ơn bạn, nhân tiện
`

/** How greetings, requests and remarks about what was just said begin: they tell nothing that holds later. */
const openings = `
  please, can, could, would, will, should, shall, may, show, list, write, give, tell, make, help, explain,
  summarize, summarise, translate, find, create, generate, compare, describe, count, let's, let me, try, fix,
  check, add, remove, run, use, send, do, don't, does, did, is, are, what, how, why, when, where, who, which, hi,
  hello, hey, thanks, thank, ok, okay, good morning, good evening, always, never, that, this, it, it's, that's,
  these, those, there, so, great, nice, perfect, sounds, hãy, xin, làm ơn, vui lòng, giúp, cho tôi, cho mình, cho
  em, viết, liệt kê, giải thích, tóm tắt, dịch, tìm, tạo, so sánh, kể, chào, cảm ơn, đừng, luôn, tại sao, vì sao,
  thế nào, làm sao, đó, điều đó, cái này, thế, vậy, được rồi
`

const interjection = new RegExp(`^(?:${oneOf(interjections)}\\s*[,!.:–-]\\s*)+`, 'iu')
const opening = new RegExp(`^${oneOf(openings)}`, 'iu')

const isFact = (sentence: string): boolean =>
  !sentence.endsWith('?') && !opening.test(sentence) && sentence.split(' ').length >= fewestWords

/** The statements in a message, in English or Vietnamese: no questions, requests or greetings. */
export const factsIn = (content: string): readonly string[] =>
  sentencesOf(content)
    .map((sentence) => sentence.replace(interjection, ''))
    .filter(isFact)
    .map(asSentence)
