import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { z } from 'zod'
import { addPlan, expect, findSandboxKey, teamPlan, test } from '../support/cli-desk'
import { modelRequests, toCounts, UsageShares } from '../support/gateway-counts'
import { startLocalServer } from '../support/local-server'
import { killRelays, startRelay } from '../support/relay-command'
import { writeUserFile } from '../support/tools'
import { codex } from './real-tools'
import { addToPath, recordTriedVersion, runPrompt } from './tool-runs'

const Chat = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })),
})

test.afterEach(killRelays)

test('codex answers through the relay, its tokens are counted, and its settings are restored', async ({ harness }) => {
  const { machine, succeed, sandbox, key } = harness
  const version = addToPath(codex, machine)
  const ownConfig =
    'model = "mine" # my own\nmodel_provider = "elsewhere"\nprofile = "old"\n\n[model_providers.elsewhere]\nname = "Elsewhere"\nwire_api = "chat"\n'
  const ownFile = join(machine.home, '.codex/config.toml')
  writeUserFile(ownFile, ownConfig)
  expect(await succeed('configure', 'codex', '--plan', teamPlan)).toContain('/t/codex/v1/responses\n')
  expect(await succeed('tools')).toMatch(/codex .* overridden/)
  const relay = await startRelay(machine)
  expect((await runPrompt(codex, machine, { prompt: 'Does it start?', key })).code).not.toBe(0)
  const conflictNames = ['profile', 'model_providers.elsewhere.wire_api']
  await succeed('configure', 'codex', '--plan', teamPlan, '--take-out', ...conflictNames)
  expect(await succeed('tools')).toMatch(/codex .* configured/)
  for (const prompt of ['Reply with the word PONG.', 'Say hello in Vietnamese.']) {
    const { code, out, err } = await runPrompt(codex, machine, { prompt, key })
    expect(code, err).toBe(0)

    if (prompt.includes('PONG')) expect(out).toMatch(/\bPONG\b/)
  }
  expect((await relay.stop()).code).toBe(0)

  const requests = modelRequests(await sandbox.control('/requests'))
  const chatRequests = requests.filter(({ path }) => path === '/v1/chat/completions')
  expect(chatRequests.every(({ status }) => status === 200)).toBe(true)
  const shares = UsageShares.parse(JSON.parse(await succeed('usage', '--source', 'relay', '--by', 'tool', '--json')))
  expect(shares).toMatchObject([{ id: 'codex', ...toCounts(chatRequests) }])

  const restartedRelay = await startRelay(machine)
  expect(await succeed('verify', 'codex')).toContain('responded')
  expect(await succeed('doctor', 'codex')).toContain(`${restartedRelay.address}/t/codex/v1/responses`)
  await succeed('restore', 'codex')
  expect(readFileSync(ownFile, 'utf8')).toBe(ownConfig)
  recordTriedVersion({ ...codex, requestLine: 'POST /v1/responses' }, version)
})

test('codex runs the commands that a model requests concurrently, and the model gets their results', async ({
  harness,
}) => {
  const { machine, succeed, sandbox, key } = harness
  addToPath(codex, machine)
  const gateway = await startScriptedGateway()
  await addPlan(machine, {
    name: 'scripted',
    gateway: gateway.url,
    key: findSandboxKey(sandbox),
    models: ['aurora-large'],
  })
  await succeed('configure', 'codex', '--plan', 'scripted')
  await startRelay(machine)
  const { code, out, err } = await runPrompt(codex, machine, { prompt: 'Run two commands.', key })
  await gateway.stop()
  expect(code, err).toBe(0)
  expect(out).toContain('The tools said: first-result second-result')
  expect(gateway.chats).toHaveLength(2)
})

/** Starts a gateway whose model requests two shell commands and then repeats their output. */
async function startScriptedGateway() {
  const chats: z.infer<typeof Chat>[] = []
  const server = createServer(async (request, response) => {
    if (request.url !== '/v1/chat/completions') return response.writeHead(404).end('{}')
    const chat = Chat.parse(await json(request))
    chats.push(chat)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const delta of nextDeltas(chat)) {
      response.write(`data: ${JSON.stringify({ id: `chatcmpl-${chats.length}`, choices: [{ index: 0, delta }] })}\n\n`)
    }
    response.end('data: [DONE]\n\n')
  })
  return { ...(await startLocalServer(server)), chats }
}

function nextDeltas({ messages, tools }: z.infer<typeof Chat>): readonly object[] {
  const results = messages.flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : []))
  const printedResults = results.flatMap((result) => /\w+-result/.exec(result) ?? [])
  if (results.length > 0) return [{ content: 'The tools said: ' }, { content: printedResults.join(' ') }]
  const name = tools.find((tool) => tool.function.name === 'exec_command')?.function.name
  const call = (index: number, word: string) => [
    { tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: '{"cmd":' } }] },
    { tool_calls: [{ index, function: { arguments: `"echo ${word}-result"}` } }] },
  ]
  return [{ content: 'I look.' }, ...call(0, 'first'), ...call(1, 'second')]
}
