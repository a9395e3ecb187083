import { memo, useState } from 'react'
import { placed } from './block'
import { SectionView, Tail } from './block-view'
import { GrowingText } from './growing-text'
import { LinkQuestion } from './link-question'
import styles from './markdown.module.css'
import { Earlier, type GrowingProps, recentFrom } from './recent'

/** So many are drawn at once wherever they are: an answer is often looked at from its end. Then the first ones have the first turns. */
const endSections = 2
/** Of one that is known to be looked at from its end; the others follow upwards. */
const atEndAlone = 1

/**
 * A model's answer as Markdown. Untrusted: HTML is text, nothing is fetched, and a link asks before it opens outside. With
 * `isStreaming` the text may grow; only what is new is read then, and no faster than the window can draw it.
 */
export const Markdown = memo(({ text, isStreaming = false, isFromEnd = false, earlier }: GrowingProps) => {
  const [growing] = useState(() => new GrowingText())
  const { sections, tail } = growing.read(text, isStreaming)
  const atOnce = isFromEnd ? atEndAlone : endSections
  const from = isFromEnd && isStreaming ? recentFrom(sections.map(({ length }) => length)) : 0
  const settled = sections.reduce((sum, { blocks }) => sum + blocks.length, 0)
  return (
    <div className={styles.markdown}>
      <Earlier text={from > 0 ? earlier : undefined} />
      <LinkQuestion>
        {placed(sections, ({ length }) => length).map(({ part, at }, index) =>
          index < from ? null : (
            <SectionView
              key={at}
              section={part}
              isLast={index === sections.length - 1}
              isNearEnd={index >= sections.length - atOnce}
              isFromEnd={isFromEnd}
            />
          ),
        )}
        {tail ? (
          <div className={styles.section}>
            <Tail key={settled} block={tail} />
          </div>
        ) : null}
      </LinkQuestion>
    </div>
  )
})
