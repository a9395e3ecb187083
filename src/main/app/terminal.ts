import { spawn } from 'node:child_process'
import { AppError } from '@shared/failure'
import which from 'which'
import { type Confirm, requireConsent } from '../core/consent/consent'

/** A terminal program with arguments that open a shell in the working directory. */
interface Terminal {
  readonly program: string
  readonly args: (folder: string) => readonly string[]
}

/** Opens a terminal after confirmation. Fails with `input.declined`, or `input.invalid` without a terminal. */
export async function openTerminal(
  folder: string,
  confirm: Confirm,
  platform = process.platform,
  path = process.env.PATH,
): Promise<void> {
  const terminal = await findTerminal(platform, path)
  if (!terminal) throw new AppError('input.invalid', 'No terminal program was found on this computer.')
  await requireConsent(confirm, { kind: 'openTerminal', program: terminal.program, folder })
  await startTerminal(terminal, folder)
}

/** Terminal programs to try on Linux: first the user's or system's choice, then those of common desktops. */
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

/** Finds a terminal program. Returns undefined if none is installed. */
export async function findTerminal(
  platform: NodeJS.Platform,
  path: string | undefined = process.env.PATH,
): Promise<Terminal | undefined> {
  const findExecutable = async (name: string): Promise<string | undefined> =>
    (await which(name, { nothrow: true, ...(path === undefined ? {} : { path }) })) ?? undefined
  if (platform === 'darwin') return { program: '/usr/bin/open', args: (folder) => ['-a', 'Terminal', folder] }
  if (platform === 'win32') {
    const program = await findExecutable('wt.exe')
    return program === undefined ? undefined : { program, args: (folder) => ['-d', folder] }
  }
  for (const name of linuxTerminals) {
    const program = await findExecutable(name)
    if (program !== undefined) return { program, args: () => [] }
  }
  return undefined
}

/** Starts a detached terminal. Fails with `internal.unexpected`. */
function startTerminal({ program, args }: Terminal, folder: string): Promise<void> {
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
