import type { BulkPreview, Snippet, ToolChoice, ToolView } from '@shared/contract'
import { ModelCode } from '@shared/contract/common'
import { Delivery, Route } from '@shared/contract/tools'
import { AppError, toAppError } from '@shared/failure'
import { findSmallModel, listExhaustedModels, listModelSwitches } from '@shared/model-quota'
import { writesPlainText } from '@shared/tool-changes'
import { getToolStatusKind, type ToolStatusKind } from '@shared/tool-status'
import common from '../../renderer/locales/en/common.json'
import words from '../../renderer/locales/en/tools.json'
import { setRecordsArguments } from '../mcp/call-log'
import { isSameSite } from '../tools/target'
import type { CommandContext, CommandOptions, ContextCommand, Program } from './context'
import { chooseLocalPlan, collectPair, findPlanKey, readSite, requireUsableModel, type SiteOptions } from './options'
import {
  confirm,
  formatCheck,
  formatCount,
  inputError,
  listLines,
  listResult,
  type Result,
  shellWord,
  type YesOption,
} from './output'
import {
  changeLines,
  loadRecoveredTools,
  manyLines,
  previewAndWrite,
  requireAllToolsChanged,
  setExitCodeIfSkipped,
} from './tool-changes'

/** Commands for coding tools. Lazy loads the writing features. */
export function addToolCommands(program: Program): void {
  program.add('tools', 'coding tools and their configuration').run(listTools)
  defineConfigureCommand(program).run((context, tools, options) =>
    options.fromModel === undefined ? configureTools(context, tools, options) : switchModel(context, tools, options),
  )
  const snippet = program.add('snippet <tool>', 'print configuration as a snippet (with a variable for the key)', 'id')
  addConfigureOptions(snippet).run(async (context, tool, options) => {
    const { tools } = await context.core.loadTools()
    const snippets = await tools.snippets(await toChoice(context, tool, options))
    const lines = ({ kind, path, text }: Snippet): string[] => [
      `# ${kind}${path ? `: ${path}` : ''}`,
      text.trimEnd(),
      '',
    ]
    return [snippets, snippets.flatMap(lines)]
  })
  program
    .add('restore [tool]', "undo a tool's configuration", 'id')
    .alias('undo')
    .site()
    .flag('--all', 'everything this app wrote, in every scope')
    .yes('undo everything')
    .dryRun()
    .run(restore)
  program
    .add('verify <tool>', 'test a tool with a live request', 'id')
    .alias('test')
    .site()
    .run(async ({ core }, toolId, options) => {
      const { tools } = await core.loadTools()
      return formatCheck(await tools.verify({ toolId, site: readSite(options) }, process.cwd()))
    })
  program.add('history [tool]', 'change history of a tool, newest first', 'id').run(async ({ core }, toolId) => {
    const entries = await (await core.loadTools()).tools.history(toolId)
    return listResult(entries, {
      CHANGE: ({ id }) => id,
      AT: ({ at }) => at,
      WHAT: ({ tools }) => [...new Set(tools.map(({ kind }) => kind))].join(','),
      TOOLS: ({ tools }) => tools.map((tool) => tool.toolId).join(', '),
      PLAN: ({ tools }) => tools[0]?.planName,
      STATE: ({ state }) => state,
    })
  })
  program
    .add('rewind <write>', 'revert files to before a change', 'id from "companion history"')
    .alias('revert')
    .dryRun()
    .run(async (context, id, { dryRun = false }) => {
      const { output } = context
      const { tools } = await loadRecoveredTools(context)
      const preview = await tools.previewRewind(id)
      if (preview.tools.length === 0) throw new AppError('input.invalid', manyLines(preview, false).join('\n'))
      if (!dryRun) await tools.carryOutMany(preview.previewId)
      const subject = preview.left.length > 0 ? 'The other files' : 'The files'
      const resultText = dryRun ? nothingWrittenText : `${subject} are reverted to before that change.`
      setExitCodeIfSkipped(preview)
      return [{ ...preview, written: !dryRun }, [...manyLines(preview, output.hasColour), resultText]]
    })
}

