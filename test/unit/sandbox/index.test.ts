import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { ReadyMessage, SandboxMessage } from '../../../src/sandbox/sandbox'
import type { World } from '../../../src/sandbox/state/world'
import { buildSandbox } from '../../support/build-program'
import { killSandboxes } from '../../support/sandbox-kills'
import { makeFileFolder } from '../support/folders'
import { buildChatBody, occupyPort } from './support'

const folder = makeFileFolder()
let program = ''

beforeAll(async () => {
  program = await buildSandbox(folder)
  // Simulates the `parentPort` of an Electron utility process by Node's process channel.
  await writeFile(
    join(folder, 'parent-port.cjs'),
    `const { EventEmitter } = require('node:events')
     process.parentPort = Object.assign(new EventEmitter(), { postMessage: (message) => process.send(message) })
     process.on('message', (data) => process.parentPort.emit('message', { data }))`,
  )
})

const freePorts = ['--gateway-port', '0', '--platform-port', '0']

function startSandboxProcess(
  args: readonly string[],
  options: { nodeArgs?: readonly string[]; hasChannel?: boolean } = {},
) {
  const child = spawn(process.execPath, [...(options.nodeArgs ?? []), program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', ...(options.hasChannel ? ['ipc' as const] : [])],
    env: { ...process.env, COMPANION_SANDBOX_CONTROL_TOKEN: 'token-from-the-environment' },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exitPromise = once(child, 'exit').then(([code, signal]) => ({ code, signal }))
  if (!child.stdout || !child.stderr) throw new Error('no pipes')
  return { child, exit: exitPromise, stdout: child.stdout, stderr: child.stderr }
}

/** Reads a stream until it contains this text. */
const readUntil = async (stream: Readable, end: string): Promise<string> => {
  let output = ''
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    output += String(chunk)
    if (output.includes(end)) break
  }
  return output
}

/** Used tokens of the first plan, read from a sandbox state or a state file. */
const usedTokens = ({ plans: [plan] }: Pick<World, 'plans'>): number =>
  plan?.models.reduce((sum, { tokensUsed }) => sum + tokensUsed, 0) ?? Number.NaN

describe('the process', () => {
  test('reports readiness in one line of JSON, serves, and exits cleanly on SIGTERM with its state saved', async () => {
    const stateFile = join(folder, 'state-1.json')
    const { child, exit, stdout } = startSandboxProcess([...freePorts, '--json', '--state', stateFile])
    const readyMessage: ReadyMessage = JSON.parse(await readUntil(stdout, '\n'))
    expect(readyMessage).toMatchObject({ kind: 'ready', controlToken: 'token-from-the-environment' })
    const state = await fetch(`${readyMessage.platformUrl}/sandbox/state`, {
      headers: { authorization: `Bearer ${readyMessage.controlToken}` },
    })
    const usedTokensBefore = usedTokens(await state.json())
    const response = await fetch(`${readyMessage.gatewayUrl}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': readyMessage.plans[0]?.keys[0]?.key ?? '' },
      body: JSON.stringify(buildChatBody('Say hello')),
    })
    expect((await response.json()).content[0].text).toBe('hello')
    child.kill('SIGTERM')
    expect(await exit).toEqual({ code: 0, signal: null })
    expect(usedTokens(JSON.parse(await readFile(stateFile, 'utf8'))) - usedTokensBefore).toBe(9)
  })

  test('exits with its parent', async () => {
    const { child, exit, stdout } = startSandboxProcess([...freePorts, '--json'], { hasChannel: true })
    await readUntil(stdout, '\n')
    child.disconnect()
    expect(await exit).toEqual({ code: 0, signal: null })
  })

  test('prints the addresses, a key and a working command', async () => {
    const { child, stdout, exit } = startSandboxProcess(freePorts)
    const text = await readUntil(stdout, 'Ctrl+C')
    const url = /Gateway address\s+(\S+)/.exec(text)?.[1]
    const key = /Key\s+(sk-sandbox-[0-9a-f]{40})/.exec(text)?.[1]
    const body = /-d '(.+)'/.exec(text)?.[1] ?? ''
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body,
    })
    expect((await response.json()).choices[0].message.content).toBe('hello')
    expect(text).not.toContain('token-from-the-environment')
    child.kill('SIGINT')
    expect((await exit).code).toBe(0)
  })

  test('reports a port in use, as JSON and text, and exits with 1', async () => {
    const port = await occupyPort()
    const json = startSandboxProcess(['--gateway-port', String(port), '--platform-port', '0', '--json'])
    expect(JSON.parse(await text(json.stdout))).toEqual({ kind: 'failed', code: 'portInUse', port })
    expect((await json.exit).code).toBe(1)
    const texts = startSandboxProcess(['--gateway-port', '0', '--platform-port', String(port)])
    expect(await text(texts.stderr)).toContain(`port ${port} is in use`)
    expect((await texts.exit).code).toBe(1)
  })

  test.each([[['--nonsense']], [['--gateway-port', '70000']], [['--platform-port', 'x']], [['--seed=']], [['--seed']]])(
    'refuses the arguments %j with its usage and exit code 2',
    async (args) => {
      const { stderr, exit } = startSandboxProcess(args)
      expect(await text(stderr)).toContain('Usage: sandbox')
      expect((await exit).code).toBe(2)
    },
  )
})

describe('as a utility process', () => {
  const nodeArgs = () => ['--require', join(folder, 'parent-port.cjs')]

  test('posts the message, prints nothing, and exits on request', async () => {
    const { child, exit, stdout } = startSandboxProcess(freePorts, { nodeArgs: nodeArgs(), hasChannel: true })
    const printedText = text(stdout)
    const [message]: SandboxMessage[] = await once(child, 'message')
    expect(message?.kind).toBe('ready')
    child.send({ kind: 'stop' })
    expect(await exit).toEqual({ code: 0, signal: null })
    expect(await printedText).toBe('')
  })

  test('posts the reason of a failed start', async () => {
    const port = await occupyPort()
    const { child, exit } = startSandboxProcess(['--gateway-port', String(port)], {
      nodeArgs: nodeArgs(),
      hasChannel: true,
    })
    const [message]: SandboxMessage[] = await once(child, 'message')
    expect(message).toEqual({ kind: 'failed', code: 'portInUse', port })
    expect((await exit).code).toBe(1)
  })
})

test('a kill loses nothing that was answered, and its lock does not block the next sandbox', async () => {
  const { answered, lost, left } = await killSandboxes(1)
  expect(answered.length).toBeGreaterThan(0)
  expect([lost, left]).toEqual([[], ['state.json']])
}, 60_000)
