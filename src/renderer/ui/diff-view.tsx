import { type ChangeObject, diffWordsWithSpace } from 'diff'
import i18next from 'i18next'
import { LockKeyhole } from 'lucide-react'
import { joinClassNames } from './cn'

export type DiffLayout = 'inline' | 'split'

interface DiffViewProps {
  readonly lines: readonly DiffViewLine[]
  readonly layout: DiffLayout
  readonly label: string
  /** Names of the two versions. Default: before and after. */
  readonly names?: readonly [string, string]
}

const t = i18next.getFixedT(null, 'common')

const lineBackgrounds = { same: '', added: 'bg-added', removed: 'bg-removed' } as const
const marks = { same: '', added: 'text-added-mark', removed: 'text-removed-mark' } as const
const edgeClasses = {
  same: '',
  added: 'shadow-[inset_2px_0_var(--color-added-mark)]',
  removed: 'shadow-[inset_2px_0_var(--color-removed-mark)]',
} as const
const changedTextClass = {
  same: '',
  added: '[&_mark]:bg-added-mark/20',
  removed: '[&_mark]:bg-removed-mark/18',
} as const
const lineNumber = 'pr-2 text-right align-top text-faint tabular-nums select-none'
const code = 'whitespace-pre-wrap wrap-anywhere pr-3 align-top text-text [&_mark]:rounded-xs [&_mark]:text-inherit'

const changeSigns = { same: '', added: '+', removed: '−' } as const

/** Diff with line numbers, signs and colors. Collapses unchanged lines. */
export function DiffView({ lines, layout, label, names = [t('diff.before'), t('diff.after')] }: DiffViewProps) {
  const isSideBySide = layout === 'split'
  // A new file has no old line numbers, and a deleted one no new ones.
  const hasBoth = lines.some((line) => 'oldLine' in line) && lines.some((line) => 'newLine' in line)
  const numbers = hasBoth && !isSideBySide ? 2 : 1
  return (
    <table className="w-full table-fixed font-mono text-sm leading-5 tracking-normal [tab-size:2]" aria-label={label}>
      <colgroup>
        <col className="w-10" />
        {numbers === 2 && <col className="w-10" />}
        <col className="w-5.5" />
        <col />
        {isSideBySide && <col className="w-10" />}
        {isSideBySide && <col className="w-5.5" />}
        {isSideBySide && <col />}
      </colgroup>
      {isSideBySide && (
        <thead className="sr-only">
          <tr>
            <th colSpan={3}>{names[0]}</th>
            <th colSpan={3}>{names[1]}</th>
          </tr>
        </thead>
      )}
      <tbody>
        {(isSideBySide ? groupRows(lines).flat() : inlineRows(lines)).map((row) => (
          <DiffLine key={row.key} {...{ row, isSideBySide, numbers }} />
        ))}
      </tbody>
    </table>
  )
}

function DiffLine({ row, isSideBySide, numbers }: { row: DiffRow; isSideBySide: boolean; numbers: number }) {
  if (row.kind === 'gap')
    return (
      <tr className="group/gap">
        <td
          className={joinClassNames(
            'border-y bg-well px-3 py-0.5 text-center font-sans text-muted text-xs select-none',
            'group-first/gap:border-t-0 group-last/gap:border-b-0',
          )}
          colSpan={isSideBySide ? 6 : numbers + 2}
        >
          {t('diff.gap', { count: row.count })}
        </td>
      </tr>
    )
  const { left, right } = row
  if (isSideBySide)
    return (
      <tr>
        <SideCells side={left} lines={[left?.line]} />
        <SideCells side={right} lines={[right?.line]} isSecond />
      </tr>
    )
  const side = right ?? left
  return (
    <tr>
      <SideCells side={side} lines={numbers === 2 ? [left?.line, right?.line] : [side?.line]} />
    </tr>
  )
}

const emptyPattern = 'bg-[repeating-linear-gradient(-45deg,var(--color-well)_0_5px,transparent_5px_10px)] select-none'

