import type { Route } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { RadioCards } from '../../ui/radio-cards'
import styles from './choice-form.module.css'

interface RouteChoiceProps {
  /** The ways there are; with fewer than two there is nothing to choose. */
  readonly routes: readonly Route[]
  /** Missing where several tools go different ways now. */
  readonly value: Route | undefined
  readonly onChange: (route: Route | undefined) => void
  /** What to know beyond the choice. */
  readonly note?: string | undefined
}

/** Where requests go first: straight to the plan, or through the relay of this machine. */
export function RouteChoice({ routes, value, onChange, note }: RouteChoiceProps) {
  const { t } = useTranslation('tools')
  if (routes.length < 2) return null
  return (
    <div className={styles.delivery}>
      <p className={styles.label}>{t('route.label')}</p>
      <RadioCards
        label={t('route.label')}
        columns={2}
        value={value ?? ''}
        onValueChange={(chosen) => onChange(routes.find((route) => route === chosen))}
        options={routes.map((route) => ({
          value: route,
          label: t(`route.ways.${route}`),
          hint: t(`route.hints.${route}`),
        }))}
      />
      {note === undefined ? null : <p className={styles.note}>{note}</p>}
    </div>
  )
}
