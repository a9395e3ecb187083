import { withVisibleControls } from '@shared/hidden-characters'
import { lazy, memo, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { useFailureToast } from '../../i18n/failures'
import { call } from '../../ipc'
import { CopyButton } from '../icon-button'
import { type CodeBlock, placed } from './block-reader'
import { useTurn } from './frame-queue'
import styles from './markdown.module.css'

/** Longer code is shown without colours. */
const longestColoured = 12_000

const HighlightedCode = lazy(async () => ({ default: (await import('./highlighted-code')).HighlightedCode }))

const Segment = memo(({ text }: { readonly text: string }) => (
  // A block of its own, in which the last line's end is not seen.
  <span className={styles.segment}>{withVisibleControls(text)}</span>
))

function Segments({ segments }: { readonly segments: readonly string[] }) {
  return placed(segments, ({ length }) => length).map(({ part, at }) => <Segment key={at} text={part} />)
}

function Code({ language, segments, isClosed }: Omit<CodeBlock, 'kind'>) {
  const text = isClosed ? segments.join('') : ''
  const hasColours = isClosed && language !== '' && text.length <= longestColoured
  const isTurn = useTurn(hasColours ? text.length : 0)
  const plain = <Segments segments={segments} />
  if (!hasColours || !isTurn) return plain
  return (
    <Suspense fallback={plain}>
      <HighlightedCode language={language} text={withVisibleControls(text)} />
    </Suspense>
  )
}

interface CodeViewProps extends Omit<CodeBlock, 'kind'> {
  /** Says what it is where that is no code. */
  readonly label?: string
}

/** Code with its language and a way to copy it; coloured once it is complete. Long lines scroll. */
export function CodeView({ label, ...block }: CodeViewProps) {
  const { t } = useTranslation('markdown')
  const { language, segments, isClosed } = block
  const tellFailure = useFailureToast()
  return (
    <div className={styles.code}>
      <header className={styles.codeHead}>
        <span className={styles.language}>{label ?? (withVisibleControls(language).slice(0, 40) || t('code'))}</span>
        <CopyButton
          label={label === undefined ? t('copyCode') : t('copyText')}
          copy={() => call('app.copyText', { text: withVisibleControls(segments.join('')) })}
          onFailed={tellFailure({ title: t('copyFailed', { ns: 'common' }) })}
        />
      </header>
      <pre className={styles.pre} ref={reachable}>
        <code>
          <Code {...block} key={isClosed ? 'closed' : 'open'} />
        </code>
      </pre>
    </div>
  )
}

/** For the `ref` of what scrolls by itself: the keyboard must reach it, too. */
export function reachable(element: HTMLElement | null): void {
  if (element) element.tabIndex = 0
}
