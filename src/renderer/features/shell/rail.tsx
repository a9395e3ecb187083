import type { ConnectionView } from '@shared/contract'
import { narrowWidth } from '@shared/first-screen'
import i18next from 'i18next'
import {
  BookKey,
  Boxes,
  Brain,
  Cable,
  ChartColumn,
  ChevronsUpDown,
  CircleQuestionMark,
  FlaskConical,
  House,
  IdCard,
  KeyRound,
  Layers,
  type LucideIcon,
  MessageSquareText,
  Package,
  PanelLeftClose,
  PanelLeftOpen,
  Plus,
  Search,
  Server,
  Settings,
  Settings2,
  ShieldAlert,
  Users,
  UsersRound,
  Waypoints,
  Wrench,
} from 'lucide-react'
import { Fragment, type ReactNode, useContext } from 'react'
import { Link, NavLink } from 'react-router'
import { showFailureToast } from '../../i18n/failures'
import { useCall } from '../../ipc'
import { connectionsPath, newConnectionPath, relayPath } from '../../paths'
import { openHelp, openPalette } from '../../session'
import { PageStartContext, useSettings, useUpdateSettings } from '../../settings'
import { ariaShortcut, splitShortcut, useShortcuts } from '../../shortcuts'
import { joinClassNames } from '../../ui/cn'
import { Kbd } from '../../ui/code'
import { IconButton } from '../../ui/icon-button'
import { Menu, type MenuItem } from '../../ui/menu'
import { Tooltip } from '../../ui/tooltip'
import { useMediaQuery } from '../../window-state'
import { shownAddresses, useSwitchConnection } from '../connections'
import { useRelay } from '../relay'
import { OperationsState } from './operations-state'

const t = i18next.getFixedT(null, ['shell', 'connections', 'common'])

const centeredItemClass = 'justify-center px-0'

// Rows are lower in a window of small height, so that all navigation items fit.
const item = joinClassNames(
  'flex h-7.5 flex-none items-center gap-2.25 rounded-md px-2.5 font-medium text-[light-dark(#40454f,#c3c8d2)]',
  '[nav_&]:low:h-[25px] [nav_&]:lowest:h-6 [&_svg]:text-muted hover:bg-hover hover:no-underline',
  'aria-[current=page]:bg-[light-dark(#e2e5f6,#232741)] aria-[current=page]:text-text',
  'aria-[current=page]:[&_svg]:text-accent-text',
)

function PlaceLink({ place, collapsed }: { readonly place: NavigationItem; readonly collapsed: boolean }) {
  const { id, path, icon: Icon } = place
  const name = t(`places.${id}`)
  return (
    <Tooltip content={name} side="right" disabled={!collapsed}>
      <NavLink
        to={path}
        end={path === '/'}
        className={joinClassNames(item, collapsed && centeredItemClass)}
        aria-label={collapsed ? name : undefined}
      >
        <Icon size={16} strokeWidth={1.75} />
        {collapsed ? null : <span className="min-w-0 flex-1 truncate">{name}</span>}
      </NavLink>
    </Tooltip>
  )
}

/** Items of the sidebar. Items of the agent platform are only shown if there is a connection. */
function useNavigationItems(): readonly NavigationItem[] {
  const { data } = useCall('connections.list', {})
  const { connections: countAtStart } = useContext(PageStartContext)
  const hasPlatform = (data?.length ?? countAtStart) !== 0
  return hasPlatform ? navigationItems : navigationItems.filter(({ group }) => group !== 'platform')
}

function SearchButton({ collapsed }: { readonly collapsed: boolean }) {
  const { palette } = useShortcuts()
  return (
    <Tooltip content={t('search')} side="right" disabled={!collapsed}>
      <button
        type="button"
        className={joinClassNames(
          'mt-2 mb-2.5 flex h-7.5 items-center gap-2 rounded-md border bg-surface pr-1.25 pl-2.5 text-left text-faint',
          'hover:border-border-strong hover:text-muted low:mb-1.5 lowest:my-1',
          collapsed && centeredItemClass,
        )}
        aria-label={collapsed ? t('search') : undefined}
        aria-keyshortcuts={ariaShortcut(palette)}
        onClick={() => openPalette(true)}
      >
        <Search size={14} strokeWidth={1.9} />
        {collapsed ? null : (
          <>
            <span className="min-w-0 flex-1 truncate">{t('search')}</span>
            <span aria-hidden="true">
              <Kbd keys={splitShortcut(palette)} />
            </span>
          </>
        )}
      </button>
    </Tooltip>
  )
}

