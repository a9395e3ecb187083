import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { ElectronApplication, Page } from '@playwright/test'
import { electronPath, root } from '../../support/app'
import { addPlan, expect, teamPlan, test } from '../../support/cli-desk'
import { startCompanion } from '../../support/companion'
import { hostileServers, startHostileServer } from '../../support/hostile-postgres'
import { startClient } from '../../support/mcp-client'
import { createChunkQueue, startModelServer } from '../../support/model-server'
import { routeThroughRelay } from '../../support/through-relay'
import { watchMemory } from '../../support/watch-memory'

// Attacks on the built app, with time and memory measured from outside. Bounds allow for two busy cores. Before these
// attacks were stopped, they took ten times as much.

const maxGrowthMb = 300
const maxGapMs = 3000

test.describe.configure({ mode: 'default' })

/** Records the longest time in which the page or the main process ran no timer. */
async function recordTimerGaps(app: ElectronApplication, page: Page) {
  const startWatch = (): void => {
    const gapRecorder = { worstMs: 0, lastMs: Date.now() }
    Object.assign(globalThis, { watch: gapRecorder })
    setInterval(() => {
      const nowMs = Date.now()
      gapRecorder.worstMs = Math.max(gapRecorder.worstMs, nowMs - gapRecorder.lastMs)
      gapRecorder.lastMs = nowMs
    }, 20)
  }
  await app.evaluate(startWatch)
  await page.evaluate(startWatch)
  const readMaxGapMs = (): number => Number(Reflect.get(Reflect.get(globalThis, 'watch'), 'worstMs'))
  return async () => ({ main: await app.evaluate(readMaxGapMs), page: await page.evaluate(readMaxGapMs) })
}

