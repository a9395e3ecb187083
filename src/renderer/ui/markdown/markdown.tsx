import { withVisibleControls } from '@shared/hidden-characters'
import i18next from 'i18next'
import { memo, useDeferredValue } from 'react'
import { useLocaleChange } from '../../i18n'
import { showFailureToast } from '../../i18n/failures'
import { useAction } from '../../ipc'
import { joinClassNames } from '../cn'
import { ErrorBoundary } from '../error-boundary'
import { type Block, readBlocks, readDefinitions, selectDefinitions, splitPieces } from './blocks'
import { CodeView, ConfirmLinkContext, MathFormula } from './elements'
import { isParsed, parseMarkdown, renderMarkdown } from './parse'

const t = i18next.getFixedT(null, 'markdown')

export interface StreamingTextProps {
  readonly text: string
  /** Whether more text may follow. */
  readonly isStreaming?: boolean
}

const TextPiece = memo(({ text }: { readonly text: string }) => (
  <span className="wrap-anywhere block [contain-intrinsic-block-size:auto_600px] [content-visibility:auto]">
    {withVisibleControls(text)}
  </span>
))

/** Model output without formatting. Shows control and bidirectional characters. */
export const PlainText = memo(({ text }: StreamingTextProps) => (
  <p className="whitespace-pre-wrap">
    {splitPieces(text).map(({ at, piece }) => (
      <TextPiece key={at} text={piece} />
    ))}
  </p>
))

// The fields of the block are props, because each reading of the document creates new blocks.
type BlockProps = Block & {
  /** Definitions of the block's links that are elsewhere in the document. */
  readonly definitions: string
  readonly isGrowing: boolean
  /** Whether the block renders on first paint. Other blocks first show their source and render when idle. */
  readonly isImmediate: boolean
}

function BlockContent({ definitions, isGrowing, isImmediate, ...block }: BlockProps) {
  const source = block.source + definitions
  const isReady = useDeferredValue(true, isImmediate || isParsed(source))
  if (block.kind === 'code')
    return <CodeView language={block.language} source={block.source} isClosed={block.isClosed} />
  if (block.kind === 'math') return <MathFormula source={withVisibleControls(block.source)} isDisplayed />
  if (!isReady)
    return (
      <p className="whitespace-pre-wrap" data-waiting>
        {withVisibleControls(block.source)}
      </p>
    )
  const content = isGrowing ? renderMarkdown(source) : parseMarkdown(source)
  // Show the source of a block that is nested too deeply to be rendered.
  return content ?? <CodeView language="" label={t('asText')} source={block.source} isClosed />
}

const blockClass = joinClassNames(
  'flex min-w-0 flex-col gap-2.5 not-first:[&>h2:first-child]:mt-1.5',
  // Long lists are rendered in parts. Join them without a gap.
  '[:has(>ul)+&]:has-[>ul]:-mt-1.75 [:has(>ol)+&]:has-[>ol]:-mt-1.75',
)

const lineHeight = 20
const lineLength = 80

const BlockView = memo((props: BlockProps) => {
  useLocaleChange()
  const { source, definitions, isGrowing } = props
  const estimatedHeight = Math.ceil(source.length / lineLength) * lineHeight
  return (
    <div
      className={joinClassNames(blockClass, !isGrowing && '[content-visibility:auto]')}
      style={isGrowing ? undefined : { containIntrinsicBlockSize: `auto ${estimatedHeight}px` }}
    >
      <ErrorBoundary
        resetKey={source + definitions}
        fallback={() => <p className="whitespace-pre-wrap">{withVisibleControls(source)}</p>}
      >
        <BlockContent {...props} />
      </ErrorBoundary>
    </div>
  )
})

/** Maximum characters rendered on first paint, from the end. */
const firstPaintMaxChars = 5_000

/**
 * Model output as Markdown. Untrusted: shows HTML as text, fetches nothing, and confirms links. Each complete block
 * renders once. While streaming, only the last one re-renders.
 */
export const Markdown = memo(({ text, isStreaming = false }: StreamingTextProps) => {
  const openLink = useAction('app.openLink', { onError: showFailureToast({ title: t('notOpened') }) })
  const { blocks, tail } = readBlocks(text, isStreaming)
  const definitions = readDefinitions(blocks)
  return (
    <div className="wrap-anywhere flex min-w-0 flex-col gap-2.5 text-md leading-5">
      <ConfirmLinkContext value={({ href }) => openLink.mutate({ url: href })}>
        {[...blocks, ...(tail ? [tail] : [])].map((block) => (
          <BlockView
            key={block.at}
            {...block}
            definitions={block.kind === 'text' ? selectDefinitions(block.source, definitions) : ''}
            isGrowing={block === tail}
            isImmediate={isStreaming || text.length - block.at < firstPaintMaxChars}
          />
        ))}
      </ConfirmLinkContext>
    </div>
  )
})
