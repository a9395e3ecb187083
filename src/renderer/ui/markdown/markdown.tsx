import { withVisibleControls } from '@shared/hidden-characters'
import { memo, type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFailureToast } from '../../i18n/failures'
import { useAction } from '../../ipc'
import { ErrorBoundary } from '../error-boundary'
import {
  type Block,
  BlockReader,
  type BlockSection,
  blockLength,
  placed,
  type Reading,
  type TextBlock,
} from './block-reader'
import { CodeView } from './code-view'
import { AskToOpen, Formula } from './elements'
import { useTurn } from './frame-queue'
import styles from './markdown.module.css'
import { blockSource, isParsed, parsed, renderMarkdown } from './parse'

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
const Earlier = ({ text }: { readonly text: string | undefined }) =>
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

/** Has the links inside opened by the main process, which shows the whole address and asks first. */
function LinkQuestion({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation('markdown')
  const tellFailure = useFailureToast()
  const opening = useAction('app.openLink', {
    onError: tellFailure({ title: t('notOpened') }),
  })
  return <AskToOpen value={({ href }) => opening.mutate({ url: href })}>{children}</AskToOpen>
}

/** A line that is longer is read in parts. */
const longLine = 4_000

/** Where to cut a line that is too long: after its last space, and never inside a character. */
function cutOf(line: string): number {
  const space = line.lastIndexOf(' ', longLine - 1)
  if (space > longLine / 2) return space + 1
  const code = line.charCodeAt(longLine - 1)
  return code >= 0xd800 && code < 0xdc00 ? longLine - 1 : longLine
}

/** A document of which always more comes; each character is looked at once. A text that does not continue the one before is read anew. */
export class GrowingText {
  #reader = new BlockReader()
  #seen = ''
  #partial = ''
  #isEnded = false

  /** The document's blocks. `isGrowing`: more will come. */
  read(text: string, isGrowing: boolean): Reading {
    if (text !== this.#seen && (this.#isEnded || !text.startsWith(this.#seen))) this.#restart()
    if (!this.#isEnded) {
      this.#take(text.slice(this.#seen.length))
      this.#seen = text
      if (!isGrowing) this.#end()
    }
    return { sections: this.#reader.sections, tail: this.#isEnded ? undefined : this.#reader.tail(this.#partial) }
  }

  #restart(): void {
    this.#reader = new BlockReader()
    this.#seen = ''
    this.#partial = ''
    this.#isEnded = false
  }

  #take(piece: string): void {
    const lines = (this.#partial + piece).split('\n')
    const last = lines.pop() ?? ''
    for (const line of lines) this.#reader.line(this.#cut(line.replace(/\r$/, '')))
    this.#partial = this.#cut(last)
  }

  /** Gives the reader the beginning of a line that is too long; the end of it goes back. */
  #cut(line: string): string {
    let rest = line
    while (rest.length > longLine) {
      const at = cutOf(rest)
      this.#reader.line(rest.slice(0, at), true)
      rest = rest.slice(at)
    }
    return rest
  }

  #end(): void {
    if (this.#partial !== '') this.#reader.line(this.#partial)
    this.#partial = ''
    this.#reader.end()
    this.#isEnded = true
  }
}

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
  return parsed(block) ?? <Undrawn source={block.source} />
}

/** What is nested too deeply to be drawn, in a frame of its own: it may be long, and says little. */
function Undrawn({ source }: { readonly source: string }) {
  const { t } = useTranslation('markdown')
  return <CodeView language="" label={t('asText')} segments={[source]} isClosed />
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
  ({ source }: { readonly source: string }) => renderMarkdown(source) ?? <Plain source={source} />,
)

function Growing({ block }: { readonly block: Block }) {
  if (block.kind === 'text') return <GrowingMarkdown source={blockSource(block)} />
  if (block.kind === 'code') return <CodeView {...block} />
  return <Plain source={block.source} />
}

/** The last block of a text that grows: as cheap as it can be, because it is drawn again and again. */
const Tail = ({ block }: { readonly block: Block }) => (
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
const SectionView = memo(({ section, isLast, isNearEnd, isFromEnd }: SectionProps) => {
  const isTurn = useTurn(isNearEnd ? 0 : section.length, isFromEnd && !isNearEnd)
  return (
    <div
      className={isLast ? styles.section : `${styles.section} ${styles.distant}`}
      style={isLast ? undefined : { containIntrinsicBlockSize: `auto ${heightOf(section)}px` }}
    >
      {isTurn ? (
        placed(section.blocks, blockLength).map(({ part, at }) => <Settled key={at} block={part} />)
      ) : (
        <Plain source={section.blocks.map(sourceIn).join('\n\n')} isWaiting />
      )}
    </div>
  )
})

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
