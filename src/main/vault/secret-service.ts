import { connect, type Socket } from 'node:net'

/**
 * Whether the Secret Service answers on the session bus (Linux), asked over a connection of its own. What reads the keychain does so in
 * a thread of the process that nothing can end: while it waits, the process cannot end either.
 */
export type SecretServiceState = 'answers' | 'stalled' | 'unreachable'

/** Where the session bus listens, as libdbus finds it; nothing where that is no socket of this computer. */
export function sessionBusPath(vars: NodeJS.ProcessEnv): string | undefined {
  const address = vars.DBUS_SESSION_BUS_ADDRESS
  if (!address) return vars.XDG_RUNTIME_DIR ? `${vars.XDG_RUNTIME_DIR}/bus` : undefined
  const [, kind, value = ''] = /^unix:(path|abstract)=([^,;]+)/.exec(address) ?? []
  if (kind === undefined) return undefined
  const path = decodeURIComponent(value)
  return kind === 'abstract' ? `\0${path}` : path
}

const align = (bytes: number[], to: number): void => {
  while (bytes.length % to !== 0) bytes.push(0)
}

function pushNumber(bytes: number[], value: number): void {
  align(bytes, 4)
  for (let shift = 0; shift < 32; shift += 8) bytes.push((value >> shift) & 255)
}

function pushText(bytes: number[], text: string): void {
  const encoded = Buffer.from(text)
  pushNumber(bytes, encoded.length)
  bytes.push(...encoded, 0)
}

interface MethodCall {
  readonly serial: number
  readonly destination: string
  readonly path: string
  readonly name: readonly [owner: string, method: string]
  readonly texts: readonly string[]
}

/** A call of a method with texts as arguments, in the bus's own format (little endian). */
function encodeCall({ serial, destination, path, name, texts }: MethodCall): Buffer {
  const body: number[] = []
  for (const text of texts) pushText(body, text)
  const message: number[] = [0x6c, 1, 0, 1]
  pushNumber(message, body.length)
  pushNumber(message, serial)
  pushNumber(message, 0)
  const begin = message.length
  const field = (code: number, type: string, text: string): void => {
    align(message, 8)
    message.push(code, 1, type.charCodeAt(0), 0)
    if (type === 'g') message.push(text.length, ...Buffer.from(text), 0)
    else pushText(message, text)
  }
  field(1, 'o', path)
  field(6, 's', destination)
  field(2, 's', name[0])
  field(3, 's', name[1])
  if (texts.length > 0) field(8, 'g', 's'.repeat(texts.length))
  const bytes = Buffer.from(message)
  bytes.writeUInt32LE(message.length - begin, 12)
  return Buffer.concat([bytes, Buffer.alloc((8 - (bytes.length % 8)) % 8), Buffer.from(body)])
}

const bus = 'org.freedesktop.DBus'
const hello = encodeCall({
  serial: 1,
  destination: bus,
  path: '/org/freedesktop/DBus',
  name: [bus, 'Hello'],
  texts: [],
})
/** Its main thread has to answer this, not one that the library keeps for the bus. */
const question = encodeCall({
  serial: 2,
  destination: 'org.freedesktop.secrets',
  path: '/org/freedesktop/secrets',
  name: [`${bus}.Properties`, 'Get'],
  texts: ['org.freedesktop.Secret.Service', 'Collections'],
})

const replySerial = Buffer.from([5, 1, 'u'.charCodeAt(0), 0])

/** Whether what came holds the reply, or the error, to a call. */
function hasReply(bytes: Buffer, serial: number): boolean {
  for (let at = 0; at + 16 <= bytes.length; ) {
    const fieldsEnd = at + 16 + bytes.readUInt32LE(at + 12)
    const fields = bytes.subarray(at + 16, fieldsEnd)
    const found = fields.indexOf(replySerial)
    if (found >= 0 && found + 8 <= fields.length && fields.readUInt32LE(found + 4) === serial) return true
    at = Math.ceil(fieldsEnd / 8) * 8 + bytes.readUInt32LE(at + 4)
  }
  return false
}

/** Signs in as this user, and calls back with what the bus sends after that. */
function converse(socket: Socket, onBytes: (bytes: Buffer) => void): void {
  let came = Buffer.alloc(0)
  let isIn = false
  socket.on('data', (piece) => {
    came = Buffer.concat([came, piece])
    if (isIn) return onBytes(came)
    if (!came.includes('\r\n')) return
    isIn = came.subarray(0, 3).toString() === 'OK '
    came = Buffer.alloc(0)
    if (isIn) socket.write(Buffer.concat([Buffer.from('BEGIN\r\n'), hello, question]))
    else socket.destroy()
  })
  const user = Buffer.from(String(process.getuid?.() ?? 0)).toString('hex')
  socket.write(`\0AUTH EXTERNAL ${user}\r\n`)
}

/** Asks the Secret Service a small question; `stalled` when nothing answers in time. */
export function askSecretService(busPath: string, limitMs: number): Promise<SecretServiceState> {
  return new Promise((resolve) => {
    const socket = connect(busPath)
    const settle = (state: SecretServiceState): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(state)
    }
    const timer = setTimeout(() => settle('stalled'), limitMs)
    socket.once('error', () => settle('unreachable')).once('close', () => settle('unreachable'))
    socket.once('connect', () => {
      converse(socket, (bytes) => {
        if (hasReply(bytes, 2)) settle('answers')
      })
    })
  })
}
