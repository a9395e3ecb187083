import { existsSync } from 'node:fs'
import { busDestination, dbusName, encodeBody, encodeCall, type Message, runConversation } from './dbus-messages'

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

const secretService = { destination: 'org.freedesktop.secrets', path: '/org/freedesktop/secrets' }
/** The default collection for new items. */
const defaultCollection = '/org/freedesktop/secrets/aliases/default'
const messageSerials = { unlock: 2, match: 3, prompt: 4 }

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
const errorKind = 3
const signalKind = 4

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
    socket.once('connect', () => runConversation(socket, [unlockCall], onMessage))
  })
}
