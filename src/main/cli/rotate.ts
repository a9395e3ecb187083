import type {
  RotatedTool,
  RotationPlan,
  RotationStepId,
  RotationUndoStepId,
  RotationView,
  Site,
} from '@shared/contract'
import { dayMs, hourMs, minuteMs } from '@shared/durations'
import { AppError } from '@shared/failure'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Rotation } from '../rotation/rotation'
import type { CommandContext } from './context'
import { exactMoment } from './format'
import { oneOf, yes } from './options'
import { print, table } from './output'
import { confirm, type YesOption } from './terminal'

/** What these commands need of a command's context. */
interface RotateContext extends Pick<CommandContext, 'output'> {
  readonly core: Pick<CommandContext['core'], 'plans' | 'settings'> & { readonly rotation: Rotation }
}

/** `companion rotate start | status | resume | undo | stop`. */
export function addRotateCommands(program: Command, context: () => RotateContext | Promise<RotateContext>): void {
  const rotate = program.command('rotate').description('replace a key in every tool')
  rotate
    .command('start')
    .requiredOption('--plan <plan>', 'name or id of the plan on this machine')
    .requiredOption('--key <key>', 'name or id of the key on this machine')
    .addOption(
      new Option('--grace <time>', 'how long the old key can be brought back: 0, 30m, 1h, 7d')
        .default(hourMs, '1h')
        .argParser(readGrace),
    )
    .option('--name <name>', 'name of the new key (default: the old one with the day)', readKeyName)
    .addOption(
      new Option(
        '--disable-by <day>',
        'day (2026-12-24), or now, at which the old key is disabled at the latest (default: once its holders confirmed)',
      ).argParser(readDisableBy),
    )
    .addOption(yes('rotate it'))
    .description('show the steps of a rotation, start it with --yes')
    .action(async (options: StartOptions) => start(await context(), options))
  rotate
    .command('status')
    .argument('[rotation]', 'id, or its beginning (default: all)')
    .description('show rotation progress')
    .action(async (wanted?: string) => status(await context(), wanted))
  rotate
    .command('resume')
    .argument('[rotation]', 'id, or its beginning (default: the only one that can be resumed)')
    .option('--by-hand <tool...>', 'ids of tools into which you have put the key yourself')
    .option('--now', 'disable the old key now, whoever has not confirmed the new one')
    .description('resume a rotation')
    .action(async (wanted: string | undefined, options: ResumeOptions) => resume(await context(), wanted, options))
  rotate
    .command('undo')
    .argument('[rotation]', 'id, or its beginning (default: the only one that can be undone)')
    .addOption(yes('undo it'))
    .description('undo a rotation')
    .action(async (wanted: string | undefined, options: YesOption) => undo(await context(), wanted, options))
  rotate
    .command('stop')
    .argument('[rotation]', 'id, or its beginning (default: the only one that runs or waits)')
    .description('stop a rotation after the current step')
    .action(async (wanted?: string) => stop(await context(), wanted))
}

interface StartOptions extends YesOption {
  readonly plan: string
  readonly key: string
  /** In ms. */
  readonly grace: number
  readonly name?: string
  readonly disableBy?: string
}

async function start(
  context: RotateContext,
  { plan: wanted, key, grace: graceMs, name, disableBy, ...options }: StartOptions,
) {
  const { core, output } = context
  const { id: planId, keys, name: planName } = core.plans.find(wanted)
  const found = oneOf(keys, key, { what: 'key', idsOf: ({ id }) => [id], namesOf: (one) => [one.name] })
  if (!found) throw new AppError('key.notFound', `The plan ${planName} has no key ${key} on this machine.`)
  const wish = { planId, keyId: found.id }
  const plan = await core.rotation.preview(wish)
  confirm(output, planLines({ ...plan, newKeyName: name ?? plan.newKeyName }, { graceMs, disableBy }), options)
  await carryOut(context, () =>
    core.rotation.start({ ...wish, graceMs, disableBy, ...(name === undefined ? {} : { newKeyName: name }) }),
  )
}

