import { randomUUID } from 'node:crypto'
import type { ImportedKeyView, KeyFileContent, KeySwitchPreview, KeySwitchResult, PlanView } from '@shared/contract'
import { PlanName } from '@shared/contract/common'
import type { ChosenKeyFile } from '@shared/contract/register'
import { AppError, undefinedIfFailed } from '@shared/failure'
import { isSameHolder } from '@shared/key-ids'
import { Secret } from '../../core/secret'
import type { ImportedKeyRecord } from '../../core/settings/records'
import type { SettingsStore } from '../../core/settings/settings'
import type { Vault } from '../../core/vault/vault'
import { shareRunning } from '../../core/work-queue'
import type { Plans } from '../../plans/plans'
import { type KeySwitch, type ToolRef, toSwitchedTool } from '../rotation/key-switch'
import { chooseKeyName } from './holder-key'
import { type OpenKeyFile, readKeyFileBytes, readPassphrase } from './kit'
import type { EncryptedKeyFile } from './kit-encryption'

const maxStoredKeyFiles = 10

export type KeyFilePlans = Pick<Plans, 'directory' | 'list' | 'find' | 'freeName' | 'readSecret' | 'add' | 'keepKey'>

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
  readonly #ensure = shareRunning(() => this.#findOrMake())

  constructor(private readonly vault: Vault) {}

  /** Returns the private key, or undefined when this computer has none. Fails with `vault.unavailable`. */
  find(): Promise<Secret | undefined> {
    return undefinedIfFailed('vault.keyMissing', this.vault.get(item))
  }

  /** Returns the public key. Creates a key pair when this computer has none. Fails with `vault.unavailable`. */
  async recipient(): Promise<string> {
    const secret = await this.#ensure()
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

interface LocalKey {
  readonly planId: string
  readonly keyId: string
}

interface ImportedKeysDeps {
  readonly settings: SettingsStore
  readonly plans: { list(): PlanView[] }
  /** Switches tools to an imported key. If omitted, tools keep their keys. */
  readonly keySwitch?: Pick<KeySwitch, 'findTools' | 'preview' | 'switchTools'> | undefined
}

/** Imported keys. Tools with an older key of the same plan and holder are switched before the code is shown. */
export class ImportedKeys {
  constructor(private readonly deps: ImportedKeysDeps) {}

  /** The local plan of a key file, matched by the account's ids, or by gateway and name for files without ids. */
  findPlan({ ids, gatewayUrl, planName }: KeyFileContent): PlanView | undefined {
    const plans = this.deps.plans.list().filter((plan) => plan.gatewayUrl === gatewayUrl)
    const isSameKey = (record: ImportedKeyRecord): boolean =>
      ids !== undefined &&
      record.ids?.planId === ids.planId &&
      (!record.ids.accountId || !ids.accountId || record.ids.accountId === ids.accountId)
    const records = this.#all()
    const matchingPlan = plans.find(({ id }) => records.some((record) => record.planId === id && isSameKey(record)))
    const isOtherPlan = ({ id }: PlanView): boolean =>
      records.some((record) => record.planId === id && record.ids && ids && !isSameKey(record))
    return (
      matchingPlan ??
      plans.find((plan) => ids !== undefined && plan.origin?.planId === ids.planId) ??
      plans.find((plan) => plan.source === 'handed-over' && plan.name === planName && !isOtherPlan(plan))
    )
  }

  /** Records an import. A file that is imported again has a new code, but tools that were not tested are tested first. */
  add({ planId, keyId }: LocalKey, { ids, holder, from, createdAt, acknowledgement: code }: KeyFileContent): void {
    this.deps.settings.update(({ importedKeys }) => {
      const failed = importedKeys.find((importedKey) => importedKey.keyId === keyId)?.failed
      const record = { planId, keyId, ids, holder, from, createdAt, code, failed }
      return { importedKeys: [record, ...importedKeys.filter((importedKey) => importedKey.keyId !== keyId)] }
    })
  }

  /** Imported keys with a code that was not sent, newest first. Omits keys that a newer one has replaced in all tools. */
  async list(): Promise<ImportedKeyView[]> {
    const views: ImportedKeyView[] = []
    const replacedKeys = new Set<string>()
    for (const record of this.#all()) {
      const view = await this.#view(record)
      if (!view) continue
      if (record.code !== undefined && !replacedKeys.has(record.keyId)) views.push(view)
      if (view.tools.length === 0 && !view.hasFailed)
        for (const keyId of this.#replacement(record).oldKeyIds) replacedKeys.add(keyId)
    }
    return views
  }

  /** Finds an imported key. Fails with `key.notFound`. */
  async find(key: LocalKey): Promise<ImportedKeyView> {
    const view = await this.#view(this.#find(key))
    if (view) return view
    throw createNotFoundError()
  }

  async previewSwitch(key: LocalKey): Promise<KeySwitchPreview[]> {
    const record = this.#find(key)
    return (await this.deps.keySwitch?.preview(this.#replacement(record))) ?? []
  }

  /** Returns the code when no tool uses an older key. Fails as `KeySwitch.switchTools` does. */
  async switchTools(key: LocalKey): Promise<{ results: KeySwitchResult[]; imported: ImportedKeyView }> {
    const record = this.#find(key)
    const replacement = this.#replacement(record)
    const mark = (tools: readonly ToolRef[]): void => {
      const failed = tools.map(({ toolId, site }) => ({ toolId, site }))
      this.#patch(record.keyId, { failed: failed.length > 0 ? failed : undefined })
    }
    // If this process ends before the tests do, the marks make the next call test again.
    mark((await this.deps.keySwitch?.findTools(record.planId, replacement.oldKeyIds)) ?? [])
    const results = (await this.deps.keySwitch?.switchTools(replacement)) ?? []
    // A tool whose test failed has the new key. Its code is shown when the test passes or the user skips it.
    mark(results.filter(({ state }) => state === 'failed'))
    return { results, imported: await this.find(key) }
  }

  /** Skips the switch: shows the confirmation code although tools still use an older key. */
  skipSwitch(key: LocalKey): Promise<ImportedKeyView> {
    this.#patch(this.#find(key).keyId, { isSwitchSkipped: true, failed: undefined })
    return this.find(key)
  }

  markCodeSent(key: LocalKey): void {
    this.#patch(this.#find(key).keyId, { code: undefined })
  }

  async #view(record: ImportedKeyRecord): Promise<ImportedKeyView | undefined> {
    const { planId, keyId, from, code, isSwitchSkipped, failed = [] } = record
    const plan = this.deps.plans.list().find(({ id }) => id === planId)
    const key = plan?.keys.find(({ id }) => id === keyId)
    if (!plan || !key) return undefined
    const oldKeyIds = this.#olderKeys(plan, record)
    const tools = ((await this.deps.keySwitch?.findTools(planId, oldKeyIds)) ?? []).map(toSwitchedTool)
    const isReady = isSwitchSkipped || (tools.length === 0 && failed.length === 0)
    return {
      planId,
      planName: plan.name,
      keyId,
      keyName: key.name,
      from,
      tools,
      oldKeyNames: plan.keys.filter(({ id }) => oldKeyIds.includes(id)).map(({ name }) => name),
      hasFailed: failed.length > 0,
      ...(isReady && code !== undefined ? { code } : {}),
    }
  }

  #replacement(record: ImportedKeyRecord) {
    const plan = this.deps.plans.list().find(({ id }) => id === record.planId)
    if (!plan) throw createNotFoundError()
    const { planId, keyId } = record
    // A tool whose test failed already has the new key, so test it again.
    const testedKeys = (record.failed ?? []).length > 0 ? [keyId] : []
    return { planId, oldKeyIds: [...this.#olderKeys(plan, record), ...testedKeys], newKeyId: keyId }
  }

  #olderKeys({ keys, source }: PlanView, { keyId, holder, createdAt }: ImportedKeyRecord): string[] {
    const records = new Map(this.#all().map((record) => [record.keyId, record]))
    const addedAt = keys.find(({ id }) => id === keyId)?.addedAt ?? ''
    return keys
      .filter(({ id, addedAt: keyAddedAt }) => {
        if (id === keyId) return false
        const existingRecord = records.get(id)
        // Earlier versions of the app recorded no imports, so compare the times at which the keys were added.
        if (!existingRecord) return source === 'handed-over' && keyAddedAt < addedAt
        return isSameHolder(existingRecord.holder, holder) && existingRecord.createdAt < createdAt
      })
      .map(({ id }) => id)
  }

  #find({ planId, keyId }: LocalKey): ImportedKeyRecord {
    const record = this.#all().find((importedKey) => importedKey.planId === planId && importedKey.keyId === keyId)
    if (record) return record
    throw createNotFoundError()
  }

  #patch(keyId: string, change: Partial<ImportedKeyRecord>): void {
    this.deps.settings.update(({ importedKeys }) => ({
      importedKeys: importedKeys.map((record) => (record.keyId === keyId ? { ...record, ...change } : record)),
    }))
  }

  #all(): readonly ImportedKeyRecord[] {
    return this.deps.settings.read().importedKeys
  }
}

const createNotFoundError = (): AppError => new AppError('key.notFound', 'This key was not imported on this computer.')
