import { randomUUID } from 'node:crypto'
import type { KitContent, PlanView } from '@shared/contract'
import { PlanName } from '@shared/contract/common'
import { AppError } from '@shared/failure'
import type { Secret } from '../../core/secret'
import type { PlanRecord } from '../../core/settings/settings'
import type { PlanDirectory } from '../../plans/plan-directory'
import type { OwnIdentity } from './age-identity'
import { keyNameFor } from './holder-key'
import type { ImportedKeys } from './imported-keys'
import { type OpenKit, readPassphrase } from './kit'
import type { SealedKit } from './kit-encryption'
import { readKitFile } from './kit-file'

const maxHeld = 10

export interface ReceivingPlans {
  readonly directory: PlanDirectory
  list(): PlanView[]
  find(idOrName: string): PlanRecord
  freeName(name: string): string
  readSecret(plan: PlanRecord, key?: string): Promise<Secret>
  add(input: PlanFields, secret: Secret, origin: { source: 'handed-over'; keyName: string }): Promise<PlanView>
  keepKey(planId: string, key: { readonly keyId?: string; readonly name: string }, secret: Secret): Promise<PlanView>
}

type PlanFields = Pick<KitContent, 'gatewayUrl' | 'models' | 'contextTokens' | 'expiresAt'> & { readonly name: string }

interface SavedKey {
  readonly planId: string
  readonly keyId: string
  readonly content: KitContent
}

/** A key file that was read. `needs`: how to decrypt it. */
export interface ChosenKit {
  readonly kitId: string
  readonly path: string
  readonly needs: 'passphrase' | 'nothing' | 'anotherKey'
}

/** Load the libraries on first use, because they would slow down every start. */
const loadEncryption = () => import('./kit-encryption')

interface HeldKit {
  readonly sealed: SealedKit
  readonly opened?: OpenKit
}

/** The last ten chosen key files, in memory only. Their keys are saved when the person imports them. */
export class ReceivedKits {
  readonly #identity: OwnIdentity
  readonly #plans: ReceivingPlans
  readonly #imported: ImportedKeys
  readonly #held = new Map<string, HeldKit>()

  constructor(identity: OwnIdentity, plans: ReceivingPlans, imported: ImportedKeys) {
    this.#identity = identity
    this.#plans = plans
    this.#imported = imported
  }

  /**
   * Reads a key file and keeps it in memory, still encrypted if it needs a passphrase. Fails with `file.unreadable`,
   * `handout.unreadable` or `handout.tampered`.
   */
  async choose(path: string): Promise<ChosenKit> {
    const bytes = await readKitFile(path)
    const sealedKit = await (await loadEncryption()).readSealed(bytes)
    const kitId = randomUUID()
    const openedKit = sealedKit.needs === 'identity' ? await this.#openOwn(sealedKit) : undefined
    this.#held.set(kitId, { sealed: sealedKit, ...(openedKit ? { opened: openedKit } : {}) })
    for (const oldKitId of [...this.#held.keys()].slice(0, -maxHeld)) this.#held.delete(oldKitId)
    const neededOpener = sealedKit.needs === 'passphrase' ? 'passphrase' : openedKit ? 'nothing' : 'anotherKey'
    return { kitId, path, needs: neededOpener }
  }

  /**
   * Decrypts a key file that was opened before and returns its content without the key. Fails with `handout.*`, or
   * `input.invalid` without a passphrase where one is needed.
   */
  async open(kitId: string, passphrase?: string): Promise<KitContent> {
    const heldKit = this.#find(kitId)
    const openedKit = heldKit.opened ?? (await this.#openWith(heldKit.sealed, passphrase))
    this.#held.set(kitId, { ...heldKit, opened: openedKit })
    return openedKit.content
  }

  /** Saves the key of an opened key file in its plan or a new one. Keeps an existing key. Fails with `vault.*`. */
  async accept(kitId: string): Promise<SavedKey> {
    const { opened } = this.#find(kitId)
    if (!opened) throw new AppError('input.invalid', 'Open the key file before you import its key.')
    const { content, key } = opened
    const saved = (await this.#findSame(content, key)) ?? (await this.#save(content, key))
    this.#imported.add(saved, content)
    return { ...saved, content }
  }

  #find(kitId: string): HeldKit {
    const heldKit = this.#held.get(kitId)
    if (heldKit) return heldKit
    throw new AppError('input.invalid', 'The opened key file has expired. Choose it again.', { field: 'kitId' })
  }

  /** Opens a key file with this computer's identity. Undefined if the file is encrypted for another computer. */
  async #openOwn(sealedKit: SealedKit): Promise<OpenKit | undefined> {
    const identity = await this.#identity.find()
    if (!identity) return undefined
    try {
      return await (await loadEncryption()).unseal(sealedKit, { identity })
    } catch (error) {
      if (error instanceof AppError && error.failure.code === 'handout.otherRecipient') return undefined
      throw error
    }
  }

  async #openWith(sealedKit: SealedKit, passphrase: string | undefined): Promise<OpenKit> {
    if (sealedKit.needs === 'identity') {
      const message =
        'This key file is for another computer. Send the public key of this one and ask for a new key file.'
      throw new AppError('handout.otherRecipient', message)
    }
    if (passphrase) return (await loadEncryption()).unseal(sealedKit, { passphrase: readPassphrase(passphrase) })
    throw new AppError('input.invalid', 'This key file needs its passphrase.', { field: 'passphrase' })
  }

  async #findSame({ gatewayUrl }: KitContent, key: Secret) {
    for (const plan of this.#plans.list()) {
      const sameMaskKeys = plan.gatewayUrl === gatewayUrl ? plan.keys.filter(({ masked }) => masked === key.masked) : []
      for (const { id, kept } of sameMaskKeys) {
        if (kept === 'missing') continue
        const localSecret = await this.#plans.readSecret(this.#plans.find(plan.id), id)
        if (localSecret.isSame(key)) return { planId: plan.id, keyId: id }
      }
    }
    return undefined
  }

  async #save(content: KitContent, key: Secret) {
    const { planName, gatewayUrl, models, contextTokens, expiresAt, keyName, ids } = content
    const knownPlan = this.#imported.findPlan(content)
    const takenNames = knownPlan?.keys.map(({ name }) => name) ?? []
    if (knownPlan) {
      const origin = knownPlan.origin && ids ? { keyId: ids.keyId } : {}
      const { id: planId, keys } = await this.#plans.keepKey(
        knownPlan.id,
        { ...origin, name: keyNameFor(keyName, takenNames) },
        key,
      )
      const saved = keys.find(({ id }) => !knownPlan.keys.some((previousKey) => previousKey.id === id)) ?? keys.at(-1)
      return { planId, keyId: saved?.id ?? '' }
    }
    const name = this.#plans.freeName(toPlanName(planName))
    const origin = { source: 'handed-over', keyName: keyNameFor(keyName, []) } as const
    const plan = await this.#plans.add({ name, gatewayUrl, models: [...models], contextTokens, expiresAt }, key, origin)
    return { planId: plan.id, keyId: plan.keys.at(-1)?.id ?? '' }
  }
}

function toPlanName(text: string): string {
  const name = text.replace(/[^a-zA-Z0-9_.-]+/g, '-').slice(0, 50)
  return PlanName.safeParse(name).success ? name : 'plan'
}
