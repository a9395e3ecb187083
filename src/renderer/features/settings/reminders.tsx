import type { RemindersView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useAction, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Chips } from '../../ui/chips'
import { Card } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { Switch } from '../../ui/switch'
import { toast } from '../../ui/toast'
import styles from './settings-page.module.css'

/** Days before the expiry that can be chosen. */
const offered = [30, 14, 7, 3, 1] as const

function Days({ view, onChange }: { readonly view: RemindersView; readonly onChange: (days: number[]) => void }) {
  const { t } = useTranslation('settings', { keyPrefix: 'reminders' })
  return (
    <div className={styles.setting}>
      <p className={styles.label}>{t('days')}</p>
      <Chips
        label={t('days')}
        chips={offered.map((count) => ({ value: String(count), label: t('day', { count }) }))}
        chosen={view.days.map(String)}
        disabled={!view.enabled}
        onChange={(days) => onChange(days.map(Number))}
      />
    </div>
  )
}

/** Whether and when the system notifies of plans that end. */
export function Reminders() {
  const { t } = useTranslation('settings', { keyPrefix: 'reminders' })
  const { t: tSettings } = useTranslation('settings')
  const query = useCall('settings.getReminders', {})
  const save = useAction('settings.setReminders', {
    invalidates: ['settings'],
    onError: () => toast(tSettings('notSaved'), { tone: 'danger' }),
  })
  return (
    <Loaded query={query} skeleton={<SkeletonRows rows={2} />}>
      {(kept) => {
        const view = save.isPending ? save.variables : kept
        return (
          <Card flush>
            <div className={styles.row}>
              <Switch
                checked={view.enabled}
                onCheckedChange={(enabled) => save.mutate({ ...view, enabled })}
                label={t('enabled')}
                hint={t('hint')}
              />
            </div>
            <Days view={view} onChange={(days) => save.mutate({ ...view, days })} />
          </Card>
        )
      }}
    </Loaded>
  )
}
