import { Download } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/button'
import { Menu } from '../../../ui/menu'
import type { OpenSet } from './record-loader'
import { useExport } from './use-export'

const formats = ['json', 'csv'] as const

/** What is called so in the file's name. */
export const exportName = 'memory-records'

interface ExportMenuProps {
  readonly set: OpenSet
  /** Which of them; all when left out. */
  readonly places: readonly number[] | undefined
  /** They were selected, not found. */
  readonly isChosen: boolean
}

/** Exports the records that are selected, found, or all that are loaded. */
export function ExportMenu({ set, places, isChosen }: ExportMenuProps) {
  const { t } = useTranslation('memory')
  const exporting = useExport()
  const what = places === undefined ? 'all' : isChosen ? 'selected' : 'found'
  return (
    <Menu
      align="end"
      trigger={
        <Button icon={Download} busy={exporting.isPending}>
          {t('export.title')}
        </Button>
      }
      items={[
        { heading: t(`export.${what}`, { count: places?.length ?? set.total }) },
        ...formats.map((format) => ({
          label: t(`export.${format}`),
          onSelect: () =>
            exporting.mutate({
              name: exportName,
              format,
              setId: set.setId,
              ...(places && { places: [...places] }),
            }),
        })),
      ]}
    />
  )
}
