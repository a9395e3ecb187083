import { z } from 'zod'
import { UpdatesView } from './app'
import { RelayView } from './relay'
import { SandboxView } from './sandbox'

const DataChangedEvent = z.strictObject({
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
const LinkTarget = z.strictObject({ path: z.string() })

/** Events from the main process to the window. The playground's schemas are loaded lazily. */
export const events = {
  /** The app or the command line changed data of these domains. The window must fetch it again. */
  'data.changed': () => DataChangedEvent,
  /** Progress of playground runs, batched for one or two frames. */
  'playground.progress': async () => {
    const { PlaygroundProgress } = await import('./playground-parts')
    return z.strictObject({ news: z.array(PlaygroundProgress) })
  },
  'relay.changed': () => RelayView,
  'sandbox.changed': () => SandboxView,
  'updates.changed': () => UpdatesView,
  'window.command': () => Command,
  /** Navigation by a menu or notification. */
  'window.navigate': () => LinkTarget,
}
