import type { ConnectionView } from '@shared/contract'
import { Cable, ChevronsUpDown, FlaskConical, Plus, Settings2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useFailureWords } from '../../i18n/failures'
import { CallError, useCall } from '../../ipc'
import { Menu, type MenuItem } from '../../ui/menu'
import { toast } from '../../ui/toast'
import { shownAddresses } from '../connections/address-groups'
import { listPath, newPath } from '../connections/paths'
import { useSwitchConnection } from '../connections/use-connections'
import { Mark } from './mark'
import styles from './rail.module.css'

/** The host of the first address there is. */
function firstHost({ addresses }: ConnectionView): string | undefined {
  const [address] = shownAddresses.flatMap((key) => addresses[key] ?? [])
  return address !== undefined && URL.canParse(address) ? new URL(address).host : address
}

/** The first letters of a connection's name, by which it is told from others when only its tile is in sight. */
const initials = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map(([letter = '']) => letter.toLocaleUpperCase())
    .join('')

function Sign({ connection }: { readonly connection: ConnectionView }) {
  return connection.isBuiltIn ? <FlaskConical size={15} strokeWidth={1.9} /> : initials(connection.name)
}

/** What a connection is, under its name: the sandbox (and whether it runs), or where it leads. */
function useHints(): (connection: ConnectionView) => string {
  const { t } = useTranslation(['shell', 'connections'])
  const { data: sandbox } = useCall('sandbox.get', {})
  const isDown = sandbox?.state === 'stopped' || sandbox?.state === 'failed'
  return (connection) => {
    if (connection.isBuiltIn) return t(isDown ? 'connections:sandbox.hintStopped' : 'connections:sandbox.hint')
    return firstHost(connection) ?? t('switcher.noAddress')
  }
}

function useSwitcherItems(connections: readonly ConnectionView[]): readonly MenuItem[] {
  const { t } = useTranslation(['shell', 'connections'])
  const navigate = useNavigate()
  const switchTo = useSwitchConnection()
  const explain = useFailureWords()
  const hintOf = useHints()
  const use = ({ id, name, isActive }: ConnectionView): void => {
    if (isActive) return
    switchTo(id).catch((error: unknown) => {
      const description = error instanceof CallError ? explain(error.failure).title : ''
      void toast(t('connections:useFailed', { name }), { tone: 'danger', description })
    })
  }
  const choices = connections.map(
    (one): MenuItem => ({
      label: one.name,
      hint: hintOf(one),
      icon: one.isBuiltIn ? FlaskConical : Cable,
      checked: one.isActive,
      onSelect: () => use(one),
    }),
  )
  return [
    ...(choices.length > 0 ? ([{ heading: t('switcher.heading') }, ...choices, 'separator'] as const) : []),
    { label: t('switcher.manage'), icon: Settings2, onSelect: () => void navigate(listPath) },
    { label: t('switcher.add'), icon: Plus, onSelect: () => void navigate(newPath) },
  ]
}

/** The top of the rail: the connection whose plans and resources are shown, and a press to switch to another. */
export function ConnectionSwitcher({ collapsed }: { readonly collapsed: boolean }) {
  const { t } = useTranslation(['shell', 'common'])
  const { data: connections = [], isSuccess } = useCall('connections.list', {})
  const items = useSwitcherItems(connections)
  const hintOf = useHints()
  const active = connections.find(({ isActive }) => isActive)
  const none = connections.length === 0 ? t('switcher.none') : t('switcher.noneInUse')
  const name = active?.name ?? t('common:appName')
  const hint = active ? hintOf(active) : isSuccess ? none : ''
  return (
    <Menu
      side={collapsed ? 'right' : 'bottom'}
      items={items}
      trigger={
        <button
          type="button"
          className={styles.switcher}
          aria-label={collapsed ? `${name}. ${t('switcher.choose')}` : undefined}
          title={collapsed ? name : undefined}
        >
          <Mark>{active ? <Sign connection={active} /> : undefined}</Mark>
          {collapsed ? null : (
            <>
              <span className={styles.who}>
                <span className={styles.whoName}>{name}</span>
                <span className={styles.whoHost}>{hint}</span>
              </span>
              <span className="sr-only">{t('switcher.choose')}</span>
              <ChevronsUpDown size={14} strokeWidth={1.8} aria-hidden="true" className={styles.chevrons} />
            </>
          )}
        </button>
      }
    />
  )
}