export function Rail() {
  const { railCollapsed } = useSettings()
  // The window has few CSS pixels in width, because it is small or zoomed in.
  const isNarrow = useMediaQuery(`(max-width: ${narrowWidth}px)`)
  const collapsed = railCollapsed || isNarrow
  const update = useUpdateSettings()
  const pagesInRail = useNavigationItems()
  const { help } = useShortcuts()
  return (
    <aside
      className={joinClassNames(
        'flex h-full w-55 flex-none flex-col border-r bg-rail px-2 pt-2.5 pb-2 lowest:py-1.5',
        collapsed && 'w-[53px]',
      )}
      aria-label={t('sidebar')}
    >
      <ConnectionSwitcher collapsed={collapsed} />
      <SearchButton collapsed={collapsed} />
      <nav
        className="-mx-2 flex min-h-0 flex-1 flex-col gap-px overflow-auto px-2 py-0.5 low:gap-0"
        aria-label={t('rail')}
      >
        {pagesInRail.map((place, index) => (
          <Fragment key={place.id}>
            {place.group === pagesInRail[index - 1]?.group ? null : place.group && !collapsed ? (
              <span className="px-2 pt-2.5 pb-1 text-faint text-xs low:pt-1.25 low:pb-px">{t(place.group)}</span>
            ) : (
              <span className="mx-2 my-1.5 border-t low:my-0.75" aria-hidden="true" />
            )}
            <PlaceLink place={place} collapsed={collapsed} />
          </Fragment>
        ))}
      </nav>
      <div className="flex flex-col gap-px pt-2">
        <OperationsState collapsed={collapsed} />
        <RailStatusBadges collapsed={collapsed} />
        <div
          className={joinClassNames(
            'mt-1.75 flex items-center gap-0.5 border-t pt-1.75 lowest:mt-1 lowest:pt-1',
            collapsed ? 'flex-col items-stretch [&>button]:w-full' : '*:first:flex-1',
          )}
        >
          <PlaceLink place={settingsItem} collapsed={collapsed} />
          <IconButton
            icon={CircleQuestionMark}
            label={t('help')}
            tooltipSide="right"
            aria-keyshortcuts={ariaShortcut(help)}
            onClick={() => openHelp('page')}
          />
          {isNarrow ? null : (
            <IconButton
              icon={collapsed ? PanelLeftOpen : PanelLeftClose}
              label={collapsed ? t('expand') : t('collapse')}
              tooltipSide="right"
              aria-expanded={!collapsed}
              onClick={() => void update({ railCollapsed: !collapsed })}
            />
          )}
        </div>
      </div>
    </aside>
  )
}

const state =
  'flex h-6.5 items-center gap-2.25 rounded-md px-2.75 text-muted text-sm hover:bg-hover hover:no-underline lowest:h-6'
const dotClass = 'absolute -right-0.75 -bottom-0.5 box-content size-1.25 rounded-full border-[1.5px] border-rail'
const dotClasses = { good: 'bg-success', warning: 'bg-warning', danger: 'bg-danger' } as const

function State(props: {
  readonly to: string
  readonly icon: LucideIcon
  readonly text: string
  readonly tone: 'quiet' | 'good' | 'warning' | 'danger'
  readonly collapsed: boolean
}) {
  const { to, icon: Icon, text, tone, collapsed } = props
  return (
    <Tooltip content={text} side="right" disabled={!collapsed}>
      <Link
        to={to}
        className={joinClassNames(
          state,
          tone === 'warning' && 'text-warning',
          tone === 'danger' && 'text-danger',
          collapsed && centeredItemClass,
        )}
        aria-label={collapsed ? text : undefined}
      >
        <span className="relative">
          <Icon size={14} strokeWidth={1.8} />
          {tone === 'quiet' ? null : <span className={joinClassNames(dotClass, dotClasses[tone])} />}
        </span>
        {collapsed ? null : <span className="min-w-0 flex-1 truncate">{text}</span>}
      </Link>
    </Tooltip>
  )
}

