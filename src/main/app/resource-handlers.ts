import type { DomainHandlers } from '@shared/contract'
import type { Core } from '../compose/compose'
import { realDisk } from '../core/files/disk'
import type { FileDialogs } from '../core/ports'
import type { KeyCopier, PendingKeys } from '../plans/key-clipboard'
import { Resources } from '../platform/resources/resources'
import { createResourceFiles } from '../platform/resources/result-export'
import { createHeldSecrets } from '../platform/resources/secret-store'
import { bind, type RunningCalls } from './bridge'

interface ResourceHandlerDeps {
  readonly core: Pick<Core, 'connections' | 'operations' | 'platformSecrets' | 'secretNotes' | 'inferenceKeys'>
  readonly pending: PendingKeys
  readonly copier: Pick<KeyCopier, 'copy'>
  readonly dialogs: Pick<FileDialogs, 'save'>
  readonly calls: RunningCalls
}

export const containerHandlers = ({
  core: { connections },
  calls,
}: Pick<ResourceHandlerDeps, 'core' | 'calls'>): DomainHandlers<'containers'> => ({
  'containers.check': async ({ callId, ...request }) => {
    const { checkContainer } = await import('../platform/containers/check')
    return calls.run(callId, (signal) => checkContainer(request, { signal }))
  },
  'containers.callEndpoint': async ({ callId, connectionId, ...request }) => {
    const { callEndpoint } = await import('../platform/containers/check')
    const [client, send] = await Promise.all([connections.client(connectionId), connections.getSend(connectionId)])
    return calls.run(callId, (signal) => callEndpoint(request, { client, send, signal }))
  },
})

export function resourceHandlers({
  core: { connections, operations, inferenceKeys, platformSecrets, secretNotes },
  pending,
  copier,
  dialogs,
  calls,
}: ResourceHandlerDeps): DomainHandlers<'resources'> {
  const captured = createHeldSecrets(() => new Date())
  const resources = new Resources({ pending, held: captured, connections, operations })
  const runCancellable = <T>(callId: string | undefined, run: (signal?: AbortSignal) => Promise<T>): Promise<T> =>
    callId === undefined ? run() : calls.run(callId, run)
  return {
    ...bind('resources', resources),
    ...bind('resources', createResourceFiles({ dialogs, disk: realDisk })),
    'resources.call': ({ callId, ...request }) => runCancellable(callId, (signal) => resources.call(request, signal)),
    'resources.every': ({ callId, ...request }) => runCancellable(callId, (signal) => resources.every(request, signal)),
    'resources.rows': ({ callId, ...request }) => runCancellable(callId, (signal) => resources.rows(request, signal)),
    'resources.takeSecret': () => pending.takeFromClipboard({ isExact: true }),
    'resources.copySecret': async ({ handle }) => {
      const { secret, facts } = captured.get(handle)
      const result = await copier.copy(secret)
      await secretNotes.note('secretCopied', facts)
      return result
    },
    'resources.keepSecret': ({ handle, ...as }) =>
      platformSecrets.keep(captured.get(handle, as.connectionId).secret, as),
    'resources.keptSecrets': ({ connectionId }) => platformSecrets.list(connectionId),
    'resources.copyKept': async ({ id }) => {
      const result = await copier.copy(await platformSecrets.readSecret(id))
      await secretNotes.note('secretCopied', platformSecrets.find(id))
      return result
    },
    'resources.forgetKept': ({ id }) => platformSecrets.forget(id),
    'resources.useForInference': async ({ connectionId, of }) => {
      // A secret is only used with the connection that returned it.
      const { secret, facts } =
        'handle' in of
          ? captured.get(of.handle, connectionId)
          : {
              secret: await platformSecrets.readSecret(of.keptId, connectionId),
              facts: platformSecrets.find(of.keptId),
            }
      const { id, addresses } = connections.find(connectionId)
      await inferenceKeys.keep(id, addresses.inferenceUrl, secret)
      await secretNotes.note('secretSetForInference', facts)
    },
  }
}
