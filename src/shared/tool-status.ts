import type { KeyProblem, SetupView, ToolStatus } from './contract'

/** Status of a setup. `relayOff`, `overridden` and key problems: the settings are unchanged, but requests fail. */
export type ToolStatusKind = ToolStatus | 'relayOff' | 'overridden' | 'outdated' | KeyProblem

export type SetupFacts = Pick<SetupView, 'status' | 'relayOff' | 'conflicts' | 'isOutdated'> & {
  readonly applied?: Pick<NonNullable<SetupView['applied']>, 'keyProblem'> | undefined
}

export function getToolStatusKind(setup: SetupFacts): ToolStatusKind {
  const { status, relayOff, conflicts = [], applied, isOutdated } = setup
  if (isOutdated) return 'outdated'
  if (status !== 'configured') return status
  if (applied?.keyProblem) return applied.keyProblem
  return relayOff ? 'relayOff' : conflicts.length > 0 ? 'overridden' : status
}
