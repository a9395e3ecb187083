import type { Core } from '../compose'
import type { Output, Pipes } from './output'

/** What every command gets: the features, where to write, and standard input and output. */
export interface CommandContext {
  readonly core: Core
  readonly output: Output
  /** All of standard input as text. */
  readonly readStdin: () => Promise<string>
  /** A file as text, or standard input for `-`. Fails with `file.unreadable`. */
  readonly readFile: (path: string) => Promise<string>
  /** Standard input and output for what is longer than one text. */
  readonly pipes: Pipes
}