interface SideCellsProps {
  readonly side: DiffSide | undefined
  /** Line numbers, one per column. */
  readonly lines: readonly (number | undefined)[]
  readonly isSecond?: boolean
}

function SideCells({ side, lines, isSecond }: SideCellsProps) {
  if (!side)
    return (
      <>
        <td className={joinClassNames(emptyPattern, isSecond && 'border-l')} />
        <td className={emptyPattern} />
        <td className={emptyPattern} />
      </>
    )
  const { kind } = side
  return (
    <>
      {lines.map((line, index) => (
        <td
          key={`number-${String(index)}`}
          className={joinClassNames(
            lineNumber,
            lineBackgrounds[kind],
            marks[kind],
            index === 0 && edgeClasses[kind],
            isSecond && 'border-l',
          )}
        >
          {line}
        </td>
      ))}
      <td
        className={joinClassNames(
          'text-center align-top font-semibold select-none',
          lineBackgrounds[kind],
          marks[kind],
        )}
      >
        <span aria-hidden>{changeSigns[kind]}</span>
        {kind !== 'same' && <span className="sr-only">{t(`diff.${kind}`)}</span>}
      </td>
      <td className={joinClassNames(code, lineBackgrounds[kind], changedTextClass[kind])}>
        <DiffText segments={side.segments} />
      </td>
    </>
  )
}

/** Placeholder of a masked secret. */
const SECRET = '[secret]'

type TokenKind = 'comment' | 'text' | 'literal' | 'plain' | 'secret'

interface Token {
  readonly kind: TokenKind
  readonly start: number
  readonly end: number
}

// Match strings before comments, because URLs contain "//". YAML and similar formats do not quote URLs.
const pattern =
  /(?<text>"(?:[^"\\]|\\.)*"?)|(?<comment>(?<!:)\/\/.*$|\/\*.*?(?:\*\/|$)|(?<=^|\s)#.*$)|(?<literal>\b(?:true|false|null)\b|(?<![\w./-]|\w:)-?\d[\d.eE+-]*)/g

/** Maximum length of a highlighted line. It may have one token per character. */
const maxTintedLength = 5_000

/** Splits a line of a settings file into tokens for highlighting only. Never changes the text. */
function splitTokens(line: string): readonly Token[] {
  const tokens: Token[] = []
  let offset = 0
  for (const match of line.length > maxTintedLength ? [] : line.matchAll(pattern)) {
    const { text, comment } = match.groups ?? {}
    const kind = text ? 'text' : comment ? 'comment' : 'literal'
    if (match.index > offset) tokens.push(toToken(line, offset, match.index))
    offset = match.index + match[0].length
    tokens.push({ kind, start: match.index, end: offset })
  }
  if (offset < line.length) tokens.push(toToken(line, offset, line.length))
  return tokens.flatMap((token) => splitAtSecrets(token, line)).filter((token) => token.end > token.start)
}

/** Text between tokens: unquoted values or punctuation. */
const toToken = (line: string, start: number, end: number): Token => ({
  kind: /\w/.test(line.slice(start, end).replaceAll(SECRET, '')) ? 'text' : 'plain',
  start,
  end,
})

/** Splits a token at secret masks. */
function splitAtSecrets({ kind, start, end }: Token, line: string): readonly Token[] {
  let offset = start
  return line
    .slice(start, end)
    .split(/(\[secret\])/)
    .map((piece) => {
      const token = { kind: piece === SECRET ? 'secret' : kind, start: offset, end: offset + piece.length } as const
      offset = token.end
      return token
    })
}

