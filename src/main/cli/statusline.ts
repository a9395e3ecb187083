import { fstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readStatusCache, type StatusCache, type StatusQuota } from '../quota/status-cache'

const usualTemplate = '{model} · {plan} {tokens} · {requests} · {forecast} · {route}'
/** A tool that hands over nothing is not waited for. */
const inputMs = 30
const longestInput = 1_000_000
/** The status line that was there before may take so long. */
const chainMs = 1000

/** The status line for a tool that waits for it; whatever is missing is left out, so that it is never blank and never an error. */
export async function answerStatusLine(
  dataDir: string,
  options: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const input = await readInput()
  const own = statusLine({
    template: options.template || usualTemplate,
    cache: readStatusCache(dataDir),
    setup: readSetup(dataDir, options.tool || 'claude-code'),
    input,
    now: Date.now(),
  })
  const before = options.chain ? await runChained(options.chain, input) : ''
  return before === '' ? own : `${before} │ ${own}`
}

/** The line as a tool would show it now. */
export const previewStatusLine = (dataDir: string, toolId: string, template: string): string =>
  statusLine({
    ...{ template: template || usualTemplate, cache: readStatusCache(dataDir), input: '', now: Date.now() },
    setup: readSetup(dataDir, toolId),
  })

/** What the tool was configured with. */
interface Setup {
  readonly planId?: string | undefined
  readonly modelCode?: string | undefined
  readonly route?: string | undefined
}

interface StatusInput {
  readonly template: string
  readonly cache: StatusCache | undefined
  readonly setup: Setup
  /** What the tool handed over as JSON. */
  readonly input: string
  readonly now: number
}

/** The line by a template; parts around ` · ` that have nothing to say are left out. */
export function statusLine({ template, cache, setup, input, now }: StatusInput): string {
  const { id, name } = modelIn(input)
  const quota = findQuota(cache?.quotas ?? [], setup, id ?? name)
  const isOld = cache !== undefined && now - Date.parse(cache.at) > 60 * 60_000
  const values: Readonly<Record<string, string>> = {
    model: name ?? quota?.model ?? setup.modelCode ?? '',
    plan: quota?.plan ?? '',
    tokens: quota?.tokensPercent === undefined ? '' : `${quota.tokensPercent}% left`,
    requests: quota?.requestsLeft === undefined ? '' : `${quota.requestsLeft} requests`,
    forecast: quota ? forecastOf(quota, now) : '',
    route: setup.route === 'relay' ? 'relay' : setup.route === undefined ? '' : 'direct',
    age: isOld ? 'outdated' : '',
  }
  const whole = isOld && !template.includes('{age}') ? `${template} · {age}` : template
  const parts = whole.split(' · ').flatMap((part) => {
    const names = [...part.matchAll(/\{(\w+)\}/g)].map(([, each = '']) => each)
    const text = part
      .replace(/\{(\w+)\}/g, (_, each) => values[each] ?? '')
      .replace(/\s+/g, ' ')
      .trim()
    return text === '' || (names.length > 0 && names.every((each) => !values[each])) ? [] : [text]
  })
  return plain(parts.join(' · ')) || 'Platform Companion'
}

/** The quota of the model in use, else the lowest of the tool's plan, else the lowest of all. */
function findQuota(quotas: readonly StatusQuota[], { planId, modelCode }: Setup, modelId: string | undefined) {
  const ofPlan = quotas.filter((one) => planId === undefined || one.planId === planId)
  const used = ofPlan.find(({ model }) => model === modelId) ?? ofPlan.find(({ model }) => model === modelCode)
  return used ?? ofPlan[0] ?? quotas[0]
}

function forecastOf({ isExhausted, runsOutAt }: StatusQuota, now: number): string {
  if (isExhausted) return 'used up'
  if (runsOutAt === undefined) return ''
  const hours = Math.max(0, (Date.parse(runsOutAt) - now) / 3_600_000)
  return hours < 48 ? `runs out in ${Math.max(1, Math.round(hours))}h` : `runs out in ${Math.round(hours / 24)}d`
}

function modelIn(input: string): { readonly id?: string | undefined; readonly name?: string | undefined } {
  const model = fieldsOf(fieldsOf(parsed(input)).model)
  const id = textOf(model.id)
  return { id, name: textOf(model.display_name) ?? id }
}

function readSetup(dataDir: string, toolId: string): Setup {
  const path = join(dataDir, 'tools', `${toolId.replace(/[^\w.-]/g, '')}.json`)
  try {
    const { planId, modelCode, route } = fieldsOf(fieldsOf(JSON.parse(readFileSync(path, 'utf8'))).choice)
    return { planId: textOf(planId), modelCode: textOf(modelCode), route: textOf(route) ?? 'gateway' }
  } catch {
    return {}
  }
}

/** What the tool hands over. A terminal has nothing; what is there already is read without the streams, which take a tenth of a start. */
async function readInput(): Promise<string> {
  try {
    const file = fstatSync(0)
    if (file.isCharacterDevice()) return ''
    if (file.isFile()) return file.size > longestInput ? '' : readFileSync(0, 'utf8')
  } catch {
    return ''
  }
  const { stdin } = process
  return new Promise((resolve) => {
    let text = ''
    const end = (): void => {
      clearTimeout(timer)
      stdin.destroy()
      resolve(text)
    }
    const timer = setTimeout(end, inputMs)
    stdin.setEncoding('utf8')
    stdin.on('data', (piece: string) => {
      text += piece
      if (text.length > longestInput) end()
    })
    stdin.on('end', end).on('error', end)
  })
}

/** The last words of the command that made the status line before; nothing when it fails. */
async function runChained(command: string, input: string): Promise<string> {
  const { spawnSync } = await import('node:child_process')
  const { stdout } = spawnSync(command, { shell: true, input, timeout: chainMs, encoding: 'utf8', windowsHide: true })
  return (stdout ?? '').trimEnd()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** Names come from settings and tools: none may steer the terminal. */
const plain = (text: string): string => text.replace(/\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu, '')
