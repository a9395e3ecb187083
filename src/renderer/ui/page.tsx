import i18next from 'i18next'
import { ChevronRight, type LucideIcon } from 'lucide-react'
import { type ComponentProps, Fragment, type ReactNode } from 'react'
import { Link } from 'react-router'
import { type Actions, renderActions } from './button'
import { joinClassNames } from './cn'
import { FieldGroup } from './field'
import { KeyValue, Rows, renderDetails } from './rows'
import { ProgressBar } from './skeleton'

const t = i18next.getFixedT(null, 'common')

interface Crumb {
  readonly label: string
  readonly to: string
}

interface PageHeaderProps {
  readonly title: string
  /** Line with the status below the title. A list is shown as `InlineDetails`. */
  readonly state?: ReactNode
  /** Primary action at the right, after at most two secondary ones. */
  readonly actions?: Actions
  readonly breadcrumb?: readonly Crumb[]
  readonly badge?: ReactNode
}

/** Page header with breadcrumb, title (also the window title), status line and actions. */
export function PageHeader({ title, state, actions, breadcrumb, badge }: PageHeaderProps) {
  const buttons = renderActions(actions, 'md')
  return (
    <header className="flex flex-col gap-1.5">
      <title>{`${title} · Platform Companion`}</title>
      {breadcrumb ? (
        <nav className="flex items-center gap-1 text-faint text-sm" aria-label={t('breadcrumb')}>
          {breadcrumb.map(({ label, to }) => (
            <Fragment key={to}>
              <Link to={to} className="rounded-xs text-muted hover:text-text">
                {label}
              </Link>
              <ChevronRight size={12} />
            </Fragment>
          ))}
          <span aria-current="page">{title}</span>
        </nav>
      ) : null}
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="min-w-0 flex-[1_1_260px] max-sm:basis-full">
          <h1
            className={joinClassNames(
              'flex flex-wrap items-center gap-2.5 font-heading text-xl leading-8 tracking-tight',
              'focus-visible:outline-none',
            )}
            tabIndex={-1}
            data-page-title=""
          >
            <span className="wrap-anywhere min-w-0">{title}</span>
            {badge ? (
              <span className="inline-flex flex-wrap items-center gap-2.5 font-[450] text-md tracking-normal">
                {badge}
              </span>
            ) : null}
          </h1>
          {state ? <div className="mt-px text-muted">{renderDetails(state)}</div> : null}
        </div>
        {buttons ? <div className="flex flex-none flex-wrap items-center gap-2 max-sm:shrink">{buttons}</div> : null}
      </div>
    </header>
  )
}

const widths = { narrow: 'max-w-170', normal: 'max-w-240', wide: 'max-w-300' } as const

/** Scrolling page content. `narrow` is 640 px (forms), `normal` 920, `wide` 1160. */
export function Page(props: { readonly children: ReactNode; readonly width?: 'narrow' | 'normal' | 'wide' }) {
  const { children, width = 'normal' } = props
  return (
    // Contain absolutely positioned screen reader texts, which would otherwise extend the window.
    <div className="relative h-full overflow-auto [scrollbar-gutter:stable_both-edges]">
      {/* Align all pages with the widest one, to avoid layout jumps between pages. */}
      <div
        className={joinClassNames(
          'mr-auto ml-[max(0px,calc((100%-1200px)/2))] flex flex-col gap-6 px-5 pt-6 pb-12',
          'lowest:gap-4 lowest:pt-4 max-sm:px-3 max-sm:pt-4 max-sm:pb-8',
          widths[width],
        )}
      >
        {children}
      </div>
    </div>
  )
}

export function Section(props: {
  readonly title: ReactNode
  /** Line below the title. A list is shown as `InlineDetails`. */
  readonly description?: ReactNode
  readonly actions?: Actions
  readonly children: ReactNode
}) {
  const { title, description, actions, children } = props
  const buttons = renderActions(actions, 'sm')
  return (
    <section className="flex flex-col gap-2.5">
      <div className="flex min-h-6 items-center justify-between gap-4">
        <div>
          <h2 className="font-semibold">{title}</h2>
          {description ? <p className="text-muted text-sm">{renderDetails(description)}</p> : null}
        </div>
        {buttons ? <div className="flex flex-none flex-wrap items-center gap-2 max-sm:shrink">{buttons}</div> : null}
      </div>
      {children}
    </section>
  )
}