function status({ core, output }: RotateContext, wanted: string | undefined): void {
  const all = core.rotation.list()
  const views = wanted === undefined ? all : [named(all, wanted)]
  print(output, wanted === undefined ? views : views[0], () =>
    wanted === undefined ? listLines(views) : views.flatMap(viewLines),
  )
}

interface ResumeOptions {
  readonly byHand?: readonly string[]
  readonly now?: boolean
}

async function resume(context: RotateContext, wanted: string | undefined, { byHand = [], now = false }: ResumeOptions) {
  const { rotation } = context.core
  const { id, tools } = choose(rotation.list(), wanted, ({ canResume, state }) => canResume || state === 'waiting')
  for (const toolId of byHand) {
    const waiting = tools.filter((tool) => tool.toolId === toolId && tool.failure?.code === 'rotation.keyByHand')
    if (waiting.length === 0)
      throw new AppError('input.invalid', `${toolId} does not wait for a key.`, { field: 'byHand' })
    for (const { site } of waiting) rotation.confirmTool({ id, toolId, site })
  }
  await carryOut(context, async () => (now ? rotation.endHandover({ id }) : rotation.resume({ id })))
}

async function undo(context: RotateContext, wanted: string | undefined, options: YesOption) {
  const { rotation } = context.core
  const { id, oldKeyName, newKeyName } = choose(rotation.list(), wanted, ({ canUndo }) => canUndo)
  const what = `Every tool goes back to ${oldKeyName}, and ${newKeyName} is deleted: whoever else has it is refused from then on.`
  confirm(context.output, [what], options)
  await carryOut(context, () => rotation.undo({ id }))
}

async function stop({ core: { rotation }, output }: RotateContext, wanted: string | undefined): Promise<void> {
  const { id } = choose(rotation.list(), wanted, ({ state }) => state === 'running' || state === 'waiting')
  const view = await rotation.stop({ id })
  print(output, view, () => viewLines(view))
}

/** Begins, tells each step on standard error as it is done, and prints what came of it; a failure is exit code 1. */
async function carryOut({ core, output }: RotateContext, begin: () => Promise<RotationView>): Promise<void> {
  const told = new Set<string>()
  const { id } = await begin()
  const tell = (): void => {
    for (const line of progressLines(core.rotation.find(id))) {
      if (!told.has(line)) output.err(`${line}\n`)
      told.add(line)
    }
  }
  const stopTelling = core.settings.onChange(tell)
  const view = await core.rotation.settled(id).finally(stopTelling)
  tell()
  print(output, view, () => viewLines(view))
  if (view.state === 'failed' || view.state === 'stopped') process.exitCode = 1
}

/** The named one, or the only one that fits. Fails with `rotation.notFound`, or `input.invalid` when several fit. */
function choose(
  views: readonly RotationView[],
  wanted: string | undefined,
  fits: (view: RotationView) => boolean,
): RotationView {
  if (wanted !== undefined) return named(views, wanted)
  const [only, ...more] = views.filter(fits)
  if (only === undefined)
    throw new AppError('rotation.notFound', 'There is no rotation for this. See "companion rotate status".')
  if (more.length === 0) return only
  const ids = [only, ...more].map(({ id, oldKeyName }) => `${id} (${oldKeyName})`).join(', ')
  throw new AppError('input.invalid', `There are several: ${ids}. Name one.`, { field: 'rotation' })
}

function named(views: readonly RotationView[], wanted: string): RotationView {
  const [found, ...more] = views.filter(({ id }) => id.startsWith(wanted))
  if (found && more.length === 0) return found
  throw new AppError(
    'rotation.notFound',
    `There is no rotation ${wanted}. "companion rotate status" shows those there are.`,
  )
}

function readGrace(text: string): number {
  const ms = duration(text)
  if (ms !== undefined) return ms
  throw new InvalidArgumentError('Give 0, or minutes, hours or days: 30m, 1h, 7d; at most 30d.')
}

/** Throughout the day that was named, the key still works. */
function readDisableBy(text: string): string {
  const now = new Date()
  if (text === 'now') return now.toISOString()
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)?.map(Number) ?? []
  const end = new Date(year ?? Number.NaN, (month ?? 0) - 1, day, 23, 59, 59)
  // February 31 would be a day in March.
  if (end.getDate() !== day || end.getMonth() + 1 !== month)
    throw new InvalidArgumentError('Give a day, such as 2026-12-24, or now.')
  if (end < now) throw new InvalidArgumentError('This day is over. Give today or a later day, or now.')
  return end.toISOString()
}