/** Tone of each state of the relay and the sandbox. */
const stateTones = {
  unknown: 'quiet',
  off: 'quiet',
  stopped: 'quiet',
  starting: 'warning',
  on: 'good',
  running: 'good',
  paused: 'warning',
  failed: 'danger',
} as const

/** States of keychain, relay and sandbox, with a warning while tools depend on the stopped relay. */
function RailStatusBadges({ collapsed }: { readonly collapsed: boolean }) {
  const { data: app, isError } = useCall('app.get', {})
  const { data: relay } = useRelay()
  const { data: sandbox } = useCall('sandbox.get', {})
  const isSession = app?.vault.kind === 'session'
  const { state: relayState = 'unknown', tools = [] } = relay ?? {}
  const waitingCount = relayState === 'off' ? tools.filter(({ isPointedHere }) => isPointedHere).length : 0
  const sandboxState = sandbox?.state ?? 'unknown'
  return (
    <>
      <State
        to="/settings"
        icon={isSession ? ShieldAlert : KeyRound}
        text={t(`vault.${app?.vault.kind ?? (isError ? 'failed' : 'looking')}`)}
        tone={isSession ? 'warning' : 'quiet'}
        collapsed={collapsed}
      />
      <State
        to={relayPath}
        icon={Waypoints}
        text={waitingCount > 0 ? t('relay.needed', { count: waitingCount }) : t(`relay.${relayState}`)}
        tone={waitingCount > 0 ? 'danger' : stateTones[relayState]}
        collapsed={collapsed}
      />
      <State
        to="/sandbox"
        icon={FlaskConical}
        text={t(`sandbox.${sandboxState}`)}
        tone={stateTones[sandboxState]}
        collapsed={collapsed}
      />
    </>
  )
}

/** Initials of a connection's name. They distinguish connections when the sidebar is collapsed. */
const initials = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map(([letter = '']) => letter.toLocaleUpperCase())
    .join('')

/** Second line of a connection in the sidebar: the state of the sandbox, or the connection's host. */
function useConnectionHints(): (connection: ConnectionView) => string {
  const { data: sandbox } = useCall('sandbox.get', {})
  const isSandboxDown = sandbox?.state === 'stopped' || sandbox?.state === 'failed'
  return ({ isBuiltIn, addresses }) => {
    if (isBuiltIn) return t(isSandboxDown ? 'connections:sandbox.hintStopped' : 'connections:sandbox.hint')
    const [address = t('switcher.noAddress')] = shownAddresses.flatMap((key) => addresses[key] ?? [])
    return URL.canParse(address) ? new URL(address).host : address
  }
}

function useSwitcherItems(connections: readonly ConnectionView[]): readonly MenuItem[] {
  const activateConnection = useSwitchConnection()
  const getKeyHint = useConnectionHints()
  const switchWithToast = ({ id, name, isActive }: ConnectionView): void => {
    if (isActive) return
    activateConnection(id).catch(showFailureToast({ title: t('connections:useFailed', { name }) }))
  }
  const choices = connections.map((connection) => ({
    label: connection.name,
    hint: getKeyHint(connection),
    icon: connection.isBuiltIn ? FlaskConical : Cable,
    checked: connection.isActive,
    onSelect: () => switchWithToast(connection),
  }))
  return [
    ...(choices.length > 0 ? ([{ heading: t('switcher.heading') }, ...choices, 'separator'] as const) : []),
    { label: t('switcher.manage'), icon: Settings2, to: connectionsPath },
    { label: t('switcher.add'), icon: Plus, to: newConnectionPath },
  ]
}