/** A section of rows, which has the title as label of its list. */
export const RowSection = ({ children, ...props }: ComponentProps<typeof Section> & { readonly title: string }) => (
  <Section {...props}>
    <Rows label={props.title}>{children}</Rows>
  </Section>
)

/** A section with a card. */
export const CardSection = ({
  children,
  flush = false,
  ...props
}: ComponentProps<typeof Section> & ComponentProps<typeof Card>) => (
  <Section {...props}>
    <Card flush={flush}>{children}</Card>
  </Section>
)

/** A section with a card of form fields. */
export const FieldSection = ({ children, ...props }: ComponentProps<typeof Section>) => (
  <Section {...props}>
    <FieldCard>{children}</FieldCard>
  </Section>
)

/** A section with a card of facts, each with a label. */
export const FactsSection = ({
  items,
  ...props
}: Omit<ComponentProps<typeof Section>, 'children'> & ComponentProps<typeof KeyValue>) => (
  <Section {...props}>
    <FactsCard items={items} />
  </Section>
)

/** A subtle link at the right of a section title, to the full list. */
export function MoreLink({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <Link
      to={to}
      className="inline-flex items-center gap-0.5 rounded-sm text-muted text-sm hover:text-text hover:no-underline"
    >
      {children}
      <ChevronRight size={13} strokeWidth={2} />
    </Link>
  )
}

/** A bordered surface. `flush` has no padding, for rows with their own. */
export function Card({ children, flush = false }: { readonly children: ReactNode; readonly flush?: boolean }) {
  return (
    <div
      className={joinClassNames(
        'rounded-lg border bg-surface px-4 py-3.5 has-[>dl]:py-[7px]',
        flush && 'overflow-hidden p-0 has-[>dl]:py-0',
      )}
    >
      {children}
    </div>
  )
}

/** A card with facts, each with a label. */
export const FactsCard = (props: ComponentProps<typeof KeyValue>) => (
  <Card>
    <KeyValue {...props} />
  </Card>
)

/** A card with fields of a form. */
export const FieldCard = ({ children }: { readonly children: ReactNode }) => (
  <Card>
    <FieldGroup>{children}</FieldGroup>
  </Card>
)

/** Short text in place of content that is missing. */
export const MutedCard = ({ children }: { readonly children: ReactNode }) => (
  <Card>
    <p className="text-muted">{children}</p>
  </Card>
)

/** Progress of an action that takes a while. With `role="status"`, its text is announced. */
export function ProgressCard({ text, role }: { readonly text: string; readonly role?: 'status' }) {
  return (
    <Card>
      <div className="flex flex-col gap-2 text-muted" role={role}>
        <p>{text}</p>
        <ProgressBar label={text} />
      </div>
    </Card>
  )
}

export function EmptyState(props: {
  readonly icon: LucideIcon
  readonly title: string
  readonly children?: ReactNode
  /** Link to the next step, instead of `actions`. */
  readonly next?: { readonly to: string; readonly label: string }
  readonly actions?: Actions
}) {
  const { icon: Icon, title, children, next, actions } = props
  const buttons = renderActions(next ? [{ ...next, variant: 'primary' }] : actions, 'md')
  return (
    <div className="flex flex-col items-center rounded-lg border border-border-strong border-dashed px-6 py-9 text-center">
      <span className="mb-3 inline-flex size-10 items-center justify-center rounded-xl border bg-surface text-muted">
        <Icon size={20} strokeWidth={1.6} />
      </span>
      <p className="font-semibold">{title}</p>
      {children ? <div className="mt-1 max-w-115 text-balance text-muted">{children}</div> : null}
      {buttons ? <div className="mt-4 flex flex-wrap justify-center gap-2">{buttons}</div> : null}
    </div>
  )
}

/** Toolbar of a list with search, filters and buttons. A `SelectionBar` replaces them while rows are selected. */
export function Toolbar({ children }: { readonly children: ReactNode }) {
  return (
    <div className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-2 [&>section]:flex-[1_1_420px]">{children}</div>
  )
}

/** Number of selected rows as text, and actions for them. */
export function SelectionBar(props: { readonly text: string; readonly note?: ReactNode; readonly actions: Actions }) {
  const { text, note, actions } = props
  return (
    <section
      className="flex h-10 items-center gap-2 rounded-lg border border-accent-line bg-accent-soft pr-1.5 pl-4"
      aria-label={text}
    >
      <p role="status" className="flex-1 font-strong">
        {text}
        {note}
      </p>
      {renderActions(actions, 'sm')}
    </section>
  )
}
