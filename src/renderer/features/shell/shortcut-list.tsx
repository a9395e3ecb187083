import { useTranslation } from 'react-i18next'
import { Kbd } from '../../ui/code'
import { places, settingsPlace } from './places'

/** Every shortcut of the app, with what it does. */
export function ShortcutList() {
  const { t } = useTranslation(['shell', 'settings'])
  const zooms = (
    [
      ['in', '+'],
      ['out', '-'],
      ['reset', '0'],
    ] as const
  ).map(([step, key]) => [t(`settings:appearance.zoomSteps.${step}`), ['Mod', key]] as const)
  const rows: readonly (readonly [string, readonly string[]])[] = [
    [t('shell:shortcuts.palette'), ['Mod', 'K']],
    ...[...places, settingsPlace].flatMap(({ id, key }) =>
      key === undefined ? [] : [[t('shell:shortcuts.goTo', { place: t(`shell:places.${id}`) }), ['Mod', key]] as const],
    ),
    [t('shell:shortcuts.find'), ['Mod', 'F']],
    [t('shell:shortcuts.newChat'), ['Mod', 'N']],
    [t('shell:shortcuts.rail'), ['Mod', 'B']],
    ...zooms,
    [t('shell:shortcuts.list'), ['?']],
    [t('shell:shortcuts.dismiss'), ['Esc']],
  ]
  return (
    <dl>
      {rows.map(([what, keys]) => (
        <div key={what} className="flex min-h-8.5 items-center justify-between gap-4 border-t first:border-t-0">
          <dt>{what}</dt>
          <dd>
            <Kbd keys={keys} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
