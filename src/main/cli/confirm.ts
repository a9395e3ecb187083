import { AppError } from '@shared/failure'
import { inLine, type Output } from './output'

/** The option of commands that destroy something, stop something, or pay. */
export interface YesOption {
  readonly yes?: boolean
}

/** Tells on standard error what will happen. Without `--yes` it stays at that: fails with `input.invalid`. */
export function confirm(output: Output, lines: readonly string[], { yes = false }: YesOption): void {
  for (const line of lines) output.err(`${inLine(line)}\n`)
  if (!yes) throw new AppError('input.invalid', 'Nothing was changed. Add --yes to do this.', { field: 'yes' })
}
