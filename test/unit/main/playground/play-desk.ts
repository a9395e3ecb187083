import type { PlaygroundProgress, PlaygroundRun, PlaygroundSetup, PlaygroundTarget } from '@shared/contract'
import type { ApiStandard } from '@shared/contract/common'
import type { PlanQuota } from '@shared/contract/quota'
import { onTestFinished, vi } from 'vitest'
import { createPlayground } from '../../../../src/main/compose/playground'
import { Secret } from '../../../../src/main/core/secret'
import type { KeptRun } from '../../../../src/main/playground/store/store'
import type { LedgerEntry } from '../../../../src/main/usage/ports'
import { MemoryKeychain } from '../../../support/memory-keychain'
import { createTestCore } from '../../support/core'
import { makeFolder } from '../../support/folders'
import { serve } from '../gateway/answering-server'
import { localStore } from './local-store'

export type PlaygroundHarness = ReturnType<typeof createPlaygroundHarness>

/**
 * Creates a test environment of the playground with real features, database and HTTP, which records its events. It
 * closes at the end of the test.
 */
export function createPlaygroundHarness({ quotas }: { quotas?: () => readonly PlanQuota[] } = {}) {
  const folder = makeFolder()
  const keychain = new MemoryKeychain()
  const sentProgress: PlaygroundProgress[] = []
  const ledgerEntries: LedgerEntry[] = []
  const logEntries: unknown[] = []
  const note = (...line: unknown[]) => logEntries.push(line)
  const core = createTestCore(folder, keychain, { info: note, error: note })
  const store = localStore(folder)
  const playground = createPlayground(core, {
    store,
    sendProgress: (news) => sentProgress.push(...news),
    onChanged: () => undefined,
    addUsage: (entries) => ledgerEntries.push(...entries),
    countTokens: async (texts) => texts.map((text) => text.split(/\s+/).length),
    ...(quotas ? { quotas } : {}),
  })
  onTestFinished(async () => {
    await playground.end()
    await core.end()
  })
  const waitForRun = async (runId: string): Promise<KeptRun> => {
    await vi.waitFor(() => {
      if (playground.ground.runs.live(runId)) throw new Error('the run is still in progress')
    }, 10_000)
    const [savedRun] = await store.runs([runId])
    if (!savedRun) throw new Error('the run was not saved')
    return { ...savedRun, wire: await store.wire(runId) }
  }
  let plans = 0
  return {
    core,
    playground,
    store,
    folder,
    keychain,
    told: sentProgress,
    noted: ledgerEntries,
    logged: logEntries,
    /** Waits until a run is finished and saved. */
    over: waitForRun,
    /** Adds a plan and returns its id. */
    async addPlan(gatewayUrl: string, key: string, models: readonly string[] = ['aurora-small', 'aurora-large']) {
      plans += 1
      return (await core.plans.add({ name: `plan-${plans}`, gatewayUrl, models }, new Secret(key))).id
    },
    /** Sends a message as a new conversation and returns the result. */
    async ask(target: PlaygroundTarget, text = 'Say hello', setup: Partial<PlaygroundSetup> = {}): Promise<KeptRun> {
      const wholeSetup = { system: '', parameters: {}, ...setup, target }
      const { runId } = await playground.chats.send({ message: { text, attachments: [] }, setup: wholeSetup })
      return waitForRun(runId)
    },
  }
}

type Reply = (messages: readonly unknown[], count: number) => { readonly status?: number; readonly body: unknown }

export const chatReply = (content: string, usage?: object) => ({
  body: { choices: [{ message: { content }, finish_reason: 'stop' }], usage },
})

/** Starts a playground with a local model server that answers with `reply` as JSON. */
export async function startLocalModel(
  reply: Reply = (_, count) => chatReply(`Answer ${count}`),
  { standard = 'chat-completions', system = '' }: { standard?: ApiStandard | undefined; system?: string } = {},
) {
  const requests = () => server.received.map(({ body }) => JSON.parse(body))
  const server = await serve((_, response) => {
    const { status = 200, body } = reply(requests().at(-1).messages, server.received.length)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  const play = createPlaygroundHarness()
  const { chats } = play.playground
  const target: PlaygroundTarget = { kind: 'local', url: server.url, standard, modelCode: 'm' }
  const setup = { target, system, parameters: {} }
  const send = async (
    text: string,
    place: { conversationId?: string; parentId?: string } = {},
    files: { attachments?: string[]; toolResults?: { callId: string; text: string }[] } = {},
  ) => {
    const sentMessage = await chats.send({ ...place, message: { text, attachments: [], ...files }, setup })
    return { ...sentMessage, ...(await play.over(sentMessage.runId)) }
  }
  return { play, chats, target, setup, send, requests }
}

/** Place of a message that continues a conversation after an answer. */
export const toReplyPlace = ({ conversationId, runId }: { conversationId: string; runId: string }) => ({
  conversationId,
  parentId: runId,
})

/** Merges the progress events of a run as the window does. */
export function listReportedProgress(progressEvents: readonly PlaygroundProgress[], runId: string) {
  let text = ''
  const runs: PlaygroundRun[] = []
  for (const { text: chunk, run } of progressEvents.filter((event) => event.runId === runId)) {
    if (chunk && chunk.at !== text.length) throw new Error(`a piece at ${chunk.at} instead of ${text.length}`)
    text += chunk?.piece ?? ''
    if (run) runs.push(run)
  }
  return { text, runs }
}
