import { resolve } from 'node:path'
import type {
  AuditEntry,
  AuditVerdict,
  ImportedKeyView,
  KeyFileContent,
  KeySwitchResult,
  RegisterEntry,
} from '@shared/contract'
import { HandoutRequest } from '@shared/contract/register'
import { AppError } from '@shared/failure'
import { planRefText } from '@shared/key-ids'
import { InvalidArgumentError } from 'commander'
import words from '../../renderer/locales/en/register.json'
import { formatDay } from '../core/local-time'
import type { Handouts } from '../keys/handout/handouts'
import type { CommandContext, CommandOptions, Program } from './context'
import { findByIdOrName, findPlan, readEndOfDay, readKnownPlans, readWholeNumber } from './options'
import { alignPairs, type Columns, inputError, listLines, listResult, printOutput, toSingleLine } from './output'
import { changeLines } from './tool-changes'

export function addRegisterCommands(program: Program): void {
  const register = program.add('register', 'list keys and holders').alias('keys')
  register.add('list', 'list every key with its holder').run(async ({ core }) => {
    const emptyText =
      'No keys yet. Add a plan with "companion plan add --name NAME --gateway URL --key-stdin < key.txt".'
    return listResult(await (await core.loadTools()).register.list(), registerColumns, emptyText)
  })
  register.add('export', 'export the list of keys as CSV (without key values)').perform(async ({ core, output }) => {
    const { register } = await core.loadTools()
    output.out(await register.csv())
  })
  register
    .add('set <plan> <key>', "set a key's holder, purpose, computer and end date", 'name or id', 'name or id')
    .value('--holder <name>', 'holder of the key', limitLength(100))
    .valueOr('--kind <kind>', 'what the holder is', ['person', 'tool'], 'person')
    .flag('--nobody', 'no holder')
    .value('--purpose <text>', 'purpose of the key', limitLength(200))
    .value('--machine <text>', 'computer it is used on', limitLength(100))
    .value('--ends <day>', 'last day of the key (2026-12-24), after which the app disables it, or never', (text) => {
      if (text === 'never') return null
      const end = readEndOfDay(text)
      if (end !== undefined && end > new Date()) return end.toISOString()
      throw new InvalidArgumentError('Enter today or a later day such as 2026-12-24, or never.')
    })
    .run(async ({ core }, plan, key, options) => {
      const { holder: name, kind, nobody, purpose, machine, ends: endsAt } = options
      if (name !== undefined && nobody) throw inputError('Use either --holder or --nobody.', 'holder')
      const { register } = await core.loadTools()
      const entries = await register.list()
      const planEntries = entries.filter((entry) => [entry.planId, entry.origin?.planId, entry.planName].includes(plan))
      const keyMatch =
        planEntries.find(({ origin }) => origin?.keyId === key) ??
        findByIdOrName(planEntries, key, { what: 'key', id: 'keyId', name: 'keyName' })
      if (!keyMatch) {
        const message = `Key ${key} of plan ${plan} not found. "companion keys list" lists all keys.`
        throw new AppError('register.notFound', message)
      }
      const { planId, keyId } = keyMatch
      const holder = name === undefined ? (nobody ? null : undefined) : { kind, name }
      const entry = await register.update({ planId, keyId, holder, purpose, machine, endsAt })
      return [entry, listLines([entry], registerColumns)]
    })
}

const registerColumns: Columns<RegisterEntry> = {
  PLAN: ({ planName }) => planName,
  KEY: ({ keyName }) => keyName,
  STATUS: ({ status }) => status,
  HOLDER: ({ holder }) => holder?.name,
  ISSUED: ({ handedOutAt }) => handedOutAt && formatDay(handedOutAt),
  CONFIRMED: ({ acknowledgedAt }) => acknowledgedAt && formatDay(acknowledgedAt),
  ENDS: ({ endsAt }) => endsAt && formatDay(endsAt),
  TOOLS: ({ tools }) => tools.join(', ') || '-',
  'SHARED WITH': ({ alsoServes }) => alsoServes.join(', ') || '-',
}

const limitLength = (max: number) => (text: string) => {
  const trimmedText = text.trim()
  if (trimmedText.length <= max) return trimmedText
  throw new InvalidArgumentError(`Use at most ${max} characters.`)
}

export function addHandoutCommands(program: Program): void {
  const handout = program.add('handout', 'issue and import keys')
  defineCreateCommand(handout).perform(create)
  handout
    .add('open <file>', 'inspect a key file, import it with --accept', 'key file you received')
    .flag('--passphrase-stdin', 'read the passphrase from standard input')
    .flag('--accept', 'save its key to the keychain, switch tools from an older key of the plan to it, and test them')
    .flag('--keep-tools', 'with --accept: leave the tools on the older key')
    .run(async ({ core, output, readStdin }, file, options) => {
      const { handouts } = await core.loadTools()
      const { kitId, needs } = await handouts.received.choose(file)
      const passphrase = options.passphraseStdin && needs === 'passphrase' ? await readStdin() : undefined
      const content = await handouts.received.open(kitId, passphrase)
      if (!options.accept)
        return [content, [...contentLines(content), 'Nothing was saved. Add --accept to save the key.']]
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
    })
  handout.add('recipient', 'print the age public key of this computer').run(async ({ core }) => {
    const ownRecipient = await (await core.loadTools()).handouts.ownRecipient()
    return [ownRecipient, [ownRecipient.recipient]]
  })
  handout
    .add('acknowledge <code>', 'enter the confirmation code of an issued key', 'confirmation code from the holder')
    .alias('confirm')
    .run(async ({ core }, code) => {
      const confirmed = await (await core.loadTools()).handouts.acknowledge(code)
      const { holder, keyName, planName } = confirmed
      return [confirmed, [toSingleLine(`${holder.name} confirmed key ${keyName} of ${planName}.`)]]
    })
}