/** Text of one line with changed segments and highlighted tokens. */
function DiffText({ segments }: { segments: readonly DiffSegment[] }) {
  const line = segments.map((segment) => segment.text).join('')
  const tokens = splitTokens(line)
  return segments.map(({ at, text, changed }) => {
    const overlappingTokens = tokens.filter((token) => token.start < at + text.length && token.end > at)
    const content = overlappingTokens.map((token) => {
      const pieceStart = Math.max(token.start, at)
      const segmentText = line.slice(pieceStart, Math.min(token.end, at + text.length))
      return <TokenText key={pieceStart} kind={token.kind} text={segmentText} />
    })
    return changed ? <mark key={at}>{content}</mark> : <span key={at}>{content}</span>
  })
}

const tokenColors: Record<Exclude<TokenKind, 'secret'>, string> = {
  text: 'text-text',
  comment: 'text-muted italic',
  literal: 'text-accent-text',
  plain: 'text-muted',
}

function TokenText({ kind, text }: { kind: TokenKind; text: string }) {
  if (kind !== 'secret') return <span className={tokenColors[kind]}>{text}</span>
  return (
    <span
      className={joinClassNames(
        'inline-flex items-center gap-0.75 rounded-sm bg-surface px-1.25 font-sans text-muted text-xs leading-4',
        'select-none shadow-[inset_0_0_0_1px_var(--color-border-strong)]',
      )}
    >
      <LockKeyhole size={11} />
      {t('diff.secret')}
    </span>
  )
}

export type DiffViewLine =
  | { readonly kind: 'same'; readonly text: string; readonly oldLine: number; readonly newLine: number }
  | { readonly kind: 'added'; readonly text: string; readonly newLine: number }
  | { readonly kind: 'removed'; readonly text: string; readonly oldLine: number }
  | { readonly kind: 'gap'; readonly count: number }

/** Part of a line. `changed` if it differs from the counterpart line. */
interface DiffSegment {
  readonly text: string
  readonly at: number
  readonly changed: boolean
}

interface DiffSide {
  readonly kind: 'same' | 'added' | 'removed'
  readonly line: number
  readonly segments: readonly DiffSegment[]
}

/** A row of the split view: old text left, new text right. In the inline view, only an unchanged row has both. */
type DiffRow =
  | { readonly kind: 'gap'; readonly key: string; readonly count: number }
  | {
      readonly kind: 'pair'
      readonly key: string
      readonly left?: DiffSide | undefined
      readonly right?: DiffSide | undefined
    }

type RemovedLine = Extract<DiffViewLine, { kind: 'removed' }>
type AddedLine = Extract<DiffViewLine, { kind: 'added' }>

const toPlainSegment = (text: string): DiffSegment[] => [{ text, at: 0, changed: false }]

type SegmentPair = readonly [readonly DiffSegment[], readonly DiffSegment[]]

/** Time limit in ms for a line, because a minified file is one line. */
const lineTimeoutMs = 50

function toSegments(changes: readonly ChangeObject<string>[]): DiffSegment[] {
  let at = 0
  return changes.map(({ value, added, removed }) => {
    const segment = { text: value, at, changed: added || removed }
    at += value.length
    return segment
  })
}

/** Name of the setting in a line. Undefined for lines of prose or punctuation. */
const readSettingName = (line: string): string | undefined => /^\s*("[^"]+"|[\w.-]+)\s*[:=]/.exec(line)?.[1]

/** Splits two versions of a line into words that differ. Lines that share less than a third stay whole. */
function compareText(lineBefore: string, lineAfter: string): SegmentPair {
  const changes = diffWordsWithSpace(lineBefore, lineAfter, { timeout: lineTimeoutMs }) ?? []
  const commonText = changes.flatMap(({ value, added, removed }) => (added || removed ? [] : value.trim())).join('')
  const longerLength = Math.max(lineBefore.trim().length, lineAfter.trim().length)
  const name = readSettingName(lineBefore)
  const isSameSetting = name !== undefined && name === readSettingName(lineAfter)
  const isSplit = changes.length > 0 && (isSameSetting || commonText.length * 3 >= longerLength)
  if (!isSplit) return [toPlainSegment(lineBefore), toPlainSegment(lineAfter)]
  return [toSegments(changes.filter(({ added }) => !added)), toSegments(changes.filter(({ removed }) => !removed))]
}

