import { readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@shared/failure'
import type { RotationRecord } from '../../src/main/core/settings/records'
import { Notes } from '../../src/main/keys/register/key-sources'
import { openCore } from './state-writer'
import type { TeamWorkerInput } from './team-orders'

const orders: TeamWorkerInput = JSON.parse(process.argv[2] ?? '{}')
const { name, connectionId } = orders
const core = openCore(orders)
const notes = new Notes(core.settings)
const address = (keyId: string) => ({ connectionId, planId: 'plan', keyId })
const progressFile = join(orders.dataDir, 'progress.json')

interface Progress {
  changes: number
  merged: number
  conflicting: number
  rotations: number
  started: number
}

const readProgress = (): Progress => {
  try {
    return JSON.parse(readFileSync(progressFile, 'utf8'))
  } catch {
    return { changes: 0, merged: 0, conflicting: 0, rotations: 0, started: 0 }
  }
}

const progress = readProgress()
const writeProgress = (): void => writeFileSync(progressFile, JSON.stringify(progress))

/** Waits until the database is available. */
async function retryWhileOffline<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const code = error instanceof AppError ? error.failure.code : ''
      if (!['team.unreachable', 'rotation.heldElsewhere'].includes(code)) throw error
      await sleep(20 + Math.random() * 60)
    }
  }
}

async function noteKey(keyId: string, change: object): Promise<void> {
  notes.change(address(keyId), { planName: 'plan', keyName: keyId }, change)
  await core.audit.note({
    what: 'registerChanged',
    planName: 'plan',
    keyName: keyId,
    subject: `${name} ${Math.random()}`,
  })
}

/** Rotates the shared key once. No other worker may hold the lease at the same time. */
async function rotate(number: number): Promise<void> {
  const team = await core.loadTeam()
  const record: RotationRecord = {
    id: `00000000-0000-4000-${name === 'lead-0' ? '8000' : '9000'}-${String(number).padStart(12, '0')}`,
    planId: 'local',
    planName: 'plan',
    origin: { connectionId, planId: 'plan' },
    oldKey: { id: 'all', keyId: 'all', name: 'all', wasActive: true },
    newKey: { name: `all-${name}-${number}` },
    direction: 'forward',
    state: 'running',
    steps: [{ id: 'add', state: 'pending' }],
    undoSteps: [],
    tools: [],
    profiles: [],
    startedAt: new Date().toISOString(),
    graceMs: 0,
    isStopWanted: false,
  }
  core.settings.update(() => ({ rotations: [record] }))
  const lease = await retryWhileOffline(async () => {
    const { lease: leasedRotation } = await team.open()
    await leasedRotation.take(record)
    return leasedRotation
  })
  const file = join(orders.folder, 'rotating')
  try {
    writeFileSync(file, name, { flag: 'wx' })
  } catch {
    // A marker of this computer is left over from when it was killed. Any other one is an error.
    const otherFile = readFileSync(file, 'utf8')
    if (otherFile !== name) process.stdout.write(`Both rotate: ${name} and ${otherFile}\n`)
  }
  await sleep(5 + Math.random() * 20)
  await retryWhileOffline(async () => lease.keep(record))
  unlinkSync(file)
  // If the database is unavailable, the lease expires. Acquire it again to release it.
  for (let hasReleasedLease = false; !hasReleasedLease; ) {
    await retryWhileOffline(async () => lease.take(record))
    await lease.leave({ ...record, state: 'done' })
    hasReleasedLease = await retryWhileOffline(async () => {
      await team.sync()
      const view = await team.get()
      return view.state === 'joined' && view.rotations.every(({ id }) => id !== record.id)
    })
  }
}

/** Writes the holders of keys that both leads edit. */
async function writeSameKey(targetCount: number, syncShare: number): Promise<void> {
  const team = await core.loadTeam()
  for (; progress.conflicting < targetCount; progress.conflicting += 1, writeProgress()) {
    const keyId = `both-${progress.conflicting}`
    const entryBefore = core.settings.read().register.find((registerEntry) => registerEntry.keyId === keyId)
    // Edit only if this lead has not seen the other's edit, because otherwise there is no conflict.
    if (entryBefore === undefined) {
      await noteKey(keyId, { holder: { kind: 'person', name } })
      writeFileSync(join(orders.dataDir, `wrote-${keyId}`), '')
    }
    if (Math.random() < syncShare) await team.sync().catch(() => undefined)
  }
}

async function runAsLead(): Promise<void> {
  const team = await core.loadTeam()
  // Edit before the first sync, when neither lead has seen the other's edits.
  await writeSameKey(orders.shared / 2, 0)
  for (; progress.changes < orders.changes; progress.changes += 1, writeProgress()) {
    await noteKey(`${name}-${progress.changes}`, { purpose: `${name} ${progress.changes}` })
    if (Math.random() < 0.2) await team.sync().catch(() => undefined)
  }
  for (; progress.merged < orders.shared; progress.merged += 1, writeProgress()) {
    const field = name === 'lead-0' ? 'purpose' : 'machine'
    await noteKey(`merged-${progress.merged}`, { [field]: name })
    if (Math.random() < 0.3) await team.sync().catch(() => undefined)
  }
  await writeSameKey(orders.shared, 0.2)
  for (; progress.rotations < orders.rotations; progress.rotations += 1, writeProgress())
    await rotate(progress.rotations)
  await retryWhileOffline(() => team.sync())
}

await runAsLead()
await core.end()
process.stdout.write('done\n')
process.exit(0)
