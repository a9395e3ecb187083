import type { Socket } from 'node:net'

// The keychain loads this module when a coding tool waits for a key. So import no library here.

export const dbusName = 'org.freedesktop.DBus'
export const busDestination = { destination: dbusName, path: '/org/freedesktop/DBus' }

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
  /** Above 1, the serial of `Hello`. */
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

/** The method `Hello`, which D-Bus requires as the first call of every connection. */
const helloMessage = encodeCall({ ...busDestination, serial: 1, name: [dbusName, 'Hello'] })

/** Received D-Bus message. A reply has the serial of its call, a signal has an object path. */
export interface Message {
  readonly kind: number
  readonly replyTo: number | undefined
  readonly fields: Buffer
  readonly body: Buffer
}

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

/** Authenticates as the current user, sends `Hello` and the first messages, and calls back on each received one. */
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
      if (isAuthenticated) socket.write(Buffer.concat([Buffer.from('BEGIN\r\n'), helloMessage, ...firstMessages]))
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
