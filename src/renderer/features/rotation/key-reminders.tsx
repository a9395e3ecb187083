import { useTranslation } from 'react-i18next'
import { useAction, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Chips } from '../../ui/chips'
import { Card } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { toast } from '../../ui/toast'
import styles from './rotation.module.css'

/** Ages in days that can be chosen. */
const offered = [30, 60, 90] as const

/** From which age on the system reminds of a key; none chosen: never. */
export function KeyReminders() {
  const { t } = useTranslation(['rotation', 'settings'])
  const query = useCall('rotation.getReminders', {})
  const save = useAction('rotation.setReminders', {
    invalidates: ['rotation'],
    onError: () => toast(t('settings:notSaved'), { tone: 'danger' }),
  })
  return (
    <Loaded query={query} skeleton={<SkeletonRows rows={1} />}>
      {(kept) => (
        <Card>
          <div className={styles.reminders}>
            <div>
              <p className={styles.label}>{t('rotation:reminders.title')}</p>
              <p className={styles.hint}>{t('rotation:reminders.hint')}</p>
            </div>
            <Chips
              label={t('rotation:reminders.title')}
              chips={offered.map((count) => ({ value: String(count), label: t('rotation:reminders.day', { count }) }))}
              chosen={(save.isPending ? save.variables : kept).days.map(String)}
              onChange={(days) => save.mutate({ days: days.map(Number).toSorted((a, b) => a - b) })}
            />
          </div>
        </Card>
      )}
    </Loaded>
  )
}
