import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import type { Machine } from '../support/app'
import { addPlan, type CliHarness, expect, teamPlan, test } from '../support/cli-desk'
import { cliPath, runCompanion } from '../support/companion'

/** Starts `companion chat` as a process, so that its output can be read while the model answers. */
function startChat(machine: Machine, args: readonly string[], question: string) {
  const command = [cliPath, '--data-dir', machine.dataDir, 'chat', ...args]
  const child = spawn(process.execPath, command, { env: machine.env })
  child.stdin.end(question)
  let outputText = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    outputText += chunk
  })
  return { child, said: () => outputText, err: text(child.stderr), ended: once(child, 'close') }
}

const chat = ({ machine }: CliHarness, input: string, ...args: string[]) =>
  runCompanion(machine, ['chat', ...args], { input })

const ChatOutput = z.looseObject({
  text: z.string(),
  plan: z.string(),
  modelCode: z.string(),
  state: z.string(),
  status: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  requestId: z.string(),
})

test('a question on standard input is answered on standard output, by any model of a plan in both standards', async ({
  harness,
}) => {
  expect(await chat(harness, 'Count to 5')).toEqual({ code: 0, out: '1, 2, 3, 4, 5\n', err: '' })
  const otherResponse = await chat(
    harness,
    'Count to 3',
    '--plan',
    teamPlan,
    '--model',
    'aurora-small',
    '--standard',
    'messages',
  )
  expect(otherResponse).toMatchObject({ code: 0, out: '1, 2, 3\n' })
  expect(await harness.sandbox.completionLines()).toEqual(['POST /v1/chat/completions 200', 'POST /v1/messages 200'])
  const jsonLines = await chat(harness, 'Count to 4', '--json', '--system', 'Answer in one line.')
  expect(ChatOutput.parse(JSON.parse(jsonLines.out))).toMatchObject({
    text: '1, 2, 3, 4',
    plan: teamPlan,
    modelCode: 'aurora-large',
    state: 'done',
    status: 200,
  })
  const json = await chat(harness, 'Count to 4', '--json')
  const readInputTokens = ({ out }: { readonly out: string }) => ChatOutput.parse(JSON.parse(out)).inputTokens
  expect(readInputTokens(jsonLines)).toBeGreaterThan(readInputTokens(json))
})

test('an answer streams, Ctrl+C keeps the received part, and the key is in no argument', async ({ harness }) => {
  await harness.sandbox.control('/timing', { paceMs: 200 })
  const { child, said, err, ended } = startChat(harness.machine, [], 'Write 200 words about rivers')
  await expect.poll(said).not.toBe('')
  if (process.platform === 'linux') {
    const processText = ['cmdline', 'environ']
      .map((name) => readFileSync(`/proc/${child.pid}/${name}`, 'utf8'))
      .join('\n')
    expect(processText).toContain('chat')
    expect(processText).not.toContain(harness.key)
  }
  const firstOutput = said()
  await expect.poll(said).not.toBe(firstOutput)
  child.kill('SIGINT')
  expect(await ended).toEqual([130, null])
  expect(said().split(/\s+/).length).toBeLessThan(150)
  expect(await err).not.toContain(harness.key)
})

const failures: readonly {
  readonly name: string
  readonly args?: readonly string[]
  readonly input?: string
  readonly bringAbout?: (harness: CliHarness) => Promise<unknown>
  /** Expected exit code: 1, or 2 for invalid arguments. */
  readonly code?: number
  readonly said: RegExp
}[] = [
  { name: 'nothing to ask', input: ' \n', code: 2, said: /The prompt is empty/ },
  { name: 'an unknown plan', args: ['--plan', 'nowhere'], said: /nowhere/ },
  { name: 'an unknown key', args: ['--key', 'nobody'], said: /no key nobody/ },
  { name: 'a model outside the plan', args: ['--model', 'not-in-plan'], said: /not-in-plan/ },
  {
    name: 'a used-up allowance',
    bringAbout: ({ sandbox: { control, ready } }) =>
      control('/models', { planId: ready.plans[0]?.planId, modelCode: 'aurora-large', tokensUsed: 9_000_000_000 }),
    said: /Other models of the plan: aurora-small/,
  },
  {
    name: 'a cut stream',
    bringAbout: ({ sandbox }) =>
      sandbox.control('/faults', { faults: [{ operations: 'gateway.*', cutAfterBytes: 1500 }] }),
    args: ['--model', 'aurora-small'],
    input: 'Count to 30',
    said: /cut the connection/,
  },
  {
    name: 'a disabled key',
    bringAbout: ({ sandbox: { control, ready } }) =>
      control(`/keys/${ready.plans[0]?.keys[0]?.keyId}`, { status: 'DISABLED' }),
    said: /401/,
  },
  { name: 'nobody at the address', bringAbout: ({ sandbox }) => sandbox.stop(), said: /refused the connection/ },
]

test('failures go to standard error with exit code 1, or 2 for invalid arguments, and two plans require a choice', async ({
  harness,
}) => {
  for (const { name, args = [], input = 'Say hello', bringAbout, code = 1, said } of failures) {
    await bringAbout?.(harness)
    const { out, err, ...ended } = await chat(harness, input, ...args)
    expect(ended, name).toEqual({ code })
    expect(err, name).toMatch(said)
    expect(`${out}${err}`, name).not.toContain(harness.key)
    if (name === 'a cut stream') expect(out).toMatch(/^1, 2,/)
    else expect(out, name).toBe('')
  }
  await addPlan(harness.machine, {
    name: 'second',
    gateway: harness.gatewayUrl,
    key: harness.key,
    models: ['aurora-small'],
  })
  const { code, err } = await chat(harness, 'Say hello')
  expect([code, err]).toEqual([2, expect.stringContaining(`${teamPlan}, second`)])
})
