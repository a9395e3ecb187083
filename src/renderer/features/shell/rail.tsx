import clsx from 'clsx'
import { PanelLeftClose, PanelLeftOpen, Search } from 'lucide-react'
import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import { NavLink } from 'react-router'
import { useSession } from '../../session'
import { useSettings, useUpdateSettings } from '../../settings'
import { IconButton } from '../../ui/icon-button'
import { Kbd } from '../../ui/kbd'
import { Tooltip } from '../../ui/tooltip'
import { OperationsState } from '../operations/operations-state'
import { ConnectionSwitcher } from './connection-switcher'
import { type Place, places, settingsPlace } from './places'
import styles from './rail.module.css'
import { RailStates } from './rail-states'

function PlaceLink({ place, collapsed }: { readonly place: Place; readonly collapsed: boolean }) {
  const { t } = useTranslation('shell')
  const { id, path, icon: Icon } = place
  const name = t(`places.${id}`)
  return (
    <Tooltip content={name} side="right" disabled={!collapsed}>
      <NavLink to={path} end={path === '/'} className={styles.item ?? ''} aria-label={collapsed ? name : undefined}>
        <Icon size={16} strokeWidth={1.75} aria-hidden="true" />
        {collapsed ? null : <span className={styles.name}>{name}</span>}
      </NavLink>
    </Tooltip>
  )
}

/** Where a group of places begins, or ends: its name, or a line. */
function Group({ group, collapsed }: { readonly group: Place['group']; readonly collapsed: boolean }) {
  const { t } = useTranslation('shell')
  if (!group || collapsed) return <span className={styles.line} aria-hidden="true" />
  return <span className={styles.group}>{t(group)}</span>
}

function SearchButton({ collapsed }: { readonly collapsed: boolean }) {
  const { t } = useTranslation('shell')
  const openPalette = useSession((session) => session.openPalette)
  return (
    <Tooltip content={t('search')} side="right" disabled={!collapsed}>
      <button
        type="button"
        className={styles.search}
        aria-label={collapsed ? t('search') : undefined}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => openPalette(true)}
      >
        <Search size={14} strokeWidth={1.9} aria-hidden="true" />
        {collapsed ? null : (
          <>
            <span className={styles.name}>{t('search')}</span>
            <span aria-hidden="true">
              <Kbd keys={['Mod', 'K']} />
            </span>
          </>
        )}
      </button>
    </Tooltip>
  )
}

/** The left rail: the connection in use, the places, operations in progress, the state of keychain and sandbox, settings. */
export function Rail() {
  const { t } = useTranslation('shell')
  const { railCollapsed: collapsed } = useSettings()
  const update = useUpdateSettings()
  return (
    <aside className={clsx(styles.rail, collapsed && styles.collapsed)} aria-label={t('sidebar')}>
      <ConnectionSwitcher collapsed={collapsed} />
      <SearchButton collapsed={collapsed} />
      <nav className={styles.places} aria-label={t('rail')}>
        {places.map((place, index) => (
          <Fragment key={place.id}>
            {place.group !== places[index - 1]?.group ? <Group group={place.group} collapsed={collapsed} /> : null}
            <PlaceLink place={place} collapsed={collapsed} />
          </Fragment>
        ))}
      </nav>
      <div className={styles.foot}>
        <OperationsState collapsed={collapsed} />
        <RailStates collapsed={collapsed} />
        <div className={styles.last}>
          <PlaceLink place={settingsPlace} collapsed={collapsed} />
          <IconButton
            icon={collapsed ? PanelLeftOpen : PanelLeftClose}
            label={collapsed ? t('expand') : t('collapse')}
            tooltipSide="right"
            aria-expanded={!collapsed}
            onClick={() => void update({ railCollapsed: !collapsed })}
          />
        </div>
      </div>
    </aside>
  )
}
