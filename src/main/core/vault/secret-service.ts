import { existsSync } from 'node:fs'
import type { Socket } from 'node:net'

/** State of the Secret Service (Linux), checked on a separate connection. A keychain call blocks a thread that cannot be ended. */
type SecretServiceState = 'answers' | 'locked' | 'stalled' | 'unreachable'

/**
 * Session bus socket as libdbus finds it; undefined when it is no local socket. Falls back to systemd's path, since coding tools start MCP
 * servers without the session's variables.
 */
export function sessionBusPath(
  vars: NodeJS.ProcessEnv,
  defaultBusPath = `/run/user/${process.getuid?.()}/bus`,
): string | undefined {
  const address = vars.DBUS_SESSION_BUS_ADDRESS
  if (!address && !vars.XDG_RUNTIME_DIR) return existsSync(defaultBusPath) ? defaultBusPath : undefined
  if (!address) return `${vars.XDG_RUNTIME_DIR}/bus`
  const [, kind, value = ''] = /^unix:(path|abstract)=([^,;]+)/.exec(address) ?? []
  if (kind === undefined) return undefined
  const path = decodeURIComponent(value)
  return kind === 'abstract' ? `\0${path}` : path
}

const padToBoundary = (bytes: number[], boundary: number): void => {
  while (bytes.length % boundary !== 0) bytes.push(0)
}

function pushNumber(bytes: number[], value: number): void {
  padToBoundary(bytes, 4)
  for (let shift = 0; shift < 32; shift += 8) bytes.push((value >> shift) & 255)
}

function pushText(bytes: number[], text: string): void {
  const textBytes = Buffer.from(text)
  pushNumber(bytes, textBytes.length)
  bytes.push(...textBytes, 0)
}

interface MethodCall {
  readonly serial: number
  readonly destination: string
  readonly path: string
  readonly name: readonly [owner: string, method: string]
  readonly body?: readonly number[]
  readonly types?: string
}

/** Encodes a D-Bus method call (little endian). */
export function encodeCall({ serial, destination, path, name, body = [], types = '' }: MethodCall): Buffer {
  const message: number[] = [0x6c, 1, 0, 1]
  pushNumber(message, body.length)
  pushNumber(message, serial)
  pushNumber(message, 0)
  const headerStart = message.length
  const field = (code: number, type: string, text: string): void => {
    padToBoundary(message, 8)
    message.push(code, 1, type.charCodeAt(0), 0)
    if (type === 'g') message.push(text.length, ...Buffer.from(text), 0)
    else pushText(message, text)
  }
  field(1, 'o', path)
  field(6, 's', destination)
  field(2, 's', name[0])
  field(3, 's', name[1])
  if (types !== '') field(8, 'g', types)
  const bytes = Buffer.from(message)
  bytes.writeUInt32LE(message.length - headerStart, 12)
  return Buffer.concat([bytes, Buffer.alloc((8 - (bytes.length % 8)) % 8), Buffer.from(body)])
}

export function encodeBody(...values: readonly (string | number)[]): readonly number[] {
  const bytes: number[] = []
  for (const value of values) {
    if (typeof value === 'number') pushNumber(bytes, value)
    else pushText(bytes, value)
  }
  return bytes
}

const dbusName = 'org.freedesktop.DBus'
const busDestination = { destination: dbusName, path: '/org/freedesktop/DBus' }
const secretService = { destination: 'org.freedesktop.secrets', path: '/org/freedesktop/secrets' }
/** The default collection for new items. */
const defaultCollection = '/org/freedesktop/secrets/aliases/default'
const messageSerials = { hello: 1, unlock: 2, match: 3, prompt: 4 }

/** The method `Hello`, which D-Bus requires as the first call of every connection. */
export const helloMessage = encodeCall({ ...busDestination, serial: messageSerials.hello, name: [dbusName, 'Hello'] })
/**
 * Call `Unlock` to check the service, because its main thread answers it, without a prompt if the keychain is unlocked.
 * Do not read the property `Locked` first: gnome-keyring-daemon 42 sometimes aborts when the connection ends soon
 * after, and with it the session's keychain.
 */
const unlockCall = encodeCall({
  ...secretService,
  serial: messageSerials.unlock,
  name: ['org.freedesktop.Secret.Service', 'Unlock'],
  body: encodeBody(encodeBody(defaultCollection).length, defaultCollection),
  types: 'ao',
})
const completedMatch = "type='signal',interface='org.freedesktop.Secret.Prompt',member='Completed'"
const match = encodeCall({
  ...busDestination,
  serial: messageSerials.match,
  name: [dbusName, 'AddMatch'],
  body: encodeBody(completedMatch),
  types: 's',
})
/** Received D-Bus message. A reply has the serial of its call, a signal has an object path. */
interface Message {
  readonly kind: number
  readonly replyTo: number | undefined
  readonly fields: Buffer
  readonly body: Buffer
}
const errorKind = 3
const signalKind = 4

