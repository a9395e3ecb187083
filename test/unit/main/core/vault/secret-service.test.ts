import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { probeSecretService, sessionBusPath } from '../../../../../src/main/core/vault/secret-service'

/** Starts a D-Bus server that accepts every client and sends `replies` in chunks of `pieceLength` bytes. */
async function startBus(replies: readonly Buffer[] | undefined, pieceLength = 1_000): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bus-'))
  const sockets = new Set<Socket>()
  const fakeBus = createServer((socket) => {
    sockets.add(socket)
    if (!replies) return
    let receivedText = ''
    socket.on('data', (chunk) => {
      receivedText += chunk.toString('latin1')
      if (/^\0AUTH EXTERNAL [0-9a-f]+\r\n$/.test(receivedText)) socket.write('OK 0123456789abcdef\r\n')
      if (!receivedText.includes('Unlock')) return
      const answer = Buffer.concat(replies)
      for (let offset = 0; offset < answer.length; offset += pieceLength)
        socket.write(answer.subarray(offset, offset + pieceLength))
    })
  })
  const path = join(folder, 'bus')
  await new Promise<void>((resolve) => fakeBus.listen(path, resolve))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => fakeBus.close(resolve))
    await rm(folder, { recursive: true, force: true })
  })
  return path
}

/** Builds a D-Bus message. Type 2 is a reply, 3 an error, 4 a signal with its path as a header field. */
function message(
  kind: number,
  replyTo: number | undefined,
  content: number | Buffer = 8,
  path = Buffer.alloc(0),
): Buffer {
  const sender = Buffer.from([7, 1, 115, 0, 5, 0, 0, 0, ...Buffer.from(':1.42'), 0, 0, 0])
  const reply = Buffer.from([5, 1, 117, 0, replyTo ?? 0, 0, 0, 0])
  const fields = Buffer.concat([sender, replyTo === undefined ? path : reply])
  const body = typeof content === 'number' ? Buffer.alloc(content) : content
  const head = Buffer.alloc(16)
  head.set([0x6c, kind, 1, 1])
  head.writeUInt32LE(body.length, 4)
  head.writeUInt32LE(9, 8)
  head.writeUInt32LE(fields.length, 12)
  return Buffer.concat([head, fields, Buffer.alloc((8 - (fields.length % 8)) % 8), body])
}

const probe = async (...bus: Parameters<typeof startBus>) => probeSecretService(await startBus(...bus), 5_000)

const welcomeMessages = [message(2, 1), message(4, undefined, 24)]

describe('the Secret Service', () => {
  test.each([1, 7, 1_000])('responds, whatever precedes its reply, in chunks of %i bytes', async (length) => {
    const path = Buffer.from('/c/1')
    const openSessionReply = Buffer.from([9, 0, 0, 0, 4, 0, 0, 0, ...path, 0, 0, 0, 0, 1, 0, 0, 0, 0x2f, 0])
    expect(await probe([...welcomeMessages, message(2, 2, openSessionReply)], length)).toBe('answers')
  })

  const promptPath = Buffer.from('/p/1')
  const unlockReply = Buffer.concat([Buffer.from([0, 0, 0, 0, 4, 0, 0, 0]), promptPath, Buffer.alloc(4)])
  const promptCompletedMessage = (dismissed: number) =>
    message(4, undefined, Buffer.from([dismissed, 0, 0, 0, 0, 0, 0, 0]), Buffer.concat([promptPath, Buffer.alloc(1)]))

  const noPromptReply = Buffer.from([0, 0, 0, 0, 1, 0, 0, 0, 0x2f, 0, 0, 0])

  test.each([
    ['answers', 'the user unlocks it', [message(2, 2, unlockReply), promptCompletedMessage(0)]],
    ['locked', 'the user does not unlock it', [message(2, 2, unlockReply), promptCompletedMessage(1)]],
    ['locked', 'nobody can be asked', [message(2, 2, unlockReply), message(3, 4)]],
    ['answers', 'it can be unlocked without a prompt', [message(2, 2, noPromptReply)]],
    ['answers', 'it reports an error, whose reason the keychain read reports', [message(3, 2)]],
  ])('%s when %s', async (state, _, replies) => {
    expect(await probe([...welcomeMessages, ...replies])).toBe(state)
  })

  test.each([
    ['the bus accepts the connection and no reply arrives', welcomeMessages],
    ['the bus itself does not respond', undefined],
  ])('is stalled when %s', async (_, replies) => {
    expect(await probeSecretService(await startBus(replies), 300)).toBe('stalled')
  })

  test('is unreachable when nothing listens', async () => {
    expect(await probeSecretService(join(tmpdir(), 'no-bus-is-here'), 5_000)).toBe('unreachable')
  })
})

test.each([
  [{ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1000/bus,guid=0123' }, '/run/user/1000/bus'],
  [{ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/tmp/a%20b' }, '/tmp/a b'],
  [{ DBUS_SESSION_BUS_ADDRESS: 'unix:abstract=/tmp/dbus-x,guid=1' }, '\0/tmp/dbus-x'],
  [{ DBUS_SESSION_BUS_ADDRESS: 'tcp:host=localhost,port=1' }, undefined],
  [{ XDG_RUNTIME_DIR: '/run/user/1000' }, '/run/user/1000/bus'],
  [{}, undefined],
])('finds the session bus of %j', (vars, path) => {
  expect(sessionBusPath(vars, join(tmpdir(), 'no-bus-is-here'))).toBe(path)
})

test('finds systemd’s session bus without variables, as some tools start an MCP server', async () => {
  const fakeBus = await startBus(welcomeMessages)
  expect(sessionBusPath({}, fakeBus)).toBe(fakeBus)
})
