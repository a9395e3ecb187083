import { AppError } from '@shared/failure'
import type { GuidedTarget, Target, WrittenTarget } from '../target'
import { claudeCode } from './claude-code'
import { claudeDesktop } from './claude-desktop'
import { vscodeCopilot, zed } from './code-editors'
import { codex } from './codex'
import { continueCli } from './continue'
import { cherryStudio, cursor, jetBrains, roo } from './guided'
import { kilo, openCode } from './opencode'
import { crush, droid, goose, nanocoder, pi } from './provider-tools'
import { qwenCode } from './qwen-code'
import { aichat, aider, cline, copilotCli, junie, openHands } from './simple-tools'

/** All known tools in display order. */
export const targets: readonly Target[] = [
  claudeCode,
  openCode,
  kilo,
  qwenCode,
  continueCli,
  cline,
  pi,
  copilotCli,
  droid,
  nanocoder,
  crush,
  zed,
  vscodeCopilot,
  claudeDesktop,
  aider,
  goose,
  aichat,
  openHands,
  junie,
  cursor,
  jetBrains,
  roo,
  cherryStudio,
  codex,
]

export const writtenTargets: readonly WrittenTarget[] = targets.filter((target) => target.kind === 'written')

/** Finds a target. Fails with `tool.notFound`. */
export function anyTarget(toolId: string): Target {
  const target = targets.find(({ id }) => id === toolId)
  if (target) return target
  const knownIds = targets.map(({ id }) => id).join(', ')
  throw new AppError('tool.notFound', `There is no tool ${toolId}. There are: ${knownIds}.`)
}

/** Finds a target that this app writes. Fails with `tool.notFound` or `tool.notWritten`. */
export function writtenTarget(toolId: string): WrittenTarget {
  const target = anyTarget(toolId)
  if (target.kind === 'written') return target
  throw new AppError('tool.notWritten', `${target.name} is configured in its own window, so there is no file to write.`)
}

/** Finds a target that the user configures with a guide. Fails with `tool.notFound`. */
export function guidedTarget(toolId: string): GuidedTarget {
  const target = anyTarget(toolId)
  if (target.kind === 'guided') return target
  throw new AppError('tool.notFound', `${target.name} is not configured manually.`)
}
