import { fstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PlanQuota } from '@shared/contract/quota'
import { withoutHidden } from '@shared/hidden-characters'
import { parseJson } from '@shared/json'
import { statusInputVariable } from '../core/launcher/command-arguments'
import {
  readStatusCache,
  type StatusCache,
  type StatusQuota,
  writeAtomically,
  writeStatusCache,
} from '../usage/quota/status-cache'

const defaultTemplate = '{model} · {plan} {tokens} · {requests} · {forecast} · {route}'
/** Input timeout in ms. A tool that is named writes input, possibly late on a busy computer. */
const inputTimeoutMs = { unknown: 30, named: 300 }
const maxInputLength = 1_000_000
/** Time limit in ms, because tools wait 1 s for the line. The original status line command gets the remaining time. */
const lineTimeoutMs = 850
const minChainMs = 100

/** The status line of a tool, without missing values. Never blank, never fails. `args`: arguments from the launcher. */
export async function printStatusLine(
  dataDir: string,
  options: Readonly<Record<string, string | undefined>>,
  args: readonly string[] = [],
): Promise<string> {
  const input = await readInput(options.tool ? inputTimeoutMs.named : inputTimeoutMs.unknown)
  const { template = '', tool: toolId = defaultTool, chain } = options
  if (chain) {
    const chainedOutput = await runChainedCommand(chain, input)
    const ownLine = renderLine(dataDir, { template, toolId, input }, Date.now())
    return chainedOutput === '' ? ownLine : `${chainedOutput} │ ${ownLine}`
  }
  // Text after `"model":` in the input, as the launcher extracts it.
  const [, model = ''] = /"model":([^}]*)/.exec(input) ?? []
  storeLine(dataDir, { words: args.join(' '), model, template, toolId })
  return renderLine(dataDir, { template, toolId, input }, Date.now())
}

export const previewStatusLine = (dataDir: string, toolId: string, template: string): string =>
  renderLine(dataDir, { template, toolId, input: '' }, Date.now())

/** Saves new quota figures, and updates the cached lines that were shown recently. */
export function updateStatusLines(dataDir: string, plans: readonly PlanQuota[], updatedAt: Date): void {
  writeStatusCache(dataDir, plans, updatedAt)
  const lines = loadCachedLines(dataDir)
  if (lines.length > 0) writeCachedLines(dataDir, lines, updatedAt.getTime())
}

const defaultTool = 'claude-code'

interface StatusLineRequest {
  readonly template: string
  readonly toolId: string
  /** JSON that the tool writes to standard input. */
  readonly input: string
}

/** A line that the launcher itself can answer, because a shell starts faster than Node. */
interface CachedStatusLine {
  /** Arguments of the status line command, without the name of the tool. */
  readonly words: string
  /** JSON text of the current model in the tool's input, from its start to the closing brace. */
  readonly model: string
  readonly template: string
  readonly toolId: string
}

const getCachePath = (dataDir: string): string => join(dataDir, 'statusline.lines')
/** Time in ms for which a line is cached. The times in a line are rounded to hours. */
const cacheMs = 5 * 60_000
const maxLines = 16
const maxKeyLength = 400

function storeLine(dataDir: string, newLine: CachedStatusLine): void {
  const key = toCacheKey(newLine)
  const isCacheableCall =
    newLine.words.startsWith('statusline --tool ') && key.length < maxKeyLength && !/\p{Cc}/u.test(key)
  if (!isCacheableCall || parseJson(`${newLine.model}}`) === undefined) return
  const otherLines = loadCachedLines(dataDir).filter((line) => toCacheKey(line) !== key)
  writeCachedLines(dataDir, [newLine, ...otherLines].slice(0, maxLines), Date.now())
}

const toCacheKey = ({ words: args, model }: CachedStatusLine): string => `${args}|${model}`

/** Writes four lines per cached answer: expiry, key for the launcher, answer, and JSON for this program. */
function writeCachedLines(dataDir: string, lines: readonly CachedStatusLine[], nowMs: number): void {
  const expiresAtS = Math.floor((nowMs + cacheMs) / 1000)
  const text = lines.map((cachedLine) => {
    const line = renderLine(dataDir, { ...cachedLine, input: `{"model":${cachedLine.model}}}` }, nowMs)
    return `${expiresAtS}\n${toCacheKey(cachedLine)}\n${line}\n${JSON.stringify(cachedLine)}\n`
  })
  writeAtomically(getCachePath(dataDir), text.join(''))
}

function loadCachedLines(dataDir: string): CachedStatusLine[] {
  try {
    return readFileSync(getCachePath(dataDir), 'utf8')
      .split('\n')
      .flatMap((line, index) => {
        const { words, model, template, toolId } = toFields(index % 4 === 3 ? parseJson(line) : undefined)
        return [words, model, template, toolId].every((field) => typeof field === 'string')
          ? [{ words: String(words), model: String(model), template: String(template), toolId: String(toolId) }]
          : []
      })
  } catch {
    return []
  }
}

interface Setup {
  readonly planId?: string | undefined
  readonly modelCode?: string | undefined
  readonly route?: string | undefined
}

