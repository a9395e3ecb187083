import { withVisibleControls } from '@shared/hidden-characters'
import { memo } from 'react'
import { ErrorBoundary } from '../error-boundary'
import { type Block, type BlockSection, lengthOf, placed, type TextBlock } from './block'
import { CodeView } from './code-view'
import { Formula } from './formula'
import styles from './markdown.module.css'
import { elementsOf, isParsed, parsed, sourceOf } from './parse'
import { useTurn } from './turns'

/** `isWaiting`: until its turn has come. */
function Plain({ source, isWaiting }: { readonly source: string; readonly isWaiting?: true }) {
  return (
    <p className={styles.plain} data-waiting={isWaiting}>
      {withVisibleControls(source)}
    </p>
  )
}

function SettledText({ block }: { readonly block: TextBlock }) {
  const isTurn = useTurn(isParsed(block) ? 0 : block.source.length)
  if (!isTurn) return <Plain source={block.source} isWaiting />
  return parsed(block) ?? <Plain source={block.source} />
}

function Drawn({ block }: { readonly block: Block }) {
  switch (block.kind) {
    case 'text':
      return <SettledText block={block} />
    case 'code':
      return <CodeView {...block} />
    case 'math':
      return <Formula source={withVisibleControls(block.source)} isDisplayed />
    case 'plain':
      return <Plain source={block.source} />
  }
}

const sourceIn = (block: Block): string => (block.kind === 'code' ? block.segments.join('') : block.source)

/** A block that will not change; as the text that it is where it cannot be drawn. */
const Settled = ({ block }: { readonly block: Block }) => (
  <ErrorBoundary fallback={() => <Plain source={sourceIn(block)} />}>
    <Drawn block={block} />
  </ErrorBoundary>
)

const GrowingMarkdown = memo(
  ({ source }: { readonly source: string }) => elementsOf(source) ?? <Plain source={source} />,
)

function Growing({ block }: { readonly block: Block }) {
  if (block.kind === 'text') return <GrowingMarkdown source={sourceOf(block)} />
  if (block.kind === 'code') return <CodeView {...block} />
  return <Plain source={block.source} />
}

/** The last block of a text that grows: as cheap as it can be, because it is drawn again and again. */
export const Tail = ({ block }: { readonly block: Block }) => (
  <ErrorBoundary fallback={() => <Plain source={sourceIn(block)} />}>
    <Growing block={block} />
  </ErrorBoundary>
)

const lineHeight = 20
const lineLength = 80

/** A guess at how high a section is, in px, for as long as nobody looks at it. */
const heightOf = (section: BlockSection): number =>
  Math.ceil(section.length / lineLength) * lineHeight + section.blocks.length * lineHeight

interface SectionProps {
  readonly section: BlockSection
  /** More blocks may come into it. */
  readonly isLast: boolean
  readonly isNearEnd: boolean
  /** Whether the end is looked at first, so that what is not near it can wait. */
  readonly isFromEnd: boolean
}

/** Blocks that are drawn together, and not at all while they are far from what is seen; those amid a long document when their turn has come. */
export const SectionView = memo(({ section, isLast, isNearEnd, isFromEnd }: SectionProps) => {
  const isTurn = useTurn(isNearEnd ? 0 : section.length, isFromEnd && !isNearEnd)
  return (
    <div
      className={isLast ? styles.section : `${styles.section} ${styles.distant}`}
      style={isLast ? undefined : { containIntrinsicBlockSize: `auto ${heightOf(section)}px` }}
    >
      {isTurn ? (
        placed(section.blocks, lengthOf).map(({ part, at }) => <Settled key={at} block={part} />)
      ) : (
        <Plain source={section.blocks.map(sourceIn).join('\n\n')} isWaiting />
      )}
    </div>
  )
})