const defineCreateCommand = (handout: Program) =>
  handout
    .add('create', 'create a key file (the passphrase is printed once, to standard error)')
    .required('--plan <plan>', 'plan: name, connection/name or id')
    .required('--holder <name>', 'holder of the key')
    .valueOr('--kind <kind>', 'what the holder is', ['person', 'tool'], 'person')
    .value('--key <key>', 'name or id of a key on this computer (default: a new key named after the holder)')
    .value('--purpose <text>', 'purpose of the key')
    .value('--tools <id...>', 'ids of tools it is for, from "companion tools"')
    .value('--recipient <age-key>', 'encrypt for this age public key, age1... (default: a passphrase of six words)')
    .required('--out <file>', 'file to write (an existing file is never overwritten)')

async function create(
  { core, output }: CommandContext,
  options: CommandOptions<ReturnType<typeof defineCreateCommand>>,
): Promise<void> {
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
    throw inputError(`${field}: ${issue?.message ?? 'invalid value'}.`, field)
  }
  const request = parseResult.data
  const { alsoServes } = keyId === undefined ? { alsoServes: [] } : await handouts.preview(request)
  const otherHolders = toSingleLine(alsoServes.join(', '))
  if (otherHolders) output.err(`Warning: this key is already used by ${otherHolders}. Use one key per holder.\n`)
  const result = await handouts.create(request, resolve(out))
  printOutput(output, result, () => [
    toSingleLine(`Wrote key file ${out} for ${request.holder.name}: key ${result.keyName} of ${entry.plan.name}.`),
  ])
  if (!result.hasPassphrase) return
  const passphrase = handouts.getPassphrase(result.id).expose()
  output.err(`Passphrase (shown only once, send it separately from the file): ${passphrase}\n`)
}

/** Prints how the tools change, then switches them to the imported key and tests them, unless `keepTools`. */
async function switchToolsUnlessKept(
  { handouts, output }: { readonly handouts: Handouts; readonly output: CommandContext['output'] },
  key: { readonly planId: string; readonly keyId: string },
  { keepTools }: { readonly keepTools?: boolean },
): Promise<{ results: readonly KeySwitchResult[]; imported: ImportedKeyView }> {
  const imported = await handouts.imported.find(key)
  if (keepTools) return { results: [], imported: await handouts.imported.skipSwitch(key) }
  if (imported.tools.length === 0 && !imported.hasFailed) return { results: [], imported }
  for (const { toolName, change } of await handouts.imported.previewSwitch(key)) {
    output.err(`${toSingleLine(`${toolName}: switches to ${imported.keyName}`)}\n`)
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
  const rows = [
    ['From', content.from],
    ['For', content.holder.name],
    ['Purpose', content.purpose ?? ''],
    ['Plan', content.planName],
    ['Gateway', content.gatewayUrl],
    ['Models', content.models.join(', ')],
    ['Key', `${content.keyName} (${content.maskedKey})`],
    ['Expires', content.expiresAt ?? ''],
    ['Tools', content.toolIds.join(', ')],
    ['Made', content.createdAt],
  ] as const
  return alignPairs(rows.filter(([, value]) => value !== ''))
}

export function addAuditCommands(program: Program): void {
  const audit = program.add('audit', 'the audit log of key actions')
  audit
    .add('list', 'list key actions, newest first')
    .valueOr('--limit <n>', 'number of entries', readWholeNumber(1, 500), 50)
    .value('--before <n>', 'only entries before this number', readWholeNumber(1, Number.MAX_SAFE_INTEGER))
    .run(async ({ core }, page) => listResult(await core.audit.list(page), auditColumns, 'No entries yet.'))
  audit.add('verify', 'verify the audit log (exit 1 if a line was changed, removed or moved)').run(async ({ core }) => {
    const verdict = await core.audit.verify()
    const { isWhole, count, brokenAt, reason = 'changed' } = verdict
    if (isWhole) return [verdict, [`The audit log is intact: ${count} ${count === 1 ? 'entry' : 'entries'}.`]]
    process.exitCode = 1
    const problem = `line ${brokenAt} ${auditReasons[reason]}`
    const text = `The audit log was modified: ${problem}. The lines before it are intact. Lines in total: ${count}.`
    return [verdict, [text]]
  })
}

const auditColumns: Columns<AuditEntry> = {
  NUMBER: ({ number }) => String(number),
  AT: ({ at }) => at,
  WHAT: ({ what }) => words.audit.what[what],
  PLAN: ({ planName }) => planName,
  KEY: ({ keyName }) => keyName,
  SUBJECT: ({ secretKind, subject }) => [secretKind, subject].filter(Boolean).join(' of ') || '-',
  BY: ({ by }) => by,
  USER: ({ osUser }) => osUser,
}

const auditReasons: Readonly<Record<NonNullable<AuditVerdict['reason']>, string>> = {
  changed: 'was changed',
  removed: 'is missing, or lines before it are',
  unreadable: 'cannot be read',
}
