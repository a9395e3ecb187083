import { randomUUID } from 'node:crypto'
import type {
  AuditFilter,
  HandoutRequest,
  HandoutResult,
  Handover,
  Holder,
  KeyFileContent,
  MethodInput,
  MethodOutput,
} from '@shared/contract'
import { ToolId } from '@shared/contract/register'
import { AppError, type FailureCode } from '@shared/failure'
import { holderId, isSameHolder } from '@shared/key-ids'
import { defaultContextTokens, getContextTokens } from '@shared/model-facts'
import type { AuditTrail } from '../../core/audit/trail'
import { byteOrderMark } from '../../core/csv'
import type { Disk } from '../../core/files/disk'
import { writeChosenFile } from '../../core/files/files'
import type { AuditPort, ClipboardPort, Clock, FileDialogs } from '../../core/ports'
import { Secret } from '../../core/secret'
import type { HandoutRecord, PlanRecord, SettingsStore } from '../../core/settings/settings'
import type { Vault } from '../../core/vault/vault'
import { createWorkQueue } from '../../core/work-queue'
import type { Account } from '../../plans/account/account'
import type { Register } from '../register/register'
import type { KeySwitch } from '../rotation/key-switch'
import type { AccountKey, RotatedKeys } from '../rotation/ports'
import { chooseNameForHolder, ensureHolderKey, HandoutJournal, type HolderKeyDeps, toHandoutOrigin } from './holder-key'
import { ImportedKeys, type KeyFilePlans, OwnIdentity, ReceivedKeyFiles } from './imported-keys'
import { findFreePath, getKeyFileName, hashCode, newCode, newPassphrase, requireNoFile, writeNewFile } from './kit'
import type { Lock } from './kit-encryption'

interface HandoutDeps {
  readonly settings: SettingsStore
  readonly vault: Vault
  readonly plans: KeyFilePlans
  readonly account: HolderKeyDeps['account'] & Pick<Account, 'get' | 'readSecret'>
  readonly register: Pick<
    Register,
    'identify' | 'findHolders' | 'otherHolders' | 'noteHandedOut' | 'noteAcknowledged' | 'hasAcknowledged'
  >
  readonly audit: AuditPort
  readonly clock: Clock
  readonly disk: Disk
  /** Name of the sender, which the recipient sees. */
  readonly sender: () => string
  readonly onAcknowledged?: () => void
  /** Confirms a key that another lead of the team issued, by the digest of its code. Undefined for an unknown code. */
  readonly acknowledgeInTeam?: (codeHash: string) => Promise<MethodOutput<'handouts.acknowledge'> | undefined>
  readonly keySwitch?: KeySwitch
  /** scrypt work factor (log2 N) of a key file. The default applies when absent. */
  readonly workFactor?: number | undefined
}

type BulkRequest = Omit<MethodInput<'handouts.createMany'>, 'callId'>

/** `signal` stops a bulk request before the next item. `onProgress` gets the number of finished items. */
interface BulkOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((done: number) => void) | undefined
}

/** Issues keys to others and imports keys from others. Keys and passphrases leave this process only in key files. */
export class Handouts {
  readonly #made: HolderKeyDeps
  readonly #identity: OwnIdentity
  readonly received: ReceivedKeyFiles
  readonly imported: ImportedKeys
  /** Passphrases of the key files that this process has created, with the id of the hand-out as map key. */
  readonly #passphrases = new Map<string, Secret>()
  readonly #queue = createWorkQueue()

