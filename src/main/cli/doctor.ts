import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import type { DoctorReport, Finding, Site } from '@shared/contract'
import { AppError } from '@shared/failure'
import { listExhaustedModels } from '@shared/model-quota'
import words from '../../renderer/locales/en/doctor.json'
import { isSameSite } from '../tools/target'
import type { CommandContext, Program } from './context'
import { readSite } from './options'
import { printOutput, shellWord } from './output'
import { loadRecoveredTools } from './tool-changes'
import { findAppliedSetup } from './tools'

export function addDoctorCommand(program: Program): void {
  program
    .add('doctor [tool]', 'diagnose tools (sends one small request each)', 'id (default: every configured tool)')
    .alias('diagnose')
    .site()
    .perform((context, toolId, options) => diagnoseTools(context, toolId, readSite(options)))
}

async function diagnoseTools(context: CommandContext, toolId: string | undefined, namedSite: Site): Promise<void> {
  const { output } = context
  const features = await loadRecoveredTools(context)
  const workFolder = namedSite.kind === 'project' ? namedSite.folder : process.cwd()
  const tools = await features.tools.list(workFolder)
  const configured = tools
    .filter(({ id }) => toolId === undefined || id === toolId)
    .flatMap(({ id, applied, setups }): Setup[] => [
      ...(applied ? [{ toolId: id, site: { kind: 'user' } as const, workFolder }] : []),
      ...setups.map(({ site }) => ({ toolId: id, site })),
    ])
  const setups =
    toolId === undefined
      ? configured.filter(
          // Without an option, all settings match. A project also uses the user's.
          ({ site }) =>
            namedSite.kind === 'user' ||
            isSameSite(site, namedSite) ||
            (namedSite.kind === 'project' && site.kind === 'user'),
        )
      : [{ toolId, ...findSite(namedSite, workFolder, configured) }]
  if (setups.length === 0) throw new AppError('tool.notConfigured', 'No tool is configured by this app.')
  const examinations: Awaited<ReturnType<typeof examineSingleSetup>>[] = []
  for (const setup of setups) {
    const examination = await examineSingleSetup(context, setup, toolId === undefined)
    examinations.push(examination)
    if (!output.isJson) for (const line of examination.lines) output.out(`${line}\n`)
  }
  const answers = examinations.map(({ answer }) => answer)
  if (output.isJson) printOutput(output, toolId === undefined ? answers : answers[0], () => [])
  if (examinations.some(({ isFailed }) => isFailed)) process.exitCode = 1
}

/** A configured tool. `workFolder` is the start folder of the tool when its user settings are examined. */
type Setup = { readonly toolId: string; readonly site: Site; readonly workFolder?: string }

/** The settings to examine: those of the configured project, or else the user's. */
function findSite(named: Site, workFolder: string, configured: readonly Setup[]): Omit<Setup, 'toolId'> {
  if (named.kind === 'wsl') return { site: named }
  const site = { kind: 'project', folder: workFolder } as const
  if (named.kind === 'project' && !existsSync(workFolder)) return { site }
  return configured.some((setup) => isSameSite(setup.site, site)) ? { site } : { site: { kind: 'user' }, workFolder }
}

/** Diagnoses one tool. A failure does not stop the diagnosis of other tools. */
async function examineSingleSetup(context: CommandContext, setup: Setup, isOneOfMany: boolean) {
  const { tools } = await context.core.loadTools()
  try {
    const report = await tools.diagnose(setup)
    const { toolName, site, outcome, findings } = report
    const tool = { target: commandTarget(setup.toolId, site), toolName, ...(await readChoices(context, setup, report)) }
    const lines = [`${toolName}: ${outcome}`, ...findings.flatMap((finding) => findingLines(finding, tool))]
    return { answer: report, lines, isFailed: outcome === 'failed' }
  } catch (error) {
    if (!(error instanceof AppError) || !isOneOfMany) throw error
    const { failure } = error
    return { answer: { ...setup, ok: false, failure }, lines: [`${setup.toolId}: ${failure.message}`], isFailed: true }
  }
}

