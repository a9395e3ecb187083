import type { Delivery, FileChange, ToolWarning } from '@shared/contract'
import { isLoopbackHost } from '../gateway/address'
import type { RelayPort } from '../routing/relay-host'
import { findConflicts, listConflictSources } from '../tools/conflicting-settings'
import type { EngineContext, ToolEnvironment } from '../tools/environment'
import type { LoginShell } from '../tools/login-shell'
import type { GuidedTarget, TargetInput, WrittenTarget } from '../tools/target'

/** What else to know before writing: what would win over it, its variable, what was never tried, a relay that is off. */
export async function moreWarnings(
  target: WrittenTarget,
  { input, place, loginShell, relay }: WarningContext,
): Promise<ToolWarning[]> {
  const { environment, disk } = place
  const rivals = await findConflicts(listConflictSources(target, input.delivery), { environment, loginShell, disk })
  return [
    ...rivals,
    ...(target.evidence.kind === 'docs' ? [{ code: 'notTried' as const }] : []),
    ...variable(input, place),
    ...(relay === undefined || (await relay.isOn())
      ? []
      : [{ code: 'relayNeeded' as const, subject: input.gatewayUrl }]),
  ]
}

interface WarningContext {
  readonly input: TargetInput
  readonly place: EngineContext
  readonly loginShell: LoginShell
  /** With a tool that is pointed at it. */
  readonly relay?: Pick<RelayPort, 'isOn'> | undefined
}

function variable({ delivery, variable, helperCommand }: TargetInput, { environment }: EngineContext): ToolWarning[] {
  if (delivery !== 'env' || helperCommand === undefined) return []
  const text = exportLine(variable, helperCommand, environment)
  return [{ code: 'variableNeeded', subject: variable, fix: 'copyLine', text }]
}

/** The line that gives a shell the key, each time a terminal opens; the key stays in the keychain. */
export function exportLine(variable: string, helperCommand: string, { platform, vars }: ToolEnvironment): string {
  if (platform === 'win32') return `$env:${variable} = & ${helperCommand}`
  if (vars.SHELL?.endsWith('/fish')) return `set -gx ${variable} (${helperCommand})`
  return `export ${variable}="$(${helperCommand})"`
}

/** What to know before pasting values into a tool. */
export function guideWarnings({ evidence, isRemote }: GuidedTarget, gatewayUrl: string): ToolWarning[] {
  return [
    ...(isRemote && isLoopbackHost(new URL(gatewayUrl).hostname)
      ? [{ code: 'remoteMaker' as const, subject: gatewayUrl }]
      : []),
    ...(evidence.kind === 'docs' ? [{ code: 'notTried' as const }] : []),
  ]
}

/** The program that tools call for the key; `lost` gives its text where it is not there. */
export interface LauncherFile {
  readonly path: string
  lost?(): string | undefined
}

const calling: readonly Delivery[] = ['helper', 'env']

/** That program, when a tool calls it and it is gone: carrying out any preview writes it again. */
export function lostLauncher(delivery: Delivery, { path, lost }: LauncherFile): FileChange[] {
  const text = calling.includes(delivery) ? lost?.() : undefined
  if (text === undefined) return []
  const lines = text.trimEnd().split(/\r?\n/)
  return [
    {
      path,
      action: 'create',
      holdsKey: false,
      lines: lines.map((line, index) => ({ kind: 'added', text: line, newLine: index + 1 })),
    },
  ]
}