function readKeyName(text: string): string {
  const name = text.trim()
  if (name !== '' && [...name].length <= 50) return name
  throw new InvalidArgumentError('Give 1 to 50 characters.')
}

const units: Readonly<Record<string, number>> = { m: minuteMs, h: hourMs, d: dayMs }
const longestMs = 30 * dayMs

/** A time such as `30m`, `1h`, `7d` or `0`, in ms; undefined for another text, and for more than 30 days. */
export function duration(text: string): number | undefined {
  const [, count = '', unit = ''] = /^(\d{1,6})([mhd]?)$/.exec(text) ?? []
  if (count === '' || (unit === '' && count !== '0')) return undefined
  const ms = Number(count) * (units[unit] ?? 0)
  return ms <= longestMs ? ms : undefined
}

function words(ms: number): string {
  const [unit, size] = Object.entries(units)
    .reverse()
    .find(([, each]) => ms % each === 0) ?? ['m', minuteMs]
  return `${Math.round(ms / size)}${unit}`
}

/** The steps of a rotation before it is begun, and what stands in the way. */
function planLines(
  plan: RotationPlan,
  { graceMs, disableBy }: { readonly graceMs: number; readonly disableBy: string | undefined },
): string[] {
  const { planName, keyName, newKeyName, slots, freeable, tools, unknownTools, profiles, holders } = plan
  const used = [...tools.map(toolName), ...profiles.map((name) => `profile ${name}`)]
  const steps = [
    `Add ${newKeyName} to ${planName}, which has ${slots.used} of ${slots.most} keys now; keep it in the keychain.`,
    'Check it with one real small request.',
    used.length > 0 ? `Point at it: ${used.join(', ')}.` : 'Nothing on this machine uses the key.',
    ...(tools.length > 0 ? ['Check each of these tools with one real small request.'] : []),
    [`Disable ${keyName}, and see that the gateway refuses it.`, restartWords(tools)].filter(Boolean).join(' '),
    graceMs === 0
      ? `Delete ${keyName} at once.`
      : `Delete ${keyName} after ${words(graceMs)}; it can be undone until then.`,
  ]
  const free = freeable.map(({ name, status, keyId }) => `${name} (${keyId}, ${status.toLowerCase()})`)
  return [
    `Rotating ${keyName} of ${planName}:`,
    ...steps.map((step, at) => `  ${at + 1}. ${step}`),
    ...(holders.length === 0 ? [] : [holderLine(plan, disableBy)]),
    ...unknownTools.map(unknownLine),
    ...(slots.used < slots.most ? [] : [`No key can be added: delete one first. ${freeWords(free)}`]),
  ]
}

function holderLine({ keyName, holders }: RotationPlan, disableBy: string | undefined): string {
  const who = `Held elsewhere by ${holders.join(', ')}: hand out the new key. ${keyName} works there`
  if (disableBy === undefined) return `${who} until the code of each kit is back ("companion handout acknowledge").`
  return `${who} until then, and no longer than ${exactMoment(disableBy)}.`
}

/** Which running tools are refused once a key is disabled, because they hold it in memory. */
function restartWords(tools: readonly Pick<RotatedTool, 'toolName' | 'site' | 'needsRestart'>[]): string {
  const names = tools.filter(({ needsRestart }) => needsRestart).map(toolName)
  if (names.length === 0) return ''
  return `Restart ${names.join(', ')} where it runs: until then it holds the key that it was started with, and is answered 401.`
}

const unknownLine = (tool: RotationPlan['unknownTools'][number]): string =>
  `Whether ${toolName(tool)} uses this key cannot be known, because the record of it is damaged (${tool.recordPath ?? ''}): both keys stay alive until that is put right.`

const freeWords = (free: readonly string[]): string =>
  free.length > 0 ? `Nothing here uses ${free.join(', ')}.` : 'Every one is in use here.'

