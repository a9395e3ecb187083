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

/** Where a person can go: what the rail, the shortcuts and the palette list. */
export interface Place {
  readonly id:
    | 'home'
    | 'tools'
    | 'profiles'
    | 'plans'
    | 'usage'
    | 'playground'
    | 'register'
    | 'team'
    | 'memory'
    | 'runtimes'
    | 'registry'
    | 'identities'
    | 'models'
    | 'sandbox'
    | 'connections'
    | 'settings'
  readonly path: string
  readonly icon: LucideIcon
  /** The key that goes there together with Ctrl or Command. */
  readonly key?: string
  /** Places of the agent platform stand together, under its name. */
  readonly group?: 'platform'
}

/** The places of the rail, in their order. */
export const places: readonly Place[] = [
  { id: 'home', path: '/', icon: House, key: '1' },
  { id: 'tools', path: '/tools', icon: Wrench, key: '2' },
  { id: 'profiles', path: '/profiles', icon: Users, key: '3' },
  { id: 'plans', path: '/plans', icon: Layers, key: '4' },
  { id: 'usage', path: '/usage', icon: ChartColumn, key: '5' },
  { id: 'playground', path: '/playground', icon: MessageSquareText, key: '6' },
  { id: 'register', path: '/register', icon: BookKey, key: '7' },
  { id: 'team', path: '/team', icon: UsersRound },
  { id: 'memory', path: '/memory', icon: Brain, group: 'platform' },
  { id: 'runtimes', path: '/runtimes', icon: Server, group: 'platform' },
  { id: 'registry', path: '/registry', icon: Package, group: 'platform' },
  { id: 'identities', path: '/identities', icon: IdCard, group: 'platform' },
  { id: 'models', path: '/models', icon: Boxes, group: 'platform' },
  { id: 'sandbox', path: '/sandbox', icon: FlaskConical, key: '8' },
  { id: 'connections', path: '/connections', icon: Cable, key: '9' },
]

/** Settings, at the foot of the rail. */
export const settingsPlace: Place = { id: 'settings', path: '/settings', icon: Settings, key: ',' }
