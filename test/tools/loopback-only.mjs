import { run } from '../../scripts/lib/processes.mjs'
import { isSuperuser } from '../../scripts/lib/project.mjs'

/** Arguments of `unshare` that run a command and its children in a network namespace with only loopback. */
const enterCommand = [
  ...(isSuperuser ? [] : ['--map-current-user', '--keep-caps']),
  '--net',
  'sh',
  '-c',
  'ip link set lo up && exec "$@"',
  'sh',
]

/**
 * Returns how to start a command with access to loopback only, or undefined if that is not possible.
 * @returns {Promise<{ command: string, args: readonly string[] } | undefined>}
 */
export async function loopbackOnly() {
  if (process.platform !== 'linux') return undefined
  const { code } = await run('unshare', [...enterCommand, 'true'], { keepOutput: true })
  return code === 0 ? { command: 'unshare', args: enterCommand } : undefined
}