const addConfigureOptions = <Args extends unknown[]>(command: ContextCommand<CommandContext, Args>) =>
  command
    .site()
    .value('--plan <plan>', 'name or id of the plan (default: the one in use, else the only one)')
    .value('--key <key>', "name or id of the key (default: the one in use, else the plan's newest active)")
    .value('--model <code>', "model code (default: the one in use, else the plan's first with quota)")
    .value('--small-model <code>', 'code of the small model (default: the one in use, else chosen by name)')
    .valueOr('--slot <name=code>', 'model code for another model slot of the tool, repeatable', collectPair, new Map())
    .value('--delivery <how>', 'key delivery', Delivery.options)
    .value('--route <where>', 'direct to the gateway, or via the relay', Route.options)

const defineConfigureCommand = (program: Program) =>
  addConfigureOptions(
    program.add('configure [tools...]', 'configure tools for a plan (all or none)', 'ids from "companion tools"'),
  )
    .flag('--all', 'every installed tool that the app can configure')
    .value('--from-model <code>', 'switch every tool that uses this model, by default to one with quota left')
    .flag('--move-comments', 'rewrite strict JSON without its comments (a copy with comments is saved beside it)')
    .value('--take-out <setting...>', 'remove conflicting settings, as dotted paths (undo restores them)')
    .value('--keep <setting...>', 'do not change these settings, as dotted paths')
    .dryRun()

type ConfigureOptions = CommandOptions<ReturnType<typeof defineConfigureCommand>>

/** Status texts as in the window. Scripts use `status` of `--json`. */
const statusTexts: Readonly<Record<ToolStatusKind, string>> = {
  ...words.statuses,
  planExpired: common.labels.planExpired,
}

async function listTools({ core }: CommandContext): Promise<Result> {
  const tools = await (await core.loadTools()).tools.list(process.cwd())
  const { createOverriddenFailure } = await import('../tools/conflicting-settings')
  const notes = tools.flatMap((tool) =>
    (tool.conflicts ?? []).map((conflict) => `${tool.id}: ${createOverriddenFailure(tool, conflict).message}`),
  )
  const lines = listLines(tools, {
    TOOL: ({ id }) => id,
    VERSION: ({ installed, version = 'installed' }) => (installed ? version : 'not installed'),
    STATUS: (tool) => (tool.kind === 'written' ? statusTexts[getToolStatusKind(tool)].toLowerCase() : tool.kind),
    PLAN: ({ applied }) => applied?.planName,
    MODEL: ({ applied }) => applied?.modelCode,
  })
  return [tools, notes.length > 0 ? [...lines, '', ...notes] : lines]
}

/** Configures one or several tools for a plan, all or nothing. */
async function configureTools(
  context: CommandContext,
  named: readonly string[],
  options: ConfigureOptions,
): Promise<Result> {
  const { core, output } = context
  const { toolIds, skipped } = await selectTools(context, named, options)
  const choices = await Promise.all(toolIds.map((toolId) => toChoice(context, toolId, options)))
  const { tools } = await loadRecoveredTools(context)
  const isSingle = choices.length === 1 && skipped.length === 0
  const prepare = async () => {
    const preview = await tools.previewMany(choices, process.cwd())
    const [unchanged] = preview.left
    if (isSingle && unchanged) throw toAppError(unchanged.failure)
    if (!options.all || preview.tools.length === 0) requireAllToolsChanged(preview)
    requireConsent(preview, options)
    return preview
  }
  const preview = await previewAndWrite(prepare, (id) => tools.carryOutMany(id), options)
  const launchers = await launcherLines(tools, preview.tools)
  const planNames = [...new Set(choices.map(({ planId }) => core.plans.find(planId).name))].join(', ')
  const count = preview.tools.length
  const [only] = isSingle ? preview.tools : []
  const subject = only ? `${only.toolId} now uses` : `${count} ${count === 1 ? 'tool now uses' : 'tools now use'}`
  const resultLines = options.dryRun ? [nothingWrittenText] : [`${subject} ${planNames}.`, ...launchers]
  if (only) {
    const view = { ...only, previewId: preview.previewId, written: !options.dryRun }
    return [view, [...changeLines(only, output.hasColour), ...resultLines]]
  }
  if (skipped.length > 0) process.exitCode = 2
  setExitCodeIfSkipped(preview)
  const lines = [
    ...manyLines(preview, output.hasColour),
    ...skipped.map(({ toolId, reason }) => `Skipped ${toolId}: ${reason}`),
    ...resultLines,
  ]
  return [{ ...preview, skipped, written: !options.dryRun }, lines]
}

