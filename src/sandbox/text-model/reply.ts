import { calculate } from './arithmetic'
import { exactRules, unwrap } from './exact-words'
import { gist } from './gist'
import { jsonAnswer } from './json-answer'
import { languageOf } from './language'
import { countRules, listRules } from './list-rules'
import { sizedRules, toldRules } from './long-request'
import type { Question, ReadQuestion, Rule } from './question'
import { noteRules, recallRules } from './recall'
import { identityRules, politeRules } from './small-talk'
import { codeBlock } from './snippets'
import { table } from './table'
import { wordRules } from './word-rules'

export type { Question, Turn } from './question'

const longestInstruction = 2000

function otherwise({ modelCode, prompt, language }: ReadQuestion): string {
  if (prompt.trim() === '') return `I found no text to answer. I am ${modelCode}, a model of the sandbox.`
  if (language === 'vi') {
    return (
      `Bạn hỏi: “${gist(prompt)}”. Tôi là mô hình ${modelCode} của sandbox nên đây là câu trả lời luyện tập: ` +
      'hãy thử “liệt kê 5 loại trái cây”, “đếm đến 10”, “bảng các thành phố” hoặc “viết 200 từ về sông”.'
    )
  }
  return (
    `You asked: “${gist(prompt)}”. I am the sandbox model ${modelCode}, so this is a practice answer: ` +
    'try “list 5 fruits”, “count to 10”, “a table of cities” or “say hello”.'
  )
}

function sum(expression: string, { prompt, language }: ReadQuestion): string | undefined {
  const worked = calculate(expression)
  if (worked === undefined) return undefined
  const impossible = language === 'vi' ? 'Không thể chia cho số không.' : 'A division by zero has no result.'
  if (worked.result === undefined) return impossible
  return /\b(?:only|just) (?:the |a )?(?:number|result|answer)|(?:chỉ|mỗi) (?:số|kết quả)/i.test(prompt)
    ? worked.result
    : `${worked.sum} = ${worked.result}`
}

const arithmetic: Rule = {
  pattern:
    /(?:\b(?:what(?:'s|’s| is)|how much is|calculate|compute|evaluate|solve)|^|(?<!\p{L})tính)[^\S\n]{0,5}:?[^\S\n]{0,5}([-(\d][^=?\n]{2,200}?)\s*(?:=\s*\??|(?:bằng|là) (?:bao nhiêu|mấy)|[?!]|\.(?!\d)|$)/imu,
  answer: ([, expression = ''], question) => sum(expression, question),
}

const json: Rule = {
  pattern:
    /\b(?:as|in|to|return|output|produce|generate|create|write|make|give me|show me|(?:reply|respond|answer)(?: only| just)?(?: with| in)?)\s+(?:an?\s+)?(?:(?:valid|only|raw|pretty|small|sample|example)\s+)*json\b(?! (?:parser|file|schema))|(?:^|\n)[^\S\n]*(?:an? )?json\b|(?<!\p{L})(?:bằng|dạng|định dạng|trả về|kiểu|tạo|viết|cho)(?: một| tôi)*\s+(?:đối tượng\s+|mảng\s+)?json(?!\p{L})/iu,
  answer: (_, { prompt }) => (/\b(?:function|code|script|parse)\b/i.test(prompt) ? undefined : jsonAnswer(prompt)),
}

const tables: Rule = {
  pattern: /\btable\b|(?<!\p{L})bảng(?!\p{L})(?! (?:màu|chữ cái))/iu,
  answer: (_, { prompt, language }) => table(prompt, language),
}

const vietnameseCode: Rule = {
  pattern: /(?<!\p{L})(?:(?:đoạn|viết) (?:mã|code)|mã nguồn|(?:viết|một) (?:một )?hàm)(?!\p{L})/iu,
  answer: (_, { prompt }) => codeBlock(prompt),
}

const code: Rule = {
  pattern:
    /\b(?:code|function|snippet|script)\b|\b(?:hello,? world|fibonacci)\b[^\n]{0,40}\bin \p{L}+|\bprogram in\b/iu,
  answer: (_, { prompt }) => codeBlock(prompt),
}

/** The first that fits answers, so what is said precisely stands before what is said in passing. */
const rules: readonly Rule[] = [
  ...recallRules,
  ...identityRules,
  arithmetic,
  ...wordRules,
  ...sizedRules,
  ...countRules,
  json,
  tables,
  vietnameseCode,
  ...listRules,
  code,
  ...toldRules,
  ...noteRules,
  ...politeRules,
]

/** An instruction stands at the beginning or at the end of a long prompt; between them are texts that instruct nobody. */
function instruction(prompt: string): string {
  return prompt.length <= longestInstruction
    ? prompt
    : `${prompt.slice(0, longestInstruction / 2)}\n${prompt.slice(-longestInstruction / 2)}`
}

function answerBy(tried: readonly Rule[], text: string, question: ReadQuestion): string | undefined {
  for (const { pattern, answer } of tried) {
    const found = pattern.exec(text)
    const answered = found ? answer(found, question) : undefined
    if (answered) return answered
  }
  return undefined
}

/** The answer of the text model: the first rule that fits, always the same for the same question and history. */
export function reply({ modelCode, prompt, history = [] }: Question): string {
  const raw = unwrap(prompt)
  const question = { modelCode, prompt: raw.normalize('NFC'), history, language: languageOf(raw) }
  return (
    answerBy(exactRules, raw, question) ??
    answerBy(rules, instruction(question.prompt), question) ??
    otherwise(question)
  )
}
