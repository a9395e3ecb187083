import type {
  RotatedTool,
  RotationPlan,
  RotationSchedule,
  RotationStepId,
  RotationUndoStepId,
  RotationView,
} from '@shared/contract'
import { dayMs, defaultGraceMs, hourMs, memoryOverlapMs, minuteMs } from '@shared/durations'
import { AppError } from '@shared/failure'
import { InvalidArgumentError } from 'commander'
import words from '../../renderer/locales/en/rotation.json'
import { formatExactTime } from '../core/local-time'
import type { Register } from '../keys/register/register'
import type { Rotation } from '../keys/rotation/rotation'
import type { CommandContext, CommandOptions, ContextCommand } from './context'
import { findByIdOrName, findPlanKey, readEndOfDay, readKeyName, readWholeNumber } from './options'
import { type Columns, confirm, inputError, listResult, type Result } from './output'

interface RotateFeatures {
  readonly rotation: Rotation
  readonly register: Pick<Register, 'disableDue'>
}

interface RotateCore extends Pick<CommandContext, 'output'> {
  readonly core: Pick<CommandContext['core'], 'plans' | 'settings'> & { loadTools(): Promise<RotateFeatures> }
}

type RotateContext = RotateCore & RotateFeatures

export function addRotateCommands(program: ContextCommand<RotateCore>): void {
  const rotate = program.addGroup('rotate', 'replace a key in every tool', async (context) => ({
    ...context,
    ...(await context.core.loadTools()),
  }))
  defineStartCommand(rotate).run(startRotation)
  rotate
    .add('schedules', 'list scheduled rotations')
    .value('--remove <key>', 'name or id of the key whose schedule to remove')
    .run(({ rotation }, { remove: keyNameOrId }) => {
      const { schedules } = rotation
      if (keyNameOrId !== undefined) {
        const names = { what: 'key', id: 'keyId', name: 'keyName' }
        const schedule = findByIdOrName(schedules.list(), keyNameOrId, names)
        if (!schedule) throw new AppError('key.notFound', `The key ${keyNameOrId} has no scheduled rotation.`)
        schedules.remove(schedule)
      }
      return formatSchedules(schedules.list())
    })
  rotate
    .add('due', 'start scheduled rotations that are due, and disable keys after their end date')
    .run(async ({ rotation, register }) => {
      const [started, disabled] = [await rotation.schedules.startDue(), await register.disableDue()]
      for (const { state, id } of rotation.list()) if (state === 'running') await rotation.settled(id)
      const lines = [
        ...started.map(({ keyName, planName, failure }) =>
          failure ? `${keyName} of ${planName}: ${failure.message}` : `Rotated ${keyName} of ${planName}.`,
        ),
        ...disabled.map(({ keyName, planName }) => `Disabled ${keyName} of ${planName} on its end date.`),
        ...(started.length + disabled.length === 0 ? ['Nothing is due.'] : []),
      ]
      if (started.some(({ failure }) => failure)) process.exitCode = 1
      return [{ started, disabled }, lines]
    })
  rotate
    .add('status [rotation]', 'show rotation progress', 'id or its first characters (default: all)')
    .run(({ rotation }, idPrefix) => {
      const views = rotation.list()
      if (idPrefix !== undefined) return formatRotation(findRotation(views, idPrefix))
      const columns: Columns<RotationView> = {
        ID: ({ id }) => id,
        PLAN: ({ planName }) => planName,
        'OLD KEY': ({ oldKeyName }) => oldKeyName,
        'NEW KEY': ({ newKeyName }) => newKeyName,
        STATE: ({ state, deleteAt }) => (deleteAt ? `${state} until ${formatExactTime(deleteAt)}` : state),
      }
      return listResult(views, columns, 'No rotations yet.')
    })
  rotate
    .add(
      'resume [rotation]',
      'resume a rotation',
      'id or its first characters (default: the only one that can be resumed)',
    )
    .value('--by-hand <tool...>', 'ids of tools you updated manually')
    .flag('--now', 'disable the old key now, even if holders have not confirmed')
    .run(async (context, idPrefix, { byHand: manualTools = [], now = false }) => {
      const { rotation } = context
      const canContinue = ({ canResume, state }: RotationView): boolean => canResume || state === 'waiting'
      const { id, tools } = chooseRotation(rotation.list(), idPrefix, canContinue)
      for (const toolId of manualTools) {
        const waitingTools = tools.filter(
          (tool) => tool.toolId === toolId && tool.failure?.code === 'rotation.keyByHand',
        )
        if (waitingTools.length === 0) throw inputError(`${toolId} is not waiting for a key.`, 'byHand')
        for (const { site } of waitingTools) rotation.confirmTool({ id, toolId, site })
      }
      return runRotationCommand(context, async () => (now ? rotation.endHandover({ id }) : rotation.resume({ id })))
    })
  rotate
    .add('undo [rotation]', 'undo a rotation', 'id or its first characters (default: the only one that can be undone)')
    .yes('undo it')
    .run(async (context, idPrefix, options) => {
      const { rotation } = context
      const view = chooseRotation(rotation.list(), idPrefix, ({ canUndo }) => canUndo)
      const { id, oldKeyName, newKeyName, handover = [] } = view
      const lines = [`Every tool switches back to ${oldKeyName}, and ${newKeyName} is deleted.`]
      const holders = handover.filter(({ state }) => state !== 'open').map(({ holder }) => holder.name)
      if (holders.length > 0) lines.push(`${holders.join(', ')} got ${newKeyName}: it stops working for them.`)
      confirm(context.output, lines, options)
      return runRotationCommand(context, () => rotation.undo({ id }))
    })
  rotate
    .add(
      'stop [rotation]',
      'stop a rotation after the current step',
      'id or its first characters (default: the only one that runs or waits)',
    )
    .run(async ({ rotation }, idPrefix) => {
      const isActive = ({ state }: RotationView): boolean => state === 'running' || state === 'waiting'
      const { id } = chooseRotation(rotation.list(), idPrefix, isActive)
      return formatRotation(await rotation.stop({ id }))
    })
}

