import { PlanName } from '@shared/contract'
import { type Command, InvalidArgumentError, Option } from 'commander'

/** The option that names the connection. */
export const addConnectionOption = (command: Command): Command =>
  command.option('--connection <connection>', 'name or id (default: the active one)')

/** The option without which nothing is changed. */
export const yes = (what: string): Option => new Option('--yes', `really ${what}; without it, say what would happen`)

/** A plan name by the rule of the spec ("Limits"). */
export function readPlanName(text: string): string {
  if (PlanName.safeParse(text).success) return text
  throw new InvalidArgumentError('Use a-z A-Z 0-9 _ - . only, at most 50 characters.')
}
