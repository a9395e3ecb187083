import type { DomainHandlers } from '@shared/contract'
import type { Core } from '../compose/compose'
import type { Confirm } from '../core/consent/consent'
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
  const files = new PlaygroundFiles({ store, onChanged, dialogs })
  return {
    ...bind('playground', asking),
    ...bind('playground', chats),
    ...bind('playground', files),
    'playground.connections': () =>
      connections
        .list()
        .filter(({ addresses }) => addresses.inferenceUrl)
        .map(({ id, name, addresses, tokenSource }) => {
          const kept = inferenceKeys.masked(id, addresses.inferenceUrl)
          return { connectionId: id, name, hasIam: tokenSource !== undefined, ...(kept !== undefined && { kept }) }
        }),
    'playground.models': async (source) => [...(await models(source))],
    'playground.keepApiKey': async ({ connectionId, pendingId }) => {
      const { id, addresses } = connections.find(connectionId)
      await pending.use(pendingId, (secret) => inferenceKeys.keep(id, addresses.inferenceUrl, secret))
      onChanged()
    },
    'playground.forgetApiKey': notifyAfter(({ connectionId }) => inferenceKeys.forget(connectionId), onChanged),

    'playground.conversations': (query) => store.conversations(query),
    'playground.conversation': ({ id }) => store.conversation(id),
    'playground.choose': ({ conversationId, messageId }) => store.chooseBranch(conversationId, messageId),
    'playground.editAnswer': notifyAfter(
      ({ conversationId, messageId, text }) => store.editAnswer(conversationId, messageId, text),
      onChanged,
    ),
    'playground.outline': ({ id }) => store.outline(id),
    'playground.find': ({ conversationId, messageId, text }) => store.findMessages(conversationId, messageId, text),
    'playground.setUp': notifyAfter(({ id, setup }) => store.setUp(id, setup), onChanged),
    'playground.rename': notifyAfter(({ id, title }) => store.rename(id, title), onChanged),
    'playground.pin': notifyAfter(store.pin, onChanged),
    'playground.restore': notifyAfter(store.restore, onChanged),
    'playground.draft': ({ key }) => store.draft(key),
    'playground.saveDraft': ({ key, draft }) => store.saveDraft(key, draft),
    'playground.attachments': ({ ids }) => store.attachments(ids),

    'playground.mcpTools': ({ callId, server }) =>
      calls.run(callId, (signal) => mcpClients.listTools(server, { confirm, signal })),
    'playground.callMcpTool': ({ callId, ...call }) =>
      calls.run(callId, (signal) => mcpClients.call(call, { confirm, signal })),
    'playground.stop': ({ runIds }) => runs.stop(runIds),
    'playground.embed': ({ callId, ...request }) => calls.run(callId, (signal) => asking.embed(request, signal)),

    'playground.comparisons': () => store.comparisons(),
    'playground.comparison': ({ id }) => comparisons.get(id),
    'playground.saveComparison': ({ id, setup }) => comparisons.save(id, setup),
    'playground.runComparison': (request) => comparisons.run(request),
    'playground.rateAnswer': (request) => comparisons.rate(request),

    'playground.prompts': () => store.prompts(),
    'playground.prompt': ({ id }) => store.prompt(id),
    'playground.savePrompt': notifyAfter(store.savePrompt, onChanged),
  }
}
