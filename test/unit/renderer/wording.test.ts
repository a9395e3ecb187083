import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { englishTexts, vietnameseTexts } from './support/locale-texts'

/** Phrases that texts must not use, because a plainer or standard word exists. */
const refusedPhrases = [
  /\bput right\b/i,
  /\bworked out\b/i,
  /\bby hand\b/i,
  /\bstands\b/i,
  /\b(is|are|was|were) told\b/i,
  /\bwhoever\b/i,
  /\bsomebody\b/i,
  /\bnobody\b/i,
  /\bin force\b/i,
  /\bfrom then on\b/i,
  /\btaken?( \w+){0,4} out\b/i,
  /\btaken? back\b/i,
  /\banybody\b/i,
  /\beverybody\b/i,
  /\bwhat is left\b/i,
  /\blets? go\b/i,
  /\bg(ives?|ave) up\b/i,
  /\bas it is\b/i,
  /\bunder way\b/i,
  /\bhanded over\b/i,
  /\bset-ups?\b/i,
  /\bthis machine\b/i,
  /;/,
]

/**
 * Vietnamese words that texts must not use: they have several meanings in this app, or developers use the English word
 * (key, passphrase, relay, console, metric, model...).
 */
const forbiddenVietnamese = [
  /khóa (công khai|bí mật|đăng ký|API)|(chuỗi|sổ|xoay|đổi) khóa|mã bí mật|bí mật (không|của|được)/i,
  /cụm mật khẩu|(?<!giới )hạn mức|tín dụng|cấp phát|bàn giao/i,
  /bộ chuyển tiếp|bảng điều khiển|máy chủ ủy quyền|bộ nhớ tạm|bảng nhớ tạm/i,
  /điểm cuối|bản sao chạy|kho (image|chứa)|danh tính|định danh|không gian tên|tác nhân/i,
  /nhật ký(?! thay đổi)|(?<!sai )số đo|mô hình|suy luận|hồ sơ|lấn át|tắt tiếng|tạm im|việc phụ/i,
  /(?<!sao )\bchép\b/i,
]

/** Matches the keys of short texts: titles, buttons, labels and states. */
const shortTextKeys =
  /\.(title\w*|pageTitle|action|button|confirm|label|short|open|save|add|start|stop|undo)(_one|_other)?$|\.(statuses|states|state|outcomes|filters|columns|tabs|actions|menu|places|groups)\.\w+$/

const countWords = (text: string): number => text.split(/\s+/).filter((word) => /[\p{L}\p{N}{]/u.test(word)).length

/** Whether a text has more than 20 words, although it is a short text or no full sentence. */
const isTooLong = (key: string, text: string): boolean =>
  (shortTextKeys.test(key) || !/[.:]$/.test(text)) && countWords(text) > 20

const allTexts = [...englishTexts]

describe('the English texts of the window', () => {
  it('use plain words, and no semicolons', () => {
    expect(allTexts.filter(([, text]) => refusedPhrases.some((phrase) => phrase.test(text)))).toEqual([])
  })

  it('have at most 20 words in a title, a button or a state', () => {
    expect(allTexts.filter(([key, text]) => isTooLong(key, text))).toEqual([])
  })
})

it('the Vietnamese texts of the window use the words of the glossary', () => {
  expect([...vietnameseTexts].filter(([, text]) => forbiddenVietnamese.some((phrase) => phrase.test(text)))).toEqual([])
})

const root = join(import.meta.dirname, '../../..')
const commands = join(root, 'src/main/cli')

/** String literals with several words in the source of a command, without values and names of options. */
const listTexts = (code: string): string[] =>
  [...code.replace(/^\s*(\/?\*|\/\/).*$/gm, '').matchAll(/(['"`])((?:\\.|(?!\1).)* (?:\\.|(?!\1).)*)\1/g)].map(
    ([, , text = '']) => text.replace(/\$\{[^}]*\}+|--[a-z-]+/g, ''),
  )

describe('the texts of the command line', () => {
  // Skip completion.ts, which contains shell programs.
  const files = readdirSync(commands).filter((name) => name.endsWith('.ts') && name !== 'completion.ts')

  it.each(files)('%s uses plain words, and no semicolons', (name) => {
    const commandTexts = listTexts(readFileSync(join(commands, name), 'utf8'))
    expect(commandTexts.filter((text) => refusedPhrases.some((phrase) => phrase.test(text)))).toEqual([])
  })
})

describe('the messages of failures', () => {
  const mainFolder = join(root, 'src/main')
  // Skip the commands, which the test above checks, and texts that are written into tools' settings.
  const files = readdirSync(mainFolder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !/^(cli|tools.targets)/.test(path),
  )
  const sentences = (code: string): string[] =>
    listTexts(code).filter((text) => /^[A-Z ]/.test(text) && text.endsWith('.') && !/^SELECT|^UPDATE|=/.test(text))

  it('use plain words, and no semicolons', () => {
    const sourceSentences = files.flatMap((path) => sentences(readFileSync(join(mainFolder, path), 'utf8')))
    expect(sourceSentences.filter((text) => refusedPhrases.some((phrase) => phrase.test(text)))).toEqual([])
  })
})

describe('the documents that users read', () => {
  const contributorDocuments = ['adding-a-tool.md', 'architecture.md', 'contract.md', 'coverage.md', 'electron.md']
  const guides = [
    'README.md',
    'CHANGELOG.md',
    ...['', 'guide/'].flatMap((folder) =>
      readdirSync(join(root, 'docs', folder)).flatMap((name) =>
        name.endsWith('.md') && !contributorDocuments.includes(name) ? `docs/${folder}${name}` : [],
      ),
    ),
  ]

  it.each(guides)('%s uses plain words, and no semicolons', (path) => {
    const documentText = readFileSync(join(root, path), 'utf8')
      .replace(/^```[\s\S]*?^```/gm, '')
      .replace(/`[^`]*`/g, '')
    expect(documentText.split('\n').filter((line) => refusedPhrases.some((phrase) => phrase.test(line)))).toEqual([])
  })

  const vietnameseFiles = [
    'CHANGELOG.vi.md',
    ...readdirSync(join(root, 'docs/vi'), { recursive: true, encoding: 'utf8' }).flatMap((name) =>
      name.endsWith('.md') ? `docs/vi/${name}` : [],
    ),
  ]

  it.each(vietnameseFiles)('%s uses the words of the glossary', (path) => {
    const documentText = readFileSync(join(root, path), 'utf8').replace(/^```[\s\S]*?^```/gm, '')
    expect(documentText.split('\n').filter((line) => forbiddenVietnamese.some((phrase) => phrase.test(line)))).toEqual(
      [],
    )
  })
})
