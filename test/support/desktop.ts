import { startDesktop } from '../../scripts/lib/desktop.mjs'

/**
 * Gives this process and its children a separate display, clipboard and keychain, and returns how to end them. Does
 * nothing outside Linux, or if the only test process already has such a desktop.
 */
export async function startTestDesktop(workers: number): Promise<() => Promise<void>> {
  if (process.platform !== 'linux' || (workers === 1 && process.env.PRIVATE_DESKTOP)) return async () => {}
  const { env, stop } = await startDesktop()
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name]
  Object.assign(process.env, env)
  return stop
}
