import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Settings } from '../../src/main/core/settings/settings'
import { buildProgram } from './build-program'
import { type ConfirmedWrite, openCore, type WriterInput } from './state-writer'

/** Builds `state-writer.ts` into a folder from which Node finds the project's packages. */
export const buildWriter = (folder: string): Promise<string> =>
  buildProgram(resolve(import.meta.dirname, 'state-writer.ts'), folder)

/** A writer in a separate process. */
export function startWriter(program: string, orders: WriterInput) {
  const child = spawn(process.execPath, [program, JSON.stringify(orders)], { stdio: ['ignore', 'pipe', 'pipe'] })
  const outputPromise = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  const endPromise = outputPromise.then(([out, err, [code, signal]]) => {
    // The last line may be incomplete if the process was killed.
    const lines = out.split('\n').flatMap((line): ConfirmedWrite[] => (line.endsWith('}') ? [JSON.parse(line)] : []))
    const startedWriteIds = lines.flatMap(({ id, isGoing }) => (isGoing ? [id] : []))
    return { code, signal, err, going: startedWriteIds, confirmed: lines.filter(({ isGoing }) => !isGoing) }
  })
  return { child, ended: endPromise }
}

const listIds = ({ plans, connections, platformSecrets, handouts, register, relay }: Settings) => ({
  plans: plans.map(({ id }) => id),
  connections: connections.map(({ id }) => id),
  platformSecrets: platformSecrets.map(({ id }) => id),
  handouts: handouts.map(({ id }) => id),
  register: register.map(({ keyId }) => keyId),
  ways: relay.ways.map(({ toolId }) => toolId),
})

/** Compares the confirmed writes with the stored records. Also returns keychain items without a record. */
export async function findLostWrites(
  confirmed: readonly ConfirmedWrite[],
  { dataDir, keychainDir }: Pick<WriterInput, 'dataDir' | 'keychainDir'>,
  going: readonly string[] = [],
) {
  const core = openCore({ dataDir, keychainDir })
  await core.sweepNewItems()
  const settings = core.settings.read()
  const storedIds = listIds(settings)
  const removedIds = new Set(confirmed.flatMap(({ id, isGone }) => (isGone ? [id] : [])))
  const items = readdirSync(keychainDir).map(decodeURIComponent)
  const keys = settings.plans.flatMap((plan) => plan.keys.map(({ id }) => ({ planId: plan.id, id })))
  // Accounts of the records that writers make.
  const namedAccounts = [
    ...keys.map(({ id }) => id),
    ...storedIds.connections.map((id) => `connection:${id}`),
    ...storedIds.platformSecrets.map((id) => `platform:${id}`),
  ]
  return {
    lost: confirmed.filter(
      ({ part, id }) => !removedIds.has(id) && !going.includes(id) && !storedIds[part].includes(id),
    ),
    cameBack: storedIds.plans.filter((id) => removedIds.has(id)),
    orphans: items.filter((account) => !namedAccounts.includes(account)),
    /** Confirmed plans that no writer was removing and whose key is missing from the keychain. */
    keyless: keys.filter(
      ({ planId, id }) =>
        confirmed.some((confirmedWrite) => confirmedWrite.id === planId) &&
        !going.includes(planId) &&
        !items.includes(id),
    ),
    newItems: settings.newItems,
  }
}

/** Result of `findLostWrites` without losses. */
export const emptyLosses = { lost: [], cameBack: [], orphans: [], keyless: [], newItems: [] }
