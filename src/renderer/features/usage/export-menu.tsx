import { Download } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFailureWords } from '../../i18n/failures'
import { useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { Menu, type MenuItem } from '../../ui/menu'
import { toast } from '../../ui/toast'
import type { Usage } from './use-usage'

const formats = ['csv', 'json'] as const

/** Saves what is shown as a file: the figures over time, or single requests where the source knows them. */
export function ExportMenu({ usage }: { readonly usage: Usage }) {
  const { t } = useTranslation('usage')
  const words = useFailureWords()
  const { filter, step, scope, cannotAsk } = usage
  const exporting = useAction('usage.export', {
    onSuccess: ({ path }) => {
      if (path !== undefined) void toast(t('export.saved'), { description: path })
    },
    onError: ({ failure }) => void toast(t('export.failed'), { tone: 'danger', description: words(failure).title }),
  })
  const isConsole = scope === 'console'
  const items = (['series', 'requests'] as const).map((what) =>
    formats.map((format): MenuItem => {
      const isMissing = what === 'requests' && isConsole
      return {
        label: t(`export.${format}`, { what: t(`export.${what}`) }),
        disabled: isMissing,
        hint: isMissing ? t('export.noRequests') : undefined,
        onSelect: () => exporting.mutate({ filter, what, step, format }),
      }
    }),
  )
  return (
    <Menu
      align="end"
      trigger={
        <Button icon={Download} busy={exporting.isPending} disabled={cannotAsk !== undefined}>
          {t('export.button')}
        </Button>
      }
      items={[...(items[0] ?? []), 'separator', ...(items[1] ?? [])]}
    />
  )
}
