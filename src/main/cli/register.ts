import type { Holder, RegisterEntry } from '@shared/contract'
import { AppError } from '@shared/failure'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { formatDay } from '../core/local-time'
import { findByIdOrName, readEndOfDay } from './options'
import { addCommand, type CommandContext, listLines, type Result, table } from './output'

interface SetOptions {
  readonly holder?: string
  readonly kind: Holder['kind']
  readonly nobody?: boolean
  readonly purpose?: string
  readonly machine?: string
  readonly ends?: string | null
}

export function addRegisterCommands(program: Command, context: () => CommandContext): void {
  const register = addCommand(program, 'register', context).alias('keys').description('list keys and holders')
  register
    .command('list')
    .description('list every key with its holder')
    .run(async ({ core }) => {
      const entries = await (await core.loadTools()).register.list()
      const emptyText =
        'No keys yet. Add a plan with "companion plan add --name NAME --gateway URL --key-stdin < key.txt".'
      return [entries, listLines(entries, headings, formatRegisterRow, emptyText)]
    })
  register
    .command('export')
    .description('export the list of keys as CSV (without key values)')
    .action(async () => {
      const { core, output } = context()
      const { register } = await core.loadTools()
      output.out(await register.csv())
    })
  register
    .command('set')
    .argument('<plan>', 'name or id')
    .argument('<key>', 'name or id')
    .option('--holder <name>', 'holder of the key', limitLength(100))
    .addOption(new Option('--kind <kind>', 'what the holder is').choices(['person', 'tool']).default('person'))
    .option('--nobody', 'no holder')
    .option('--purpose <text>', 'purpose of the key', limitLength(200))
    .option('--machine <text>', 'computer it is used on', limitLength(100))
    .option('--ends <day>', 'last day of the key (2026-12-24), after which the app disables it, or never', (text) => {
      if (text === 'never') return null
      const end = readEndOfDay(text)
      if (end !== undefined && end > new Date()) return end.toISOString()
      throw new InvalidArgumentError('Enter today or a later day such as 2026-12-24, or never.')
    })
    .description("set a key's holder, purpose, computer and end date")
    .run(noteKey)
}

const headings = ['PLAN', 'KEY', 'STATUS', 'HOLDER', 'ISSUED', 'CONFIRMED', 'ENDS', 'TOOLS', 'SHARED WITH']

const formatRegisterRow = (entry: RegisterEntry): string[] => [
  entry.planName,
  entry.keyName,
  entry.status,
  entry.holder?.name ?? '-',
  day(entry.handedOutAt),
  day(entry.acknowledgedAt),
  day(entry.endsAt),
  entry.tools.join(', ') || '-',
  entry.alsoServes.join(', ') || '-',
]

const day = (moment: string | undefined): string => (moment === undefined ? '-' : formatDay(moment))

async function noteKey(
  { core }: CommandContext,
  plan: string,
  key: string,
  { holder: name, kind, nobody, purpose, machine, ends: endsAt }: SetOptions,
): Promise<Result> {
  if (name !== undefined && nobody) {
    throw new AppError('input.invalid', 'Use either --holder or --nobody.', { field: 'holder' })
  }
  const { register } = await core.loadTools()
  const entries = await register.list()
  const planEntries = entries.filter((entry) => [entry.planId, entry.origin?.planId, entry.planName].includes(plan))
  const keyMatch = findByIdOrName(planEntries, key, {
    what: 'key',
    listIds: ({ keyId, origin }) => [keyId, ...(origin ? [origin.keyId] : [])],
    listNames: ({ keyName }) => [keyName],
  })
  if (!keyMatch) {
    const message = `Key ${key} of plan ${plan} not found. "companion keys list" lists all keys.`
    throw new AppError('register.notFound', message)
  }
  const { planId, keyId } = keyMatch
  const holder = name === undefined ? (nobody ? null : undefined) : { kind, name }
  const entry = await register.update({ planId, keyId, holder, purpose, machine, endsAt })
  return [entry, table(headings, [formatRegisterRow(entry)])]
}

const limitLength = (max: number) => (text: string) => {
  const trimmedText = text.trim()
  if (trimmedText.length <= max) return trimmedText
  throw new InvalidArgumentError(`Use at most ${max} characters.`)
}