const ranges = [
  ['0001-01-01T00:00:00.000Z', '9999-12-31T00:00:00.000Z'],
  ['1970-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
  ['2000-01-01T00:00:00.000Z', '2099-12-31T00:00:00.000Z'],
  ['2026-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'],
  ['2026-01-01T00:00:00.000Z', '+275760-09-13T00:00:00.000Z'],
  ['2099-12-31T00:00:00.000Z', '2000-01-01T00:00:00.000Z'],
]

test('date ranges of centuries stop neither the page nor the main process', async ({ harness, start }) => {
  const { app, page } = await start()
  await harness.succeed('usage')
  const calls = ranges.flatMap(([from, to]) => {
    const filter = { scope: 'machine', from, to }
    const queriesByStep = ['hour', 'day', 'week', 'month'].flatMap((step) => [
      ['usage.latency', { filter, step }],
      ['usage.series', { filter, step, compare: true }],
      ['usage.stacks', { filter, step, by: 'model' }],
    ])
    return [...queriesByStep, ['usage.shares', { filter, by: 'tool' }], ['usage.flows', { filter }]]
  })
  const memory = watchMemory(app.process().pid)
  const gaps = await recordTimerGaps(app, page)
  const startedMs = Date.now()
  const answers = await page.evaluate(
    (callList) => Promise.all(callList.map(([name, input]) => window.companion.call(String(name), input))),
    calls,
  )
  const durationMs = Date.now() - startedMs
  memory.stop()
  const maxGapsMs = await gaps()
  const successCount = answers.filter(({ ok }) => ok).length
  console.log({
    calls: calls.length,
    good: successCount,
    tookMs: durationMs,
    worst: maxGapsMs,
    growthMb: Math.round(memory.growth()),
  })
  expect(successCount).toBeGreaterThan(0)
  expect(successCount).toBeLessThan(calls.length)
  expect(Math.max(maxGapsMs.main, maxGapsMs.page)).toBeLessThan(maxGapMs / 3)
  expect(memory.growth()).toBeLessThan(maxGrowthMb)
})

test('a year can be typed into a date field', async ({ start }) => {
  const { app, page } = await start()
  await page.evaluate(() => {
    location.hash = '#/usage/requests?span=custom&from=2026-11-20&to=2026-11-22'
  })
  const field = page.getByLabel('First day')
  await expect(field).toHaveValue('2026-11-20')
  const gaps = await recordTimerGaps(app, page)
  await field.focus()
  for (const key of ['ArrowRight', 'ArrowRight', '2', '0', '2', '5']) await page.keyboard.press(key)
  await expect(field).toHaveValue('2025-11-20')
  await expect.poll(() => page.evaluate(() => location.hash)).toContain('from=2025-11-20')
  const maxGapsMs = await gaps()
  console.log({ worst: maxGapsMs })
  expect(Math.max(maxGapsMs.main, maxGapsMs.page)).toBeLessThan(maxGapMs)
})

test('the MCP server refuses a range of centuries, and answers others in the meantime', async ({ harness }) => {
  const client = await startClient(harness.machine, '--tool', 'claude-code')
  await client.ping()
  const memory = watchMemory(Number(Reflect.get(client.transport ?? {}, 'pid')))
  const startedMs = Date.now()
  const usage = ranges.map(([from, to]) => client.callTool({ name: 'usage', arguments: { from, to, by: 'day' } }))
  await client.ping()
  const pingMs = Date.now() - startedMs
  const results = await Promise.all(usage)
  const durationMs = Date.now() - startedMs
  memory.stop()
  await client.close()
  console.log({ pingMs, tookMs: durationMs, growthMb: Math.round(memory.growth()), peakMb: Math.round(memory.peak()) })
  expect(results.map(({ isError = false }) => isError)).toEqual(ranges.map(() => true))
  expect(Math.max(pingMs, durationMs)).toBeLessThan(maxGapMs)
  expect(memory.peak()).toBeGreaterThan(0)
  expect(memory.growth()).toBeLessThan(maxGrowthMb)
})

test('links and arguments of any length leave the running app, its relay and an open stream alone', async ({
  harness: { machine, key, succeed },
  start,
}) => {
  test.setTimeout(300_000)
  const server = await startModelServer()
  const { pieces, say, finish } = createChunkQueue()
  server.answer(() => pieces)
  await addPlan(machine, { name: 'held', gateway: server.url.replace(/\/v1$/, ''), key, models: ['m1'] })
  const { app } = await start()
  const configureArguments = ['claude-code', '--plan', 'held', '--route', 'relay', '--delivery', 'helper'] as const
  const { requestAddress } = JSON.parse(await succeed('configure', ...configureArguments, '--json'))
  const authorization = `Bearer ${(await succeed('key', 'print', '--relay', 'claude-code')).trim()}`
  const body = JSON.stringify({ model: 'm1', stream: true, max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] })
  const sendRequest = () =>
    fetch(requestAddress, { method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body })
  let response: Response | undefined
  await expect
    .poll(async () => {
      response = await sendRequest().catch(() => undefined)
      return response?.status
    })
    .toBe(200)
  const reader = response?.body?.pipeThrough(new TextDecoderStream()).getReader()
  let receivedText = ''
  const waitForReceivedText = async (text: string): Promise<void> => {
    say(text)
    while (!receivedText.includes(text)) receivedText += (await reader?.read())?.value ?? ''
  }
  await waitForReceivedText('before the links')

  await app.evaluate(({ app: electronApp }) => {
    const receivedSteps: number[] = []
    Object.assign(globalThis, { seen: receivedSteps })
    electronApp.on('second-instance', (_, args) => void receivedSteps.push(args.join(' ').length))
  })
  const link = 'platform-companion://import/'
  const attacks = [
    [link + 'x'.repeat(33_000)],
    [link + 'đ'.repeat(20_000)],
    Array<string>(40_000).fill(''),
    [link + 'x'.repeat(8000), link + 'y'.repeat(8000), link + 'z'.repeat(120_000)],
    Array<string>(12_000).fill('\u{1f600}'),
    [link],
  ]
  const memory = watchMemory(app.process().pid)
  const chromiumSwitches = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  for (const [number, args] of attacks.entries()) {
    const command = [...chromiumSwitches, root, '--disable-gpu', '--data-dir', machine.dataDir, ...args]
    const second = spawn(electronPath(), command, { env: machine.env, stdio: 'ignore' })
    await once(second, 'exit')
    const countReceivedEvents = () => app.evaluate(() => Reflect.get(globalThis, 'seen').length)
    await expect.poll(countReceivedEvents, { timeout: 60_000 }).toBe(number + 1)
    console.log({ attack: number, arguments: args.length, characters: args.join('').length })
  }
  memory.stop()
  await waitForReceivedText('after the links')
  finish()
  for (let chunk = await reader?.read(); chunk?.done === false; chunk = await reader?.read())
    receivedText += chunk.value
  expect(receivedText).toContain('message_stop')
  console.log({ received: await app.evaluate(() => Reflect.get(globalThis, 'seen')), growthMb: memory.growth() })
  expect(memory.growth()).toBeLessThan(maxGrowthMb)
  await server.stop()
})

/** Names of `hostileServers`. */
const databaseBehaviors = ['asks for GSSAPI', 'sends rows without end', 'never answers a statement']

