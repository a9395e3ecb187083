import clsx from 'clsx'
import { LockKeyhole } from 'lucide-react'
import { Fragment } from 'react'
import styles from './diff-view.module.css'
import {
  type DiffSegment,
  type DiffSide,
  type DiffViewLine,
  type InlineRow,
  inlineRows,
  type SplitRow,
  splitRows,
} from './diff-view-rows'

/** How a diff is laid out: one column, or what was beside what will be. */
export type DiffLayout = 'inline' | 'split'

/** What a diff says in words, for those who do not see its colours. */
export interface DiffWords {
  readonly added: string
  readonly removed: string
  readonly secret: string
  readonly before: string
  readonly after: string
  readonly gap: (count: number) => string
}

interface DiffViewProps {
  readonly lines: readonly DiffViewLine[]
  readonly layout: DiffLayout
  /** Names the table for a screen reader. */
  readonly label: string
  readonly words: DiffWords
}

const signs = { same: '', added: '+', removed: '−' } as const

const hasOld = ({ kind }: DiffViewLine): boolean => kind === 'same' || kind === 'removed'
const hasNew = ({ kind }: DiffViewLine): boolean => kind === 'same' || kind === 'added'

/** Shows what changes in a text: line numbers, signs and tints; unchanged stretches are folded into one line. */
export function DiffView({ lines, layout, label, words }: DiffViewProps) {
  const isSplit = layout === 'split'
  // A new file has no old lines to number, a deleted one no new ones.
  const numbers = isSplit ? 1 : Math.max(1, Number(lines.some(hasOld)) + Number(lines.some(hasNew)))
  return (
    <table className={clsx(styles.table, isSplit && styles.split)} aria-label={label}>
      <colgroup>
        <col className={styles.lineColumn} />
        {numbers === 2 && <col className={styles.lineColumn} />}
        <col className={styles.signColumn} />
        <col />
        {isSplit && <col className={styles.lineColumn} />}
        {isSplit && <col className={styles.signColumn} />}
        {isSplit && <col />}
      </colgroup>
      {isSplit && (
        <thead className="sr-only">
          <tr>
            <th colSpan={3}>{words.before}</th>
            <th colSpan={3}>{words.after}</th>
          </tr>
        </thead>
      )}
      <tbody>
        {isSplit
          ? splitRows(lines).map((row) => <SplitLine key={row.key} row={row} words={words} />)
          : inlineRows(lines).map((row) => <InlineLine key={row.key} row={row} words={words} numbers={numbers} />)}
      </tbody>
    </table>
  )
}

function Gap({ count, span, words }: { count: number; span: number; words: DiffWords }) {
  return (
    <tr className={styles.gap}>
      <td colSpan={span}>{words.gap(count)}</td>
    </tr>
  )
}

function Sign({ kind, words }: { kind: DiffSide['kind']; words: DiffWords }) {
  return (
    <td className={clsx(styles.sign, styles[kind])}>
      <span aria-hidden>{signs[kind]}</span>
      {kind !== 'same' && <span className="sr-only">{words[kind]}</span>}
    </td>
  )
}

function InlineLine({ row, words, numbers }: { row: InlineRow; words: DiffWords; numbers: number }) {
  if (row.kind === 'gap') return <Gap count={row.count} span={numbers + 2} words={words} />
  return (
    <tr className={styles[row.kind]} data-kind={row.kind}>
      {numbers === 2 ? <td className={styles.line}>{row.oldLine}</td> : null}
      <td className={styles.line}>{numbers === 2 ? row.newLine : (row.newLine ?? row.oldLine)}</td>
      <Sign kind={row.kind} words={words} />
      <td className={styles.code}>
        <DiffText segments={row.segments} secretLabel={words.secret} />
      </td>
    </tr>
  )
}

function SplitLine({ row, words }: { row: SplitRow; words: DiffWords }) {
  if (row.kind === 'gap') return <Gap count={row.count} span={6} words={words} />
  const sides = [
    ['left', row.left],
    ['right', row.right],
  ] as const
  return (
    <tr>
      {sides.map(([place, side]) => (
        <Fragment key={place}>{side ? <SideCells side={side} words={words} /> : <EmptyCells />}</Fragment>
      ))}
    </tr>
  )
}

function SideCells({ side, words }: { side: DiffSide; words: DiffWords }) {
  return (
    <>
      <td className={clsx(styles.line, styles[side.kind])} data-kind={side.kind}>
        {side.line}
      </td>
      <Sign kind={side.kind} words={words} />
      <td className={clsx(styles.code, styles[side.kind])}>
        <DiffText segments={side.segments} secretLabel={words.secret} />
      </td>
    </>
  )
}

function EmptyCells() {
  return (
    <>
      <td className={styles.nothing} />
      <td className={styles.nothing} />
      <td className={styles.nothing} />
    </>
  )
}

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