/** Matches removed with added lines of the same setting, in order. */
function matchLines(removed: readonly RemovedLine[], added: readonly AddedLine[]): (readonly [number, number])[] {
  const matches: [number, number][] = []
  for (const [row, { text }] of removed.entries()) {
    const name = readSettingName(text)
    const start = (matches.at(-1)?.[1] ?? -1) + 1
    const column = added.findIndex((line, index) => index >= start && readSettingName(line.text) === name)
    if (name !== undefined && column >= 0) matches.push([row, column])
  }
  return matches
}

/** Aligns consecutive changed lines: two versions of one line share a row, and unmatched lines fill rows in order. */
function alignChanges(removed: readonly RemovedLine[], added: readonly AddedLine[]): DiffRow[] {
  const rows: DiffRow[] = []
  let [row, column] = [0, 0]
  const addRow = (before: RemovedLine | undefined, after: AddedLine | undefined): void => {
    const [left, right] =
      before && after
        ? compareText(before.text, after.text)
        : [toPlainSegment(before?.text ?? ''), toPlainSegment(after?.text ?? '')]
    rows.push({
      kind: 'pair',
      key: `-${before?.oldLine ?? ''}+${after?.newLine ?? ''}`,
      left: before && { kind: 'removed', line: before.oldLine, segments: left },
      right: after && { kind: 'added', line: after.newLine, segments: right },
    })
  }
  for (const [matchRow, matchColumn] of [...matchLines(removed, added), [removed.length, added.length] as const]) {
    while (row < matchRow || column < matchColumn)
      addRow(row < matchRow ? removed[row++] : undefined, column < matchColumn ? added[column++] : undefined)
    if (matchRow < removed.length) addRow(removed[row++], added[column++])
  }
  return rows
}

/** Groups the rows of the split view, which have versions of one line on the same row: consecutive changes form one group, every other line forms one by itself. */
function groupRows(lines: readonly DiffViewLine[]): readonly (readonly DiffRow[])[] {
  const groups: DiffRow[][] = []
  let [removed, added]: [RemovedLine[], AddedLine[]] = [[], []]
  const endChanges = (): void => {
    groups.push(alignChanges(removed, added))
    removed = []
    added = []
  }
  for (const line of lines) {
    if (line.kind === 'removed') removed.push(line)
    else if (line.kind === 'added') added.push(line)
    else endChanges()
    if (line.kind === 'gap') groups.push([{ ...line, key: `gap${groups.length}` }])
    if (line.kind === 'same') {
      const { kind, oldLine, newLine } = line
      const segments = toPlainSegment(line.text)
      const [left, right] = [
        { kind, line: oldLine, segments },
        { kind, line: newLine, segments },
      ]
      groups.push([{ kind: 'pair', key: `=${oldLine}`, left, right }])
    }
  }
  endChanges()
  return groups
}

/** Rows of the inline view. Within a change, removals precede additions. */
const inlineRows = (lines: readonly DiffViewLine[]): readonly DiffRow[] =>
  groupRows(lines).flatMap((rows) => {
    const pairs = rows.flatMap((row) => (row.kind === 'pair' && row.left?.kind !== 'same' ? [row] : []))
    if (pairs.length === 0) return rows
    return [
      ...pairs.flatMap(({ left }): DiffRow[] => (left ? [{ kind: 'pair', key: `-${left.line}`, left }] : [])),
      ...pairs.flatMap(({ right }): DiffRow[] => (right ? [{ kind: 'pair', key: `+${right.line}`, right }] : [])),
    ]
  })

export function countChanges(lines: readonly DiffViewLine[]): { readonly added: number; readonly removed: number } {
  const countLines = (kind: DiffViewLine['kind']): number => lines.filter((line) => line.kind === kind).length
  return { added: countLines('added'), removed: countLines('removed') }
}
