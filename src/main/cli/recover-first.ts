import type { CommandContext } from './context'
import { inLine } from './output'

/** Takes back what a kill cut off before anything else is done, and tells so on standard error. */
export async function recoverFirst({ core, output }: CommandContext): Promise<void> {
  const { tools } = await core.loadTools()
  const { undone, left, waiting = [] } = await tools.tellRecovery()
  const tell = (line: string): void => output.err(`companion: ${inLine(line)}\n`)
  if (undone.length > 0) {
    const names = [...new Set(undone.map(({ toolId }) => toolId))].join(', ')
    tell(`The last change was cut off and is taken back: ${names}.`)
  }
  for (const path of left) tell(`Changed by something else since, and left as it is: ${path}`)
  for (const path of waiting)
    tell(
      `Not restored yet, because a key in it is in the locked keychain. Unlock the keychain, then run this again: ${path}`,
    )
}