async function readChoices(
  { core, readQuotas }: CommandContext,
  { toolId, site }: Setup,
  { findings }: DoctorReport,
): Promise<Choices> {
  const usedSetup = findAppliedSetup(await (await core.loadTools()).tools.view(toolId), site)
  const plan = core.plans.list().find(({ id }) => id === usedSetup?.planId)
  const keys = plan?.keys.filter(({ id }) => id !== usedSetup?.keyId).map(({ name }) => name) ?? []
  const needsModel = plan && findings.some(({ fix }) => fix === 'chooseModel')
  const exhausted = needsModel ? listExhaustedModels(await readQuotas(), plan.id) : new Set<string>()
  const models = plan?.models.filter((code) => !exhausted.has(code)) ?? []
  return { ...(plan && { planName: plan.name }), models, keys }
}

/** The tool's plan with its models and keys, offered as replacements in the command that fixes a finding. */
type Choices = { readonly planName?: string; readonly models: readonly string[]; readonly keys: readonly string[] }
type ExaminedTool = Choices & { readonly target: string; readonly toolName: string }

/** Formats a finding as a sentence, followed by a command to paste. */
function findingLines(finding: Finding, tool: ExaminedTool): string[] {
  const { check, outcome, subject, inputTokens, outputTokens, durationMs } = finding
  const cost = inputTokens === undefined ? '' : `, ${inputTokens} tokens in, ${outputTokens ?? '?'} out`
  const time = durationMs === undefined ? '' : ` (${Math.round(durationMs)} ms${cost})`
  const subjectText = subject === undefined ? '' : ` ${subject}`
  const isPassed = outcome === 'ok' || outcome === 'skipped'
  const text = isPassed ? `${words.checks[check]}${subjectText}` : describeProblem(finding, tool.toolName)
  const command = isPassed ? undefined : buildFixCommand(finding, tool)
  return [`  ${outcome.padEnd(7)} ${text}${time}`, ...(command === undefined ? [] : [`    ${command}`])]
}

function describeProblem({ check, subject, failure }: Finding, toolName: string): string {
  if (failure !== undefined) return failure.message
  if (check === 'installed') return `${toolName} is not installed.`
  if (check === 'ownedValues') return `These settings were changed after they were configured: ${subject}.`
  return `The variable ${subject} of your shell overrides the settings of ${toolName}.`
}

function commandTarget(toolId: string, site: Site): string {
  if (site.kind === 'user') return toolId
  const [option, optionValue] = site.kind === 'project' ? ['--project', site.folder] : ['--wsl', site.distribution]
  return `${toolId} ${option} ${shellWord(optionValue)}`
}

/** Command that fixes a finding. Undefined if none helps. A message may already contain the exact command. */
function buildFixCommand(finding: Finding, tool: ExaminedTool): string | undefined {
  const { fix, failure } = finding
  const commandInMessage = /"(companion [^"]+)"/.exec(failure?.message ?? '')?.[1]
  if (commandInMessage !== undefined) return commandInMessage.replace(/ configure [\w-]+/, ` configure ${tool.target}`)
  return fix && fixCommands[fix](tool, finding)
}

type FixCommand = (tool: ExaminedTool, finding: Finding) => string | undefined

const chooseKey: FixCommand = ({ target, keys: [key] }) =>
  key && `companion configure ${target} --key ${shellWord(key)}`

const fixCommands: Readonly<Record<NonNullable<Finding['fix']>, FixCommand>> = {
  unlockKeychain: () => undefined,
  openFile(_, { subject = '' }) {
    const [path = ''] = subject.split(': ')
    const editor = process.platform === 'win32' ? 'notepad' : 'nano'
    return isAbsolute(path) ? `${editor} ${shellWord(path)}` : undefined
  },
  chooseModel({ target, models }, { subject = '' }) {
    const model = models.find((code) => code !== subject)
    return model && `companion configure ${target} --model ${shellWord(model)}`
  },
  chooseKey: (tool, finding) => chooseKey(tool, finding) ?? 'companion plan list',
  replaceKey: (tool, finding) =>
    chooseKey(tool, finding) ?? (tool.planName && `companion key list ${shellWord(tool.planName)}`),
  undo: ({ target }) => `companion restore ${target}`,
  retry: ({ target }) => `companion diagnose ${target}`,
  startRelay: () => 'companion relay',
  applyAgain: ({ target }) => `companion configure ${target}`,
  copyLine: (_, { text }) => text,
  install: (_, { text }) => text,
}
