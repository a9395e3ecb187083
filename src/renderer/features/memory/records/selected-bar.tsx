import { useTranslation } from 'react-i18next'
import { useFormats } from '../../../format'
import { Button } from '../../../ui/button'
import toolbar from '../../../ui/toolbar.module.css'
import { exportName } from './export-menu'
import type { OpenSet } from './record-loader'
import { useExport } from './use-export'

interface SelectedProps {
  readonly set: OpenSet
  readonly places: readonly number[]
  readonly onClear: () => void
}

/** What can be done with the records that are selected. */
export function SelectedBar({ set: { setId }, places, onClear }: SelectedProps) {
  const { t } = useTranslation('memory')
  const { number } = useFormats()
  const exporting = useExport()
  const save = (format: 'json' | 'csv') => () =>
    exporting.mutate({ name: exportName, format, setId, places: [...places] })
  return (
    <div className={toolbar.selected}>
      <span className={toolbar.chosen} role="status">
        {t('records.selected', { count: places.length, shown: number(places.length) })}
      </span>
      <Button size="sm" onClick={save('json')} busy={exporting.isPending}>
        {t('export.json')}
      </Button>
      <Button size="sm" onClick={save('csv')} busy={exporting.isPending}>
        {t('export.csv')}
      </Button>
      <Button size="sm" variant="ghost" onClick={onClear}>
        {t('records.clear')}
      </Button>
    </div>
  )
}
