import {
  BookKey,
  Boxes,
  Brain,
  Cable,
  ChartColumn,
  FlaskConical,
  House,
  IdCard,
  Layers,
  type LucideIcon,
  MessageSquareText,
  Package,
  Server,
  Settings,
  Users,
  UsersRound,
  Wrench,
} from 'lucide-react'

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

export interface NavigationItem {
  readonly id: (typeof items)[number]['id'] | 'settings'
  readonly path: string
  readonly icon: LucideIcon
  /** Group of the item. Pages of the agent platform form the group `platform`. */
  readonly group?: 'platform'
}

export const navigationItems: readonly NavigationItem[] = items

export const settingsItem: NavigationItem = { id: 'settings', path: '/settings', icon: Settings }
