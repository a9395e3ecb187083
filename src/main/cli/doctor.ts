import { existsSync } from 'node:fs'
import type { DoctorReport, Finding, Site } from '@shared/contract'
import { AppError } from '@shared/failure'
import type { Command } from 'commander'
import { shellQuote } from '../core/environment'
import { sameSite } from '../tools/target'
import { addSiteOptions, readSite, type SiteOptions } from './options'
import type { CommandContext } from './output'
import { print } from './output'
import { recoverFirst } from './tool-changes'

export function addDoctorCommand(program: Command, context: () => CommandContext): void {
  addSiteOptions(program.command('doctor').alias('diagnose').argument('[tool]', 'id (default: every configured tool)'))
    .description('diagnose tools (sends one small request each)')
    .action((toolId: string | undefined, options: SiteOptions) => examine(context(), toolId, options))
}

async function examine(context: CommandContext, toolId: string | undefined, options: SiteOptions): Promise<void> {
  const { output } = context
  const named = readSite(options)
  await recoverFirst(context)
  const configured = (await listSetups(context)).filter((setup) => toolId === undefined || setup.toolId === toolId)
  const setups = toolId === undefined ? configured.filter(isIn(named)) : [{ toolId, ...siteIn(named, configured) }]
  if (setups.length === 0) throw new AppError('tool.notConfigured', 'No tool is configured by this app.')
  const examined: Examined[] = []
  for (const setup of setups) {
    const one = await examineOne(context, setup, toolId === undefined)
    examined.push(one)
    if (!output.isJson) for (const line of one.lines) output.out(`${line}\n`)
  }
  const answers = examined.map(({ answer }) => answer)
  if (output.isJson) print(output, toolId === undefined ? answers : answers[0], () => [])
  if (examined.some(({ isFailed }) => isFailed)) process.exitCode = 1
}

/** A setup, and for the user's settings the start folder of the tool. */
type Setup = { readonly toolId: string; readonly site: Site; readonly workFolder?: string }

/** The configured project, or else the user's settings in that folder. */
function siteIn(named: Site, configured: readonly Setup[]): Omit<Setup, 'toolId'> {
  if (named.kind === 'wsl') return { site: named }
  const workFolder = named.kind === 'project' ? named.folder : process.cwd()
  const site = { kind: 'project', folder: workFolder } as const
  if (named.kind === 'project' && !existsSync(workFolder)) return { site }
  return configured.some((setup) => sameSite(setup.site, site)) ? { site } : { site: { kind: 'user' }, workFolder }
}

/** All setups, or those used in the named folder or distribution. */
const isIn =
  (named: Site) =>
  ({ site }: Setup): boolean =>
    named.kind === 'user' || sameSite(site, named) || (named.kind === 'project' && site.kind === 'user')

type Examined = { readonly answer: unknown; readonly lines: readonly string[]; readonly isFailed: boolean }

/** One failed diagnosis of several does not stop the others. */
async function examineOne({ core }: CommandContext, setup: Setup, isOneOfMany: boolean): Promise<Examined> {
  const { doctor } = await core.loadTools()
  try {
    const report = await doctor.run(setup)
    return { answer: report, lines: reportLines(report), isFailed: report.outcome === 'failed' }
  } catch (error) {
    if (!(error instanceof AppError) || !isOneOfMany) throw error
    const { failure } = error
    return { answer: { ...setup, ok: false, failure }, lines: [`${setup.toolId}: ${failure.message}`], isFailed: true }
  }
}

async function listSetups({ core }: CommandContext): Promise<Setup[]> {
  const workFolder = process.cwd()
  const tools = await (await core.loadTools()).tools.list(workFolder)
  return tools.flatMap(({ id: toolId, applied, setups }) => [
    ...(applied ? [{ toolId, site: { kind: 'user' } as const, workFolder }] : []),
    ...setups.map(({ site }) => ({ toolId, site })),
  ])
}

function reportLines({ toolId, toolName, site, outcome, findings }: DoctorReport): string[] {
  return [`${toolName}: ${outcome}`, ...findings.flatMap((finding) => findingLines(finding, toolId, site))]
}

function findingLines(finding: Finding, toolId: string, site: Site): string[] {
  const { check, outcome, subject, failure, fix, text, inputTokens, outputTokens, durationMs } = finding
  const cost = inputTokens === undefined ? '' : `, ${inputTokens} tokens in, ${outputTokens ?? '?'} out`
  const time = durationMs === undefined ? '' : ` (${Math.round(durationMs)} ms${cost})`
  const remedy =
    fix === undefined ? [] : [`    ${fixes[fix](commandTarget(toolId, site))}${text === undefined ? '' : `: ${text}`}`]
  const about = subject === undefined ? '' : ` ${subject}`
  const why = failure === undefined ? '' : `: ${failure.message}`
  return [`  ${outcome.padEnd(7)} ${checks[check]}${about}${time}${why}`, ...remedy]
}

const checks: Readonly<Record<Finding['check'], string>> = {
  installed: 'tool installed',
  fileParses: 'settings readable',
  ownedValues: 'settings unchanged',
  rivals: 'no conflicting settings',
  helperRuns: 'tool gets the key',
  keyAlive: 'gateway accepts the key',
  suffixRight: 'base URL suffix correct',
  modelInPlan: 'model included in the plan',
  realRequest: 'live request succeeds',
}

function commandTarget(toolId: string, site: Site): string {
  if (site.kind === 'user') return toolId
  const [option, where] = site.kind === 'project' ? ['--project', site.folder] : ['--wsl', site.distribution]
  return `${toolId} ${option} ${shellQuote([where], process.platform)}`
}

const fixes: Readonly<Record<NonNullable<Finding['fix']>, (target: string) => string>> = {
  applyAgain: (target) => `run "companion configure ${target}"`,
  undo: (target) => `run "companion restore ${target}"`,
  openFile: () => 'fix that file',
  chooseModel: (target) => `run "companion configure ${target} --model CODE" with a code of the plan`,
  chooseKey: (target) => `run "companion configure ${target} --key KEY" with another key`,
  replaceKey: () => "replace the plan's key in the app",
  copyLine: () => 'add this line to your shell profile',
  install: () => 'install it',
  unlockKeychain: () => 'unlock the keychain',
  retry: () => 'try again',
  startRelay: () => 'start the relay in the app, or with "companion relay"',
}
