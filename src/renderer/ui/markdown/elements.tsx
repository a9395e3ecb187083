import clsx from 'clsx'
import { Check, ExternalLink } from 'lucide-react'
import { createContext, lazy, type MouseEvent, type ReactNode, Suspense, useContext, useDeferredValue } from 'react'
import { useTranslation } from 'react-i18next'
import type { Components, ExtraProps } from 'react-markdown'
import { CodeView, reachable } from './code-view'
import styles from './markdown.module.css'

/** Asks the user whether an address may be opened in the browser. */
export const ConfirmLinkContext = createContext<(address: URL) => void>(() => undefined)

/** A link that asks before opening. Disallowed links render as text with their address. */
function Link({ address, children }: { readonly address: string | undefined; readonly children: ReactNode }) {
  const confirmLink = useContext(ConfirmLinkContext)
  const url = parseSafeUrl(address)
  if (!url) return <span className={styles.deadLink}>{children}</span>
  const handleClick = (event: MouseEvent): void => {
    event.preventDefault()
    confirmLink(url)
  }
  return (
    <a className={styles.link} href={url.href} rel="noreferrer noopener" onClick={handleClick} onAuxClick={handleClick}>
      {children}
      <ExternalLink size={11} strokeWidth={1.8} aria-hidden="true" />
    </a>
  )
}

const schemes: readonly string[] = ['http:', 'https:', 'mailto:']
/** Maximum characters of a link address or formula. */
const maxLength = 4_000

/** Parses an http, https or mailto link (host in ASCII). Undefined for relative URLs and other schemes. */
function parseSafeUrl(address: string | undefined): URL | undefined {
  if (address === undefined || address.length > maxLength || !URL.canParse(address)) return undefined
  const url = new URL(address)
  return schemes.includes(url.protocol) && url.href.length <= maxLength ? url : undefined
}

type HastElement = NonNullable<ExtraProps['node']>

/** Text content of an element. */
function extractText(node: HastElement): string {
  return node.children
    .map((child) => (child.type === 'text' ? child.value : child.type === 'element' ? extractText(child) : ''))
    .join('')
}

const listClasses = (node: HastElement | undefined): readonly string[] =>
  Array.isArray(node?.properties.className) ? node.properties.className.map(String) : []

function InlineCode({ node, children }: ExtraProps & { readonly children?: ReactNode }) {
  if (node && listClasses(node).includes('math-inline')) return <MathFormula source={extractText(node)} />
  return <code className={styles.inlineCode}>{children}</code>
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
    <div className={styles.table} ref={reachable}>
      <table>{children}</table>
    </div>
  )
}

const alignments: readonly unknown[] = ['left', 'center', 'right']

/** Renders an element without its attributes. */
const createPlainElement =
  (Tag: 'blockquote' | 'del' | 'em' | 'li' | 'p' | 'strong' | 'sup' | 'tbody' | 'thead' | 'tr' | 'ul') =>
  ({ children }: { readonly children?: ReactNode }) => <Tag>{children}</Tag>

const cell =
  (Tag: 'td' | 'th') =>
  ({ node, children }: ExtraProps & { readonly children?: ReactNode }) => {
    const alignment = node?.properties.align
    return <Tag data-align={alignments.includes(alignment) ? alignment : undefined}>{children}</Tag>
  }

/** Renders all headings as `h2` below the page title, styled by level. Levels in model output are arbitrary. */
const heading =
  (looks: 1 | 2 | 3 | 4) =>
  ({ children }: { readonly children?: ReactNode }) => <h2 data-looks={looks}>{children}</h2>

function TaskBox({ checked }: { readonly checked?: boolean | undefined }) {
  const { t } = useTranslation('markdown')
  return (
    <span className={styles.box}>
      {checked ? <Check size={11} strokeWidth={2.4} aria-hidden="true" /> : null}
      <span className="sr-only">{checked ? t('done') : t('notDone')} </span>
    </span>
  )
}

/** Allowlist of Markdown elements. Passes no attributes from the model, except validated URLs. */
export const elements: Components = {
  a: ({ href, children }) => <Link address={href}>{children}</Link>,
  // Never load images. A request would reveal to the author that the answer was read.
  img: ({ src, alt }) => <Link address={typeof src === 'string' ? src : undefined}>{alt || src}</Link>,
  blockquote: createPlainElement('blockquote'),
  br: () => <br />,
  code: InlineCode,
  del: createPlainElement('del'),
  em: createPlainElement('em'),
  h1: heading(1),
  h2: heading(2),
  h3: heading(3),
  h4: heading(4),
  h5: heading(4),
  h6: heading(4),
  hr: () => <hr />,
  input: ({ checked }) => <TaskBox checked={checked} />,
  li: ({ node, children }) => (
    <li data-task={listClasses(node).includes('task-list-item') ? '' : undefined}>{children}</li>
  ),
  ol: ({ start, children }) => <ol start={start}>{children}</ol>,
  p: createPlainElement('p'),
  pre: CodeFence,
  strong: createPlainElement('strong'),
  sup: createPlainElement('sup'),
  table: Table,
  tbody: createPlainElement('tbody'),
  td: cell('td'),
  th: cell('th'),
  thead: createPlainElement('thead'),
  tr: createPlainElement('tr'),
  ul: createPlainElement('ul'),
}

const SetFormula = lazy(async () => ({ default: (await import('./set-formula')).SetFormula }))

/** Maximum characters of an inline formula without a scroll bar. */
const maxInlineLength = 80

/** A formula in TeX, rendered as MathML in idle time. */
export function MathFormula({
  source,
  isDisplayed = false,
}: {
  readonly source: string
  readonly isDisplayed?: boolean
}) {
  const isShortSource = source.length <= maxLength
  const isLongSource = source.length > maxInlineLength
  const isReady = useDeferredValue(isShortSource, false)
  const plainCode = (
    <code className={styles.inlineCode} data-waiting={isShortSource || undefined}>
      {source}
    </code>
  )
  return (
    <span
      className={clsx(styles.formula, isDisplayed ? styles.displayed : isLongSource && styles.scrolling)}
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
