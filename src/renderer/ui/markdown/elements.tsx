import { withVisibleControls } from '@shared/hidden-characters'
import i18next from 'i18next'
import { Check, ExternalLink } from 'lucide-react'
import {
  createContext,
  lazy,
  type MouseEvent,
  memo,
  type ReactNode,
  Suspense,
  useContext,
  useDeferredValue,
} from 'react'
import type { Components, ExtraProps } from 'react-markdown'
import { CopyText } from '../../copy-text'
import { joinClassNames } from '../cn'
import { splitPieces } from './blocks'

const t = i18next.getFixedT(null, 'markdown')

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
  const canHighlight = isClosed && language !== '' && source.length <= maxHighlightLength
  const isHighlighted = useDeferredValue(canHighlight, false)
  const plainText = splitPieces(source).map(({ at, piece }) => <Segment key={at} text={piece} />)
  return (
    <div className="min-w-0 overflow-hidden rounded-md border bg-well">
      <header className="flex min-h-7.5 items-center justify-between border-b pr-0.5 pl-3">
        <span className="text-muted text-xs">{label ?? (withVisibleControls(language).slice(0, 40) || t('code'))}</span>
        <CopyText text={withVisibleControls(source)} label={label === undefined ? t('copyCode') : t('copyText')} />
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

/** Asks the user whether an address may be opened in the browser. */
export const ConfirmLinkContext = createContext<(address: URL) => void>(() => undefined)

/** A link that asks before opening. Disallowed links render as text with their address. */
function Link({ address, children }: { readonly address: string | undefined; readonly children: ReactNode }) {
  const confirmLink = useContext(ConfirmLinkContext)
  const url = parseSafeUrl(address)
  if (!url)
    return <span className="underline decoration-border-strong decoration-dotted underline-offset-2">{children}</span>
  const handleClick = (event: MouseEvent): void => {
    event.preventDefault()
    confirmLink(url)
  }
  return (
    <a
      className={joinClassNames(
        'text-accent-text underline decoration-accent-line underline-offset-2 hover:decoration-current',
        '[&_svg]:ms-0.5 [&_svg]:inline [&_svg]:align-[-1px]',
      )}
      href={url.href}
      rel="noreferrer noopener"
      onClick={handleClick}
      onAuxClick={handleClick}
    >
      {children}
      <ExternalLink size={11} strokeWidth={1.8} />
    </a>
  )
}

/** Maximum characters of a link address or formula. */
const maxLength = 4_000

/** Parses an http, https or mailto link (host in ASCII). Undefined for relative URLs and other schemes. */
function parseSafeUrl(address: string | undefined): URL | undefined {
  if (address === undefined || address.length > maxLength || !URL.canParse(address)) return undefined
  const url = new URL(address)
  return /^(?:https?|mailto):$/.test(url.protocol) && url.href.length <= maxLength ? url : undefined
}

type HastElement = NonNullable<ExtraProps['node']>

function extractText(node: HastElement): string {
  return node.children
    .map((child) => (child.type === 'text' ? child.value : child.type === 'element' ? extractText(child) : ''))
    .join('')
}

const listClasses = (node: HastElement | undefined): readonly string[] =>
  Array.isArray(node?.properties.className) ? node.properties.className.map(String) : []

const inlineCodeClass = 'rounded-sm bg-pressed px-1 py-px text-sm'

function InlineCode({ node, children }: ExtraProps & { readonly children?: ReactNode }) {
  if (node && listClasses(node).includes('math-inline')) return <MathFormula source={extractText(node)} />
  return <code className={inlineCodeClass}>{children}</code>
}

function CodeFence({ node }: ExtraProps) {
  const code = node?.children.find((child) => child.type === 'element')
  if (!code) return null
  const source = extractText(code).replace(/\n$/, '')
  const classes = listClasses(code)
  if (classes.includes('math-display')) return <MathFormula source={source} isDisplayed />
  const language = classes.find((name) => name.startsWith('language-'))?.slice('language-'.length) ?? ''
  return <CodeView language={language} source={source} isClosed />
}

function Table({ children }: { readonly children?: ReactNode }) {
  return (
    <div className="max-w-full overflow-x-auto" ref={reachable}>
      <table className="tabular-nums">{children}</table>
    </div>
  )
}

const childrenGap = '[&>:is(p,ul,ol,div):not(:first-child)]:mt-1.5'

/** Renders an element without its attributes. */
const createPlainElement =
  (Tag: 'blockquote' | 'del' | 'em' | 'p' | 'strong' | 'sup' | 'tbody' | 'thead' | 'tr' | 'ul', className?: string) =>
  ({ children }: { readonly children?: ReactNode }) => <Tag className={className}>{children}</Tag>

const cell =
  (Tag: 'td' | 'th') =>
  ({ node, children }: ExtraProps & { readonly children?: ReactNode }) => {
    const alignment = node?.properties.align
    return (
      <Tag
        className={joinClassNames(
          'wrap-break-word max-w-105 border px-2.5 py-1.25 text-start align-top',
          'data-[align=center]:text-center data-[align=right]:text-end',
          Tag === 'th' && 'whitespace-nowrap bg-well font-semibold',
        )}
        data-align={alignment === 'center' || alignment === 'right' ? alignment : undefined}
      >
        {children}
      </Tag>
    )
  }

/** Renders all headings as `h2` below the page title, styled by level. Levels in model output are arbitrary. */
const heading =
  (className?: string) =>
  ({ children }: { readonly children?: ReactNode }) => (
    <h2 className={joinClassNames('font-semibold text-md leading-5', className)}>{children}</h2>
  )

const minorHeading = heading('text-muted text-sm')

function TaskBox({ checked }: { readonly checked?: boolean | undefined }) {
  return (
    <span className="me-1.5 inline-flex size-3.5 items-center justify-center rounded-xs border border-border-control align-[-2px]">
      {checked ? <Check size={11} strokeWidth={2.4} /> : null}
      <span className="sr-only">{checked ? t('done') : t('notDone')} </span>
    </span>
  )
}

/** Allowlist of Markdown elements. Passes no attributes from the model, except validated URLs. */
export const elements: Components = {
  a: ({ href, children }) => <Link address={href}>{children}</Link>,
  // Never load images. A request would reveal to the author that the answer was read.
  img: ({ src, alt }) => <Link address={typeof src === 'string' ? src : undefined}>{alt || src}</Link>,
  blockquote: createPlainElement(
    'blockquote',
    joinClassNames('border-border-strong border-s-[3px] ps-3 text-muted', childrenGap),
  ),
  br: () => <br />,
  code: InlineCode,
  del: createPlainElement('del'),
  em: createPlainElement('em'),
  h1: heading('text-[16px] leading-5.5'),
  h2: heading('text-[14px]'),
  h3: heading(),
  h4: minorHeading,
  h5: minorHeading,
  h6: minorHeading,
  hr: () => <hr className="my-1 h-px border-0 bg-border" />,
  input: ({ checked }) => <TaskBox checked={checked} />,
  li: ({ node, children }) => (
    <li
      className={joinClassNames(
        'marker:text-muted marker:tabular-nums not-first:mt-0.75',
        childrenGap,
        listClasses(node).includes('task-list-item') && '-ms-5 list-none',
      )}
    >
      {children}
    </li>
  ),
  ol: ({ start, children }) => (
    <ol className="list-decimal ps-5.5" start={start}>
      {children}
    </ol>
  ),
  p: createPlainElement('p'),
  pre: CodeFence,
  strong: createPlainElement('strong'),
  sup: createPlainElement('sup', 'text-[10px] text-muted leading-none'),
  table: Table,
  tbody: createPlainElement('tbody'),
  td: cell('td'),
  th: cell('th'),
  thead: createPlainElement('thead'),
  tr: createPlainElement('tr'),
  ul: createPlainElement('ul', 'list-disc ps-5.5 [ul_&]:list-[circle]'),
}

const SetFormula = lazy(async () => ({ default: (await import('./set-formula')).SetFormula }))

/** Maximum characters of an inline formula without a scroll bar. */
const maxInlineLength = 80

/** A formula in TeX, rendered as MathML in idle time. */
export function MathFormula(props: { readonly source: string; readonly isDisplayed?: boolean }) {
  const { source, isDisplayed = false } = props
  const isShortSource = source.length <= maxLength
  const isLongSource = source.length > maxInlineLength
  const isReady = useDeferredValue(isShortSource, false)
  const plainCode = (
    <code className={inlineCodeClass} data-waiting={isShortSource || undefined}>
      {source}
    </code>
  )
  return (
    <span
      className={joinClassNames(
        'max-w-full',
        isDisplayed && 'block overflow-x-auto overflow-y-hidden py-1 text-center',
        !isDisplayed && isLongSource && 'inline-block overflow-x-auto overflow-y-hidden align-middle',
      )}
      ref={isDisplayed || isLongSource ? reachable : undefined}
    >
      {isReady ? (
        <Suspense fallback={plainCode}>
          <SetFormula source={source} isDisplayed={isDisplayed} />
        </Suspense>
      ) : (
        plainCode
      )}
    </span>
  )
}
