import { AppError, type Failure } from '@shared/failure'
import type { UsablePlan } from '../plans/default-key'
import { uses as keysOf, withKey } from '../routing/upstream-choices'
import type { RelayWayRecord, RotatedToolRecord } from '../settings/records'
import type { ProfileRecord } from '../settings/settings'
import type { UnknownSetup, WrittenSetup } from '../setups/setup-views'
import { sameSite } from '../tools/target'
import { done, type RotationPorts, type Run, type StepOutcome, skipped } from './ports'

/** Which of the two keys of a rotation. */
export type Which = 'old' | 'new'

/** The other one. */
const otherOf = (which: Which): Which => (which === 'old' ? 'new' : 'old')

/** A key by its id and name on this machine; nothing while it is not kept here. */
export function keyHere({ record }: Run, which: Which): { readonly id: string; readonly name: string } | undefined {
  const { oldKey, newKey } = record()
  if (which === 'old') return oldKey
  return newKey.id === undefined ? undefined : { id: newKey.id, name: newKey.name }
}

/** What uses one of the keys now. */
export function usersNow(run: Run, which: Which) {
  const plan = run.ports.plans.find(run.record().planId)
  return findKeyUsers(run.ports, usesKey(plan, keyHere(run, which)?.id))
}

/** True while something here uses one of the keys, or may use it for all that is known. */
export async function mayUse(run: Run, which: Which): Promise<boolean> {
  return !isUnused(await usersNow(run, which)) || (await run.ports.tools.unknownSetups()).length > 0
}

/** Points every tool and profile that uses the other key at this one, each tool on its own; what fails is in the record. */
export async function switchToKey(run: Run, which: Which): Promise<StepOutcome> {
  const { id, ports, journal } = run
  const key = keyHere(run, which)
  if (key === undefined) return skipped
  // What a kill left half written must be taken back before anything is written to it again.
  await ports.tools.recover()
  const there = await usersNow(run, which)
  const using = await usersNow(run, otherOf(which))
  const known = run.record().tools
  const settled = there.setups.flatMap((setup) => {
    const before = known.find((tool) => isSameTool(setup)(tool))
    return before ? [moved(before, setup, which)] : []
  })
  const pending = using.setups.map((setup) => pendingTool(known.find(isSameTool(setup)), setup, otherOf(which)))
  const unknown = (await ports.tools.unknownSetups()).map(unknownTool)
  journal.patch(id, { tools: [...settled, ...pending, ...unknown] })
  repointProfiles(run, which)
  if (using.ways.length > 0) await repointWays(run, which, key.id)
  const isDone = isOfAny(using.ways)
  for (const setup of using.setups) {
    const failure = isDone(setup) ? undefined : await write(run, setup, key.id)
    noteTool(run, setup, (tool) => (failure ? { ...tool, state: 'failed', failure } : moved(tool, setup, which)))
  }
  const { tools } = run.record()
  if (tools.some(({ state }) => state === 'failed')) return { kind: 'blocked', isLast: false }
  return tools.length === 0 && isUnused(using) ? skipped : done
}

/** No file names the key of a tool that goes through the relay: with its way all is done. */
const isOfAny =
  (ways: readonly RelayWayRecord[]) =>
  ({ toolId, choice }: WrittenSetup): boolean =>
    choice.route === 'relay' && ways.some((way) => way.toolId === toolId)

async function repointWays({ ports, record }: Run, which: Which, keyId: string): Promise<void> {
  const { planId, oldKey, newKey } = record()
  const isIt = usesKey(ports.plans.find(planId), (which === 'new' ? oldKey : newKey).id)
  await ports.relay.change((ways) => withKey(ways, isIt, keyId))
}

/** A tool at a site. */
type At = Pick<WrittenSetup, 'toolId' | 'site'>

/** Changes what is noted of a tool. */
export function noteTool(
  { id, journal, record }: Run,
  at: At,
  change: (tool: RotatedToolRecord) => RotatedToolRecord,
): void {
  journal.patch(id, { tools: record().tools.map((tool) => (isSameTool(at)(tool) ? change(tool) : tool)) })
}

/** Tells whether both are the same tool at the same site. */
export const isSameTool =
  ({ toolId, site }: At) =>
  (tool: At): boolean =>
    tool.toolId === toolId && sameSite(tool.site, site)

/** Deliveries of which this app writes nothing that holds the key or gets it. */
const byHand: readonly string[] = ['env', 'inTool']

