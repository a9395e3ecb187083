import { resolve } from 'node:path'
import type { Holder, ImportedKeyView, KeyFileContent, KeySwitchResult } from '@shared/contract'
import { HandoutRequest } from '@shared/contract/register'
import { AppError } from '@shared/failure'
import { planRefText } from '@shared/key-ids'
import { type Command, Option } from 'commander'
import type { Handouts } from '../keys/handout/handouts'
import { findPlan, readKnownPlans } from './known-plans'
import { addCommand, type CommandContext, printOutput, type Result, toSingleLine } from './output'
import { changeLines } from './tool-changes'

interface CreateOptions {
  readonly plan: string
  readonly key?: string
  readonly holder: string
  readonly kind: Holder['kind']
  readonly purpose?: string
  readonly tools?: string[]
  readonly recipient?: string
  readonly out: string
}

interface OpenOptions {
  readonly passphraseStdin?: boolean
  readonly accept?: boolean
  readonly keepTools?: boolean
}

export function addHandoutCommands(program: Command, context: () => CommandContext): void {
  const handout = addCommand(program, 'handout', context).description('issue and import keys')
  handout
    .command('create')
    .requiredOption('--plan <plan>', 'plan: name, connection/name or id')
    .requiredOption('--holder <name>', 'holder of the key')
    .addOption(new Option('--kind <kind>', 'what the holder is').choices(['person', 'tool']).default('person'))
    .option('--key <key>', 'name or id of a key on this computer (default: a new key named after the holder)')
    .option('--purpose <text>', 'purpose of the key')
    .option('--tools <id...>', 'ids of tools it is for, from "companion tools"')
    .option('--recipient <age-key>', 'encrypt for this age public key, age1... (default: a passphrase of six words)')
    .requiredOption('--out <file>', 'file to write (an existing file is never overwritten)')
    .description('create a key file (the passphrase is printed once, to standard error)')
    .action((options: CreateOptions) => create(context(), options))
  handout
    .command('open')
    .argument('<file>', 'key file you received')
    .option('--passphrase-stdin', 'read the passphrase from standard input')
    .option('--accept', 'save its key to the keychain, switch tools from an older key of the plan to it, and test them')
    .option('--keep-tools', 'with --accept: leave the tools on the older key')
    .description('inspect a key file, import it with --accept')
    .run(openKeyFile)
  handout
    .command('recipient')
    .description('print the age public key of this computer')
    .run(async ({ core }) => {
      const ownRecipient = await (await core.loadTools()).handouts.ownRecipient()
      return [ownRecipient, [ownRecipient.recipient]]
    })
  handout
    .command('acknowledge')
    .alias('confirm')
    .argument('<code>', 'confirmation code from the holder')
    .description('enter the confirmation code of an issued key')
    .run(async ({ core }, code: string) => {
      const confirmed = await (await core.loadTools()).handouts.acknowledge(code)
      const { holder, keyName, planName } = confirmed
      return [confirmed, [toSingleLine(`${holder.name} confirmed key ${keyName} of ${planName}.`)]]
    })
}

async function create({ core, output }: CommandContext, options: CreateOptions): Promise<void> {
  const { plan, key: keyId, holder: name, kind, purpose, tools: toolIds = [], recipient, out } = options
  const { handouts } = await core.loadTools()
  const entry = findPlan(await readKnownPlans(core, {}), plan, { isOfActiveAccount: true })
  // A plan that is only in the account is named by the account's plan reference.
  const planId =
    entry.kind === 'local'
      ? entry.plan.id
      : (entry.local?.id ?? planRefText({ connectionId: entry.connectionId, planId: entry.plan.planId }))
  const lock = recipient === undefined ? { kind: 'passphrase' } : { kind: 'recipient', recipient }
  const parseResult = HandoutRequest.safeParse({ planId, keyId, holder: { kind, name }, purpose, toolIds, lock })
  if (!parseResult.success) {
    const [issue] = parseResult.error.issues
    const field = issue?.path.join('.') ?? ''
    throw new AppError('input.invalid', `${field}: ${issue?.message ?? 'invalid value'}.`, { field })
  }
  const request = parseResult.data
  const { alsoServes } = keyId === undefined ? { alsoServes: [] } : await handouts.preview(request)
  if (alsoServes.length > 0) {
    output.err(toSingleLine(`Warning: this key is already used by ${alsoServes.join(', ')}. Use one key per holder.`))
    output.err('\n')
  }
  const result = await handouts.create(request, resolve(out))
  printOutput(output, result, () => [
    toSingleLine(`Wrote key file ${out} for ${request.holder.name}: key ${result.keyName} of ${entry.plan.name}.`),
  ])
  if (!result.hasPassphrase) return
  const passphrase = handouts.getPassphrase(result.id).expose()
  output.err(`Passphrase (shown only once, send it separately from the file): ${passphrase}\n`)
}

