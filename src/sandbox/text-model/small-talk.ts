import type { Language } from './language'
import type { Rule } from './question'

const abilities: Readonly<Record<Language, string>> = {
  en: `I am {model}, a model of the sandbox. Try one of these:
- list 5 fruits, count to 10, a table with columns name, city and price
- write 500 words about rivers, a haiku, a joke
- answer as JSON with name and age
- what is 17 * 23?, translate “good morning” to Vietnamese
- fibonacci in Python
- my name is An, and later: what is my name?`,
  vi: `Tôi là {model}, một mô hình của sandbox. Hãy thử:
- liệt kê 5 loại trái cây, đếm đến 10, bảng các thành phố
- viết 500 từ về sông, một bài thơ, một chuyện cười
- trả về JSON với tên và tuổi
- 17 nhân 23 bằng bao nhiêu?, dịch “cảm ơn” sang tiếng Anh
- viết hàm fibonacci bằng Python
- tên tôi là An, rồi sau đó: tên tôi là gì?`,
}

/** Who the model is. */
export const identityRules: readonly Rule[] = [
  {
    pattern:
      /\b(?:what|which) (?:\p{L}+ )?model (?:are you|is this|am i)|\bwho are you\b|\bwhat are you\b|\bwhat(?:'s|’s| is) your name\b|(?:bạn là (?:ai|mô hình)|mô hình nào|tên bạn là gì|bạn tên (?:là )?gì)/iu,
    answer: (_, { modelCode, language }) =>
      language === 'vi'
        ? `Tôi là ${modelCode}, một mô hình của sandbox.`
        : `I am ${modelCode}, a model of the sandbox.`,
  },
]

/** Greetings, thanks, and what can be asked for. */
export const politeRules: readonly Rule[] = [
  {
    pattern: /^\s*(?:hi|hello|hey|good (?:morning|afternoon|evening))\b[^\n]{0,30}$/i,
    answer: (_, { modelCode }) => `Hello! I am ${modelCode}, a model of the sandbox. What shall we try?`,
  },
  {
    pattern: /^\s*(?:xin )?chào(?![\p{L}])[^\n]{0,30}$/iu,
    answer: (_, { modelCode }) => `Xin chào! Tôi là ${modelCode}, một mô hình của sandbox. Chúng ta thử gì nào?`,
  },
  {
    pattern: /^\s*(?:thanks|thank you|cảm ơn)(?!\p{L})[^\n]{0,30}$/iu,
    answer: (_, { language }) =>
      language === 'vi' ? 'Không có gì! Ta thử gì tiếp nhé?' : 'You are welcome! What shall we try next?',
  },
  {
    pattern: /\bwhat can you do\b|^\s*help[\s!?.]*$|bạn (?:có thể )?làm được (?:những )?gì/iu,
    answer: (_, { modelCode, language }) => abilities[language].replace('{model}', modelCode),
  },
]
