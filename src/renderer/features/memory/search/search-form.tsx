import { Search } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/button'
import { Field, TextInput } from '../../../ui/field'
import { scoreThreshold, searchLimit } from '../../resources/rules'
import { useText } from '../../resources/use-text'
import styles from '../memory.module.css'
import parts from '../search.module.css'
import type { SearchWish } from './wish'

interface SearchFormProps {
  readonly wish: SearchWish
  readonly isSearching: boolean
  readonly onSearch: (wish: SearchWish) => void
}

function Threshold({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const { t } = useTranslation('memory')
  const text = useText()
  const isGood = scoreThreshold.accepts(value)
  return (
    <Field
      label={t('search.threshold')}
      className={styles.grow ?? ''}
      error={isGood ? undefined : text(scoreThreshold.words)}
    >
      <span className={parts.slider}>
        <input
          type="range"
          style={{ backgroundSize: `${isGood ? Number(value) * 100 : 0}% 4px, 100% 4px` }}
          aria-label={t('search.thresholdSlider')}
          min={scoreThreshold.min}
          max={scoreThreshold.max}
          step={0.01}
          value={isGood ? value : '0'}
          onChange={({ target }) => onChange(target.value)}
        />
        <TextInput
          className={parts.number ?? ''}
          inputMode="decimal"
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      </span>
    </Field>
  )
}

/** What is searched for: a text, at most how many, and from which score on. The spec's limits are checked before anything is sent. */
export function SearchForm({ wish, isSearching, onSearch }: SearchFormProps) {
  const { t } = useTranslation('memory')
  const text = useText()
  const [query, setQuery] = useState(wish.text)
  const [limit, setLimit] = useState(String(wish.limit))
  const [threshold, setThreshold] = useState(String(wish.threshold))
  const isLimitGood = searchLimit.accepts(limit)
  const isGood = query.trim() !== '' && isLimitGood && scoreThreshold.accepts(threshold)
  return (
    <form
      className={parts.search}
      onSubmit={(event) => {
        event.preventDefault()
        if (isGood) onSearch({ text: query.trim(), limit: Number(limit), threshold: Number(threshold) })
      }}
    >
      <div className={styles.line}>
        <Field label={t('search.text')} className={styles.grow ?? ''}>
          <TextInput
            placeholder={t('search.placeholder')}
            value={query}
            onChange={({ target }) => setQuery(target.value)}
          />
        </Field>
        <Button type="submit" variant="primary" icon={Search} busy={isSearching} disabled={!isGood}>
          {t('search.search')}
        </Button>
      </div>
      <div className={styles.line}>
        <Field
          label={t('search.limit')}
          className={parts.limit ?? ''}
          error={isLimitGood ? undefined : text(searchLimit.words)}
        >
          <TextInput inputMode="numeric" value={limit} onChange={({ target }) => setLimit(target.value)} />
        </Field>
        <Threshold value={threshold} onChange={setThreshold} />
      </div>
    </form>
  )
}