/** When to disable the old key, in the format of `rotation.start`. */
interface DisableTime {
  readonly disableAfterMs?: number
  readonly disableBy?: string
}

const defineStartCommand = (rotate: ContextCommand<RotateContext>) =>
  rotate
    .add('start', 'show the steps of a rotation, start or schedule it with --yes')
    .required('--plan <plan>', 'name or id of the plan on this computer')
    .required('--key <key>', 'name or id of the key on this computer')
    .value('--grace <time>', 'grace period before the old key is deleted: 0, 30m, 1h, 7d (default: 1d)', (text) => {
      const parsedMs = duration(text)
      if (parsedMs !== undefined) return parsedMs
      throw new InvalidArgumentError('Enter 0, or minutes, hours or days such as 30m, 1h, 7d (at most 30d).')
    })
    .value('--name <name>', 'name of the new key (default: the old name with the date)', readKeyName)
    .value(
      '--disable-by <when>',
      'when to disable the old key: now, after a time (1h), or a latest day (2026-12-24). Default: once its holders have confirmed, and after 1h if a tool keeps keys in memory',
      readDisableBy,
    )
    .value('--on <day>', 'start on a day (2026-12-24), not now', (text) => {
      const day = startOfDay(readEndOfDay(text) ?? new Date())
      if (day > new Date()) return day
      throw new InvalidArgumentError('Enter a future day such as 2026-12-24.')
    })
    .value('--every <days>', 'rotate every so many days, first then (or on the day of --on)', readWholeNumber(1, 365))
    .yes('rotate it')

