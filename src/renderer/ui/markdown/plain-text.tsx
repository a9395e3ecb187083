import { withVisibleControls } from '@shared/hidden-characters'
import { memo } from 'react'
import { placed } from './block'
import styles from './markdown.module.css'
import { Earlier, type GrowingProps, recentFrom } from './recent'

const pieceLength = 2_000

/** A text in pieces that do not change when it grows, each with the end of its last line. */
export function piecesOf(text: string): readonly string[] {
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
  const pieces = piecesOf(text)
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
