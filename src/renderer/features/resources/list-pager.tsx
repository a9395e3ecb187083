import type { ResourcePage } from '@shared/contract'
import { ChevronFirst, ChevronLast, ChevronLeft, ChevronRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { IconButton } from '../../ui/icon-button'
import { Select } from '../../ui/select'
import { type ListPlace, type PageSize, pageSizes } from './list-address'
import { lastPageOf, pagePlace } from './paging'
import styles from './resources.module.css'

interface PagerProps {
  readonly answer: ResourcePage
  readonly size: number
  readonly onChange: (change: Partial<ListPlace>) => void
}

function useRangeWords({ answer, size }: Pick<PagerProps, 'answer' | 'size'>): string {
  const { t } = useTranslation('resources')
  const { number } = useFormats()
  const { from, to, count, number: page } = pagePlace(answer, size)
  const range = t('pager.range', { from: number(from), to: number(to) })
  const all = answer.totalItems === undefined ? range : t('pager.rangeOf', { range, total: number(answer.totalItems) })
  const of = count === undefined ? t('pager.page', { page }) : t('pager.pageOf', { page, count: number(count) })
  return `${all} · ${of}`
}

/** Which rows of how many are on the page, the ways to the others, and how many a page has. */
export function ListPager({ answer, size, onChange }: PagerProps) {
  const { t } = useTranslation('resources')
  const words = useRangeWords({ answer, size })
  const { page, firstPage } = answer
  const { hasPrevious, hasNext } = pagePlace(answer, size)
  const last = lastPageOf(answer, size)
  const go = (to: number | undefined) => (): void => onChange({ page: to === firstPage ? undefined : to })
  const choose = (value: string): void => {
    const chosen = pageSizes.find((one): one is PageSize => String(one) === value)
    if (chosen !== undefined) onChange({ size: chosen })
  }
  return (
    <nav className={styles.pager} aria-label={t('pager.title')}>
      <span className={styles.range} role="status">
        {words}
      </span>
      <Select
        aria-label={t('pager.size')}
        className={styles.size ?? ''}
        value={String(size)}
        onValueChange={choose}
        options={pageSizes.map((one) => ({ value: String(one), label: t('pager.sizeOption', { count: one }) }))}
      />
      <span className={styles.steps}>
        <IconButton icon={ChevronFirst} label={t('pager.first')} disabled={!hasPrevious} onClick={go(firstPage)} />
        <IconButton icon={ChevronLeft} label={t('pager.previous')} disabled={!hasPrevious} onClick={go(page - 1)} />
        <IconButton icon={ChevronRight} label={t('pager.next')} disabled={!hasNext} onClick={go(page + 1)} />
        {last === undefined ? null : (
          <IconButton icon={ChevronLast} label={t('pager.last')} disabled={!hasNext} onClick={go(last)} />
        )}
      </span>
    </nav>
  )
}
