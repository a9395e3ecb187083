import { Bell, Database, Ellipsis, Waypoints } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { IconButton } from '../../ui/icon-button'
import { Menu } from '../../ui/menu'
import { alertsPath } from '../alerts/paths'
import { relayPath, sourcesPath } from '../usage/paths'

/** What belongs to usage and has a page of its own: alerts, sources and storage, the relay. */
export function UsageMenu() {
  const { t } = useTranslation(['sources', 'alerts', 'relay'])
  const navigate = useNavigate()
  const go = (path: string) => (): void => void navigate(path)
  return (
    <Menu
      align="end"
      trigger={<IconButton icon={Ellipsis} label={t('sources:more')} />}
      items={[
        { label: t('alerts:title'), icon: Bell, onSelect: go(alertsPath) },
        { label: t('sources:title'), icon: Database, onSelect: go(sourcesPath) },
        { label: t('relay:title'), icon: Waypoints, onSelect: go(relayPath) },
      ]}
    />
  )
}
