import { z } from 'zod'
import { UpdatesView } from './app'
import { RelayView } from './relay'
import { SandboxView } from './sandbox'

const DataChanged = z.strictObject({
  domains: z.array(
    z.enum([
      'account',
      'app',
      'connections',
      'handouts',
      'mcp',
      'operations',
      'plans',
      'playground',
      'profiles',
      'quota',
      'register',
      'resources',
      'rotation',
      'settings',
      'team',
      'tools',
      'usage',
    ]),
  ),
})
const Command = z.strictObject({ command: z.enum(['palette', 'help', 'sidebar']) })
const Place = z.strictObject({ path: z.string() })

/** Events from the main process to the window. The playground's schemas are loaded lazily. */
export const events = {
  /** Data of these domains changed here or by the command line. Refetch it. */
  'data.changed': () => DataChanged,
  /** Answers as they come, gathered for a frame or two. */
  'playground.progress': async () => {
    const { PlaygroundProgress } = await import('./playground-parts')
    return z.strictObject({ news: z.array(PlaygroundProgress) })
  },
  'relay.changed': () => RelayView,
  'sandbox.changed': () => SandboxView,
  'updates.changed': () => UpdatesView,
  /** A command from the app's menu. */
  'window.command': () => Command,
  /** A menu or a notification asks the window to go somewhere. */
  'window.navigate': () => Place,
}
