import { Download } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../../../ui/icon-button'
import { Menu } from '../../../ui/menu'
import { useExport } from '../records/use-export'
import type { FoundRecord } from './found'

/** Exports what a search found. */
export function ExportFound({ found }: { readonly found: readonly FoundRecord[] }) {
  const { t } = useTranslation('memory')
  const exporting = useExport()
  const rows = found.map(({ row }) => row)
  return (
    <Menu
      align="end"
      trigger={<IconButton size="sm" icon={Download} label={t('export.title')} busy={exporting.isPending} />}
      items={(['json', 'csv'] as const).map((format) => ({
        label: t(`export.${format}`),
        onSelect: () => exporting.mutate({ name: 'memory-search', format, rows }),
      }))}
    />
  )
}