async function startRotation(
  context: RotateContext,
  options: CommandOptions<ReturnType<typeof defineStartCommand>>,
): Promise<Result> {
  const { core, rotation, output } = context
  const { plan: planNameOrId, key, grace: graceMs = defaultGraceMs, name, disableBy: when = {}, on, every } = options
  const foundPlan = core.plans.find(planNameOrId)
  const request = { planId: foundPlan.id, keyId: findPlanKey(foundPlan, key).id }
  const plan = await rotation.preview(request)
  const steps = planLines({ ...plan, newKeyName: name ?? plan.newKeyName }, { graceMs, ...when })
  const firstDay = on ?? (every === undefined ? undefined : startOfDay(new Date(Date.now() + every * dayMs)))
  if (firstDay !== undefined) {
    if (when.disableBy !== undefined || name !== undefined)
      throw new AppError('input.invalid', 'A scheduled rotation takes a time for --disable-by, and no --name.')
    const at = firstDay.toISOString()
    const repetition = every === undefined ? '' : `, then every ${every} days`
    confirm(output, [...steps, `Starts on ${formatExactTime(at)}${repetition}, while the app runs.`], options)
    const repeat = every === undefined ? {} : { everyDays: every }
    const schedules = await rotation.schedule({ ...request, at, graceMs, ...repeat, ...when })
    return formatSchedules(schedules)
  }
  confirm(output, steps, options)
  return runRotationCommand(context, () =>
    rotation.start({ ...request, graceMs, ...when, ...(name === undefined ? {} : { newKeyName: name }) }),
  )
}

function formatSchedules(schedules: readonly RotationSchedule[]): Result {
  const columns: Columns<RotationSchedule> = {
    PLAN: ({ planName }) => planName,
    KEY: ({ keyName }) => keyName,
    NEXT: ({ at }) => formatExactTime(at),
    EVERY: ({ everyDays }) => (everyDays === undefined ? undefined : `${everyDays} days`),
    '': ({ failure }) => failure?.message ?? '',
  }
  return listResult(schedules, columns, 'No scheduled rotations.')
}

/** Runs a rotation and prints each finished step to standard error. The exit code is 1 if it fails. */
async function runRotationCommand(
  { core, rotation, output }: RotateContext,
  begin: () => Promise<RotationView>,
): Promise<Result> {
  const printedLines = new Set<string>()
  const { id } = await begin()
  const printNewLines = (): void => {
    for (const line of progressLines(rotation.find(id))) {
      if (!printedLines.has(line)) output.err(`${line}\n`)
      printedLines.add(line)
    }
  }
  const unsubscribe = core.settings.onChange(printNewLines)
  const view = await rotation.settled(id).finally(unsubscribe)
  printNewLines()
  if (view.state === 'failed' || view.state === 'stopped') process.exitCode = 1
  return formatRotation(view)
}

/** The named rotation, or the only one that fits. Fails with `rotation.notFound`, or `input.invalid` for several. */
function chooseRotation(
  views: readonly RotationView[],
  idPrefix: string | undefined,
  fits: (view: RotationView) => boolean,
): RotationView {
  if (idPrefix !== undefined) return findRotation(views, idPrefix)
  const [only, ...otherMatches] = views.filter(fits)
  if (only === undefined) throw new AppError('rotation.notFound', 'No such rotation. See "companion rotate status".')
  if (otherMatches.length === 0) return only
  const ids = [only, ...otherMatches].map(({ id, oldKeyName }) => `${id} (${oldKeyName})`).join(', ')
  throw inputError(`Several rotations match: ${ids}. Choose one.`, 'rotation')
}

function findRotation(views: readonly RotationView[], idPrefix: string): RotationView {
  const [match, ...otherMatches] = views.filter(({ id }) => id.startsWith(idPrefix))
  if (match && otherMatches.length === 0) return match
  const message = `Rotation ${idPrefix} not found. "companion rotate status" lists all rotations.`
  throw new AppError('rotation.notFound', message)
}

/** Parses a day and returns its end in local time. */
function readDisableBy(text: string): DisableTime {
  const currentTime = new Date()
  const disableAfterMs = text === 'now' ? 0 : duration(text)
  if (disableAfterMs !== undefined) return { disableAfterMs }
  const end = readEndOfDay(text)
  if (end === undefined) throw new InvalidArgumentError('Enter now, a time such as 1h, or a day such as 2026-12-24.')
  if (end < currentTime) throw new InvalidArgumentError('This day is in the past. Enter today, a later day, or now.')
  return { disableBy: end.toISOString() }
}

const startOfDay = (time: Date): Date => new Date(time.getFullYear(), time.getMonth(), time.getDate())

const units: Readonly<Record<string, number>> = { m: minuteMs, h: hourMs, d: dayMs }
const maxAgeMs = 30 * dayMs