for (const behavior of databaseBehaviors)
  test(`the app starts, and the lead space can be left, while its database ${behavior}`, async ({ harness, start }) => {
    const server = await startHostileServer(hostileServers[behavior] ?? (() => undefined))
    const { machine } = harness
    const settingsPath = join(machine.dataDir, 'settings.json')
    const joinedAt = '2026-11-01T00:00:00.000Z'
    const address = { host: '127.0.0.1', port: server.port, database: 'space', user: 'an' }
    const person = { spaceId: 'space', spaceName: 'Atelier', personName: 'An', role: 'lead', kept: 'keychain' }
    const team = { ...person, address, machineUid: 'uid', machineName: 'here', joinedAt }
    writeFileSync(settingsPath, JSON.stringify({ ...JSON.parse(readFileSync(settingsPath, 'utf8')), team }))
    const keytar: typeof import('keytar') = createRequire(import.meta.url)('keytar')
    await keytar.setPassword('Platform Companion', 'team:space', `t-${Buffer.from('pw-an').toString('base64url')}`)

    const pushOutcome = await startCompanion(machine, ['team', 'push'])
    expect(pushOutcome).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^companion: The database at \S+ .*\.\n$/),
    })
    const { app, page } = await start()
    const memory = watchMemory(app.process().pid)
    const gaps = await recordTimerGaps(app, page)
    await page.getByRole('link', { name: 'Team', exact: true }).click()
    // The sentence is among the details of the failure.
    await expect(page.getByText(/^The database at /).first()).toBeAttached({ timeout: 40_000 })
    memory.stop()
    const worstGaps = await gaps()
    const startedMs = Date.now()
    const leaveOutcome = await startCompanion(machine, ['team', 'leave', '--yes'])
    console.log({
      behavior,
      worstGaps,
      growthMb: memory.growth(),
      leaveMs: Date.now() - startedMs,
      pushError: pushOutcome.err.trim(),
    })
    expect(leaveOutcome).toMatchObject({ code: 0, out: 'Left Atelier.\n' })
    expect(Date.now() - startedMs).toBeLessThan(32_000)
    expect(Math.max(worstGaps.main, worstGaps.page)).toBeLessThan(maxGapMs)
    expect(memory.growth()).toBeLessThan(maxGrowthMb)
    server.end()
  })

test('slow or oversized request bodies of a tool do not block another tool', async ({ harness, start }) => {
  await start()
  const sendRelayRequest = await routeThroughRelay(harness)
  await expect.poll(sendRelayRequest).toBe(200)
  const configureArguments = ['opencode', '--plan', teamPlan, '--route', 'relay'] as const
  const { requestAddress } = JSON.parse(await harness.succeed('configure', ...configureArguments, '--json'))
  const slowToken = (await harness.succeed('key', 'print', '--relay', 'opencode')).trim()
  const address = new URL(requestAddress)
  const slowSockets = Array.from({ length: 140 }, () => {
    const socket = connect(Number(address.port), address.hostname).on('error', () => undefined)
    socket.write(
      `POST ${address.pathname} HTTP/1.1\r\nHost: ${address.host}\r\nAuthorization: Bearer ${slowToken}\r\n` +
        `Content-Type: application/json\r\nContent-Length: 9000\r\n\r\n${' '.repeat(1400)}`,
    )
    return socket
  })
  await setTimeout(500)
  const startedMs = Date.now()
  expect(await sendRelayRequest()).toBe(200)
  console.log({ durationMs: Date.now() - startedMs })
  for (const socket of slowSockets) socket.destroy()

  await harness.succeed('mcp', 'add', 'claude-code', '--http')
  const { mcpServers } = JSON.parse(readFileSync(join(harness.machine.home, '.claude.json'), 'utf8'))
  const { url, headers } = mcpServers.companion
  const sendPing = (text: string): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { text } }),
    })
  await expect.poll(async () => (await sendPing('')).status).not.toBe(404)
  const response = await sendPing('x'.repeat(2_100_000))
  expect([response.status, await response.json()]).toMatchObject([413, { error: { code: 'request_too_large' } }])
})

test('two data folders with a plan of the same name keep two keys', async ({ harness: { machine, gatewayUrl } }) => {
  const firstMachine = { ...machine, dataDir: join(machine.home, 'first') }
  const secondMachine = { ...machine, dataDir: join(machine.home, 'second') }
  const plan = { name: 'shared-name', gateway: gatewayUrl, models: ['aurora-large'] }
  await addPlan(firstMachine, { ...plan, key: 'key-of-the-first' })
  await addPlan(secondMachine, { ...plan, key: 'key-of-the-second' })
  const printKey = async (computer: typeof machine): Promise<string> =>
    (await startCompanion(computer, ['key', 'print', '--plan', plan.name])).out.trim()
  expect(await printKey(firstMachine)).toBe('key-of-the-first')
  expect(await startCompanion(secondMachine, ['plan', 'remove', plan.name])).toMatchObject({ code: 0 })
  expect(await printKey(firstMachine)).toBe('key-of-the-first')
})

test('a status line template prints only its own fields, not properties of objects', async ({
  harness: { machine },
}) => {
  const template = '{model}{constructor}{toString}{__proto__}{hasOwnProperty}'
  const input = JSON.stringify({ model: { id: 'a', display_name: 'Aurora' } })
  const outcome = await startCompanion(machine, ['statusline', '--template', template], { input })
  expect(outcome).toMatchObject({ code: 0, out: 'Aurora\n' })
})
