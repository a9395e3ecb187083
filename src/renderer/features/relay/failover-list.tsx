import type { PlanView, RelayWay } from '@shared/contract'
import { ArrowDown, ArrowUp, X } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../../ui/icon-button'
import { Select } from '../../ui/select'
import styles from './way-dialog.module.css'
import { freeWays, moved, namesOf, wayKey } from './ways'

/** No more than these are tried. */
const most = 10

interface FailoverProps {
  readonly plans: readonly PlanView[]
  /** What is used first: it cannot stand in its own place. */
  readonly first: RelayWay
  readonly ways: readonly RelayWay[]
  readonly onChange: (ways: readonly RelayWay[]) => void
}

/** A way by the names of its plan and key, for a sentence. */
function useWayWords(plans: readonly PlanView[]): (way: RelayWay) => string {
  const { t } = useTranslation('relay')
  return (way) => {
    const { plan, key } = namesOf(way, plans)
    return plan === undefined || key === undefined ? t('way.gone') : t('way.named', { plan, key })
  }
}

interface OneProps {
  readonly way: RelayWay
  readonly plans: readonly PlanView[]
  readonly at: number
  readonly count: number
  readonly onMove: (by: -1 | 1) => void
  readonly onRemove: () => void
}

function One({ way, plans, at, count, onMove, onRemove }: OneProps) {
  const { t } = useTranslation('relay')
  const words = useWayWords(plans)(way)
  const { plan, key } = namesOf(way, plans)
  const isGone = plan === undefined || key === undefined
  const press = (event: KeyboardEvent): void => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
    event.preventDefault()
    onMove(event.key === 'ArrowUp' ? -1 : 1)
  }
  return (
    // The keys belong to the buttons inside; they only come through here.
    <li className={styles.one} onKeyDown={press} data-way={wayKey(way)}>
      <span className={styles.place} aria-hidden="true">
        {at + 1}
      </span>
      <span className={styles.words}>
        {plan ?? null} <span className={isGone ? styles.gone : styles.key}>{isGone ? t('way.gone') : key}</span>
      </span>
      <IconButton
        size="sm"
        icon={ArrowUp}
        label={t('way.up', { way: words })}
        aria-disabled={at === 0 || undefined}
        className={at === 0 ? styles.end : undefined}
        onClick={() => onMove(-1)}
      />
      <IconButton
        size="sm"
        icon={ArrowDown}
        label={t('way.down', { way: words })}
        aria-disabled={at === count - 1 || undefined}
        className={at === count - 1 ? styles.end : undefined}
        onClick={() => onMove(1)}
      />
      <IconButton size="sm" icon={X} label={t('way.remove', { way: words })} onClick={onRemove} />
    </li>
  )
}

function Add({
  plans,
  first,
  ways,
  onAdd,
}: Omit<FailoverProps, 'onChange'> & { readonly onAdd: (way: RelayWay) => void }) {
  const { t } = useTranslation('relay')
  const free = freeWays(plans, [first, ...ways])
  if (ways.length >= most) return <p className={styles.hint}>{t('way.isFull')}</p>
  if (free.length === 0) return null
  return (
    <Select
      // Each one chosen goes to the list; the next choice begins anew.
      key={ways.length}
      aria-label={t('way.addLabel')}
      placeholder={t('way.add')}
      value={undefined}
      onValueChange={(value) => {
        const way = free.find((one) => wayKey(one) === value)
        if (way) onAdd(way)
      }}
      options={free.map((way) => {
        const { plan = '', key } = namesOf(way, plans)
        return { value: wayKey(way), label: plan, hint: key }
      })}
    />
  )
}

/** What is tried in place of the first, in its order: added, moved (also by Alt with an arrow key) and taken out. */
export function FailoverList({ plans, first, ways, onChange }: FailoverProps) {
  const { t } = useTranslation('relay')
  const words = useWayWords(plans)
  const list = useRef<HTMLOListElement>(null)
  const [said, setSaid] = useState('')
  const move = (at: number, by: -1 | 1): void => {
    const next = moved(ways, at, by)
    const way = ways[at]
    if (next === ways || !way) return
    onChange(next)
    setSaid(t('way.movedTo', { way: words(way), place: at + by + 1 }))
  }
  const remove = (way: RelayWay): void => {
    onChange(ways.filter((one) => one !== way))
    setSaid(t('way.removed', { way: words(way) }))
    // The button that had the focus is gone.
    list.current?.focus()
  }
  const add = (way: RelayWay): void => {
    onChange([...ways, way])
    setSaid(t('way.added', { way: words(way), place: ways.length + 1 }))
  }
  return (
    <div className={styles.failover}>
      <div>
        <p className={styles.label}>{t('way.failover')}</p>
        <p className={styles.hint}>{t('way.failoverHint')}</p>
      </div>
      <ol ref={list} className={ways.length === 0 ? undefined : styles.list} aria-label={t('way.list')} tabIndex={-1}>
        {ways.length === 0 ? <li className={styles.hint}>{t('way.none')}</li> : null}
        {ways.map((way, at) => (
          <One
            key={wayKey(way)}
            way={way}
            plans={plans}
            at={at}
            count={ways.length}
            onMove={(by) => move(at, by)}
            onRemove={() => remove(way)}
          />
        ))}
      </ol>
      <Add plans={plans} first={first} ways={ways} onAdd={add} />
      <p className="sr-only" role="status">
        {said}
      </p>
    </div>
  )
}
