/** The system clipboard; text only. */
export interface ClipboardPort {
  readText(): Promise<string>
  writeText(text: string): Promise<void>
}

/** The time now, so that tests can choose it. */
export type Clock = () => Date

/** Writes to the app's log; every text is redacted before it is kept. */
export interface Log {
  info(event: string, details?: Readonly<Record<string, unknown>>): void
  error(event: string, error: unknown): void
}
