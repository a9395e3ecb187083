import clsx from 'clsx'
import { ChevronRight, type LucideIcon } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import styles from './page.module.css'

export interface Crumb {
  readonly label: string
  readonly to: string
}

interface PageHeaderProps {
  readonly title: string
  /** One line of state beneath the title. */
  readonly state?: ReactNode
  /** The primary action, at the right (and at most two more before it). */
  readonly actions?: ReactNode
  /** Where this page sits: the pages above it. */
  readonly breadcrumb?: readonly Crumb[]
  /** A badge after the title. */
  readonly badge?: ReactNode
}

/** The head of a page: breadcrumb, title (which also names the window), one line of state, actions. */
export function PageHeader({ title, state, actions, breadcrumb, badge }: PageHeaderProps) {
  const { t } = useTranslation('common')
  return (
    <header className={styles.header}>
      <title>{`${title} · Platform Companion`}</title>
      {breadcrumb ? (
        <nav className={styles.crumbs} aria-label={t('breadcrumb')}>
          {breadcrumb.map(({ label, to }) => (
            <Fragment key={to}>
              <Link to={to}>{label}</Link>
              <ChevronRight size={12} aria-hidden="true" />
            </Fragment>
          ))}
          <span aria-current="page">{title}</span>
        </nav>
      ) : null}
      <div className={styles.line}>
        <div className={styles.words}>
          <h1 className={styles.title} tabIndex={-1} data-page-title="">
            <span>{title}</span>
            {badge}
          </h1>
          {state ? <div className={styles.state}>{state}</div> : null}
        </div>
        {actions ? <div className={styles.actions}>{actions}</div> : null}
      </div>
    </header>
  )
}

/** The scrolling content of one place. `narrow` is 640 px (forms), `normal` 920, `wide` 1160. */
export function Page({
  children,
  width = 'normal',
}: {
  readonly children: ReactNode
  readonly width?: 'narrow' | 'normal' | 'wide'
}) {
  return (
    <div className={styles.scroll}>
      <div className={clsx(styles.page, styles[width])}>{children}</div>
    </div>
  )
}

/** A titled part of a page. */
export function Section({
  title,
  description,
  actions,
  children,
}: {
  readonly title: ReactNode
  readonly description?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <section className={styles.section}>
      <div className={styles.sectionHead}>
        <div>
          <h2 className={styles.sectionTitle}>{title}</h2>
          {description ? <p className={styles.sectionText}>{description}</p> : null}
        </div>
        {actions ? <div className={styles.actions}>{actions}</div> : null}
      </div>
      {children}
    </section>
  )
}

/** A quiet link at the right of a section's title, to where all of it is. */
export function MoreLink({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <Link to={to} className={styles.more}>
      {children}
      <ChevronRight size={13} strokeWidth={2} aria-hidden="true" />
    </Link>
  )
}

/** A framed surface. `flush` has no padding (for rows that bring their own). */
export function Card({ children, flush = false }: { readonly children: ReactNode; readonly flush?: boolean }) {
  return <div className={clsx(styles.card, flush && styles.flush)}>{children}</div>
}

/** An empty place: what it is for, and the first step. */
export function EmptyState({
  icon: Icon,
  title,
  children,
  actions,
}: {
  readonly icon: LucideIcon
  readonly title: string
  readonly children?: ReactNode
  readonly actions?: ReactNode
}) {
  return (
    <div className={styles.empty}>
      <span className={styles.icon}>
        <Icon size={20} strokeWidth={1.6} aria-hidden="true" />
      </span>
      <p className={styles.emptyStateTitle}>{title}</p>
      {children ? <div className={styles.text}>{children}</div> : null}
      {actions ? <div className={styles.emptyStateActions}>{actions}</div> : null}
    </div>
  )
}
