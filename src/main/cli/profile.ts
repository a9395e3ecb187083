import { AppError } from '@shared/failure'
import { writesPlainText } from '@shared/tool-changes'
import { shellQuote } from '../core/environment'
import type { Program } from './context'
import { collectPair } from './options'
import { confirm, inputError, listResult } from './output'
import { loadRecoveredTools, manyLines, requireAllToolsChanged } from './tool-changes'

export function addProfileCommands(program: Program): void {
  program
    .add('use <profile>', 'switch to a profile (all tools or none)', 'name or id')
    .alias('switch')
    .flag('--plain-text', 'allow keys in plain text if the profile uses them')
    .dryRun()
    .run(async (context, nameOrId, { plainText, dryRun }) => {
      const { output } = context
      const { tools, profiles } = await loadRecoveredTools(context)
      const profile = await profiles.find(nameOrId)
      const preview = await profiles.previewUse(profile.id)
      requireAllToolsChanged(preview)
      if (preview.tools.some(writesPlainText) && !plainText && !dryRun)
        throw inputError('This writes a key in plain text. Add --plain-text to allow it.', 'plainText')
      if (!dryRun) await tools.carryOutMany(preview.previewId)
      const resultText = dryRun ? 'Nothing was written (--dry-run).' : `Switched to ${profile.name}.`
      return [{ ...preview, written: !dryRun }, [...manyLines(preview, output.hasColour), resultText]]
    })
  const profile = program.add('profile', 'named sets of tool configurations')
  profile.add('list', 'list the profiles').run(async ({ core }) => {
    const profiles = await (await core.loadTools()).profiles.list()
    return listResult(profiles, {
      PROFILE: ({ name }) => name,
      STATE: ({ isActive, missing }) => (isActive ? 'in use' : missing.length > 0 ? 'incomplete' : '-'),
      TOOLS: ({ entries }) => entries.map(({ toolId }) => toolId).join(', '),
      PLANS: ({ entries }) => [...new Set(entries.map(({ planName, planId }) => planName ?? planId))].join(', '),
    })
  })
  profile
    .add('save <name>', 'save the current configurations as a profile')
    .value('--tool <id...>', 'only these tools (default: every configured tool)')
    .run(async ({ core }, name, { tool }) => {
      const savedProfile = await (await core.loadTools()).profiles.saveCurrent(name, tool)
      const toolIds = savedProfile.entries.map(({ toolId }) => toolId)
      return [savedProfile, [`Saved ${savedProfile.name}: ${toolIds.join(', ')}.`]]
    })
  profile
    .add('export <profile>', 'export a profile without secrets', 'name or id')
    .perform(async ({ core, output }, nameOrId) => {
      const { profiles } = await core.loadTools()
      output.out(profiles.exportText((await profiles.find(nameOrId)).id).text)
    })
  profile
    .add(
      'import <file>',
      'import a profile (plans are matched by gateway unless named)',
      'exported profile, or - for standard input',
    )
    .value('--name <name>', 'new name (default: the name in the file)')
    .valueOr('--plan <ref=plan>', 'plan on this computer for a plan in the file, repeatable', collectPair, new Map())
    .run(async ({ core, readFile }, path, options) => {
      const { profiles } = await core.loadTools()
      const { importId, file } = await profiles.read(await readFile(path))
      const plans = file.plans.map(({ ref, name, matchingPlanId }) => {
        const planName = options.plan.get(ref)
        const id = planName === undefined ? matchingPlanId : core.plans.find(planName).id
        if (id !== undefined) return [ref, id]
        const message = `No plan on this computer uses the gateway of ${name}. Add one with "companion plan add --name NAME --gateway URL --key-stdin < key.txt", or choose one: --plan ${ref}=NAME.`
        throw new AppError('profile.incomplete', message, { field: 'plan' })
      })
      const name = options.name ?? file.name
      const savedProfile = await profiles.import({ importId, name, plans: Object.fromEntries(plans) })
      const command = shellQuote(['companion', 'use', savedProfile.name], process.platform)
      return [savedProfile, [`Saved ${savedProfile.name}. Switch to it: ${command}`]]
    })
  profile
    .add('remove <profile>', 'delete a profile (tools are not changed)', 'name or id')
    .yes('remove it')
    .run(async ({ core, output }, nameOrId, options) => {
      const { profiles } = await core.loadTools()
      const { id, name } = await profiles.find(nameOrId)
      confirm(output, [`This deletes profile ${name}. Tools are not changed.`], options)
      profiles.remove(id)
      return [{ removed: id }, [`Deleted ${name}.`]]
    })
}