/** Parses `30m`, `1h`, `7d` or `0` to ms. Undefined for other texts, and for more than 30 days. */
function duration(text: string): number | undefined {
  const [, count = '', unit = ''] = /^(\d{1,6})([mhd]?)$/.exec(text) ?? []
  if (count === '' || (unit === '' && count !== '0')) return undefined
  const durationMs = Number(count) * (units[unit] ?? 0)
  return durationMs <= maxAgeMs ? durationMs : undefined
}

function formatDuration(ms: number): string {
  const [unit, size] = Object.entries(units).findLast(([, unitMs]) => ms % unitMs === 0) ?? ['m', minuteMs]
  return `${Math.round(ms / size)}${unit}`
}

/** Formats the steps and obstacles of a planned rotation. */
function planLines(plan: RotationPlan, { graceMs, ...when }: { readonly graceMs: number } & DisableTime): string[] {
  const { planName, keyName, newKeyName, slots, freeable, tools, unknownTools, profiles, holders, computers } = plan
  const usedByNames = [...tools.map(toolName), ...profiles.map((name) => `profile ${name}`)]
  const steps = [
    `Create ${newKeyName} in ${planName} (${slots.used} of ${slots.max} keys used) and save it to the keychain.`,
    'Test it with one small live request.',
    usedByNames.length > 0 ? `Switch to it: ${usedByNames.join(', ')}.` : 'Nothing on this computer uses the key.',
    ...(tools.length > 0 ? ['Test each of these tools with one small live request.'] : []),
    `Disable ${keyName} ${describeDisableTime(plan, when)} and verify that the gateway rejects it. ${formatRestart(tools)}`.trim(),
    graceMs === 0
      ? `Delete ${keyName} immediately.`
      : `Delete ${keyName} after ${formatDuration(graceMs)}. You can undo the rotation until then.`,
  ]
  const unusedKeys = freeable.map(({ name, status, keyId }) => `${name} (${keyId}, ${status.toLowerCase()})`).join(', ')
  const unusedText = unusedKeys ? `Not used on this computer: ${unusedKeys}.` : 'Every key is in use on this computer.'
  return [
    `Rotating ${keyName} of ${planName}:`,
    ...steps.map((step, index) => `  ${index + 1}. ${step}`),
    ...(holders.length === 0 ? [] : [`Also held by ${holders.join(', ')}: issue ${newKeyName} to them.`]),
    formatComputers(computers),
    ...unknownTools.map(
      (tool) =>
        `Whether ${toolName(tool)} uses this key is unknown, because its record is damaged (${tool.recordPath ?? ''}). Both keys stay active until you fix it.`,
    ),
    ...(slots.used < slots.max ? [] : [`Key limit reached: delete a key first. ${unusedText}`]),
  ]
}

function describeDisableTime({ holders, computers = [], tools }: RotationPlan, when: DisableTime): string {
  const { disableAfterMs, disableBy } = when
  if (disableAfterMs !== undefined)
    return disableAfterMs === 0 ? 'now' : `${formatDuration(disableAfterMs)} after the switch`
  const confirmationText = 'when every holder has confirmed ("companion handout confirm CODE")'
  if (disableBy !== undefined)
    return holders.length > 0
      ? `${confirmationText}, at the latest on ${formatExactTime(disableBy)}`
      : `on ${formatExactTime(disableBy)}`
  const conditions = [
    ...(holders.length > 0 ? [confirmationText] : []),
    ...(computers.length > 0 ? ['when the other computers have switched'] : []),
    ...(tools.some(({ needsRestart }) => needsRestart) ? [`${formatDuration(memoryOverlapMs)} after the switch`] : []),
  ]
  return conditions.length > 0 ? conditions.join(' and ') : 'now'
}

function formatComputers(computers: RotationPlan['computers']): string {
  if (computers === undefined)
    return 'Other computers that use this key are not known: this computer has no lead space.'
  if (computers.length === 0) return 'No other computer of the lead space uses this key.'
  return `Used on other computers: ${computers.map(({ computer, person }) => `${computer} (${person})`).join(', ')}.`
}

