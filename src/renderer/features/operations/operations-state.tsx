import type { OperationView } from '@shared/contract'
import clsx from 'clsx'
import { CircleAlert, CircleCheck } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useTranslation } from 'react-i18next'
import { useAction, useCall } from '../../ipc'
import { Button } from '../../ui/button'
import { ProgressBar, Spinner } from '../../ui/spinner'
import { Tooltip } from '../../ui/tooltip'
import { OperationRow } from './operation-row'
import styles from './operations.module.css'
import { useAnnounceFailures } from './use-announce-failures'

interface Counts {
  readonly state: OperationView['state']
  readonly count: number
  readonly ended: number
  readonly all: number
}

/** What matters most about them: a failure, then what runs, then what is done. */
function countsOf(operations: readonly OperationView[]): Counts {
  const of = (state: OperationView['state']): number => operations.filter((one) => one.state === state).length
  const state = (['failed', 'running', 'succeeded'] as const).find((one) => of(one) > 0) ?? 'succeeded'
  return { state, count: of(state), ended: operations.length - of('running'), all: operations.length }
}

const words = { failed: 'failed', running: 'running', succeeded: 'done' } as const

function Mark({ state }: Pick<Counts, 'state'>) {
  if (state === 'running') return <Spinner size={14} />
  const Icon = state === 'failed' ? CircleAlert : CircleCheck
  return <Icon size={14} strokeWidth={1.8} aria-hidden="true" />
}

function List({ operations }: { readonly operations: readonly OperationView[] }) {
  const { t } = useTranslation('operations')
  const { ended, all } = countsOf(operations)
  const dismissing = useAction('operations.dismiss', { invalidates: ['operations'] })
  const clear = (): void => {
    for (const { id, state } of operations) if (state === 'succeeded') dismissing.mutate({ id })
  }
  return (
    <>
      <header className={styles.head}>
        <h2 className={styles.title}>{t('title')}</h2>
        <p className={styles.hint}>{t('hint')}</p>
        {ended < all ? (
          <div className={styles.progress}>
            <ProgressBar value={ended / all} label={t('title')} />
            <span className="tabular">{t('progress', { ended, count: all })}</span>
          </div>
        ) : null}
      </header>
      <ul className={styles.list} aria-label={t('list')}>
        {operations.map((one) => (
          <OperationRow key={one.id} operation={one} />
        ))}
      </ul>
      {operations.some(({ state }) => state === 'succeeded') ? (
        <footer className={styles.foot}>
          <Button size="sm" variant="ghost" onClick={clear}>
            {t('clear')}
          </Button>
        </footer>
      ) : null}
    </>
  )
}

/** The list itself has the focus at first, not the button that takes its first row away. */
function focusContent(event: Event): void {
  event.preventDefault()
  if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus()
}

interface CounterProps {
  readonly operations: readonly OperationView[]
  readonly collapsed: boolean
}

function Counter({ operations, collapsed }: CounterProps) {
  const { t } = useTranslation('operations')
  const { state, count, ended, all } = countsOf(operations)
  const text = t(words[state], { count })
  return (
    <Popover.Root>
      <Tooltip content={text} side="right" disabled={!collapsed}>
        <Popover.Trigger
          className={clsx(styles.counter, styles[state], collapsed && styles.narrow)}
          aria-label={`${text}. ${t('open')}`}
        >
          <Mark state={state} />
          {collapsed ? null : <span className={styles.text}>{text}</span>}
          {!collapsed && all > 1 && state === 'running' ? (
            <span className={clsx(styles.share, 'tabular')}>
              {ended}/{all}
            </span>
          ) : null}
        </Popover.Trigger>
      </Tooltip>
      <Popover.Portal>
        <Popover.Content
          className={styles.popover}
          side="right"
          align="end"
          sideOffset={8}
          collisionPadding={8}
          aria-label={t('title')}
          onOpenAutoFocus={focusContent}
        >
          <List operations={operations} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

/** The operations in progress, at the foot of the rail; nothing while there are none. */
export function OperationsState({ collapsed }: { readonly collapsed: boolean }) {
  const { t } = useTranslation('operations')
  const { data } = useCall('operations.list', {})
  useAnnounceFailures(data)
  const operations = data ?? []
  const { state, count } = countsOf(operations)
  return (
    <>
      <span className="sr-only" role="status">
        {operations.length > 0 ? t(words[state], { count }) : ''}
      </span>
      {operations.length > 0 ? <Counter operations={operations} collapsed={collapsed} /> : null}
    </>
  )
}