/** Formats the line by a template. Omits parts between ` · ` without a value. */
function renderLine(dataDir: string, request: StatusLineRequest, nowMs: number): string {
  const template = request.template || defaultTemplate
  const cache = readStatusCache(dataDir)
  const setup = readSetup(dataDir, request.toolId)
  const currentModel = toFields(toFields(parseJson(request.input)).model)
  const id = nonEmptyText(currentModel.id)
  const name = nonEmptyText(currentModel.display_name) ?? id
  const quota = findQuota(cache, setup, id ?? name)
  const measuredAt = quota?.at ?? cache?.at
  const isOld = measuredAt !== undefined && nowMs - Date.parse(measuredAt) > 60 * 60_000
  const values: ReadonlyMap<string, string> = new Map(
    Object.entries({
      model: name ?? quota?.model ?? setup.modelCode ?? '',
      plan: quota?.plan ?? '',
      tokens: quota?.tokensPercent === undefined ? '' : `${quota.tokensPercent}% left`,
      requests: quota?.requestsLeft === undefined ? '' : `${quota.requestsLeft} requests`,
      forecast: formatForecast(quota, nowMs),
      route: setup.route === 'gateway' ? 'direct' : (setup.route ?? ''),
      age: isOld ? 'outdated' : '',
    }),
  )
  const fullTemplate = isOld && !template.includes('{age}') ? `${template} · {age}` : template
  const parts = fullTemplate.split(' · ').map((segment) => fillSegment(segment, values))
  return withoutHidden(parts.filter((text) => text !== '').join(' · ')) || 'Platform Companion'
}

/** Inserts values into a part of a template. Empty if it names only missing values. */
function fillSegment(segment: string, values: ReadonlyMap<string, string>): string {
  const names = [...segment.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  if (names.length > 0 && names.every((name) => !values.get(name))) return ''
  const text = segment.replace(/\{(\w+)\}/g, (_, name) => values.get(name) ?? '')
  return text.replace(/\s+/g, ' ').trim()
}

/** The quota of the current model, or else the lowest quota of the tool's plan, or else of all plans. */
function findQuota(cache: StatusCache | undefined, { planId, modelCode }: Setup, modelId: string | undefined) {
  const quotas = cache?.quotas ?? []
  const planQuotas = quotas.filter((planQuota) => planId === undefined || planQuota.planId === planId)
  const modelQuota =
    planQuotas.find(({ model }) => model === modelId) ?? planQuotas.find(({ model }) => model === modelCode)
  return modelQuota ?? planQuotas[0] ?? quotas[0]
}

function formatForecast(quota: StatusQuota | undefined, nowMs: number): string {
  if (quota?.isExhausted) return 'used up'
  if (quota?.runsOutAt === undefined) return ''
  const hours = Math.max(0, (Date.parse(quota.runsOutAt) - nowMs) / 3_600_000)
  return hours < 48 ? `runs out in ${Math.max(1, Math.round(hours))}h` : `runs out in ${Math.round(hours / 24)}d`
}

function readSetup(dataDir: string, toolId: string): Setup {
  const path = join(dataDir, 'tools', `${toolId.replace(/[^\w.-]/g, '')}.json`)
  try {
    const { planId, modelCode, route } = toFields(toFields(JSON.parse(readFileSync(path, 'utf8'))).choice)
    return { planId: nonEmptyText(planId), modelCode: nonEmptyText(modelCode), route: nonEmptyText(route) ?? 'gateway' }
  } catch {
    return {}
  }
}

/** The tool's JSON. Empty for a terminal. Reads a file without streams, which saves a tenth of the start time. */
async function readInput(timeoutMs: number): Promise<string> {
  const { [statusInputVariable]: inputStart = '' } = process.env
  delete process.env[statusInputVariable]
  if (parseJson(inputStart) !== undefined) return inputStart
  try {
    const file = fstatSync(0)
    if (file.isCharacterDevice()) return inputStart
    if (file.isFile()) return file.size > maxInputLength ? '' : inputStart + readFileSync(0, 'utf8')
  } catch {
    return inputStart
  }
  const { stdin } = process
  return new Promise((resolve) => {
    let text = inputStart
    const finishReading = (): void => {
      clearTimeout(timer)
      stdin.destroy()
      resolve(text)
    }
    const timer = setTimeout(finishReading, timeoutMs)
    stdin.setEncoding('utf8')
    stdin.on('data', (chunk: string) => {
      text += chunk
      const isComplete = chunk.trimEnd().endsWith('}') && parseJson(text) !== undefined
      if (isComplete || text.length > maxInputLength) finishReading()
    })
    stdin.on('end', finishReading).on('error', finishReading)
  })
}

/** Output of the original status line command. Empty when it fails. */
async function runChainedCommand(command: string, input: string): Promise<string> {
  const { spawnSync } = await import('node:child_process')
  const timeout = Math.max(minChainMs, Math.round(lineTimeoutMs - performance.now()))
  // Use SIGKILL, because a shell that waits for its child does not react to SIGTERM.
  const options = { shell: true, input, timeout, killSignal: 'SIGKILL', windowsHide: true } as const
  const { stdout } = spawnSync(command, { ...options, encoding: 'utf8' })
  return (stdout ?? '').trimEnd()
}

const toFields = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {}

const nonEmptyText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
