import { spawnSync } from 'node:child_process'
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished } from 'vitest'
import { StateInUseError } from '../../../src/sandbox/state/state-file'
import { makeFolder } from '../support/folders'
import { buildChatBody, chatPath, readPoolUsage, startHarness, test } from './support'

const owner = { pid: process.pid, startTime: '1', since: '2026-01-01T00:00:00.000Z' }

describe('the state file', () => {
  test('keeps plans, keys, quotas and the clock through a restart, without containing a key', async () => {
    const folder = makeFolder()
    const stateFile = join(folder, 'deep', 'state.json')
    const firstHarness = await startHarness({ stateFile })
    const { usage } = await (await firstHarness.post(chatPath, buildChatBody('Say hello'))).json()
    await firstHarness.control('keys/key-pro-old-laptop', { deleted: true })
    await firstHarness.control('clock', { advanceMs: 3_600_000 })
    await firstHarness.sandbox.close()

    const text = await readFile(stateFile, 'utf8')
    for (const { keys } of firstHarness.sandbox.ready.plans) for (const { key } of keys) expect(text).not.toContain(key)
    expect(text).not.toContain('sk-')
    if (process.platform !== 'win32') expect((await stat(stateFile)).mode & 0o777).toBe(0o600)
    expect(await readdir(join(folder, 'deep'))).toEqual(['state.json'])

    const second = await startHarness({ stateFile })
    const key = second.readKey('sandbox-pro', 'default-key')
    expect(key).toBe(firstHarness.readKey('sandbox-pro', 'default-key'))
    expect(key).toMatch(/^sk-sandbox-[0-9a-f]{40}$/)
    expect((await readPoolUsage(second)).tokensUsed).toBe(usage.total_tokens)
    expect((await second.state()).clockOffsetMs).toBe(3_600_000)
    expect(second.sandbox.ready.plans[0]?.keys.map(({ name }) => name)).toEqual(['default-key'])
    expect((await second.post(chatPath, buildChatBody('hi'))).status).toBe(200)
  })

  test('exists as soon as the sandbox is ready, so that keys survive even a kill', async () => {
    const stateFile = join(makeFolder(), 'state.json')
    await startHarness({ stateFile })
    expect(JSON.parse(await readFile(stateFile, 'utf8'))).toMatchObject({ version: 2 })
  })

  test('is refused with a message while another sandbox uses it, and used when that one has ended', async () => {
    const stateFile = join(makeFolder(), 'state.json')
    const firstHarness = await startHarness({ stateFile })
    const second = startHarness({ stateFile })
    await expect(second).rejects.toThrow(StateInUseError)
    await expect(second).rejects.toThrow(`used by another sandbox (process ${process.pid}, since`)
    await firstHarness.control('account', { credits: 7 })
    await firstHarness.sandbox.close()
    const thirdHarness = await startHarness({ stateFile })
    expect((await thirdHarness.state()).account.credits).toBe(7)
  })

  test.each([
    ['a process that has ended', () => JSON.stringify({ ...owner, pid: spawnSync(process.execPath, ['-v']).pid })],
    ['an earlier process with the id of one that runs', () => JSON.stringify({ ...owner, pid: process.ppid })],
    ['this process before it began anew', () => JSON.stringify(owner)],
  ])('is not locked by the lock of %s', async (_, lock) => {
    const folder = makeFolder()
    const stateFile = join(folder, 'state.json')
    await writeFile(`${stateFile}.lock`, lock())
    const harness = await startHarness({ stateFile })
    expect((await readdir(folder)).toSorted()).toEqual(['state.json', 'state.json.lock'])
    await harness.sandbox.close()
    expect(await readdir(folder)).toEqual(['state.json'])
  })

  test('is locked by a lock that is being written, and not by one that stayed empty', async () => {
    const stateFile = join(makeFolder(), 'state.json')
    await writeFile(`${stateFile}.lock`, '')
    await expect(startHarness({ stateFile })).rejects.toThrow('its process is not known')
    const minuteAgo = new Date(Date.now() - 60_000)
    await utimes(`${stateFile}.lock`, minuteAgo, minuteAgo)
    await startHarness({ stateFile })
  })

  test('delays the response of a change until it is written, and a client that disconnects ends the wait', async () => {
    const stateFolder = join(makeFolder(), 'place')
    const harness = await startHarness({ stateFile: join(stateFolder, 'state.json') })
    await rm(stateFolder, { recursive: true })
    await writeFile(stateFolder, 'a file where the folder was')
    let hasResponded = false
    const change = harness.control('account', { credits: 5 }).then(() => {
      hasResponded = true
    })
    // Poll with other requests, which read the state in memory while the change still waits.
    await expect.poll(async () => (await harness.state()).account.credits).toBe(5)
    expect(hasResponded).toBe(false)
    await rm(stateFolder)
    await change
    expect(JSON.parse(await readFile(join(stateFolder, 'state.json'), 'utf8')).account.credits).toBe(5)
  })

  test('that becomes unwritable is reported, and the sandbox continues', async () => {
    const stateFolder = join(makeFolder(), 'place')
    const notices: string[] = []
    const stateFile = join(stateFolder, 'state.json')
    const harness = await startHarness({ stateFile, notify: (text) => notices.push(text) })
    await rm(stateFolder, { recursive: true })
    await writeFile(stateFolder, 'a file where the folder was')
    expect((await harness.post(chatPath, buildChatBody('hi'))).status).toBe(200)
    await harness.sandbox.close()
    expect(notices).toEqual([expect.stringContaining('was not written')])
  })

  test('is refused when it is a folder, which stays', async () => {
    const folder = makeFolder()
    await expect(startHarness({ stateFile: folder })).rejects.toThrow('state file cannot be read')
    expect((await stat(folder)).isDirectory()).toBe(true)
  })
})

test('two fresh sandboxes have different keys', async () => {
  const [a, b] = [await startHarness(), await startHarness()]
  expect(a.readKey('sandbox-pro', 'default-key')).not.toBe(b.readKey('sandbox-pro', 'default-key'))
})

test('ports are open on the loopback address only', async ({ harness: { gatewayUrl } }) => {
  const externalAddresses = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
  const reachableHosts = await Promise.all(
    ['127.0.0.2', ...externalAddresses.map(({ address }) => address)].map(
      (host) =>
        new Promise<boolean>((resolve) => {
          const socket = connect(Number(new URL(gatewayUrl).port), host)
          socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
          onTestFinished(() => void socket.destroy())
        }),
    ),
  )
  expect(reachableHosts).not.toContain(true)
})

test('closing ends a delayed response and an open stream immediately', async () => {
  const harness = await startHarness({ timing: { paceMs: 60_000 } })
  const response = await harness.post(chatPath, buildChatBody('Say one two three', { stream: true }))
  await harness.control('faults', { faults: [{ operations: 'gateway.*', delayMs: 600_000 }] })
  const delayedOutcome = harness.post(chatPath, buildChatBody('hi')).then(
    () => 'answered',
    () => 'closed',
  )
  await harness.sandbox.close()
  expect(await delayedOutcome).toBe('closed')
  await expect(response.text()).rejects.toThrow()
})
