import { withVisibleControls } from '@shared/hidden-characters'
import { lazy, memo, Suspense, useDeferredValue } from 'react'
import { useTranslation } from 'react-i18next'
import { useFailureToast } from '../../i18n/failures'
import { call } from '../../ipc'
import { CopyButton } from '../icon-button'
import { splitPieces } from './blocks'

/** Maximum length of highlighted code in characters. Longer code has no colors. */
const maxHighlightLength = 12_000

const HighlightedCode = lazy(async () => ({ default: (await import('./highlighted-code')).HighlightedCode }))

const Segment = memo(({ text }: { readonly text: string }) => (
  // A block element, so that the line break at the end of the text adds no empty line.
  <span className="block min-h-4.5 w-max min-w-full">{withVisibleControls(text)}</span>
))

interface CodeViewProps {
  readonly language: string
  readonly source: string
  /** Whether the code block is complete. Incomplete code is not highlighted. */
  readonly isClosed: boolean
  /** Title that is shown instead of the language. */
  readonly label?: string
}

/** Code with its language and a copy button. Long lines scroll. */
export function CodeView({ language, source, isClosed, label }: CodeViewProps) {
  const { t } = useTranslation('markdown')
  const showFailure = useFailureToast()
  const canHighlight = isClosed && language !== '' && source.length <= maxHighlightLength
  const isHighlighted = useDeferredValue(canHighlight, false)
  const plainText = splitPieces(source).map(({ at, piece }) => <Segment key={at} text={piece} />)
  return (
    <div className="min-w-0 overflow-hidden rounded-md border bg-well">
      <header className="flex min-h-7.5 items-center justify-between border-b pr-0.5 pl-3">
        <span className="text-muted text-xs">{label ?? (withVisibleControls(language).slice(0, 40) || t('code'))}</span>
        <CopyButton
          label={label === undefined ? t('copyCode') : t('copyText')}
          copy={() => call('app.copyText', { text: withVisibleControls(source) })}
          onFailed={showFailure({ title: t('copyFailed', { ns: 'common' }) })}
        />
      </header>
      <pre
        className="wrap-normal max-h-150 overflow-auto whitespace-pre px-3 py-2.5 text-sm leading-4.5 [tab-size:4]"
        ref={reachable}
      >
        <code>
          {isHighlighted && canHighlight ? (
            <Suspense fallback={plainText}>
              <HighlightedCode language={language} text={withVisibleControls(source)} />
            </Suspense>
          ) : (
            plainText
          )}
        </code>
      </pre>
    </div>
  )
}

/** Ref for a scrolling element that makes it focusable by keyboard. */
export function reachable(element: HTMLElement | null): void {
  if (element) element.tabIndex = 0
}
