import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Components, ExtraProps } from 'react-markdown'
import { CodeView } from './code-view'
import { Formula } from './formula'
import { Link } from './link'
import styles from './markdown.module.css'
import { reachable } from './reachable'

type HastElement = NonNullable<ExtraProps['node']>

/** The text inside an element. */
function textOf(node: HastElement): string {
  return node.children
    .map((child) => (child.type === 'text' ? child.value : child.type === 'element' ? textOf(child) : ''))
    .join('')
}

const classesOf = (node: HastElement | undefined): readonly string[] =>
  Array.isArray(node?.properties.className) ? node.properties.className.map(String) : []

function InlineCode({ node, children }: ExtraProps & { readonly children?: ReactNode }) {
  if (node && classesOf(node).includes('math-inline')) return <Formula source={textOf(node)} />
  return <code className={styles.inlineCode}>{children}</code>
}

function Fence({ node }: ExtraProps) {
  const code = node?.children.find((child) => child.type === 'element')
  if (!code) return null
  const source = textOf(code).replace(/\n$/, '')
  const classes = classesOf(code)
  if (classes.includes('math-display')) return <Formula source={source} isDisplayed />
  const language = classes.find((name) => name.startsWith('language-'))?.slice('language-'.length) ?? ''
  return <CodeView language={language} segments={[source]} isClosed />
}

function Table({ children }: { readonly children?: ReactNode }) {
  return (
    <div className={styles.table} ref={reachable}>
      <table>{children}</table>
    </div>
  )
}

const alignments: readonly unknown[] = ['left', 'center', 'right']

/** An element without attributes. */
const bare =
  (Tag: 'blockquote' | 'del' | 'em' | 'li' | 'p' | 'strong' | 'sup' | 'tbody' | 'thead' | 'tr' | 'ul') =>
  ({ children }: { readonly children?: ReactNode }) => <Tag>{children}</Tag>

const cell =
  (Tag: 'td' | 'th') =>
  ({ node, children }: ExtraProps & { readonly children?: ReactNode }) => {
    const align = node?.properties.align
    return <Tag data-align={alignments.includes(align) ? align : undefined}>{children}</Tag>
  }

/** A heading below the page's title. All are of one level, which its looks tell apart: an answer's own levels begin and skip as they like. */
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

/** What Markdown may become, and nothing else: no element has an attribute that a model wrote, but for a looked-at address. */
export const elements: Components = {
  a: ({ href, children }) => <Link address={href}>{children}</Link>,
  // A picture is not fetched: who made the answer would learn that it was read.
  img: ({ src, alt }) => <Link address={typeof src === 'string' ? src : undefined}>{alt || src}</Link>,
  blockquote: bare('blockquote'),
  br: () => <br />,
  code: InlineCode,
  del: bare('del'),
  em: bare('em'),
  h1: heading(1),
  h2: heading(2),
  h3: heading(3),
  h4: heading(4),
  h5: heading(4),
  h6: heading(4),
  hr: () => <hr />,
  input: ({ checked }) => <TaskBox checked={checked} />,
  li: ({ node, children }) => (
    <li data-task={classesOf(node).includes('task-list-item') ? '' : undefined}>{children}</li>
  ),
  ol: ({ start, children }) => <ol start={start}>{children}</ol>,
  p: bare('p'),
  pre: Fence,
  strong: bare('strong'),
  sup: bare('sup'),
  table: Table,
  tbody: bare('tbody'),
  td: cell('td'),
  th: cell('th'),
  thead: bare('thead'),
  tr: bare('tr'),
  ul: bare('ul'),
}