async function openKeyFile(
  { core, output, readStdin }: CommandContext,
  file: string,
  options: OpenOptions,
): Promise<Result> {
  const { handouts } = await core.loadTools()
  const { kitId, needs } = await handouts.chooseKit(file)
  const passphrase = options.passphraseStdin && needs === 'passphrase' ? await readStdin() : undefined
  const content = await handouts.openKit(kitId, passphrase)
  if (!options.accept) return [content, [...contentLines(content), 'Nothing was saved. Add --accept to save the key.']]
  const { planId, keyId } = await handouts.accept(kitId)
  const { results, imported } = await switchToolsUnlessKept({ handouts, output }, { planId, keyId }, options)
  const acceptedKey = { planId, keyId, ...(imported.code === undefined ? {} : { acknowledgement: imported.code }) }
  const lines = [
    ...contentLines(content),
    toSingleLine(`Saved as plan ${core.plans.find(planId).name}. The key is in the OS keychain.`),
    ...results.map(({ toolName, state, failure }) =>
      toSingleLine(`  ${state.padEnd(8)} ${toolName}${failure ? `: ${failure.message}` : ''}`),
    ),
    ...codeLines(imported),
  ]
  if (imported.code === undefined) process.exitCode = 1
  return [{ ...content, accepted: acceptedKey, switched: results }, lines]
}

/** Prints how the tools change, then switches them to the imported key and tests them, unless `keepTools`. */
async function switchToolsUnlessKept(
  { handouts, output }: { readonly handouts: Handouts; readonly output: CommandContext['output'] },
  key: { readonly planId: string; readonly keyId: string },
  { keepTools }: OpenOptions,
): Promise<{ results: readonly KeySwitchResult[]; imported: ImportedKeyView }> {
  const imported = await handouts.imported.find(key)
  if (keepTools) return { results: [], imported: await handouts.imported.skipSwitch(key) }
  if (imported.tools.length === 0 && !imported.hasFailed) return { results: [], imported }
  for (const { toolName, change } of await handouts.imported.previewSwitch(key)) {
    output.err(toSingleLine(`${toolName}: switches to ${imported.keyName}`))
    output.err('\n')
    for (const text of change ? changeLines(change, output.hasColour) : []) output.err(`${text}\n`)
  }
  return handouts.imported.switchTools(key)
}

function codeLines({ code, tools, oldKeyNames, keyName }: ImportedKeyView): string[] {
  const names = tools.map(({ toolName }) => toolName).join(', ')
  const codeTexts =
    code === undefined
      ? [
          `Not every tool works with ${keyName}, so there is no confirmation code yet.`,
          'Fix it and run the command again, or add --keep-tools to get the code anyway.',
        ]
      : [`Confirmation code, send it back: ${code}`]
  const oldKeyNotice = `${names} still uses ${oldKeyNames.join(', ')} and stops when that key is disabled.`
  return [...(tools.length > 0 ? [oldKeyNotice] : []), ...codeTexts].map(toSingleLine)
}

function contentLines(content: KeyFileContent): string[] {
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['From', content.from],
    ['For', content.holder.name],
    ['Purpose', content.purpose],
    ['Plan', content.planName],
    ['Gateway', content.gatewayUrl],
    ['Models', content.models.join(', ')],
    ['Key', `${content.keyName} (${content.maskedKey})`],
    ['Expires', content.expiresAt],
    ['Tools', content.toolIds.join(', ')],
    ['Made', content.createdAt],
  ]
  return rows.flatMap(([name, value]) => (value ? [toSingleLine(`${name.padEnd(8)} ${value}`)] : []))
}