/** Switches the named tools, or all, from one model of a plan to another, in every scope and slot. All or nothing. */
async function switchModel(
  context: CommandContext,
  named: readonly string[],
  { fromModel: from = '', model, plan: planName, dryRun = false }: ConfigureOptions,
): Promise<Result> {
  const { core, output } = context
  const { tools } = await loadRecoveredTools(context)
  const views = (await tools.list()).filter(({ id }) => named.length === 0 || named.includes(id))
  const usesModel = (planId: string): boolean => {
    const { choices, modified } = listModelSwitches(views, { planId, from, to: from })
    return choices.length + modified.length > 0
  }
  const plan = planName === undefined ? core.plans.list().find(({ id }) => usesModel(id)) : core.plans.find(planName)
  if (plan === undefined || !usesModel(plan.id)) throw inputError(`No tool uses the model ${from}.`, 'fromModel')
  const exhausted = model === undefined ? listExhaustedModels(await context.readQuotas(), plan.id) : new Set<string>()
  const to = model ?? plan.models.find((code) => code !== from && !exhausted.has(code))
  if (to === undefined)
    throw inputError(`Plan ${plan.name} has no other model with quota left. Name one with --model.`, 'model')
  requireModelCode(to)
  const { choices, modified } = listModelSwitches(views, { planId: plan.id, from, to })
  const prepare = async () => {
    const preview = await tools.previewMany(choices)
    requireAllToolsChanged(preview)
    return preview
  }
  const preview =
    choices.length === 0 ? undefined : await previewAndWrite(prepare, (id) => tools.carryOutMany(id), { dryRun })
  const count = choices.length
  const resultText = `${count} ${count === 1 ? 'tool now uses' : 'tools now use'} ${to}.`
  const skipped = modified.map((toolId) => ({ toolId, reason: 'its settings were changed after it was configured.' }))
  const lines = [
    ...(preview ? manyLines(preview, output.hasColour) : []),
    ...skipped.map(({ toolId, reason }) => `Skipped ${toolId}: ${reason}`),
    dryRun ? nothingWrittenText : resultText,
  ]
  if (skipped.length > 0) process.exitCode = 2
  return [{ ...preview, from, to, skipped, written: !dryRun && count > 0 }, lines]
}

/** Ids of the named tools without duplicates, or of all tools. */
async function selectTools(context: CommandContext, named: readonly string[], options: ConfigureOptions) {
  if (!options.all) {
    if (named.length > 0) return { toolIds: [...new Set(named)], skipped: [] }
    throw inputError('Name at least one tool, or use --all.', 'tools')
  }
  if (named.length > 0) throw inputError('Name tools or use --all, not both.', 'tools')
  const selectedTools = await listInstalledTools(context, options)
  if (selectedTools.toolIds.length > 0) return selectedTools
  throw new AppError('tool.notFound', 'No installed tool that the app can configure.')
}

/** Writes a key in plain text only if that delivery was requested explicitly. */
function requireConsent({ tools }: Pick<BulkPreview, 'tools'>, { delivery, dryRun, plan }: ConfigureOptions): void {
  const ids = tools.filter(writesPlainText).map(({ toolId }) => toolId)
  if (delivery === 'plain' || dryRun || ids.length === 0) return
  const planOption = plan === undefined ? '' : ` --plan ${shellWord(plan)}`
  const message = `This writes the key of ${ids.join(', ')} in plain text. To allow it, run "companion configure ${ids.join(' ')}${planOption} --delivery plain".`
  throw inputError(message, 'delivery')
}

