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
