import type { RotationView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Rotation } from '../features/rotation'
import { confirm, type YesOption } from './confirm'
import type { CommandContext } from './context'
import { oneOf } from './one-of'
import { yes } from './options'
import { print } from './output'
import { duration, listLines, planLines, progressLines, viewLines } from './rotate-lines'

/** What these commands need of a command's context. */
export interface RotateContext extends Pick<CommandContext, 'output'> {
  readonly core: Pick<CommandContext['core'], 'plans' | 'settings'> & { readonly rotation: Rotation }
}

const hourMs = 3_600_000

/** `companion rotate start | status | resume | undo | stop`. */
export function addRotateCommands(program: Command, context: () => RotateContext | Promise<RotateContext>): void {
  const rotate = program.command('rotate').description('give a key way to a new one, in every tool of this machine')
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
    .addOption(yes('rotate it'))
    .description('show the steps of a rotation, and with --yes carry them out')
    .action(async (options: StartOptions) => start(await context(), options))
  rotate
    .command('status')
    .argument('[rotation]', 'id, or its beginning (default: all)')
    .description('tell how far rotations are')
    .action(async (wanted?: string) => status(await context(), wanted))
  rotate
    .command('resume')
    .argument('[rotation]', 'id, or its beginning (default: the only one that can be resumed)')
    .option('--by-hand <tool...>', 'ids of tools into which you have put the key yourself')
    .description('go on with a rotation, also to delete its old key once the grace period is over')
    .action(async (wanted: string | undefined, options: ResumeOptions) => resume(await context(), wanted, options))
  rotate
    .command('undo')
    .argument('[rotation]', 'id, or its beginning (default: the only one that can be undone)')
    .addOption(yes('undo it'))
    .description('bring the old key back and delete the new one')
    .action(async (wanted: string | undefined, options: YesOption) => undo(await context(), wanted, options))
  rotate
    .command('stop')
    .argument('[rotation]', 'id, or its beginning (default: the only one that runs or waits)')
    .description('stop a rotation behind the step that runs, or hold the deletion of its old key')
    .action(async (wanted?: string) => stop(await context(), wanted))
}

interface StartOptions extends YesOption {
  readonly plan: string
  readonly key: string
  /** In ms. */
  readonly grace: number
  readonly name?: string
}

async function start(context: RotateContext, { plan: wanted, key, grace: graceMs, name, ...options }: StartOptions) {
  const { core, output } = context
  const { id: planId, keys, name: planName } = core.plans.find(wanted)
  const found = oneOf(keys, key, { what: 'key', idsOf: ({ id }) => [id], namesOf: (one) => [one.name] })
  if (!found) throw new AppError('key.notFound', `The plan ${planName} has no key ${key} on this machine.`)
  const wish = { planId, keyId: found.id }
  const plan = await core.rotation.preview(wish)
  confirm(output, planLines({ ...plan, newKeyName: name ?? plan.newKeyName }, graceMs), options)
  await carryOut(context, () =>
    core.rotation.start({ ...wish, graceMs, ...(name === undefined ? {} : { newKeyName: name }) }),
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
}

async function resume(context: RotateContext, wanted: string | undefined, { byHand = [] }: ResumeOptions) {
  const { rotation } = context.core
  const { id, tools } = choose(rotation.list(), wanted, ({ canResume, state }) => canResume || state === 'waiting')
  for (const toolId of byHand) {
    const waiting = tools.filter((tool) => tool.toolId === toolId && tool.failure?.code === 'rotation.keyByHand')
    if (waiting.length === 0)
      throw new AppError('input.invalid', `${toolId} does not wait for a key.`, { field: 'byHand' })
    for (const { site } of waiting) rotation.confirmTool({ id, toolId, site })
  }
  await carryOut(context, async () => rotation.resume({ id }))
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

function readKeyName(text: string): string {
  const name = text.trim()
  if (name !== '' && [...name].length <= 50) return name
  throw new InvalidArgumentError('Give 1 to 50 characters.')
}
