import { hash } from './hash'
import type { Language } from './language'

type Choice = Readonly<Record<Language, readonly string[]>>

const haikus: Choice = {
  en: [
    'Morning on the lake\na heron lifts one thin leg\nthe whole sky ripples',
    'Rain on the tin roof\nall the unanswered letters\nsoften in their pile',
    'Green tea growing cold\nbetween two lines of the code\nspring has come and gone',
    'Lanterns, one by one\nthe old town learns how to glow\nthe river keeps still',
    'Last train of the night\nin the window someone else\nwearing my tired face',
  ],
  vi: [
    'Sáng trên mặt hồ\ncon cò nhấc một chân gầy\ncả trời gợn sóng',
    'Mưa trên mái tôn\nchồng thư chưa kịp hồi âm\nmềm dần trong gió',
    'Chén trà đã nguội\ngiữa hai dòng mã còn dang\nxuân vừa đi mất',
    'Đèn lồng phố cổ\nlần lượt thắp lên từng ngọn\nsông nằm im nghe',
  ],
}

const jokes: Choice = {
  en: [
    'Why did the token leave the party early? It had reached its limit.',
    'I would tell you a joke about UDP, but you might not get it.',
    'There are ten kinds of people: those who read binary and those who do not.',
    'Why do programmers mix up Halloween and Christmas? Because Oct 31 equals Dec 25.',
    'A SQL query walks up to two tables and asks: may I join you?',
  ],
  vi: [
    'Vì sao token rời bữa tiệc sớm? Vì nó đã hết hạn mức.',
    'Lập trình viên đi chợ: “Mua một quả dưa, nếu có trứng thì mua mười.” Anh ta mang về mười quả dưa.',
    'Máy tính đi khám bệnh, bác sĩ bảo: chỉ là virus thôi, khởi động lại nhé.',
    'Một câu SQL đến gần hai cái bảng và hỏi: tôi join được không?',
  ],
}

/** One that has a word of the request in it, or else any. */
function choose(choice: Choice, language: Language, request: string): string {
  const list = choice[language]
  const words = request.toLowerCase().match(/\p{L}{3,}/gu) ?? []
  const fitting = list.find((text) => words.some((word) => ` ${text.toLowerCase()}`.includes(` ${word} `)))
  return fitting ?? list[hash(request) % list.length] ?? ''
}

/** A haiku; the same request gives the same one. */
export const haiku = (language: Language, request: string): string => choose(haikus, language, request)

/** A joke; the same request gives the same one. */
export const joke = (language: Language, request: string): string => choose(jokes, language, request)
