import { Ban, RotateCw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button'
import { SearchField } from '../../ui/search-field'
import { Select } from '../../ui/select'
import toolbar from '../../ui/toolbar.module.css'
import { holderFilters, lookFilters, statusFilters } from './entries'
import styles from './register.module.css'
import { useRegisterStore } from './register-store'

const oneOf = <T extends string>(all: readonly T[], value: string): T | undefined => all.find((one) => one === value)

/** The filters, each a list of its own. */
function Filters() {
  const { t } = useTranslation('register')
  const { sought, seek } = useRegisterStore()
  return (
    <>
      <Select
        className={styles.filter ?? ''}
        aria-label={t('filters.holder')}
        value={sought.holder}
        onValueChange={(value) => seek({ holder: oneOf(holderFilters, value) ?? 'all' })}
        options={holderFilters.map((value) => ({ value, label: t(`filters.holders.${value}`) }))}
      />
      <Select
        className={styles.filter ?? ''}
        aria-label={t('filters.status')}
        value={sought.status}
        onValueChange={(value) => seek({ status: oneOf(statusFilters, value) ?? 'all' })}
        options={statusFilters.map((value) => ({ value, label: t(`filters.statuses.${value}`) }))}
      />
      <Select
        className={styles.filter ?? ''}
        aria-label={t('filters.look')}
        value={sought.look}
        onValueChange={(value) => seek({ look: oneOf(lookFilters, value) ?? 'all' })}
        options={lookFilters.map((value) => ({ value, label: t(`filters.looks.${value}`) }))}
      />
    </>
  )
}

/** Search and filters of the register. */
export function RegisterToolbar({ shown, count }: { readonly shown: number; readonly count: number }) {
  const { t } = useTranslation('register')
  const { sought, seek } = useRegisterStore()
  return (
    <div className={toolbar.bar}>
      <SearchField
        label={t('searchLabel')}
        placeholder={t('search')}
        value={sought.text}
        onChange={(text) => seek({ text })}
        found={{ shown, count }}
        hasFindKey
      />
      <Filters />
    </div>
  )
}

interface SelectionBarProps {
  readonly count: number
  /** How many of them can be rotated. */
  readonly rotatable: number
  /** How many of them can be revoked. */
  readonly revocable: number
  readonly onRotate: () => void
  readonly onRevoke: () => void
  readonly onClear: () => void
}

/** What can be done with the keys that are ticked; stands where search and filters stand otherwise. */
export function SelectionBar({ count, rotatable, revocable, onRotate, onRevoke, onClear }: SelectionBarProps) {
  const { t } = useTranslation('register')
  return (
    <section className={toolbar.selected} aria-label={t('selected', { count })}>
      <p role="status" className={toolbar.chosen}>
        {t('selected', { count })}
        {rotatable < count ? <span className={styles.note}>{t('rotatable', { count: rotatable })}</span> : null}
      </p>
      <Button size="sm" variant="ghost" onClick={onClear}>
        {t('clearSelection')}
      </Button>
      <Button size="sm" icon={Ban} disabled={revocable === 0} onClick={onRevoke}>
        {t('revokeSelected')}
      </Button>
      <Button size="sm" variant="primary" icon={RotateCw} disabled={rotatable === 0} onClick={onRotate}>
        {t('rotateSelected')}
      </Button>
    </section>
  )
}
