import { asSentence, sentencesOf } from './sentences'

interface Rule {
  readonly pattern: RegExp
  /** `$1`, `$2`: what the pattern found. */
  readonly wording: string
}

const rule = (source: string, wording: string): Rule => ({ pattern: new RegExp(`^${source}$`, 'iu'), wording })

const anyOf = (words: string): string => `(?: (?:${words}))*`
const much = anyOf(
  'really|also|usually|generally|always|just|still|particularly|especially|mostly|strongly|absolutely|definitely|' +
    'truly|much|very much|kind of|tend to',
)
const would = "(?:'d| would)?"
const am = "(?:'m| am)"
const speaker = '(?:tôi|mình|em|anh|chị|tớ|cháu|chúng tôi|chúng mình)'
const degree = anyOf('thì|cũng|rất|thật sự|thực sự|đặc biệt|luôn|thường|vẫn|khá|cực kỳ|vô cùng')

/** Ours: how a preference is told, and how it is kept. The first that fits counts. */
const rules: readonly Rule[] = [
  rule(`i${would}${much} prefer (.+)`, 'Prefers $1'),
  rule(`i(?:'d| would)${much} rather (.+)`, 'Would rather $1'),
  rule(`i${much} (?:don't|do not)${much} (?:like|love|enjoy) (.+)`, 'Dislikes $1'),
  rule(`i${much} (?:dislike|hate|can't stand|cannot stand) (.+)`, 'Dislikes $1'),
  rule(`i${much} like (.+)`, 'Likes $1'),
  rule(`i${much} love (.+)`, 'Loves $1'),
  rule(`i${much} enjoy (.+)`, 'Enjoys $1'),
  rule(`i${am} not${much} (?:an? (?:big |huge )?fan of|fond of|keen on|into) (.+)`, 'Dislikes $1'),
  rule(`i${am}${much} (?:an? (?:big |huge )?fan of|fond of|keen on|into) (.+)`, 'Likes $1'),
  rule('my favou?rite (.+?) (?:is|are) (.+)', 'Names $2 as the favourite $1'),
  rule('(?:please )?(always|never) (?!mind)(.+)', 'Wants the assistant $1 to $2'),
  rule("please (?:don't|do not) (.+)", 'Wants the assistant not to $1'),
  rule(`${speaker}${degree} (?:không|chẳng|không hề)${degree} (?:thích|ưa|yêu thích) (.+)`, 'Không thích $1'),
  rule(`${speaker}${degree} ghét (.+)`, 'Không thích $1'),
  rule(`${speaker}${degree} ưu tiên (.+)`, 'Ưu tiên $1'),
  rule(`${speaker}${degree} (?:yêu thích|ưa thích|thích|ưa|mê|khoái) (.+)`, 'Thích $1'),
  rule(`(.+?) (?:yêu thích|ưa thích)(?: nhất)? của ${speaker} là (.+)`, 'Xem $2 là $1 yêu thích'),
  rule(`(.+?) (?:mà )?${speaker} thích nhất là (.+)`, 'Xem $2 là $1 yêu thích'),
  rule('(?:(?:xin|vui lòng|làm ơn) )?(?:hãy )?(luôn luôn|luôn|đừng|không bao giờ) (.+)', 'Muốn trợ lý $1 $2'),
]

const clauseEnds = [
  '[,;]?\\s+(?:but|whereas|while|although|though|because|nhưng|còn|bởi vì|vì)\\s+',
  ';\\s+',
  ',?\\s+(?:and|và)\\s+(?=(?:i|my|tôi|mình|em)\\s)',
  ',\\s+(?=(?:i|tôi|mình)\\s)',
]
const clauseEnd = new RegExp(clauseEnds.join('|'), 'iu')
const fillers =
  'and|but|so|well|also|yes|no|ok|okay|honestly|actually|personally|hi|hello|as for me|vâng|dạ|thật ra|thực ra|và|nhưng'
const filler = new RegExp(`^(?:(?:${fillers})[,!]?\\s+)+`, 'iu')
const politeEnd = /\s+(?:nhé|nha|ạ|please)$/iu
const emptyObject = / (?:it|that|this|them|you|nó|vậy|thế|bạn)$/iu

const thirdPerson: readonly (readonly [RegExp, string])[] = [
  [/\b(?:I'm|I am)\b/gi, 'they are'],
  [/\bI'd\b/gi, 'they would'],
  [/\bI\b/g, 'they'],
  [/\b(?:my|our)\b/gi, 'their'],
  [/\bme\b/gi, 'them'],
  [/\bmine\b/gi, 'theirs'],
  [/\bmyself\b/gi, 'themselves'],
  [/(?<!\p{L})(?:tôi|tớ)(?!\p{L})/giu, 'họ'],
]

const retold = (text: string): string =>
  thirdPerson.reduce((told, [pattern, word]) => told.replace(pattern, word), text)

const bareClause = (clause: string): string =>
  (clause.slice(0, 1).toLowerCase() + clause.slice(1))
    .replaceAll('’', "'")
    .replace(filler, '')
    .replace(/[\s.!…]+$/u, '')
    .replace(politeEnd, '')

function preferenceIn(clause: string): string | undefined {
  const bare = bareClause(clause)
  const found = rules.find(({ pattern }) => pattern.test(bare))
  return found ? retold(bare.replace(found.pattern, found.wording)) : undefined
}

/** The preferences that a message tells, in English or Vietnamese, worded in the third person: `Prefers tea.` */
export const preferencesIn = (content: string): readonly string[] =>
  sentencesOf(content)
    .filter((sentence) => !sentence.endsWith('?'))
    .flatMap((sentence) => sentence.split(clauseEnd))
    .flatMap((clause) => preferenceIn(clause) ?? [])
    .filter((preference) => !emptyObject.test(preference))
    .map(asSentence)
