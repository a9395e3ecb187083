import type { HandoutWish, KitContent } from '@shared/contract'
import type { Clock } from '../ports'
import type { Secret } from '../secret'
import type { AccountPlanId, HandoutRecord, PlanRecord } from '../settings/settings'
import type { Disk } from '../tools/disk'
import type { HandoutJournal } from './handout-journal'
import { hashOfCode, newCode, newPassphrase } from './kit'
import type { Lock } from './kit-encryption'
import { writeNewFile } from './kit-file'

export interface KitDeps {
  readonly account: { secretOf(of: AccountPlanId & { readonly keyId: string }): Promise<Secret> }
  readonly plans: { secretOf(plan: PlanRecord, key?: string): Promise<Secret> }
  readonly journal: HandoutJournal
  readonly clock: Clock
  readonly disk: Disk
  /** How the person here calls themselves. */
  readonly sender: () => string
  readonly workFactor?: number | undefined
}

/** What to make a kit of. */
interface KitWish extends Pick<HandoutWish, 'purpose' | 'toolIds' | 'lock'> {
  readonly plan: PlanRecord
  readonly record: HandoutRecord
  readonly path: string
}

const mostModels = 200

/** Writes the kit of a hand-out and notes it in the journal; with the passphrase when it was closed with one. Fails with `handout.badRecipient`, `vault.*` or `file.unwritable`. */
export async function makeKit(wish: KitWish, deps: KitDeps): Promise<{ record: HandoutRecord; passphrase?: Secret }> {
  const { plan, record, path, lock } = wish
  const key = await secretOf(plan, record, deps)
  const code = newCode()
  const content = contentOf(wish, { code, maskedKey: key.masked }, deps)
  const closed: Lock = lock.kind === 'recipient' ? lock : { kind: lock.kind, passphrase: newPassphrase() }
  // Its libraries would slow down every start.
  const { seal } = await import('./kit-encryption')
  const text = await seal({ content, key }, closed, deps.workFactor)
  await writeNewFile(path, text, deps.disk)
  const needs = lock.kind
  const written = deps.journal.put({ ...record, state: 'written', path, needs, codeHash: hashOfCode(code) })
  return { record: written, ...(closed.kind === 'passphrase' ? { passphrase: closed.passphrase } : {}) }
}

function secretOf(
  { origin, ...plan }: PlanRecord,
  record: HandoutRecord,
  { account, plans }: KitDeps,
): Promise<Secret> {
  const { accountKeyId: keyId } = record
  return origin && keyId !== undefined ? account.secretOf({ ...origin, keyId }) : plans.secretOf(plan, record.keyId)
}

function contentOf(
  { plan, record, purpose, toolIds }: KitWish,
  { code, maskedKey }: { code: string; maskedKey: string },
  { clock, sender }: KitDeps,
): KitContent {
  const { name: planName, gatewayUrl, models, contextTokens, expiresAt } = plan
  return {
    version: 1,
    from: sender().slice(0, 100),
    holder: record.holder,
    ...(purpose ? { purpose } : {}),
    ...{ planName, gatewayUrl, models: models.slice(0, mostModels), contextTokens },
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...{ keyName: record.keyName, maskedKey, toolIds: [...toolIds], acknowledgement: code },
    createdAt: clock().toISOString(),
  }
}
