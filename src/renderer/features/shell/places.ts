import {
  BookKey,
  Cable,
  ChartColumn,
  FlaskConical,
  House,
  Layers,
  type LucideIcon,
  Settings,
  Users,
  Wrench,
} from 'lucide-react'

/** Where a person can go: what the rail, the shortcuts and the palette list. */
export interface Place {
  readonly id: 'home' | 'tools' | 'profiles' | 'plans' | 'usage' | 'register' | 'sandbox' | 'connections' | 'settings'
  readonly path: string
  readonly icon: LucideIcon
  /** The key that goes there together with Ctrl or Command. */
  readonly key: string
}

/** The places of the rail, in their order. */
export const places: readonly Place[] = [
  { id: 'home', path: '/', icon: House, key: '1' },
  { id: 'tools', path: '/tools', icon: Wrench, key: '2' },
  { id: 'profiles', path: '/profiles', icon: Users, key: '6' },
  { id: 'plans', path: '/plans', icon: Layers, key: '3' },
  { id: 'usage', path: '/usage', icon: ChartColumn, key: '8' },
  { id: 'register', path: '/register', icon: BookKey, key: '7' },
  { id: 'sandbox', path: '/sandbox', icon: FlaskConical, key: '4' },
  { id: 'connections', path: '/connections', icon: Cable, key: '5' },
]

/** Settings, at the foot of the rail. */
export const settingsPlace: Place = { id: 'settings', path: '/settings', icon: Settings, key: ',' }