function ConnectionSwitcher({ collapsed }: { readonly collapsed: boolean }) {
  const { data: connections = [], isSuccess } = useCall('connections.list', {})
  const items = useSwitcherItems(connections)
  const getKeyHint = useConnectionHints()
  const activeConnection = connections.find(({ isActive }) => isActive)
  const emptyText = connections.length === 0 ? t('switcher.none') : t('switcher.noneInUse')
  const name = activeConnection?.name ?? t('common:appName')
  const hint = activeConnection ? getKeyHint(activeConnection) : isSuccess ? emptyText : ''
  return (
    <Menu
      side={collapsed ? 'right' : 'bottom'}
      items={items}
      trigger={
        <button
          type="button"
          className={joinClassNames(
            'flex h-11 w-full items-center gap-2.25 rounded-lg pr-1.5 pl-1.25 text-left text-text',
            'hover:bg-hover data-[state=open]:bg-hover',
            collapsed && centeredItemClass,
          )}
          aria-label={collapsed ? `${name}. ${t('switcher.choose')}` : undefined}
          title={collapsed ? name : undefined}
        >
          <Mark>
            {activeConnection?.isBuiltIn ? (
              <FlaskConical size={15} strokeWidth={1.9} />
            ) : (
              activeConnection && initials(activeConnection.name)
            )}
          </Mark>
          {collapsed ? null : (
            <>
              <span className="flex min-w-0 flex-1 flex-col leading-[1.3]">
                <span className="truncate font-semibold">{name}</span>
                <span className="truncate text-muted text-xs">{hint}</span>
              </span>
              <span className="sr-only">{t('switcher.choose')}</span>
              <ChevronsUpDown size={14} strokeWidth={1.8} className="text-faint" />
            </>
          )}
        </button>
      }
    />
  )
}

function AppLogo({ size }: { readonly size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" fill="none" aria-hidden="true">
      <path
        d="M6.2 2.8H5A3.2 3.2 0 0 0 1.8 6v4A3.2 3.2 0 0 0 5 13.2h1.2"
        stroke="currentColor"
        strokeWidth="1.9"
        strokeLinecap="round"
      />
      <path
        d="M9.8 2.8H11A3.2 3.2 0 0 1 14.2 6v4a3.2 3.2 0 0 1-3.2 3.2H9.8"
        stroke="currentColor"
        strokeWidth="1.9"
        strokeLinecap="round"
      />
      <path d="M5.4 8h5.2" stroke="currentColor" strokeWidth="1.9" strokeLinecap="round" />
    </svg>
  )
}

export function Mark({ size = 26, children }: { readonly size?: number; readonly children?: ReactNode }) {
  return (
    <span
      className={joinClassNames(
        'inline-flex flex-none items-center justify-center bg-linear-[#6470ea,#4450c6] font-[650] text-sm',
        'text-white shadow-[inset_0_1px_0_rgb(255_255_255/0.22),inset_0_0_0_0.5px_rgb(0_0_0/0.12)]',
      )}
      style={{ width: size, height: size, borderRadius: size * 0.27 }}
      aria-hidden="true"
    >
      {children ?? <AppLogo size={size * 0.62} />}
    </span>
  )
}

const items = [
  { id: 'home', path: '/', icon: House },
  { id: 'tools', path: '/tools', icon: Wrench },
  { id: 'profiles', path: '/profiles', icon: Users },
  { id: 'plans', path: '/plans', icon: Layers },
  { id: 'usage', path: '/usage', icon: ChartColumn },
  { id: 'playground', path: '/playground', icon: MessageSquareText },
  { id: 'register', path: '/register', icon: BookKey },
  { id: 'team', path: '/team', icon: UsersRound },
  { id: 'memory', path: '/memory', icon: Brain, group: 'platform' },
  { id: 'runtimes', path: '/runtimes', icon: Server, group: 'platform' },
  { id: 'registry', path: '/registry', icon: Package, group: 'platform' },
  { id: 'identities', path: '/identities', icon: IdCard, group: 'platform' },
  { id: 'models', path: '/models', icon: Boxes, group: 'platform' },
  { id: 'sandbox', path: '/sandbox', icon: FlaskConical },
  { id: 'connections', path: '/connections', icon: Cable },
] as const

interface NavigationItem {
  readonly id: (typeof items)[number]['id'] | 'settings'
  readonly path: string
  readonly icon: LucideIcon
  /** Group of the item. Pages of the agent platform form the group `platform`. */
  readonly group?: 'platform'
}

export const navigationItems: readonly NavigationItem[] = items

export const settingsItem: NavigationItem = { id: 'settings', path: '/settings', icon: Settings }
