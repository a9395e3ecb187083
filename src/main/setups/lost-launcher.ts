import type { Delivery, FileChange } from '@shared/contract'

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
