import { LockKeyhole } from 'lucide-react'
import styles from './diff-view.module.css'
import type { DiffSegment } from './diff-view-rows'

/** What stands in a shown text where a secret is. */
const SECRET = '[secret]'

type TokenKind = 'comment' | 'key' | 'text' | 'literal' | 'plain' | 'secret'

interface Token {
  readonly kind: TokenKind
  readonly start: number
  readonly end: number
}

// A string is tried before a comment, because addresses hold "//"; in YAML and the like they stand there without quotes.
const pattern =
  /(?<key>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<text>"(?:[^"\\]|\\.)*"?)|(?<comment>(?<!:)\/\/.*$|\/\*.*?(?:\*\/|$)|(?<=^|\s)#.*$)|(?<literal>\b(?:true|false|null)\b|(?<![\w./-]|\w:)-?\d[\d.eE+-]*)/g

/** A line that is longer is not tinted: it may have as many parts as characters. */
const longestTinted = 5_000

/** The parts of one line of a settings file, for tinting only; never wrong about the text itself. */
export function tokensOf(line: string): readonly Token[] {
  const tokens: Token[] = []
  let at = 0
  for (const match of line.length > longestTinted ? [] : line.matchAll(pattern)) {
    const { key, text, comment } = match.groups ?? {}
    const kind = key ? 'key' : text ? 'text' : comment ? 'comment' : 'literal'
    if (match.index > at) tokens.push(between(line, at, match.index))
    at = match.index + match[0].length
    tokens.push({ kind, start: match.index, end: at })
  }
  if (at < line.length) tokens.push(between(line, at, line.length))
  return tokens.flatMap((token) => pieces(token, line)).filter((token) => token.end > token.start)
}

/** What stands between: words of a file that needs no quotes, or marks alone. */
const between = (line: string, start: number, end: number): Token => ({
  kind: /\w/.test(line.slice(start, end).replaceAll(SECRET, '')) ? 'text' : 'plain',
  start,
  end,
})

/** A token cut where a mask begins or ends; odd pieces are the masks. */
function pieces(token: Token, line: string): readonly Token[] {
  if (!line.slice(token.start, token.end).includes(SECRET)) return [token]
  const cuts = [token.start]
  for (let at = line.indexOf(SECRET, token.start); at >= 0 && at < token.end; at = line.indexOf(SECRET, at + 1)) {
    cuts.push(at, at + SECRET.length)
  }
  cuts.push(token.end)
  return cuts.slice(1).map((end, index) => ({
    kind: index % 2 === 1 ? ('secret' as const) : token.kind,
    start: cuts[index] ?? end,
    end,
  }))
}

/** One line's text with its changed stretch marked and its parts tinted. */
export function DiffText({ segments, secretLabel }: { segments: readonly DiffSegment[]; secretLabel: string }) {
  const line = segments.map((segment) => segment.text).join('')
  const tokens = tokensOf(line)
  return segments.map(({ at, text, changed }) => {
    const inside = tokens.filter((token) => token.start < at + text.length && token.end > at)
    const content = inside.map((token) => {
      const from = Math.max(token.start, at)
      const shown = line.slice(from, Math.min(token.end, at + text.length))
      return <TokenText key={from} kind={token.kind} text={shown} secretLabel={secretLabel} />
    })
    return changed ? <mark key={at}>{content}</mark> : <span key={at}>{content}</span>
  })
}

function TokenText({ kind, text, secretLabel }: { kind: TokenKind; text: string; secretLabel: string }) {
  if (kind !== 'secret') return <span className={styles[kind]}>{text}</span>
  return (
    <span className={styles.secret}>
      <LockKeyhole size={11} aria-hidden />
      {secretLabel}
    </span>
  )
}
