import type { OperationView, RotationView } from '@shared/contract'
import clsx from 'clsx'
import { CircleAlert, CircleCheck } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useTranslation } from 'react-i18next'
import { useAction, useCall } from '../../ipc'
import { Button } from '../../ui/button'
import { ProgressBar, Spinner } from '../../ui/spinner'
import { Tooltip } from '../../ui/tooltip'
import { needsPerson } from '../rotation/progress'
import { useRotations } from '../rotation/use-rotations'
import { OperationRow } from './operation-row'
import styles from './operations.module.css'
import { RotationRow } from './rotation-row'
import { stateOfRotation } from './rotation-state'
import { useAnnounceFailures } from './use-announce-failures'
import { useAnnounceRotations } from './use-announce-rotations'

interface Counts {
  readonly state: OperationView['state']
  readonly count: number
  readonly ended: number
  readonly all: number
}

/** What goes on: at the platform, and with keys. */
interface GoingOn {
  readonly operations: readonly OperationView[]
  readonly rotations: readonly RotationView[]
}

/** What matters most about them: a failure, then what runs, then what is done. */
function countsOf({ operations, rotations }: GoingOn): Counts {
  const states = [...operations.map(({ state }) => state), ...rotations.map(stateOfRotation)]
  const of = (state: OperationView['state']): number => states.filter((one) => one === state).length
  const state = (['failed', 'running', 'succeeded'] as const).find((one) => of(one) > 0) ?? 'succeeded'
  return { state, count: of(state), ended: states.length - of('running'), all: states.length }
}

const words = { failed: 'failed', running: 'running', succeeded: 'done', needs: 'needs' } as const

/** A rotation that stands still has not failed: it wants a person. */
const wordOf = ({ rotations }: GoingOn, state: Counts['state']): (typeof words)[keyof typeof words] =>
  state === 'failed' && rotations.some(needsPerson) ? words.needs : words[state]

function Mark({ state }: Pick<Counts, 'state'>) {
  if (state === 'running') return <Spinner size={14} />
  const Icon = state === 'failed' ? CircleAlert : CircleCheck
  return <Icon size={14} strokeWidth={1.8} aria-hidden="true" />
}

function List({ goingOn }: { readonly goingOn: GoingOn }) {
  const { t } = useTranslation('operations')
  const { operations, rotations } = goingOn
  const { ended, all } = countsOf(goingOn)
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
        {rotations.map((one) => (
          <RotationRow key={one.id} rotation={one} />
        ))}
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
  readonly goingOn: GoingOn
  readonly collapsed: boolean
}

function Counter({ goingOn, collapsed }: CounterProps) {
  const { t } = useTranslation('operations')
  const { state, count, ended, all } = countsOf(goingOn)
  const text = t(wordOf(goingOn, state), { count })
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
          <List goingOn={goingOn} />
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
  const { data: rotations } = useRotations()
  useAnnounceRotations(rotations)
  const shown = rotations?.filter((one) => stateOfRotation(one) !== undefined) ?? []
  const goingOn = { operations: data ?? [], rotations: shown }
  const { state, count, all } = countsOf(goingOn)
  return (
    <>
      <span className="sr-only" role="status">
        {all > 0 ? t(wordOf(goingOn, state), { count }) : ''}
      </span>
      {all > 0 ? <Counter goingOn={goingOn} collapsed={collapsed} /> : null}
    </>
  )
}
