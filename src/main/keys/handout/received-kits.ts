import { randomUUID } from 'node:crypto'
import type { KeyFileContent } from '@shared/contract'
import { PlanName } from '@shared/contract/common'
import { AppError, undefinedIfFailed } from '@shared/failure'
import { Secret } from '../../core/secret'
import type { Vault } from '../../core/vault/vault'
import type { Plans } from '../../plans/plans'
import { chooseKeyName } from './holder-key'
import type { ImportedKeys } from './imported-keys'
import { type OpenKeyFile, readKeyFileBytes, readPassphrase } from './kit'
import type { EncryptedKeyFile } from './kit-encryption'

const maxStoredKeyFiles = 10

export type KeyFilePlans = Pick<Plans, 'directory' | 'list' | 'find' | 'freeName' | 'readSecret' | 'add' | 'keepKey'>

/** A key file that was read. `needs`: how to decrypt it. */
export interface ChosenKeyFile {
  readonly kitId: string
  readonly path: string
  readonly needs: 'passphrase' | 'nothing' | 'anotherKey'
}

/** Load the libraries on first use, because they would slow down every start. */
const loadEncryption = () => import('./kit-encryption')
const importAge = () => import('age-encryption')

interface StoredKeyFile {
  readonly sealed: EncryptedKeyFile
  readonly opened: OpenKeyFile | undefined
}

/** The last ten chosen key files, in memory only. Their keys are saved when the user imports them. */
export class ReceivedKeyFiles {
  readonly #held = new Map<string, StoredKeyFile>()

  constructor(
    private readonly identity: OwnIdentity,
    private readonly plans: KeyFilePlans,
    private readonly imported: ImportedKeys,
  ) {}

  /** Keeps a key file in memory, encrypted if it needs a passphrase. Fails with `file.unreadable` or `handout.*`. */
  async choose(path: string): Promise<ChosenKeyFile> {
    const bytes = await readKeyFileBytes(path)
    const encryptedKeyFile = await (await loadEncryption()).readEncryptedKeyFile(bytes)
    const kitId = randomUUID()
    const opened = encryptedKeyFile.needs === 'identity' ? await this.#openOwn(encryptedKeyFile) : undefined
    this.#held.set(kitId, { sealed: encryptedKeyFile, opened })
    for (const oldKitId of [...this.#held.keys()].slice(0, -maxStoredKeyFiles)) this.#held.delete(oldKitId)
    return {
      kitId,
      path,
      needs: encryptedKeyFile.needs === 'passphrase' ? 'passphrase' : opened ? 'nothing' : 'anotherKey',
    }
  }

  /** Decrypts a chosen key file. Fails with `handout.*`, or `input.invalid` if its passphrase is missing. */
  async open(kitId: string, passphrase?: string): Promise<KeyFileContent> {
    const { sealed, opened: openedBefore } = this.#find(kitId)
    const opened = openedBefore ?? (await this.#openWith(sealed, passphrase))
    this.#held.set(kitId, { sealed, opened })
    return opened.content
  }

  /** Saves the key of an opened key file in its plan or a new one. Keeps an existing key. Fails with `vault.*`. */
  async accept(kitId: string) {
    const { opened } = this.#find(kitId)
    if (!opened) throw new AppError('input.invalid', 'Open the key file before you import its key.')
    const { content, key } = opened
    const savedPlan = (await this.#findSame(content, key)) ?? (await this.#save(content, key))
    this.imported.add(savedPlan, content)
    return { ...savedPlan, content }
  }

  #find(kitId: string): StoredKeyFile {
    const storedKeyFile = this.#held.get(kitId)
    if (storedKeyFile) return storedKeyFile
    throw new AppError('input.invalid', 'The opened key file has expired. Choose it again.', { field: 'kitId' })
  }

  /** Opens a key file with this computer's identity. Undefined if the file is encrypted for another computer. */
  async #openOwn(sealedKit: EncryptedKeyFile): Promise<OpenKeyFile | undefined> {
    const identity = await this.identity.find()
    if (!identity) return undefined
    const { decryptKeyFile } = await loadEncryption()
    return undefinedIfFailed('handout.otherRecipient', decryptKeyFile(sealedKit, { identity }))
  }

  async #openWith(sealedKit: EncryptedKeyFile, passphrase: string | undefined): Promise<OpenKeyFile> {
    if (sealedKit.needs === 'identity') {
      const message =
        'This key file is for another computer. Send the public key of this one and ask for a new key file.'
      throw new AppError('handout.otherRecipient', message)
    }
    if (passphrase)
      return (await loadEncryption()).decryptKeyFile(sealedKit, { passphrase: readPassphrase(passphrase) })
    throw new AppError('input.invalid', 'This key file needs its passphrase.', { field: 'passphrase' })
  }

  async #findSame({ gatewayUrl }: KeyFileContent, key: Secret) {
    for (const plan of this.plans.list()) {
      const sameMaskKeys = plan.gatewayUrl === gatewayUrl ? plan.keys.filter(({ masked }) => masked === key.masked) : []
      for (const { id, kept } of sameMaskKeys) {
        if (kept === 'missing') continue
        const localSecret = await this.plans.readSecret(this.plans.find(plan.id), id)
        if (localSecret.isSame(key)) return { planId: plan.id, keyId: id }
      }
    }
    return undefined
  }

