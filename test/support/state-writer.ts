import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCore } from '../../src/main/compose/compose'
import { Secret } from '../../src/main/core/secret'
import { openSettingsFile } from '../../src/main/core/settings/settings-file'
import type { Keychain } from '../../src/main/core/vault/keychain'
import { createVault } from '../../src/main/core/vault/vault'
import { HandoutJournal } from '../../src/main/keys/handout/holder-key'
import { Notes } from '../../src/main/keys/register/key-sources'

/** A writer's command-line argument (JSON). */
export interface WriterInput {
  readonly dataDir: string
  /** Folder that simulates the keychain, with a file for each item. */
  readonly keychainDir: string
  /** Prefix of the names of all records that this writer adds. */
  readonly name: string
  readonly writes: number
  /** Whether the writer also removes some of its additions. */
  readonly isRemoving: boolean
}

/** A line that the writer prints after it added a record to the state or removed one. */
export interface ConfirmedWrite {
  readonly part: 'plans' | 'connections' | 'platformSecrets' | 'handouts' | 'register' | 'ways'
  readonly id: string
  readonly isGone?: boolean
  /** Whether the removal has only started. The record's key may already be deleted. */
  readonly isGoing?: boolean
}

const reportWrite = (line: ConfirmedWrite): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

/** A keychain shared by processes. */
export function createFolderKeychain(folder: string): Keychain {
  mkdirSync(folder, { recursive: true })
  const toItemFile = (account: string): string => join(folder, encodeURIComponent(account))
  return {
    async get(account) {
      try {
        return readFileSync(toItemFile(account), 'utf8')
      } catch {
        return null
      }
    },
    set: async (account, secret) => writeFileSync(toItemFile(account), secret.expose()),
    remove: async (account) => rmSync(toItemFile(account), { force: true }),
  }
}

/** Creates the app's features on a data folder and keychain that several processes share. */
export function openCore({ dataDir, keychainDir }: Pick<WriterInput, 'dataDir' | 'keychainDir'>) {
  return createCore({
    version: '0.0.0',
    dataDir,
    store: openSettingsFile({ dataDir }),
    vault: createVault({ keychain: createFolderKeychain(keychainDir), install: '', sessionAllowed: false }),
    launcher: { path: join(dataDir, 'companion'), ensure: () => undefined, lost: () => undefined },
    log: { info: () => undefined, error: (...logArgs) => console.error(...logArgs) },
    confirm: async () => true,
    proxyFor: async () => ({ kind: 'direct' }),
  })
}

type WriteState = (name: string) => Promise<ConfirmedWrite | undefined>

/** Writes of every kind of record that needs no confirmation by the user. */
function buildWrites(orders: WriterInput): readonly WriteState[] {
  const { plans, connections, platformSecrets, settings, routes } = openCore(orders)
  const handouts = new HandoutJournal(settings)
  const register = new Notes(settings)
  const secret = (name: string): Secret => new Secret(`sk-${name}-0123456789abcdef`)
  const addedIds: string[] = []
  const holder = (name: string) => ({ kind: 'person', name }) as const
  return [
    async (name) => {
      const { id } = await plans.add({ name, gatewayUrl: 'https://gw.example.com', models: ['m'] }, secret(name))
      addedIds.push(id)
      return { part: 'plans', id }
    },
    async (name) => {
      const input = { name, addresses: {}, tokenSource: { kind: 'pasted' } } as const
      return { part: 'connections', id: (await connections.save(input, secret(name))).connection.id }
    },
    async (name) => {
      const secretFields = { connectionId: 'c', kind: 'token', name } as const
      return { part: 'platformSecrets', id: (await platformSecrets.keep(secret(name), secretFields)).id }
    },
    async (id) => {
      const record = { id, planId: 'p', holder: holder(id), isOwnKey: true, keyName: id, at: new Date().toISOString() }
      handouts.save({ ...record, state: 'making' })
      return { part: 'handouts', id }
    },
    async (keyId) => {
      const address = { connectionId: 'c', planId: 'p', keyId }
      register.change(address, { planName: 'p', keyName: keyId }, { holder: holder(keyId) })
      return { part: 'register', id: keyId }
    },
    async (toolId) => {
      await routes.point([{ toolId, planId: 'p', keyId: 'k' }])
      return { part: 'ways', id: toolId }
    },
    async () => {
      const id = orders.isRemoving ? addedIds.shift() : undefined
      if (id === undefined) return undefined
      reportWrite({ part: 'plans', id, isGoing: true })
      await plans.remove(id)
      return { part: 'plans', id, isGone: true }
    },
  ]
}

/** Performs the writes in order and confirms each after it returned. */
export async function writeStates(orders: WriterInput): Promise<void> {
  const writes = buildWrites(orders)
  for (let number = 0; number < orders.writes; number += 1) {
    const confirmedWrite = await writes[number % writes.length]?.(`${orders.name}-${number}`)
    if (confirmedWrite) reportWrite(confirmedWrite)
  }
}

const [, , orders] = process.argv
if (orders?.startsWith('{')) void writeStates(JSON.parse(orders))
