import { gist } from './gist'
import { translate } from './phrase-book'
import type { Rule } from './question'
import { haiku, joke } from './small-texts'
import { summarise, summariseTalk } from './summary'

function inOtherLanguage(text: string, language: string): string | undefined {
  const to = /viet|việt/i.test(language) ? 'vi' : 'en'
  return (
    translate(text, to) ??
    (to === 'vi'
      ? `The phrase book of the sandbox has no Vietnamese for “${gist(text)}”. Try “good morning” or “thank you”.`
      : `Sổ từ của sandbox chưa có tiếng Anh cho “${gist(text)}”. Hãy thử “chào buổi sáng” hoặc “cảm ơn”.`)
  )
}

/** Translations, summaries, haikus and jokes. */
export const wordRules: readonly Rule[] = [
  {
    pattern:
      /\btranslate:?\s+(?:the (?:word|phrase|sentence)s? )?["“'‘]?([^\n]{1,300}?)["”'’]? (?:in)?to (english|vietnamese)\b|(?<!\p{L})dịch(?: câu| từ)?:?\s+["“'‘]?([^\n]{1,300}?)["”'’]? (?:sang|ra) (tiếng (?:anh|việt))/iu,
    answer: ([, text, to, text2, to2]) => inOtherLanguage(text ?? text2 ?? '', to ?? to2 ?? ''),
  },
  {
    pattern:
      /\btranslate (?:this |the following )?(?:in)?to (english|vietnamese)\s*[:\n]\s*([^\n]{1,300})|(?<!\p{L})dịch (?:câu sau )?(?:sang|ra) (tiếng (?:anh|việt))\s*[:\n]\s*([^\n]{1,300})/iu,
    answer: ([, to, text, to2, text2]) => inOtherLanguage(text ?? text2 ?? '', to ?? to2 ?? ''),
  },
  {
    pattern:
      /^\s*(?:please |can you |hãy )*(?:summari[sz]e|tl;?dr|(?:give (?:me )?|write )?a summary|tóm tắt)(?!\p{L})/iu,
    answer: (_, { prompt, history, language }) => {
      const text = /[:\n]\s*(\S[\s\S]*)$/.exec(prompt)?.[1]
      return text === undefined ? summariseTalk(history, language) : summarise(text)
    },
  },
  {
    pattern: /\b(?:haiku|poem)\b|(?:bài|câu) thơ|làm thơ/i,
    answer: (_, { prompt, language }) => haiku(language, prompt),
  },
  {
    pattern: /\b(?:tell|know|give|make)\b[^\n]{0,20}\bjoke\b|chuyện cười|truyện cười/i,
    answer: (_, { prompt, language }) => joke(language, prompt),
  },
]