  constructor(private readonly deps: HandoutDeps) {
    this.#made = { ...deps, journal: new HandoutJournal(deps.settings) }
    this.#identity = new OwnIdentity(deps.vault)
    this.imported = new ImportedKeys(deps)
    this.received = new ReceivedKeyFiles(this.#identity, deps.plans, this.imported)
  }

  /** Previews a key file without creating a key. Fails with `*.notFound`, `rotation.notAtAccount` or as the console. */
  async preview(
    request: Pick<HandoutRequest, 'planId' | 'keyId' | 'holder'>,
  ): Promise<MethodOutput<'handouts.preview'>> {
    const { holder, keyId } = request
    const plan = await this.#findPlan(request.planId)
    if (keyId !== undefined) {
      const { id, name } = requireKey(plan, keyId)
      const alsoServes = this.deps.register.otherHolders({ planId: plan.id, keyId: id }, holder)
      return { alsoServes, makesKey: false, keyName: name }
    }
    const origin = toHandoutOrigin(plan)
    const { account } = this.deps
    const [{ maxKeys }, keys] = await Promise.all([account.plan(origin), account.keys(origin)])
    const { journal } = this.#made
    const started = journal.ofHolder(plan, holder)
    const createdKey = keys.find((key) => key.keyId === started?.accountKeyId && started.state === 'keyMade')
    const keyName = createdKey?.name ?? chooseNameForHolder(plan, { holder, keys }, journal)
    const freeSlots = Math.max(0, maxKeys - keys.length)
    return { alsoServes: [], freeSlots, makesKey: createdKey === undefined, keyName }
  }

  /** Writes a key file to a free path. If writing fails, the next attempt uses the newly created key. */
  create(request: HandoutRequest, path: string): Promise<HandoutResult> {
    return this.#queue(async () => {
      await requireBulkRequest(request)
      await requireNoFile(path, this.deps.disk)
      const plan = await this.#findPlan(request.planId)
      const holder = this.deps.register.identify(request.holder)
      return this.#write(await this.#prepareRecord(plan, { ...request, holder, isAgain: true }), request, path)
    })
  }

  /** Creates a key file, and a key if needed, per item. Cancellation stops before the next item. */
  createMany(
    { items, lock }: BulkRequest,
    folder: string,
    { signal, onProgress }: BulkOptions = {},
  ): Promise<HandoutResult[]> {
    return this.#queue(async () => {
      for (const { toolIds } of items) await requireBulkRequest({ lock, toolIds })
      const planIds = new Set(items.flatMap(({ planId, keyId }) => (keyId === undefined ? [planId] : [])))
      for (const planId of planIds) toHandoutOrigin(await this.#findPlan(planId))
      const results: HandoutResult[] = []
      const batchErrors: BatchErrors = {}
      for (const item of items) {
        const holder = this.deps.register.identify(item.holder)
        onProgress?.(results.length)
        if (signal?.aborted) results.push(buildCancelledResult(holder))
        else results.push(await this.#createOne({ ...item, holder, lock }, folder, batchErrors))
      }
      return results
    })
  }

  /** One line per key file, or only the passphrase of a single one. Fails with `key.notFound`. */
  passphraseList([id = '', ...otherIds]: readonly string[]): Secret {
    if (otherIds.length === 0) return this.getPassphrase(id)
    const lines = [id, ...otherIds].map((handoutId) => {
      const holderName = this.#made.journal.find(handoutId)?.holder.name ?? ''
      return `${holderName}: ${this.getPassphrase(handoutId).expose()}`
    })
    return new Secret(lines.join('\n'), 'text')
  }

  /** The passphrase of a key file that this process has created. Fails with `key.notFound`. */
  getPassphrase(id: string): Secret {
    const passphrase = this.#passphrases.get(id)
    const record = this.#made.journal.find(id)
    const message = 'The passphrase has expired. Create the key file again. Its key stays the same.'
    if (!passphrase) throw new AppError('key.notFound', message)
    if (record?.needs === 'passphrase') this.#made.journal.save({ ...record, needs: 'toldPassphrase' })
    return passphrase
  }

  /** The age public key of this machine. Fails with `vault.unavailable`. */
  async ownRecipient(): Promise<{ recipient: string }> {
    return { recipient: await this.#identity.recipient() }
  }

  /** Saves the key of an opened key file on this computer. Fails with `vault.*`. */
  async accept(kitId: string): Promise<MethodOutput<'handouts.accept'>> {
    const { planId, keyId, content } = await this.received.accept(kitId)
    const { planName, keyName, from } = content
    await this.deps.audit.note({ what: 'received', planName, keyName, subject: from })
    return this.imported.find({ planId, keyId })
  }

  /** Records that the holder with this confirmation code has received the key. Fails with `handout.unknownCode`. */
  async acknowledge(code: string): Promise<MethodOutput<'handouts.acknowledge'>> {
    const hash = hashCode(code)
    const record = this.#made.journal.all().find(({ codeHash }) => codeHash === hash)
    const planName = this.deps.plans.list().find(({ id }) => id === record?.planId)?.name ?? ''
    const acknowledgement = record
      ? { holder: record.holder, planName, keyName: record.keyName }
      : await this.deps.acknowledgeInTeam?.(hash)
    if (!acknowledgement) {
      const message = 'No key file created on this computer has this code. Compare it letter by letter.'
      throw new AppError('handout.unknownCode', message, { field: 'code' })
    }
    if (record) {
      const { planId, keyId } = record
      this.#made.journal.save({ ...record, acknowledgedAt: this.deps.clock().toISOString() })
      if (keyId !== undefined) this.deps.register.noteAcknowledged({ planId, keyId })
    }
    const { holder, ...names } = acknowledgement
    await this.deps.audit.note({ what: 'acknowledged', ...names, subject: holder.name })
    this.deps.onAcknowledged?.()
    return acknowledgement
  }

  /** Delivery state of a rotation's new key, by holder. */
  listHandovers({ planId, oldKey, newKey: { id: newKeyId } }: RotatedKeys): Handover[] {
    const ids = [oldKey.id, newKeyId].flatMap((keyId) => (keyId === undefined ? [] : [{ planId, keyId }]))
    const handouts = this.#made.journal
      .all()
      .filter((handout) => handout.planId === planId && handout.keyId === newKeyId && handout.state === 'written')
    return this.deps.register.findHolders(ids).map((holder) => {
      const keyFileHandouts = handouts.filter((handout) => isSameHolder(handout.holder, holder))
      const isConfirmed =
        keyFileHandouts.some(({ acknowledgedAt }) => acknowledgedAt !== undefined) ||
        (newKeyId !== undefined && this.deps.register.hasAcknowledged({ planId, keyId: newKeyId }, holder))
      return { holder, state: isConfirmed ? 'confirmed' : keyFileHandouts.length > 0 ? 'handedOut' : 'open' }
    })
  }

  async #findPlan(planRef: string): Promise<PlanRecord> {
    const [connectionId = '', planId] = planRef.split(/\/(.*)/s)
    const { plans, account } = this.deps
    if (planId === undefined || plans.directory.localPlan({ connectionId, planId })) return plans.find(planRef)
    const { name, gatewayUrl, models, expiresAt, purchasedAt } = await account.plan({ connectionId, planId })
    return {
      id: planRef,
      name,
      source: 'console',
      origin: { connectionId, planId },
      gatewayUrl,
      models: models.map(({ modelCode }) => modelCode),
      contextTokens: defaultContextTokens,
      expiresAt,
      createdAt: purchasedAt,
      keys: [],
    }
  }

  /** Record of an existing key, or of the holder's own key, which is created if needed. */
  async #prepareRecord(
    plan: PlanRecord,
    request: Pick<HandoutRequest, 'keyId' | 'holder'> & { readonly isAgain: boolean },
  ): Promise<HandoutRecord> {
    const { holder, isAgain } = request
    if (request.keyId === undefined) return ensureHolderKey(plan, { holder, isAgain }, this.#made)
    const { id: keyId, name: keyName, origin } = requireKey(plan, request.keyId)
    const createdAt = this.deps.clock().toISOString()
    const handoutFields = { planId: plan.id, holder, keyName, keyId, accountKeyId: origin?.keyId }
    return { id: randomUUID(), ...handoutFields, isOwnKey: false, state: 'keyMade', at: createdAt }
  }

  async #createOne(request: HandoutRequest, folder: string, batchErrors: BatchErrors): Promise<HandoutResult> {
    const { planId, keyId, holder } = request
    try {
      if (batchErrors.all) throw batchErrors.all
      const plan = await this.#findPlan(planId)
      const hasKey = keyId !== undefined || this.#made.journal.ofHolder(plan, holder) !== undefined
      if (batchErrors.newKey && !hasKey) throw batchErrors.newKey
      const record = await this.#prepareRecord(plan, { keyId, holder, isAgain: false })
      // A file is lost if its passphrase was only known to a process that has ended.
      const isLost = record.needs === 'passphrase' && !this.#passphrases.has(record.id)
      if (record.state === 'written' && !isLost) return this.#result(record)
      return await this.#write(record, request, await findFreePath(folder, holder.name, this.deps.disk))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const { code, message } = error.failure
      if (code === 'account.keyLimitReached') batchErrors.newKey = error
      else if (!singleItemCodes.includes(code)) batchErrors.all = error
      return { ...buildCancelledResult(holder), state: 'failed', failure: { code, message } }
    }
  }

  /** Writes a key file and records it. Fails with `handout.badRecipient`, `vault.*` or `file.unwritable`. */
  async #write(
    record: HandoutRecord,
    { purpose, toolIds, lock }: Pick<HandoutRequest, 'purpose' | 'toolIds' | 'lock'>,
    path: string,
  ): Promise<HandoutResult> {
    const { register, audit, disk, workFactor } = this.deps
    const { origin, ...plan } = this.deps.plans.find(record.planId)
    const { accountKeyId, keyId: savedKeyId } = record
    const accountKey = origin && accountKeyId !== undefined ? { ...origin, keyId: accountKeyId } : undefined
    const key = accountKey
      ? await this.deps.account.readSecret(accountKey)
      : await this.deps.plans.readSecret(plan, savedKeyId)
    const code = newCode()
    const ids = accountKey && (await this.#keyFileIds(accountKey))
    const file = { purpose, toolIds, acknowledgement: code, maskedKey: key.masked, ids }
    const content = this.#buildContent(plan, record, file)
    const closedLock: Lock = lock.kind === 'recipient' ? lock : { kind: lock.kind, passphrase: newPassphrase() }
    // Load the encryption libraries on first use, because they would slow down every start.
    const { encryptKeyFile } = await import('./kit-encryption')
    await writeNewFile(path, await encryptKeyFile({ content, key }, closedLock, workFactor), disk)
    const fileFields = { state: 'written', path, needs: lock.kind, codeHash: hashCode(code) } as const
    const writtenRecord = this.#made.journal.save({ ...record, ...fileFields })
    const { id, holder, keyName, keyId } = writtenRecord
    if (closedLock.kind === 'passphrase') this.#passphrases.set(id, closedLock.passphrase)
    if (keyId !== undefined) register.noteHandedOut({ planId: plan.id, keyId }, holder, purpose)
    await audit.note({ what: 'handedOut', planName: plan.name, keyName, subject: holder.name })
    return this.#result(writtenRecord)
  }

  /** Ids by which the holder's computer recognizes a newer key of the plan. `accountId` is missing while offline. */
  async #keyFileIds({ connectionId, planId, keyId }: AccountKey): Promise<KeyFileContent['ids']> {
    const account = await this.deps.account.get({ connectionId }).catch(() => undefined)
    return { ...(account && { accountId: account.accountId }), planId, keyId }
  }

  #buildContent(
    plan: PlanRecord,
    { holder, keyName }: HandoutRecord,
    { purpose, ids, ...file }: Pick<KeyFileContent, 'purpose' | 'toolIds' | 'acknowledgement' | 'maskedKey' | 'ids'>,
  ): KeyFileContent {
    const { name: planName, gatewayUrl, models, expiresAt } = plan
    // A key file has one size for all models.
    const sizes = models.map((modelCode) => getContextTokens(plan, modelCode))
    return {
      version: 2,
      from: this.deps.sender().slice(0, 100),
      holder: { ...holder, id: holderId(holder) },
      ...(purpose ? { purpose } : {}),
      planName,
      gatewayUrl,
      models: models.slice(0, maxModels),
      contextTokens: sizes.length > 0 ? Math.min(...sizes) : plan.contextTokens,
      ...(expiresAt === undefined ? {} : { expiresAt }),
      keyName,
      ...file,
      ...(ids === undefined ? {} : { ids }),
      createdAt: this.deps.clock().toISOString(),
    }
  }

  #result({ id, holder, keyName, path }: HandoutRecord): HandoutResult {
    return { id, holder, keyName, path, state: 'written', hasPassphrase: this.#passphrases.has(id) }
  }
}

