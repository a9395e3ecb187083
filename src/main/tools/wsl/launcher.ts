import { toMount } from './paths'

/** Where the launcher of this app and the command interpreter of Windows are, as Windows writes paths. */
export type WindowsLauncher = {
  readonly launcher: string
  readonly systemRoot?: string
  /** Where the distribution has the drives of Windows. */
  readonly mountRoot?: string
}

/**
 * The helper command as a program and its arguments inside a distribution. Linux starts no `.cmd`, so `cmd.exe` does, by
 * its `/mnt` path, and is given the launcher as Windows writes it. Undefined where that cannot be quoted safely: `cmd`
 * takes its line apart once more and keeps the quotes around a path only while nothing in the line is special to it
 * (`cmd /?`); then another way to deliver the key has to do. Not tried on Windows.
 */
export function wslHelperArgv(
  { launcher, systemRoot = 'C:\\Windows', mountRoot = '/mnt' }: WindowsLauncher,
  args: readonly string[],
): string[] | undefined {
  const interpreter = toMount(`${systemRoot}\\System32\\cmd.exe`, mountRoot)
  const isSafe =
    /^[A-Za-z]:\\[^&<>()@^|%!"';,=`*?/\p{Cc}]+$/u.test(launcher) && args.every((arg) => /^[\w.-]+$/.test(arg))
  return interpreter !== undefined && isSafe ? [interpreter, '/d', '/c', launcher, ...args] : undefined
}