/** What is over of a rotation, a line for each step and tool; and behind the step that ends a key, what has to be restarted. */
function progressLines({ steps, undoSteps, tools }: RotationView): string[] {
  const over = [...steps, ...(undoSteps ?? [])].filter(({ state }) => state === 'done' || state === 'failed')
  const changed = tools.filter(({ state }) => state === 'verified' || state === 'failed')
  const restart = restartWords(tools)
  const afterwards = ({ id, state }: (typeof over)[number]): string[] =>
    restart !== '' && state === 'done' && endsKey.includes(id) ? [`      ${restart}`] : []
  return [
    ...over.flatMap((step) => [
      `${step.state.padEnd(6)} ${stepWords[step.id]}${why(step.failure)}`,
      ...afterwards(step),
    ]),
    ...changed.map((tool) => `  ${tool.state.padEnd(8)} ${toolName(tool)}${why(tool.failure)}`),
  ]
}

/** From these steps on a key is refused that a running tool may hold. */
const endsKey: readonly string[] = ['disable', 'remove']

/** One rotation in full. */
function viewLines(view: RotationView): string[] {
  const { id, planName, oldKeyName, newKeyName, canResume, canUndo, handover = [] } = view
  return [
    `${oldKeyName} of ${planName} -> ${newKeyName}: ${standing(view)}`,
    ...progressLines(view),
    ...handover.map(({ holder, state }) => `  ${handoverWords[state].padEnd(12)} ${holder.name}`),
    ...(canResume ? [`"companion rotate resume ${id}" goes on.`] : []),
    ...(canUndo ? [`"companion rotate undo ${id}" brings ${oldKeyName} back.`] : []),
  ]
}

/** How a rotation stands; one without a day to delete the old key waits for those who hold that. */
function standing({ state, deleteAt, disableBy }: RotationView): string {
  if (state !== 'waiting') return stateWords[state]
  if (deleteAt !== undefined) return `${stateWords.waiting} ${exactMoment(deleteAt)}`
  const latest = disableBy === undefined ? '' : `, until ${exactMoment(disableBy)} at the latest`
  return `the old key works until its holders have confirmed the new one${latest}.`
}

const handoverWords = { open: 'to hand out', handedOut: 'handed out', confirmed: 'confirmed' } as const

/** All rotations, a row for each. */
function listLines(views: readonly RotationView[]): string[] {
  if (views.length === 0) return ['No key was rotated here yet.']
  const row = ({ id, planName, oldKeyName, newKeyName, state, deleteAt }: RotationView): string[] => [
    id,
    planName,
    oldKeyName,
    newKeyName,
    deleteAt ? `${state} until ${exactMoment(deleteAt)}` : state,
  ]
  return table(['ID', 'PLAN', 'OLD KEY', 'NEW KEY', 'STATE'], views.map(row))
}

const why = (failure: RotatedTool['failure']): string => (failure === undefined ? '' : `: ${failure.message}`)

const toolName = ({ toolName: name, site }: Pick<RotatedTool, 'toolName' | 'site'>): string =>
  `${name}${siteWords(site)}`

function siteWords(site: Site): string {
  if (site.kind === 'user') return ''
  return site.kind === 'project' ? ` in ${site.folder}` : ` in ${site.distribution}`
}

const stepWords: Readonly<Record<RotationStepId | RotationUndoStepId, string>> = {
  add: 'the new key is made',
  keep: 'it is in the keychain',
  check: 'the gateway accepts it',
  repoint: 'tools and profiles are pointed at it',
  verify: 'each tool was answered',
  disable: 'the old key is disabled',
  confirm: 'the gateway refuses the old key',
  grace: 'the grace period is over',
  delete: 'the old key is deleted',
  enable: 'the old key works again',
  giveBack: 'tools and profiles are pointed at the old key',
  verifyBack: 'each tool was answered with it',
  remove: 'the new key is deleted',
}

const stateWords: Readonly<Record<RotationView['state'], string>> = {
  running: 'under way.',
  stopped: 'stopped.',
  failed: 'failed.',
  waiting: 'the old key is disabled, and is deleted at',
  done: 'done.',
  undone: 'undone.',
}
