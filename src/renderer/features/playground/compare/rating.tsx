import { Star } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { joinClassNames } from '../../../ui/cn'

const marks = [1, 2, 3, 4, 5] as const

/** Five stars with one tab stop. The keys 1 to 5 and the arrows rate, 0 and Backspace remove the rating. */
export function Rating({
  value,
  name,
  onRate,
}: {
  readonly value: number | undefined
  readonly name: string
  readonly onRate: (rating: number | undefined) => void
}) {
  const { t } = useTranslation('compare')
  const handleKeyDown = (event: KeyboardEvent<HTMLButtonElement>): void => {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key]
    const isRemoval = event.key === '0' || event.key === 'Backspace' || event.key === 'Delete'
    const mark = step === undefined ? Number(event.key) : Math.min(5, Math.max(1, (value ?? 0) + step))
    if (event.ctrlKey || event.metaKey || event.altKey || !(isRemoval || (mark >= 1 && mark <= 5))) return
    event.preventDefault()
    onRate(isRemoval ? undefined : mark)
    const star = event.currentTarget.parentElement?.children[isRemoval ? 0 : mark - 1]
    if (star instanceof HTMLElement) star.focus()
  }
  return (
    <fieldset className="inline-flex flex-none" aria-label={t('rating.rate', { name })} title={t('rating.keys')}>
      {marks.map((mark) => (
        <button
          key={mark}
          type="button"
          className={joinClassNames(
            'inline-flex rounded-sm p-0.5',
            mark <= (value ?? 0) ? 'text-warning *:fill-current' : 'text-faint hover:text-text',
          )}
          tabIndex={mark === (value ?? 1) ? 0 : -1}
          aria-label={t('rating.stars', { count: mark })}
          aria-pressed={value === mark}
          onClick={() => onRate(value === mark ? undefined : mark)}
          onKeyDown={handleKeyDown}
        >
          <Star size={15} strokeWidth={1.8} aria-hidden="true" />
        </button>
      ))}
    </fieldset>
  )
}
