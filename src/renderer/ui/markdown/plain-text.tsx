import { withVisibleControls } from '@shared/hidden-characters'
import { memo } from 'react'
import { placed } from './block-reader'
import styles from './markdown.module.css'

/** A text that may grow. */
export interface GrowingProps {
  readonly text: string
  readonly isStreaming?: boolean
  /** Its end is what one looks at: while it streams nothing else is drawn; once it is there, the rest follows upwards. */
  readonly isFromEnd?: boolean
  /** Says that something before is not drawn yet. */
  readonly earlier?: string
}

/** So many characters at the end of a growing text are drawn, and those of the part in which they begin. */
const recentLength = 4_000

/** The first part that is drawn of a growing text whose parts have these lengths, when only its end is. */
export function recentFrom(lengths: readonly number[]): number {
  let from = lengths.length
  for (let length = 0; from > 0 && length < recentLength; from -= 1) length += lengths[from - 1] ?? 0
  return from
}

/** Stands for what is not drawn. */
export const Earlier = ({ text }: { readonly text: string | undefined }) =>
  text === undefined ? null : <p className={styles.earlier}>{text}</p>

const pieceLength = 2_000

/** A text in pieces that do not change when it grows, each with the end of its last line. */
export function splitPieces(text: string): readonly string[] {
  const pieces: string[] = []
  let from = 0
  for (let end = 0; from < text.length; from = end) {
    end = text.indexOf('\n', from + pieceLength) + 1 || text.length
    pieces.push(text.slice(from, end))
  }
  return pieces
}

const Piece = memo(({ text }: { readonly text: string }) => (
  <span className={styles.piece}>{withVisibleControls(text)}</span>
))

/** A model's answer as it came; what would not be seen of it, or would turn it around, is told. */
export const PlainText = memo(({ text, isStreaming = false, isFromEnd = false, earlier }: GrowingProps) => {
  const pieces = splitPieces(text)
  const from = isFromEnd && isStreaming ? recentFrom(pieces.map(({ length }) => length)) : 0
  return (
    <>
      <Earlier text={from > 0 ? earlier : undefined} />
      <p className={styles.plain}>
        {placed(pieces, ({ length }) => length).map(({ part, at }, index) =>
          index < from ? null : <Piece key={at} text={part} />,
        )}
      </p>
    </>
  )
})
