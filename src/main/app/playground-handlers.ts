import type { ConnectionView, DomainHandlers, PlaygroundConnection } from '@shared/contract'
import type { Core } from '../compose/compose'
import type { Confirm } from '../core/consent/consent'
import { realDisk } from '../core/files/disk'
import type { FileDialogs } from '../core/ports'
import type { PendingKeys } from '../plans/key-clipboard'
import { PlaygroundFiles } from '../playground/playground-dialogs'
import { bind, type RunningCalls } from './bridge'
import type { WindowPlayground } from './compose-app'

interface PlaygroundParts {
  readonly core: Pick<Core, 'connections' | 'inferenceKeys'>
  readonly playground: WindowPlayground
  readonly confirm: Confirm
  readonly pending: PendingKeys
  readonly dialogs: Pick<FileDialogs, 'openMany' | 'save'>
  readonly calls: RunningCalls
}

/** Wraps a handler to call `onChanged` after each change. */
const notifyAfter =
  <I, O>(change: (input: I) => Promise<O>, onChanged: () => void) =>
  async (input: I): Promise<O> => {
    const output = await change(input)
    onChanged()
    return output
  }

export function playgroundHandlers({
  core: { connections, inferenceKeys },
  playground: { chats, asking, comparisons, ground, mcpClients, models },
  confirm,
  pending,
  dialogs,
  calls,
}: PlaygroundParts): DomainHandlers<'playground'> {
  const { store, runs, onChanged } = ground
  const files = new PlaygroundFiles({ store, onChanged, dialogs, disk: realDisk })
  const toPlaygroundConnection = ({ id, name, addresses, tokenSource }: ConnectionView): PlaygroundConnection => {
    const storedKey = inferenceKeys.masked(id, addresses.inferenceUrl)
    return {
      connectionId: id,
      name,
      hasIam: tokenSource !== undefined,
      ...(storedKey === undefined ? {} : { kept: storedKey }),
    }
  }
  return {
    ...bind('playground', chats),
    ...bind('playground', files),
    'playground.connections': () =>
      connections
        .list()
        .filter(({ addresses }) => addresses.inferenceUrl)
        .map(toPlaygroundConnection),
    'playground.models': async (source) => [...(await models(source))],
    'playground.keepApiKey': async ({ connectionId, pendingId }) => {
      const { id, addresses } = connections.find(connectionId)
      await inferenceKeys.keep(id, addresses.inferenceUrl, pending.get(pendingId))
      pending.forget(pendingId)
      onChanged()
      return toPlaygroundConnection(connections.find(id))
    },
    'playground.forgetApiKey': async ({ connectionId }) => {
      await inferenceKeys.forget(connectionId)
      onChanged()
      return toPlaygroundConnection(connections.find(connectionId))
    },

    'playground.conversations': async (query) => {
      const { items, next } = await store.conversations(query)
      return { items: [...items], ...(next === undefined ? {} : { next }) }
    },
    'playground.conversation': ({ id }) => store.conversation(id),
    'playground.messages': ({ conversationId, ids }) => chats.messages(conversationId, ids),
    'playground.choose': ({ conversationId, messageId }) => store.chooseBranch(conversationId, messageId),
    'playground.editAnswer': notifyAfter(
      ({ conversationId, messageId, text }) => store.editAnswer(conversationId, messageId, text),
      onChanged,
    ),
    'playground.outline': async ({ id }) => [...(await store.outline(id))],
    'playground.find': async ({ conversationId, messageId, text }) => [
      ...(await store.findMessages(conversationId, messageId, text)),
    ],
    'playground.setUp': notifyAfter(({ id, setup }) => store.setUp(id, setup), onChanged),
    'playground.rename': notifyAfter(({ id, title }) => store.rename(id, title), onChanged),
    'playground.pin': notifyAfter(({ id, isPinned }) => store.pin(id, isPinned), onChanged),
    'playground.remove': notifyAfter(({ id }) => chats.remove(id), onChanged),
    'playground.restore': notifyAfter(({ id }) => store.restore(id), onChanged),
    'playground.import': async () => ({ conversationIds: await files.import() }),
    'playground.draft': ({ key }) => store.draft(key),
    'playground.saveDraft': ({ key, draft }) => store.saveDraft(key, draft),
    'playground.attachments': async ({ ids }) => [...(await store.attachments(ids))],
    'playground.attachmentContent': async ({ id }) => ({ content: await chats.attachmentContent(id) }),

    'playground.mcpTools': ({ callId, server }) =>
      calls.run(callId, (signal) => mcpClients.listTools(server, { confirm, signal })),
    'playground.callMcpTool': ({ callId, ...call }) =>
      calls.run(callId, (signal) => mcpClients.call(call, { confirm, signal })),
    'playground.runs': ({ ids }) => chats.runs(ids),
    'playground.stop': ({ runIds }) => runs.stop(runIds),
    'playground.inspect': ({ runId }) => chats.inspect(runId),
    'playground.code': async (request) => ({ code: await chats.code(request) }),
    'playground.complete': (request) => asking.complete(request),
    'playground.embed': ({ callId, ...request }) => calls.run(callId, (signal) => asking.embed(request, signal)),

    'playground.comparisons': async () => [...(await store.comparisons())],
    'playground.comparison': ({ id }) => comparisons.get(id),
    'playground.saveComparison': ({ id, setup }) => comparisons.save(id, setup),
    'playground.pinComparison': notifyAfter(({ id, isPinned }) => store.pinComparison(id, isPinned), onChanged),
    'playground.removeComparison': notifyAfter(({ id }) => comparisons.remove(id), onChanged),
    'playground.restoreComparison': notifyAfter(({ id }) => store.restoreComparison(id), onChanged),
    'playground.runComparison': (request) => comparisons.run(request),
    'playground.rateAnswer': (request) => comparisons.rate(request),
    'playground.importComparisons': async () => ({ comparisonIds: await files.importComparisons() }),

    'playground.prompts': async () => [...(await store.prompts())],
    'playground.prompt': ({ id }) => store.prompt(id),
    'playground.savePrompt': notifyAfter((draft) => store.savePrompt(draft), onChanged),
    'playground.removePrompt': notifyAfter(({ id }) => store.removePrompt(id), onChanged),
    'playground.restorePrompt': notifyAfter(({ id }) => store.restorePrompt(id), onChanged),
    'playground.exportPrompts': ({ ids }) => files.exportPrompts(ids),
    'playground.importPrompts': async () => ({ promptIds: await files.importPrompts() }),
  }
}
