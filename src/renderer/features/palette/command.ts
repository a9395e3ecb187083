import type { LucideIcon } from 'lucide-react'

/** The groups of commands, in the order they are listed. */
export const commandGroups = [
  'go',
  'connections',
  'tools',
  'plans',
  'usage',
  'keys',
  'playground',
  'platform',
  'window',
] as const

/** Something the palette can do. */
export interface Command {
  readonly id: string
  readonly group: (typeof commandGroups)[number]
  readonly label: string
  readonly icon: LucideIcon
  readonly keys?: readonly string[]
  /** More words it is found by. */
  readonly also?: string
  readonly run: () => void
}
