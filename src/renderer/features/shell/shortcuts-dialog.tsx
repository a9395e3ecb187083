import { useTranslation } from 'react-i18next'
import { useSession } from '../../session'
import { Dialog } from '../../ui/dialog'
import { ShortcutList } from './shortcut-list'

/** The list of shortcuts that `?` opens. */
export function ShortcutsDialog() {
  const { t } = useTranslation('shell')
  const openShortcuts = useSession((session) => session.openShortcuts)
  return (
    <Dialog open onOpenChange={openShortcuts} title={t('shortcuts.title')} size="sm">
      <ShortcutList />
    </Dialog>
  )
}
