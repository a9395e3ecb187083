import { connect } from 'node:net'
import {
  busDestination,
  dbusName,
  encodeBody,
  encodeCall,
  runConversation,
} from '../../src/main/core/vault/dbus-messages'

const messageSerials = { name: 11, lock: 12 }

/** D-Bus name of the password prompt. A program that never answers can own it. */
const prompter = encodeCall({
  serial: messageSerials.name,
  ...busDestination,
  name: [dbusName, 'RequestName'],
  body: encodeBody('org.gnome.keyring.SystemPrompter', 4),
  types: 'su',
})
const collection = '/org/freedesktop/secrets/aliases/default'
const lock = encodeCall({
  serial: messageSerials.lock,
  destination: 'org.freedesktop.secrets',
  path: '/org/freedesktop/secrets',
  name: ['org.freedesktop.Secret.Service', 'Lock'],
  body: encodeBody(encodeBody(collection).length, collection),
  types: 'ao',
})

/** Locks the keychain of a desktop, with a password prompt that never ends. Returns a function that ends the prompt. */
export function lockKeychain(busPath: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const socket = connect(busPath)
    socket.once('error', reject)
    socket.once('connect', () =>
      runConversation(socket, [prompter, lock], ({ replyTo }) => {
        if (replyTo === messageSerials.lock) resolve(() => void socket.destroy())
      }),
    )
  })
}