  async #save(content: KeyFileContent, key: Secret) {
    const { planName, gatewayUrl, models, contextTokens, expiresAt, keyName, ids } = content
    const knownPlan = this.imported.findPlan(content)
    const usedNames = knownPlan?.keys.map(({ name }) => name) ?? []
    if (knownPlan) {
      const origin = knownPlan.origin && ids ? { keyId: ids.keyId } : {}
      const newKey = { ...origin, name: chooseKeyName(keyName, usedNames) }
      const { id: planId, keys } = await this.plans.keepKey(knownPlan.id, newKey, key)
      const savedKey =
        keys.find(({ id }) => !knownPlan.keys.some((previousKey) => previousKey.id === id)) ?? keys.at(-1)
      return { planId, keyId: savedKey?.id ?? '' }
    }
    const cleanName = planName.replace(/[^a-zA-Z0-9_.-]+/g, '-').slice(0, 50)
    const name = this.plans.freeName(PlanName.safeParse(cleanName).success ? cleanName : 'plan')
    const origin = { source: 'handed-over', keyName: chooseKeyName(keyName, []) } as const
    const plan = await this.plans.add({ name, gatewayUrl, models: [...models], contextTokens, expiresAt }, key, origin)
    return { planId: plan.id, keyId: plan.keys.at(-1)?.id ?? '' }
  }
}

const item = 'handout:identity'

/** The age key pair of this machine. The private key leaves the keychain only to decrypt a key file. */
export class OwnIdentity {
  #making: Promise<Secret> | undefined

  constructor(private readonly vault: Vault) {}

  /** Returns the private key, or undefined when this computer has none. Fails with `vault.unavailable`. */
  find(): Promise<Secret | undefined> {
    return undefinedIfFailed('vault.keyMissing', this.vault.get(item))
  }

  /** Returns the public key. Creates a key pair when this computer has none. Fails with `vault.unavailable`. */
  async recipient(): Promise<string> {
    this.#making ??= this.#findOrMake().finally(() => {
      this.#making = undefined
    })
    const secret = await this.#making
    return (await importAge()).identityToRecipient(secret.expose())
  }

  async #findOrMake(): Promise<Secret> {
    const existingIdentity = await this.find()
    if (existingIdentity) return existingIdentity
    await this.vault.save(item, new Secret(await (await importAge()).generateX25519Identity()))
    // Another process may have saved a key pair at the same time. The saved pair wins.
    return this.vault.get(item)
  }
}