async function launcherLines(
  tools: { readonly view: (toolId: string) => Promise<ToolView> },
  chosen: readonly { readonly toolId: string }[],
): Promise<string[]> {
  const views = await Promise.all(chosen.map(({ toolId }) => tools.view(toolId)))
  return views
    .filter(({ start }) => start?.endsWith('-companion'))
    .map(({ name, start }) => `Start ${name} with "${start}". Its own command does not use the plan.`)
}

/** Skips tools that need explicit consent: `--delivery plain` or `--route relay` for each. */
async function listInstalledTools({ core }: CommandContext, options: ConfigureOptions) {
  const tools = await (await core.loadTools()).tools.list()
  const { kind: site } = readSite(options)
  const getSkipReason = ({ id, kind, deliveries, routes, sites, applied }: ToolView): string | undefined => {
    const route = options.route ?? applied?.route ?? 'gateway'
    if (kind === 'guided') return 'it can only be configured in its own window.'
    if (kind === 'unsupported') return 'not supported on this computer.'
    if (!sites.includes(site)) return 'it has no settings in this scope.'
    if (!routes.includes(route)) return `it needs "companion configure ${id} --route ${routes[0]}".`
    return deliveries.some((delivery) => delivery !== 'plain')
      ? undefined
      : `it needs "companion configure ${id} --delivery plain", which writes the key in plain text.`
  }
  const installedTools = tools
    .filter((tool) => tool.installed)
    .map((tool) => ({ toolId: tool.id, reason: getSkipReason(tool) }))
  return {
    toolIds: installedTools.filter(({ reason }) => reason === undefined).map(({ toolId }) => toolId),
    skipped: installedTools.filter(({ reason }) => reason !== undefined),
  }
}

/** The configuration of a tool. An omitted option keeps the tool's current value, or else the default of the window. */
async function toChoice(
  { core, readQuotas }: CommandContext,
  toolId: string,
  options: ConfigureOptions,
): Promise<ToolChoice> {
  const site = readSite(options)
  const view = await (await core.loadTools()).tools.view(toolId)
  const { slots: modelSlots } = view
  const appliedSetup = findAppliedSetup(view, site)
  const plan = chooseLocalPlan(core, options.plan, appliedSetup?.planId)
  const appliedToPlan = appliedSetup?.planId === plan.id ? appliedSetup : undefined
  const needsDefault = options.model === undefined && appliedToPlan === undefined && plan.models.length > 1
  const exhausted = needsDefault ? listExhaustedModels(await readQuotas(), plan.id) : new Set<string>()
  const modelCode = options.model ?? appliedToPlan?.modelCode ?? requireUsableModel(plan, exhausted)
  const slots = resolveSlots(modelSlots, appliedToPlan, options, () =>
    findSmallModel(plan.models, modelCode, exhausted),
  )
  const unknownSlot = Object.keys(slots).find((name) => !modelSlots.some(({ id }) => id === name))
  if (unknownSlot !== undefined) {
    const names = modelSlots.map(({ id }) => id).join(', ')
    const slotText = names === '' ? 'It only has the main model.' : `It has: ${names}.`
    throw inputError(`${toolId} has no model slot ${unknownSlot}. ${slotText}`, 'slot')
  }
  for (const code of [modelCode, ...Object.values(slots)]) requireModelCode(code)
  const isKeyInPlan = plan.keys.some(({ id }) => id === appliedToPlan?.keyId)
  return {
    toolId,
    site,
    planId: plan.id,
    keyId: options.key ? findPlanKey(plan, options.key).id : isKeyInPlan ? appliedToPlan?.keyId : undefined,
    modelCode,
    slots,
    delivery: options.delivery ?? appliedToPlan?.delivery,
    route: options.route ?? appliedSetup?.route,
    moveCommentsToCopy: options.moveComments,
    settingsToRemove: options.takeOut,
    keep: options.keep,
  }
}

