import { Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button'
import { Segmented } from '../../ui/radio-cards'
import { SearchField } from '../../ui/search-field'
import toolbar from '../../ui/toolbar.module.css'
import { type Filter, filters } from './entries'
import { usePlansStore } from './plans-store'
import styles from './plans-toolbar.module.css'

const isFilter = (value: string): value is Filter => filters.some((one) => one === value)

/** Search and filter of the plans. */
export function PlansToolbar({ shown, count }: { readonly shown: number; readonly count: number }) {
  const { t } = useTranslation('plans')
  const { text, filter, search, choose } = usePlansStore()
  return (
    <div className={toolbar.bar}>
      <SearchField
        label={t('search')}
        placeholder={t('searchHint')}
        value={text}
        onChange={search}
        found={{ shown, count }}
        hasFindKey
      />
      <Segmented
        label={t('account.filter.label')}
        value={filter}
        onValueChange={(value) => {
          if (isFilter(value)) choose(value)
        }}
        segments={filters.map((value) => ({ value, label: t(`account.filter.${value}`) }))}
      />
    </div>
  )
}

/** How many plans can be deleted in one go (contract). */
const mostAtOnce = 100

/** What can be done with the plans that are ticked; stands where search and filter stand otherwise. */
export function SelectionBar({
  count,
  onDelete,
  onClear,
}: {
  readonly count: number
  readonly onDelete: () => void
  readonly onClear: () => void
}) {
  const { t } = useTranslation('plans')
  const isTooMany = count > mostAtOnce
  return (
    <section className={toolbar.selected} aria-label={t('account.selected', { count })}>
      <p role="status" className={toolbar.chosen}>
        {t('account.selected', { count })}
        {isTooMany ? (
          <span className={styles.tooMany}>{t('account.selectedTooMany', { count: mostAtOnce })}</span>
        ) : null}
      </p>
      <Button size="sm" variant="ghost" onClick={onClear}>
        {t('account.clearSelection')}
      </Button>
      {isTooMany ? null : (
        <Button size="sm" icon={Trash2} onClick={onDelete}>
          {t('account.deleteSelected')}
        </Button>
      )}
    </section>
  )
}
