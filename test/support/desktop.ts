import { startDesktop } from '../../scripts/lib/desktop.mjs'

/**
 * Gives this process, and all that it starts, a screen, a clipboard and a keychain that no other process of the tests has; returns how
 * to end them. Outside Linux, and where the only process of the tests already has such a desktop around it, there is nothing to do.
 */
export async function enterDesktop(workers: number): Promise<() => Promise<void>> {
  if (process.platform !== 'linux' || (workers === 1 && process.env.PRIVATE_DESKTOP)) return async () => {}
  const { env, stop } = await startDesktop()
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name]
  Object.assign(process.env, env)
  return stop
}
