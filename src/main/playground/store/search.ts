import type { Database } from '../../core/sqlite/database'

/** Indexes a message for search. */
export function noteText(db: Database, message: number, text: string): void {
  db.run('DELETE FROM found WHERE rowid = ?', message)
  if (text !== '') db.run('INSERT INTO found (rowid, text) VALUES (?, ?)', message, normalizeText(text))
}

export const noteTitle = (db: Database, conversation: number, title: string): void => noteText(db, -conversation, title)

/** Full-text table. The row id is a message key, or a negative conversation key. */
export const searchTableSql = `
CREATE VIRTUAL TABLE found USING fts5 (
  text, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2", prefix = '2 3'
);`

const textBatchSize = 500

/** All texts for the full-text index, paged by key: titles, answers and questions. */
const texts = [
  { sign: -1, text: 'title', from: 'conversations WHERE key > ?' },
  {
    sign: 1,
    text: "json_extract(iif(json_valid(body), body, '{}'), '$.text')",
    from: `(SELECT m.key AS key, CAST(coalesce(r.answer, m.body) AS TEXT) AS body
            FROM messages AS m LEFT JOIN runs AS r ON r.key = m.run WHERE m.key > ?)`,
  },
]

/** Rebuilds the full-text index. A corrupt index blocks all writes, and integrity_check does not detect it. */
export function rebuildIndex(db: Database): void {
  db.exec('DROP TABLE IF EXISTS found')
  db.exec(searchTableSql)
  for (const { sign, text, from } of texts) {
    const page = `SELECT key, CAST(coalesce(${text}, '') AS TEXT) AS text FROM ${from} ORDER BY key LIMIT ${textBatchSize}`
    for (let rows = db.rows('key, text', page, 0); rows.length > 0; ) {
      for (const row of rows) noteText(db, sign * row.number(0), row.text(1))
      rows = db.rows('key, text', page, rows.at(-1)?.number(0) ?? 0)
    }
  }
}

/** Matches a word of a text that `fold` has normalized. */
const wordPattern = /[\p{L}\p{N}\p{Co}]+/gu
/** Matches a word of the original text, including combining marks. */
const wordRunPattern = /[\p{L}\p{N}\p{Co}\p{Mn}]+/gu
const maxTerms = 20
/** Number of characters shown before and after a match. */
const charactersBefore = 40
const charactersAfter = 140

/** Lower case without diacritics: `Đường phố` becomes `duong pho`. */
export const normalizeText = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .replaceAll('đ', 'd')

/** Search terms. Each matches the start of a word. */
export const splitTerms = (search: string): readonly string[] =>
  (normalizeText(search).match(wordPattern) ?? []).slice(0, maxTerms)

/** FTS5 query for all terms in any order. */
export const toMatchQuery = (terms: readonly string[]): string => terms.map((term) => `"${term}"*`).join(' ')

/** An excerpt with the match between `matchStart` and `matchEnd`. */
interface Snippet {
  readonly snippet: string
  readonly matchStart: number
  readonly matchEnd: number
}

/** Cuts the context of the first match, or the start of the text. */
export function extractSnippet(text: string, terms: readonly string[]): Snippet {
  const { start, end } = findMatch(text, terms)
  const snippetStart = start <= charactersBefore + 10 ? 0 : alignToCharacter(text, start - charactersBefore)
  const snippetEnd = alignToCharacter(text, Math.min(text.length, end + charactersAfter))
  const [head, tail] = [snippetStart > 0 ? '…' : '', snippetEnd < text.length ? '…' : '']
  const snippet = head + text.slice(snippetStart, snippetEnd).replaceAll(/\s/g, ' ') + tail
  const shift = head.length - snippetStart
  return { snippet, matchStart: start + shift, matchEnd: end + shift }
}

function findMatch(text: string, terms: readonly string[]): { readonly start: number; readonly end: number } {
  for (const { 0: word, index } of text.matchAll(wordRunPattern)) {
    const normalizedWord = normalizeText(word)
    const matchingTerm = terms.find((candidate) => normalizedWord.startsWith(candidate))
    if (matchingTerm !== undefined) return { start: index, end: index + matchLength(word, matchingTerm.length) }
  }
  return { start: 0, end: 0 }
}

/** Length in the original word of a match of `folded` characters, including trailing combining marks. */
function matchLength(word: string, folded: number): number {
  let [length, consumedLength] = [0, 0]
  for (const character of word) {
    const normalizedLength = normalizeText(character).length
    if (consumedLength >= folded && normalizedLength > 0) break
    length += character.length
    consumedLength += normalizedLength
  }
  return length
}

/** Moves a position so that it does not split a surrogate pair. */
const alignToCharacter = (text: string, position: number): number =>
  /[\udc00-\udfff]/.test(text.charAt(position)) ? position + 1 : position
