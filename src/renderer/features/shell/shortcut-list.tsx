import { useTranslation } from 'react-i18next'
import { Kbd } from '../../ui/code'
import { places, settingsPlace } from './places'
import styles from './shortcut-list.module.css'

/** Every shortcut of the app, with what it does. */
export function ShortcutList() {
  const { t } = useTranslation('shell')
  const rows: readonly (readonly [string, readonly string[]])[] = [
    [t('shortcuts.palette'), ['Mod', 'K']],
    ...[...places, settingsPlace].flatMap(({ id, key }) =>
      key === undefined ? [] : [[t('shortcuts.goTo', { place: t(`places.${id}`) }), ['Mod', key]] as const],
    ),
    [t('shortcuts.find'), ['Mod', 'F']],
    [t('shortcuts.newChat'), ['Mod', 'N']],
    [t('shortcuts.rail'), ['Mod', 'B']],
    [t('shortcuts.list'), ['?']],
    [t('shortcuts.dismiss'), ['Esc']],
  ]
  return (
    <dl>
      {rows.map(([what, keys]) => (
        <div key={what} className={styles.row}>
          <dt>{what}</dt>
          <dd>
            <Kbd keys={keys} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