function pendingTool(
  before: RotatedToolRecord | undefined,
  { toolId, toolName, site, needsRestart }: WrittenSetup,
  from: Which,
): RotatedToolRecord {
  return { toolId, toolName, site, needsRestart, state: 'pending', hand: before?.hand ?? from }
}

function unknownTool({ recordPath, ...tool }: UnknownSetup): RotatedToolRecord {
  const message = `Which key ${tool.toolName} uses is unknown: its record of changes is damaged. Check which key it has, then delete ${recordPath} and continue.`
  return { ...tool, recordPath, state: 'failed', failure: { code: 'rotation.toolUnknown', message } }
}

function moved({ failure: _, ...tool }: RotatedToolRecord, { choice }: WrittenSetup, to: Which): RotatedToolRecord {
  if (choice.route !== 'relay' && byHand.includes(choice.delivery ?? '') && tool.hand !== to) {
    const message = `${tool.toolName} gets its key from a place where this app can't write. Put the other key there, then mark it as done.`
    return { ...tool, state: 'failed', failure: { code: 'rotation.keyByHand', message } }
  }
  return { ...tool, state: 'repointed' }
}

/** The same setup with another key; whatever else was chosen stays. What somebody changed since is left alone. */
async function write({ ports: { tools, log } }: Run, setup: WrittenSetup, keyId: string): Promise<Failure | undefined> {
  const { toolName, status, problem, choice } = setup
  if (status === 'unreadable') return problem ?? unreadable(toolName)
  if (status !== 'configured') return changedSince(toolName)
  try {
    await tools.carryOut((await tools.preview({ ...choice, keyId })).previewId)
    return undefined
  } catch (error) {
    if (error instanceof AppError) return error.failure
    log.error('rotation.repoint', error)
    return { code: 'internal.unexpected', message: `${toolName} could not be written.` }
  }
}

function repointProfiles({ id, ports: { settings, plans }, journal, record }: Run, which: Which): void {
  const { planId, profiles: names, oldKey, newKey } = record()
  const [from, to] = which === 'new' ? [oldKey, newKey] : [newKey, oldKey]
  const uses = usesKey(plans.find(planId), from.id)
  const all = settings.read().profiles
  const touched = all.filter(({ entries }) => entries.some(uses))
  if (touched.length === 0 || to.id === undefined) return
  const key = { keyId: to.id, keyName: to.name }
  settings.update(({ profiles }) => ({
    profiles: profiles.map((profile) => ({
      ...profile,
      entries: profile.entries.map((entry) => (uses(entry) ? { ...entry, ...key } : entry)),
    })),
  }))
  journal.patch(id, { profiles: [...new Set([...names, ...touched.map(({ name }) => name)])] })
}

const unreadable = (toolName: string): Failure => ({
  code: 'file.unreadable',
  message: `The settings of ${toolName} cannot be read.`,
})

/** A setup that no longer is as it was written. */
export const changedSince = (toolName: string): Failure => ({
  code: 'file.changed',
  message: `The settings of ${toolName} were modified outside this app, so they were not changed. Configure it again with the key to use, or undo it there, then continue.`,
})

/** What names a key: nothing stands for the plan's default. */
interface KeyChoice {
  readonly planId: string
  readonly keyId?: string | undefined
}

/** What on this machine uses a key. */
interface KeyUsers {
  readonly setups: readonly WrittenSetup[]
  readonly profiles: readonly ProfileRecord[]
  /** What the relay may use it for. */
  readonly ways: readonly RelayWayRecord[]
}

/** Tells whether a choice means a key of a plan. */
export function usesKey({ id, defaultKeyId }: Pick<UsablePlan, 'id' | 'defaultKeyId'>, wanted: string | undefined) {
  return ({ planId, keyId }: KeyChoice): boolean =>
    wanted !== undefined && planId === id && (keyId ?? defaultKeyId) === wanted
}

/** Every setup but those of which a person took back what was written; every profile; every way of the relay. */
export async function findKeyUsers(
  { tools, settings }: Pick<RotationPorts, 'tools' | 'settings'>,
  uses: (choice: KeyChoice) => boolean,
): Promise<KeyUsers> {
  const setups = (await tools.setups()).filter(({ status, choice }) => status !== 'absent' && uses(choice))
  const profiles = settings.read().profiles.filter(({ entries }) => entries.some(uses))
  const ways = settings.read().relay.ways.filter((way) => keysOf(way).some(uses))
  return { setups, profiles, ways }
}

/** True when nothing uses it. */
const isUnused = ({ setups, profiles, ways }: KeyUsers): boolean =>
  setups.length === 0 && profiles.length === 0 && ways.length === 0
