import type {
  RotatedTool,
  RotationPlan,
  RotationStepId,
  RotationUndoStepId,
  RotationView,
  Site,
} from '@shared/contract'
import { exactMoment } from './moment-words'
import { table } from './output'

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }
const longestMs = 30 * 86_400_000

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
    .find(([, each]) => ms % each === 0) ?? ['m', 60_000]
  return `${Math.round(ms / size)}${unit}`
}

/** The steps of a rotation before it is begun, and what stands in the way. */
export function planLines(plan: RotationPlan, graceMs: number): string[] {
  const { planName, keyName, newKeyName, slots, freeable, tools, unknownTools, profiles, holder } = plan
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
    ...(holder === undefined ? [] : [`${holder} holds this key elsewhere, where it stops.`]),
    ...unknownTools.map(unknownLine),
    ...(slots.used < slots.most ? [] : [`No key can be added: delete one first. ${freeWords(free)}`]),
  ]
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
export function progressLines({ steps, undoSteps, tools }: RotationView): string[] {
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
export function viewLines(view: RotationView): string[] {
  const { id, planName, oldKeyName, newKeyName, state, deleteAt, canResume, canUndo } = view
  return [
    `${oldKeyName} of ${planName} -> ${newKeyName}: ${stateWords[state]}${deleteAt ? ` ${exactMoment(deleteAt)}` : ''}`,
    ...progressLines(view),
    ...(canResume ? [`"companion rotate resume ${id}" goes on.`] : []),
    ...(canUndo ? [`"companion rotate undo ${id}" brings ${oldKeyName} back.`] : []),
  ]
}

/** All rotations, a row for each. */
export function listLines(views: readonly RotationView[]): string[] {
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
