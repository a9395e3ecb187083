import type { RelayView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { ControlRow } from '../../ui/control-row'
import { Card, Section } from '../../ui/page'
import { Switch } from '../../ui/switch'
import { toast } from '../../ui/toast'
import styles from './relay.module.css'

/** On which port it listens, and when it comes and goes with the app. */
export function RelayOptions({ view, onChangePort }: { readonly view: RelayView; readonly onChangePort: () => void }) {
  const { t } = useTranslation(['relay', 'settings'])
  const save = useAction('relay.setOptions', {
    invalidates: ['relay'],
    onError: () => toast(t('settings:notSaved'), { tone: 'danger' }),
  })
  const chosen = save.isPending ? save.variables : {}
  const startAtLogin = chosen.startAtLogin ?? view.startAtLogin
  const keepInBackground = chosen.keepInBackground ?? view.keepInBackground
  return (
    <Section title={t('options.title')}>
      <Card flush>
        <ControlRow
          label={t('options.port')}
          hint={t('options.portHint')}
          control={
            <>
              <code className={styles.ports}>{view.port}</code>
              <Button size="sm" onClick={onChangePort}>
                {t('options.change')}
                <span className="sr-only"> {t('options.port')}</span>
              </Button>
            </>
          }
        />
        {startAtLogin === undefined ? null : (
          <div className={styles.line}>
            <Switch
              checked={startAtLogin}
              onCheckedChange={(on) => save.mutate({ startAtLogin: on })}
              label={t('options.login')}
              hint={t('options.loginHint')}
            />
          </div>
        )}
        <div className={styles.line}>
          <Switch
            checked={keepInBackground}
            onCheckedChange={(on) => save.mutate({ keepInBackground: on })}
            label={t('options.background')}
            hint={t('options.backgroundHint')}
          />
        </div>
      </Card>
    </Section>
  )
}
