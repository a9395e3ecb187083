import clsx from 'clsx'
import { Fragment } from 'react'
import styles from './diff-view.module.css'
import {
  type DiffSide,
  type DiffViewLine,
  type InlineRow,
  inlineRows,
  type SplitRow,
  splitRows,
} from './diff-view-rows'
import { DiffText } from './diff-view-text'

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