const maxModels = 200

/** Failures of a batch that would occur again for other holders: all of them, or those who have no key yet. */
interface BatchErrors {
  all?: AppError
  newKey?: AppError
}

async function requireBulkRequest({ lock, toolIds }: Pick<HandoutRequest, 'lock' | 'toolIds'>): Promise<void> {
  if (lock.kind === 'recipient') (await import('./kit-encryption')).requireRecipient(lock.recipient)
  if (toolIds.every((id) => ToolId.safeParse(id).success)) return
  throw new AppError('input.invalid', 'Unknown tool ID. "companion tools" lists them.', { field: 'toolIds' })
}

function requireKey(plan: PlanRecord, keyNameOrId: string): PlanRecord['keys'][number] {
  const keyMatch = plan.keys.find(({ id, name }) => id === keyNameOrId || name === keyNameOrId)
  if (keyMatch) return keyMatch
  throw new AppError('key.notFound', `The plan ${plan.name} has no such key here.`, { field: 'keyId' })
}

const buildCancelledResult = (holder: Holder): HandoutResult => ({
  id: randomUUID(),
  holder,
  keyName: '',
  state: 'cancelled',
  hasPassphrase: false,
})

/** Failure codes that concern a single item, so that a batch can continue. */
const singleItemCodes: readonly FailureCode[] = [
  'account.invalidName',
  'api.badRequest',
  'api.conflict',
  'api.notFound',
  'key.notFound',
  'plan.notFound',
  'vault.keyMissing',
]