const replySerial = Buffer.from([5, 1, 'u'.charCodeAt(0), 0])

/** Reads the first complete message and finds the start of the next one. */
function firstMessage(bytes: Buffer): { readonly message: Message; readonly end: number } | undefined {
  if (bytes.length < 16) return undefined
  const fieldsEnd = 16 + bytes.readUInt32LE(12)
  const bodyOffset = Math.ceil(fieldsEnd / 8) * 8
  const end = bodyOffset + bytes.readUInt32LE(4)
  if (bytes.length < end) return undefined
  const fields = bytes.subarray(16, fieldsEnd)
  const serialIndex = fields.indexOf(replySerial)
  const replyTo =
    serialIndex >= 0 && serialIndex + 8 <= fields.length ? fields.readUInt32LE(serialIndex + 4) : undefined
  return { message: { kind: bytes.readUInt8(1), replyTo, fields, body: bytes.subarray(bodyOffset, end) }, end }
}

/** Authenticates as the current user, sends the first messages, and calls back on each received one. */
export function runConversation(
  socket: Socket,
  firstMessages: readonly Buffer[],
  onMessage: (message: Message) => void,
): void {
  let receivedBytes = Buffer.alloc(0)
  let isAuthenticated = false
  socket.on('data', (chunk) => {
    receivedBytes = Buffer.concat([receivedBytes, chunk])
    if (!isAuthenticated) {
      if (!receivedBytes.includes('\r\n')) return
      isAuthenticated = receivedBytes.subarray(0, 3).toString() === 'OK '
      receivedBytes = Buffer.alloc(0)
      if (isAuthenticated) socket.write(Buffer.concat([Buffer.from('BEGIN\r\n'), ...firstMessages]))
      else socket.destroy()
      return
    }
    for (let received = firstMessage(receivedBytes); received; received = firstMessage(receivedBytes)) {
      receivedBytes = receivedBytes.subarray(received.end)
      onMessage(received.message)
    }
  })
  const user = Buffer.from(String(process.getuid?.() ?? 0)).toString('hex')
  socket.write(`\0AUTH EXTERNAL ${user}\r\n`)
}

/** Path of the unlock prompt; undefined when none is needed. */
function readPrompt(body: Buffer): string | undefined {
  if (body.length < 4) return undefined
  const bodyStart = Math.ceil((4 + body.readUInt32LE(0)) / 4) * 4
  if (body.length < bodyStart + 5) return undefined
  const path = body.toString('utf8', bodyStart + 4, bodyStart + 4 + body.readUInt32LE(bodyStart))
  return path.length > 1 ? path : undefined
}

/** A prompt lives as long as its connection. A second one would wait for the first. */
let isPrompting = false

/** Unlocks the Secret Service, possibly with a prompt. `locked`: the prompt was declined or impossible. */
export async function probeSecretService(busPath: string, limitMs: number): Promise<SecretServiceState> {
  if (isPrompting) return 'stalled'
  // Load `node:net` on demand, because not every command needs it.
  const { connect } = await import('node:net')
  return new Promise((resolve) => {
    const socket = connect(busPath)
    let prompt: string | undefined
    const resolveState = (state: SecretServiceState): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(state)
    }
    const timer = setTimeout(() => {
      if (prompt === undefined) return resolveState('stalled')
      socket.unref()
      resolve('stalled')
    }, limitMs)
    socket
      .once('error', () => resolveState('unreachable'))
      .once('close', () => {
        if (prompt !== undefined) isPrompting = false
        resolveState('unreachable')
      })
    const onMessage = ({ kind, replyTo, fields, body }: Message): void => {
      if (kind === signalKind && prompt !== undefined && fields.includes(`${prompt}\0`))
        resolveState(body.at(0) === 0 ? 'answers' : 'locked')
      if (replyTo === messageSerials.prompt && kind === errorKind) resolveState('locked')
      if (replyTo !== messageSerials.unlock) return
      prompt = kind === errorKind ? undefined : readPrompt(body)
      if (prompt === undefined) resolveState('answers')
      else {
        isPrompting = true
        const promptCall = encodeCall({
          ...secretService,
          serial: messageSerials.prompt,
          path: prompt,
          name: ['org.freedesktop.Secret.Prompt', 'Prompt'],
          body: encodeBody(''),
          types: 's',
        })
        socket.write(Buffer.concat([match, promptCall]))
      }
    }
    socket.once('connect', () => runConversation(socket, [helloMessage, unlockCall], onMessage))
  })
}