function formatRestart(tools: readonly Pick<RotatedTool, 'toolName' | 'site' | 'needsRestart'>[]): string {
  const names = tools.filter(({ needsRestart }) => needsRestart).map(toolName)
  if (names.length === 0) return ''
  return `Restart ${names.join(', ')} if it is running: it keeps the old key in memory and gets 401 after that.`
}

/** One line per finished step and tool. After a step that ends a key, also the tools to restart. */
function progressLines({ steps, undoSteps, tools }: RotationView): string[] {
  const finishedSteps = [...steps, ...(undoSteps ?? [])].filter(({ state }) => state === 'done' || state === 'failed')
  const changedTools = tools.filter(({ state }) => state === 'verified' || state === 'failed')
  const restart = formatRestart(tools)
  return [
    ...finishedSteps.flatMap(({ id, state, failure }) => [
      `${state.padEnd(6)} ${stepWords[id].title}${formatFailure(failure)}`,
      ...(restart !== '' && state === 'done' && keyEndingSteps.includes(id) ? [`      ${restart}`] : []),
    ]),
    ...changedTools.map((tool) => `  ${tool.state.padEnd(8)} ${toolName(tool)}${formatFailure(tool.failure)}`),
  ]
}

/** After these steps the gateway rejects the old key, which a running tool may keep in memory. */
const keyEndingSteps: readonly string[] = ['disable', 'remove']

function formatRotation(view: RotationView): Result {
  const { id, planName, oldKeyName, newKeyName, canResume, canUndo, handover = [], computers } = view
  const isOverlapping = view.state === 'waiting' && view.deleteAt === undefined
  const restart = isOverlapping ? formatRestart(view.tools) : ''
  const lines = [
    `${oldKeyName} of ${planName} -> ${newKeyName}: ${formatRotationState(view)}`,
    ...progressLines(view),
    ...handover.map(({ holder, state }) => `  ${handoverStateTexts[state].padEnd(12)} ${holder.name}`),
    ...(computers ?? []).map(
      ({ computer, person, failedAt }) =>
        `  old key      ${computer} (${person})${failedAt ? ', switching its tools failed' : ''}`,
    ),
    ...(isOverlapping && computers === undefined ? [formatComputers(computers)] : []),
    ...(restart ? [restart] : []),
    ...(isOverlapping ? [`"companion rotate resume ${id} --now" disables ${oldKeyName} now.`] : []),
    ...(canResume ? [`"companion rotate resume ${id}" continues.`] : []),
    ...(canUndo ? [`"companion rotate undo ${id}" restores ${oldKeyName}.`] : []),
  ]
  return [view, lines]
}

function formatRotationState({ state, deleteAt, disableAt, handover = [], computers = [] }: RotationView): string {
  if (state !== 'waiting') return stateTexts[state]
  if (deleteAt !== undefined) return `${stateTexts.waiting} ${formatExactTime(deleteAt)}`
  const isUnconfirmed = computers.length > 0 || handover.some((recipient) => recipient.state !== 'confirmed')
  if (!isUnconfirmed) return `both keys work${disableAt === undefined ? '' : ` until ${formatExactTime(disableAt)}`}.`
  const latestText = disableAt === undefined ? '' : `, until ${formatExactTime(disableAt)} at the latest`
  return `the old key works until its holders have confirmed the new one${latestText}.`
}

const handoverStateTexts = { open: 'not issued', handedOut: 'issued', confirmed: 'confirmed' } as const

const formatFailure = (failure: RotatedTool['failure']): string => (failure === undefined ? '' : `: ${failure.message}`)

function toolName({ toolName: name, site }: Pick<RotatedTool, 'toolName' | 'site'>): string {
  if (site.kind === 'user') return name
  return `${name} in ${site.kind === 'project' ? site.folder : site.distribution}`
}

const stepWords: Readonly<Record<RotationStepId | RotationUndoStepId, { readonly title: string }>> = {
  ...words.steps,
  ...words.undoSteps,
}

const stateTexts: Readonly<Record<RotationView['state'], string>> = {
  running: 'in progress.',
  stopped: 'stopped.',
  failed: 'failed.',
  waiting: 'the old key is disabled, and is deleted at',
  done: 'done.',
  undone: 'undone.',
}