interface HandoutParts {
  readonly handouts: Pick<Handouts, 'create' | 'createMany'> & {
    readonly received: Pick<ReceivedKeyFiles, 'choose' | 'open'>
  }
  readonly register: Pick<Register, 'csv'>
  readonly audit: Pick<AuditTrail, 'csv'>
  readonly dialogs: Pick<FileDialogs, 'open' | 'save' | 'chooseFolder'>
  /** Asks whether to open the key file that the system opened with the app. Undefined if not. */
  readonly confirmOpenedKit: () => Promise<string | undefined>
  readonly clipboard: ClipboardPort
  readonly disk: Disk
}

/** Saves and opens key files, and exports the key register and the audit log, at paths that the user chooses. */
export function createHandoutFiles(parts: HandoutParts) {
  const { handouts, register, audit, dialogs, confirmOpenedKit, clipboard, disk } = parts
  const saveTable = async (name: string, csv: () => Promise<string>) => {
    const path = await dialogs.save(name, 'csv')
    return path === undefined ? {} : writeChosenFile(path, byteOrderMark + (await csv()), disk)
  }
  return {
    /** Asks for the path before creating a key. Creates nothing if the user cancels. Fails as `Handouts.create` does. */
    async create(request: HandoutRequest): Promise<HandoutResult> {
      const path = await dialogs.save(getKeyFileName(request.holder.name), 'keyFile')
      return path === undefined ? buildCancelledResult(request.holder) : handouts.create(request, path)
    },
    async createMany(request: BulkRequest, options?: BulkOptions): Promise<HandoutResult[]> {
      const folder = await dialogs.chooseFolder()
      if (folder === undefined) return request.items.map(({ holder }) => buildCancelledResult(holder))
      return handouts.createMany(request, folder, options)
    },
    async chooseKit({ isOpened }: MethodInput<'handouts.chooseKit'>): Promise<MethodOutput<'handouts.chooseKit'>> {
      const path = await (isOpened ? confirmOpenedKit() : dialogs.open('keyFile'))
      return path === undefined ? {} : { kit: await handouts.received.choose(path) }
    },
    /** Opens a key file. Without a passphrase, tries the text on the clipboard. */
    openKit: async ({ kitId, passphrase }: MethodInput<'handouts.openKit'>) =>
      handouts.received.open(kitId, passphrase ?? (await clipboard.readText()).trim()),
    exportRegister: () => saveTable('keys.csv', () => register.csv()),
    exportAudit: (filter: AuditFilter) => saveTable('audit-log.csv', () => audit.csv(filter)),
  }
}