/** Configuration of a tool in a scope. Undefined if this app did not configure it there. */
export const findAppliedSetup = (
  { applied, setups }: ToolView,
  site: ToolView['setups'][number]['site'],
): ToolView['applied'] =>
  site.kind === 'user' ? applied : setups.find((setup) => isSameSite(setup.site, site))?.applied

/** Lists the model slots to set. Omits slots that follow the main model. */
function resolveSlots(
  modelSlots: ToolView['slots'],
  inUse: ToolView['applied'],
  { smallModel: chosenSmallModel, slot }: ConfigureOptions,
  findDefault: () => string | undefined,
): Record<string, string> {
  const codes = modelSlots.flatMap(({ id, isSmall }) => {
    const currentModel = inUse?.slots[id]
    const differsFromMain = currentModel !== undefined && currentModel !== inUse?.modelCode
    const modelToKeep = differsFromMain ? currentModel : undefined
    const smallModel = inUse === undefined ? findDefault() : undefined
    const code = isSmall ? (chosenSmallModel ?? modelToKeep ?? smallModel) : modelToKeep
    return code === undefined ? [] : [[id, code] as const]
  })
  return Object.fromEntries([...codes, ...slot])
}

function requireModelCode(code: string | undefined): void {
  if (!ModelCode.safeParse(code).success)
    throw inputError('A model code has no spaces and at most 200 characters.', 'model')
}

const nothingWrittenText = 'Nothing was written (--dry-run).'

interface RestoreOptions extends SiteOptions, YesOption {
  readonly all?: boolean
  readonly dryRun?: boolean
}

async function restore(context: CommandContext, toolId: string | undefined, options: RestoreOptions): Promise<Result> {
  const { output } = context
  if (options.all) return restoreAll(context, toolId, options)
  if (toolId === undefined) throw inputError('Name a tool, or use --all.', 'tool')
  const { tools } = await loadRecoveredTools(context)
  const toolRef = { toolId, site: readSite(options) }
  const preview = await previewAndWrite(
    () => tools.previewRestore(toolRef),
    (id) => tools.carryOut(id),
    options,
  )
  const resultText = options.dryRun ? nothingWrittenText : `Undid the configuration of ${toolId}.`
  return [{ ...preview, written: !options.dryRun }, [...changeLines(preview, output.hasColour), resultText]]
}

async function restoreAll(
  context: CommandContext,
  toolId: string | undefined,
  options: RestoreOptions,
): Promise<Result> {
  const { core, output } = context
  if (toolId !== undefined || readSite(options).kind !== 'user')
    throw inputError('--all undoes every tool in every scope. Use it without a tool and without a scope.', 'all')
  const { tools, mcpServers } = await loadRecoveredTools(context)
  const preview = await tools.previewRemoveAll()
  const mcp = await mcpServers.previewRemoveAll()
  const count = preview.tools.length
  if (!options.dryRun && count + mcp.length > 0) {
    const names = [...preview.tools.map(({ toolId }) => toolId), ...mcp.map(({ toolId }) => `${toolId} (MCP)`)]
    if (!options.yes) confirm(output, [`This undoes the configuration of: ${names.join(', ')}`], options)
    for (const { previewId } of mcp) await mcpServers.carryOut(previewId)
    // Removing MCP servers may have changed the same files, so preview again.
    await tools.carryOutMany(mcp.length > 0 ? (await tools.previewRemoveAll()).previewId : preview.previewId)
    if (core.settings.read().mcp.recordsArguments) setRecordsArguments(core.settings, core.dataDir, false)
  }
  const mcpText = mcp.length > 0 ? `, and ${formatCount(mcp.length, 'MCP setting')}` : ''
  const resultText = options.dryRun ? nothingWrittenText : `Undid ${formatCount(count, 'configuration')}${mcpText}.`
  const lines = [
    ...manyLines(preview, output.hasColour),
    ...mcp.flatMap((mcpChange) => changeLines(mcpChange, output.hasColour)),
    resultText,
  ]
  setExitCodeIfSkipped(preview)
  return [{ ...preview, mcp, written: !options.dryRun }, lines]
}
