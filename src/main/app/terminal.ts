import { spawn } from 'node:child_process'
import { AppError } from '@shared/failure'
import which from 'which'
import { type Confirm, requireConsent } from '../core/consent/consent'

/** A program that shows a shell, with its arguments to begin in the folder that it is started in. */
interface Terminal {
  readonly program: string
  readonly args: (folder: string) => readonly string[]
}

/** The terminals of this machine. */
export interface TerminalPort {
  readonly find: () => Promise<Terminal | undefined>
  readonly start: (terminal: Terminal, folder: string) => Promise<void>
}

/** Opens a terminal in a folder once the person agreed. Fails with `input.declined`, and `input.invalid` where there is none. */
export async function openTerminal(
  folder: string,
  { find, start, confirm }: TerminalPort & { readonly confirm: Confirm },
): Promise<void> {
  const terminal = await find()
  if (!terminal) throw new AppError('input.invalid', 'No terminal program was found on this computer.')
  await requireConsent(confirm, { kind: 'openTerminal', program: terminal.program, folder })
  await start(terminal, folder)
}

/** What there may be on Linux: what the person or the system chose, then those that the desktops have. */
const linuxTerminals: readonly string[] = [
  'x-terminal-emulator',
  'gnome-terminal',
  'kgx',
  'ptyxis',
  'konsole',
  'xfce4-terminal',
  'mate-terminal',
  'kitty',
  'alacritty',
  'wezterm',
  'foot',
  'xterm',
]

/** The terminal of this desktop; undefined where none is found. */
export async function findTerminal(
  platform: NodeJS.Platform,
  path: string | undefined = process.env.PATH,
): Promise<Terminal | undefined> {
  const find = async (name: string): Promise<string | undefined> =>
    (await which(name, { nothrow: true, ...(path === undefined ? {} : { path }) })) ?? undefined
  if (platform === 'darwin') return { program: '/usr/bin/open', args: (folder) => ['-a', 'Terminal', folder] }
  if (platform === 'win32') {
    const program = await find('wt.exe')
    return program === undefined ? undefined : { program, args: (folder) => ['-d', folder] }
  }
  for (const name of linuxTerminals) {
    const program = await find(name)
    if (program !== undefined) return { program, args: () => [] }
  }
  return undefined
}

/** Starts a terminal in a folder and lets it go. Fails with `internal.unexpected` where it does not start. */
export function startTerminal({ program, args }: Terminal, folder: string): Promise<void> {
  const child = spawn(program, args(folder), { cwd: folder, detached: true, stdio: 'ignore' })
  return new Promise((resolve, reject) => {
    child.once('spawn', () => {
      child.unref()
      resolve()
    })
    child.once('error', (cause) =>
      reject(new AppError('internal.unexpected', `The terminal ${program} did not start.`, { cause })),
    )
  })
}
