import { ArrowDownToLine, ArrowUpToLine } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../../format'
import { Button } from '../../../ui/button'
import { TextInput } from '../../../ui/field'
import type { RowPages } from '../long-table/row-pages'
import styles from '../memory.module.css'

interface FootProps {
  readonly pages: RowPages
  /** Which end the newest is at; nothing when it is not known. */
  readonly newest: 'start' | 'end' | undefined
  /** The first row on the screen. */
  readonly top: number
  readonly onJump: (index: number) => void
}

function PageField({ pages, top, onJump }: Omit<FootProps, 'newest'>) {
  const { t } = useTranslation('memory')
  const [typed, setTyped] = useState<string>()
  const { size, count } = pages
  const last = Math.max(1, Math.ceil(count / size))
  const go = (): void => {
    const page = Number(typed)
    if (typed !== undefined && Number.isInteger(page) && page >= 1) onJump((Math.min(page, last) - 1) * size)
    setTyped(undefined)
  }
  return (
    <form
      className={styles.goTo}
      onSubmit={(event) => {
        event.preventDefault()
        go()
      }}
    >
      <TextInput
        className={styles.pageField ?? ''}
        inputMode="numeric"
        aria-label={t('events.pageLabel')}
        value={typed ?? String(Math.floor(top / size) + 1)}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={() => setTyped(undefined)}
      />
    </form>
  )
}

/** Beneath a timeline, always in sight: where one is among all events, and the ways to its ends and to any page. */
export function TimelineFoot({ pages, newest, top, onJump }: FootProps) {
  const { t } = useTranslation('memory')
  const { number } = useFormats()
  const { size, count, isCounted } = pages
  const [first, last] =
    newest === undefined
      ? (['first', 'last'] as const)
      : newest === 'start'
        ? (['newest', 'oldest'] as const)
        : (['oldest', 'newest'] as const)
  const total = isCounted ? number(count) : t('events.atLeast', { count: number(Math.max(0, count - 1)) })
  return (
    <div className={styles.foot}>
      <span className={styles.footWords} role="status">
        {t('events.place', { at: number(Math.min(count, top + 1)), total })}
      </span>
      <span className={styles.footWords}>{t('events.page')}</span>
      <PageField {...{ pages, top, onJump }} />
      <span className={styles.footWords}>
        {t('events.ofPages', { count: number(Math.max(1, Math.ceil(count / size))) })}
      </span>
      <Button size="sm" icon={ArrowUpToLine} onClick={() => onJump(0)}>
        {t(`events.to.${first}`)}
      </Button>
      <Button size="sm" icon={ArrowDownToLine} onClick={() => onJump(Math.max(0, count - 1))}>
        {t(`events.to.${last}`)}
      </Button>
    </div>
  )
}
