import { execFile } from 'node:child_process'

/** Runs `wsl.exe` with arguments and resolves with the bytes it printed. Rejects when it fails or takes too long. */
export type WslRun = (args: readonly string[]) => Promise<Uint8Array>

const TIME_LIMIT_MS = 15_000

/** The `wsl.exe` of this machine, without a shell between. The first call may have to start the distribution. */
export const runWsl: WslRun = (args) =>
  new Promise((resolve, reject) => {
    const options = { encoding: 'buffer', timeout: TIME_LIMIT_MS, windowsHide: true } as const
    const child = execFile('wsl.exe', args, options, (error, stdout) => (error ? reject(error) : resolve(stdout)))
    child.stdin?.on('error', () => undefined).end()
  })
