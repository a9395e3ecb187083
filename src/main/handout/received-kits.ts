import { randomUUID } from 'node:crypto'
import type { KitContent, PlanView } from '@shared/contract'
import { PlanName } from '@shared/contract/common'
import { AppError } from '@shared/failure'
import type { Secret } from '../secret'
import type { PlanRecord } from '../settings/settings'
import type { OwnIdentity } from './age-identity'
import { keyNameFor } from './holder-key'
import { type OpenKit, readPassphrase } from './kit'
import type { SealedKit } from './kit-encryption'
import { readKitFile } from './kit-file'

const mostHeld = 10

/** What of the plans is needed to keep a key. */
export interface ReceivingPlans {
  list(): PlanView[]
  find(idOrName: string): PlanRecord
  freeName(wanted: string): string
  secretOf(plan: PlanRecord, key?: string): Promise<Secret>
  add(input: PlanFields, secret: Secret, origin: { source: 'handed-over'; keyName: string }): Promise<PlanView>
  keepKey(planId: string, key: { readonly name: string }, secret: Secret): Promise<PlanView>
}

type PlanFields = Pick<KitContent, 'gatewayUrl' | 'models' | 'contextTokens' | 'expiresAt'> & { readonly name: string }

/** Where a key of a kit is kept. */
interface KeptKey {
  readonly planId: string
  readonly keyId: string
  readonly content: KitContent
}

/** A kit's file that was looked at. `needs`: what opens it. */
export interface ChosenKit {
  readonly kitId: string
  readonly path: string
  readonly needs: 'passphrase' | 'nothing' | 'anotherKey'
}

/** Loaded when a kit comes: its libraries would slow down every start. */
const unsealing = () => import('./kit-encryption')

interface HeldKit {
  readonly sealed: SealedKit
  readonly opened?: OpenKit
}

/** Kits that were chosen here, the last ten, until the process ends; their keys are kept when a person accepts them. */
export class ReceivedKits {
  readonly #identity: OwnIdentity
  readonly #plans: ReceivingPlans
  readonly #held = new Map<string, HeldKit>()

  constructor(identity: OwnIdentity, plans: ReceivingPlans) {
    this.#identity = identity
    this.#plans = plans
  }

  /** Fails with `file.unreadable`, `handout.unreadable` or `handout.tampered`. */
  async choose(path: string): Promise<ChosenKit> {
    const bytes = await readKitFile(path)
    const sealed = await (await unsealing()).readSealed(bytes)
    const kitId = randomUUID()
    const opened = sealed.needs === 'identity' ? await this.#openOwn(sealed) : undefined
    this.#held.set(kitId, { sealed, ...(opened ? { opened } : {}) })
    for (const old of [...this.#held.keys()].slice(0, -mostHeld)) this.#held.delete(old)
    const needs = sealed.needs === 'passphrase' ? 'passphrase' : opened ? 'nothing' : 'anotherKey'
    return { kitId, path, needs }
  }

  /** What is in it. Fails with `handout.*`, or `input.invalid` without a passphrase where one is needed. */
  async open(kitId: string, passphrase?: string): Promise<KitContent> {
    const held = this.#find(kitId)
    const opened = held.opened ?? (await this.#openWith(held.sealed, passphrase))
    this.#held.set(kitId, { ...held, opened })
    return opened.content
  }

  /** Keeps the key of an opened kit: in a plan that came the same way, or in a new one; one that is here already stays. Fails with `vault.*`. */
  async accept(kitId: string): Promise<KeptKey> {
    const { opened } = this.#find(kitId)
    if (!opened) throw new AppError('input.invalid', 'Open the key file before you import its key.')
    const { content, key } = opened
    const here = await this.#findSame(content, key)
    if (here) return { ...here, content }
    const plan = await this.#keep(content, key)
    return { planId: plan.id, keyId: plan.keys.at(-1)?.id ?? '', content }
  }

  #find(kitId: string): HeldKit {
    const held = this.#held.get(kitId)
    if (held) return held
    throw new AppError('input.invalid', 'The opened key file has expired. Choose it again.', { field: 'kitId' })
  }

  /** Undefined when it is for another machine. */
  async #openOwn(sealed: SealedKit): Promise<OpenKit | undefined> {
    const identity = await this.#identity.find()
    if (!identity) return undefined
    try {
      return await (await unsealing()).unseal(sealed, { identity })
    } catch (error) {
      if (error instanceof AppError && error.failure.code === 'handout.otherRecipient') return undefined
      throw error
    }
  }

  async #openWith(sealed: SealedKit, passphrase: string | undefined): Promise<OpenKit> {
    if (sealed.needs === 'identity') {
      const message =
        'This key file is for another computer. Send the public key of this one and ask for a new key file.'
      throw new AppError('handout.otherRecipient', message)
    }
    if (passphrase) return (await unsealing()).unseal(sealed, { passphrase: readPassphrase(passphrase) })
    throw new AppError('input.invalid', 'This key file needs its passphrase.', { field: 'passphrase' })
  }

  async #findSame({ gatewayUrl }: KitContent, key: Secret) {
    for (const plan of this.#plans.list()) {
      const alike = plan.gatewayUrl === gatewayUrl ? plan.keys.filter(({ masked }) => masked === key.masked) : []
      for (const { id, kept } of alike) {
        if (kept === 'missing') continue
        const here = await this.#plans.secretOf(this.#plans.find(plan.id), id)
        if (here.isSame(key)) return { planId: plan.id, keyId: id }
      }
    }
    return undefined
  }

  /** A plan of an account has the keys that the account tells; one that was handed over takes this one as well. */
  #keep(
    { planName, gatewayUrl, models, contextTokens, expiresAt, keyName }: KitContent,
    key: Secret,
  ): Promise<PlanView> {
    const known = this.#plans
      .list()
      .find((plan) => plan.source === 'handed-over' && plan.gatewayUrl === gatewayUrl && plan.name === planName)
    const taken = known?.keys.map(({ name }) => name) ?? []
    if (known) return this.#plans.keepKey(known.id, { name: keyNameFor(keyName, taken) }, key)
    const name = this.#plans.freeName(planNameOf(planName))
    const origin = { source: 'handed-over', keyName: keyNameFor(keyName, []) } as const
    return this.#plans.add({ name, gatewayUrl, models: [...models], contextTokens, expiresAt }, key, origin)
  }
}

/** A name that a plan may have. */
function planNameOf(text: string): string {
  const name = text.replace(/[^a-zA-Z0-9_.-]+/g, '-').slice(0, 50)
  return PlanName.safeParse(name).success ? name : 'plan'
}
