import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { HelperRun } from './tools/tool-settings'

const run = promisify(execFile)

/** Runs a helper command through the shell, as the tools do, within 15 s; its output goes nowhere but to the caller. */
export const runHelper: HelperRun = async (command) => {
  const [shell, flag] = process.platform === 'win32' ? ['cmd.exe', '/c'] : ['/bin/sh', '-c']
  const { stdout } = await run(shell, [flag, command], { timeout: 15_000, windowsHide: true })
  return stdout
}
