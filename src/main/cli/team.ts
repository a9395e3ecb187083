import { writeFile } from 'node:fs/promises'
import type { TeamSync, TeamView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { type Command, Option } from 'commander'
import { createUnwritableError } from '../core/files/files'
import { formatExactTime } from '../core/local-time'
import { Secret } from '../core/secret'
import type { Team } from '../team/team'
import { createYesOption } from './options'
import type { CommandContext } from './output'
import { printOutput, table, toSingleLine } from './output'
import { confirm, type YesOption } from './terminal'

interface SignInOptions {
  readonly passwordStdin?: boolean
  readonly clientCertificate?: string
  readonly clientKey?: string
}

interface CreateOptions extends SignInOptions {
  readonly name: string
  readonly person: string
  readonly ca?: string
}

export function addTeamCommands(program: Command, context: () => CommandContext): void {
  const team = program
    .command('team')
    .description('share keys, rotations and the audit log with other leads (PostgreSQL)')
  const addSignInOptions = (command: Command): Command =>
    command
      .option('--password-stdin', 'read the password from standard input')
      .option('--client-certificate <file>', 'sign in with this certificate (PEM) instead of a password')
      .option('--client-key <file>', 'its private key (PEM), or - for standard input')
  addSignInOptions(
    team
      .command('create')
      .argument('<address>', 'postgres://user@host:5432/database, without a password')
      .requiredOption('--name <name>', 'name of the space')
      .requiredOption('--person <name>', 'your name in the space')
      .option('--ca <file>', 'CA certificates (PEM) of the server, if it has no public one'),
  )
    .description('create a lead space in an empty database')
    .action((address: string, options: CreateOptions) => create(context(), address, options))
  team
    .command('invite')
    .argument('<person>', 'their name')
    .requiredOption('--user <user>', 'their database user (must exist)')
    .addOption(new Option('--role <role>', 'role').choices(['lead']).hideHelp())
    .option('--out <file>', 'invitation file (default: standard output)')
    .description('add a lead and write their invitation (no secrets)')
    .action((person: string, options: { user: string; out?: string }) => invite(context(), person, options))
  addSignInOptions(team.command('join').argument('<invitation>', 'file'))
    .description('join a lead space with an invitation')
    .action((file: string, options: SignInOptions) => join(context(), file, options))
  addSignInOptions(team.command('password'))
    .description('save a new password or certificate of the database')
    .action(async (options: SignInOptions) => {
      const { secret, certificate } = await readSignIn(context(), options)
      const view = await (await context().core.loadTeam()).changeSignIn(secret, certificate)
      printOutput(context().output, view, () => formatTeam(view))
    })
  addTeamCommand(team, context, {
    name: 'leave',
    description: 'leave the lead space (key records stay on this computer)',
    yes: 'leave',
    question: ({ spaceName, waiting: { notes, lines } }) => [
      `This computer leaves ${spaceName}. Key records stay on this computer.`,
      ...(notes + lines > 0 ? [`Not sent yet: ${notes} key records, ${lines} lines of the audit log.`] : []),
    ],
    run: (teamService) => teamService.leave(),
    done: (name) => ({ json: { left: name }, text: `Left ${name}.` }),
  })
  addTeamCommand(team, context, {
    name: 'delete',
    description: 'delete the lead space for all leads (owner)',
    yes: 'delete it',
    question: ({ spaceName }) => [
      `Deletes ${spaceName} from the database for all leads: key records, rotations and the audit log.`,
      'Each computer keeps its own key records and its own audit log.',
    ],
    run: (teamService) => teamService.delete(),
    done: (name) => ({ json: { deleted: name }, text: `Deleted ${name}.` }),
  })
  addTeamCommand(team, context, {
    name: 'upgrade',
    description: 'upgrade a space that an older version of the app made (owner)',
    yes: 'upgrade',
    question: ({ spaceName }) => [
      `Upgrades ${spaceName}. Leads, key records, rotations and the audit log stay. Older versions of the app can no longer use the space.`,
      'A team space becomes a lead space: shared usage and team budgets are deleted, and members lose access.',
    ],
    run: (teamService) => teamService.upgrade(),
    done: (name) => ({ json: { upgraded: name }, text: `Upgraded ${name}.` }),
  })
  team
    .command('remove')
    .argument('<person>', 'name')
    .addOption(createYesOption('remove them'))
    .description('remove a lead')
    .action((person: string, options: YesOption) => remove(context(), person, options))
  team
    .command('status')
    .description('show leads, pending changes, conflicts and rotations')
    .action(async () => {
      const { core, output } = context()
      const teamService = await core.loadTeam()
      // Sync first, but show the last known state if the database is unavailable.
      if (core.settings.read().team) await teamService.sync().catch(() => undefined)
      const view = await teamService.get()
      printOutput(output, view, () => formatTeam(view))
    })
  team
    .command('push')
    .description('sync now, and switch tools here to the new keys of rotations on other computers')
    .action(async () => {
      const { core, output } = context()
      const syncResult = await (await core.loadTeam()).sync({ switchesKeys: true })
      printOutput(output, syncResult, () => syncLines(syncResult))
    })
  team
    .command('resolve')
    .argument('<conflict>', 'id or its first characters')
    .addOption(new Option('--keep <version>', 'version to keep').choices(['own', 'shared']).makeOptionMandatory())
    .description('resolve a conflict')
    .action(async (idPrefix: string, { keep }: { keep: 'own' | 'shared' }) => {
      const { core, output } = context()
      const teamService = await core.loadTeam()
      const conflict = findByIdPrefix((await syncTeam(teamService)).conflicts, idPrefix, 'conflict')
      await teamService.resolve(conflict.id, keep)
      printOutput(output, { id: conflict.id, kept: keep }, () => [
        toSingleLine(`Resolved the conflict of ${conflict.keyName}.`),
      ])
    })
  team
    .command('take-over')
    .argument('<rotation>', 'id or its first characters')
    .description('take over a stopped rotation of another computer')
    .action((rotation: string) => takeOverLead(context(), rotation))
  team
    .command('verify')
    .description('verify the audit log of the lead space')
    .action(async () => {
      const { core, output } = context()
      const auditVerdict = await (await core.loadTeam()).verifyAudit()
      printOutput(output, auditVerdict, () => [
        auditVerdict.isWhole
          ? `The audit log is intact: ${auditVerdict.count} lines.`
          : `Line ${auditVerdict.brokenAt} was ${auditVerdict.reason}. The ${auditVerdict.count} lines before it are intact.`,
      ])
      if (!auditVerdict.isWhole) process.exitCode = 1
    })
}

type JoinedTeam = Extract<TeamView, { state: 'joined' }>

interface TeamConfirmation {
  readonly name: string
  readonly description: string
  readonly yes: string
  readonly question: (view: JoinedTeam) => readonly string[]
  readonly run: (team: Team) => Promise<unknown>
  readonly done: (spaceName: string) => { readonly json: object; readonly text: string }
}

/** Adds a command that affects the whole lead space and needs `--yes`. */
function addTeamCommand(team: Command, context: () => CommandContext, request: TeamConfirmation): void {
  team
    .command(request.name)
    .addOption(createYesOption(request.yes))
    .description(request.description)
    .action(async (options: YesOption) => {
      const { core, output } = context()
      const teamService = await core.loadTeam()
      const view = requireJoinedTeam(await teamService.get())
      confirm(output, [...request.question(view)], options)
      await request.run(teamService)
      const { json, text } = request.done(view.spaceName)
      printOutput(output, json, () => [toSingleLine(text)])
    })
}

function requireJoinedTeam(view: TeamView): JoinedTeam {
  if (view.state === 'joined') return view
  throw new AppError('team.notJoined', 'Not in a lead space. Create one, or join with an invitation.')
}

async function syncTeam(team: Team): Promise<JoinedTeam> {
  await team.sync()
  return requireJoinedTeam(await team.get())
}

/** Reads the secret from standard input or a file, never from the command line. */
async function readSignIn(
  { readStdin, readFile }: CommandContext,
  { passwordStdin, clientCertificate, clientKey }: SignInOptions,
): Promise<{ secret: Secret; certificate?: string }> {
  if (clientCertificate !== undefined && clientKey !== undefined) {
    const { readCertificates } = await import('../team/address')
    const certificate = readCertificates(await readFile(clientCertificate))
    return { secret: new Secret(await readFile(clientKey), 'text'), certificate }
  }
  if (passwordStdin !== true || clientCertificate !== undefined || clientKey !== undefined) {
    const message = 'Use --password-stdin, or --client-certificate with --client-key. Nothing was sent.'
    throw new AppError('input.invalid', message, { field: 'password' })
  }
  const password = (await readStdin()).replace(/\r?\n$/, '')
  if (password === '') throw new AppError('input.invalid', 'No password on standard input.', { field: 'password' })
  return { secret: new Secret(password, 'text') }
}

async function create(context: CommandContext, text: string, { name, person, ca, ...signIn }: CreateOptions) {
  const { core, output, readFile } = context
  const { readTeamAddress } = await import('../team/address')
  const address = readTeamAddress(text, ca === undefined ? undefined : await readFile(ca))
  const { secret, certificate } = await readSignIn(context, signIn)
  const team = await core.loadTeam()
  const fullAddress = { ...address, ...(certificate !== undefined && { certificate }) }
  const view = await team.create({ spaceName: name, personName: person, address: fullAddress }, secret)
  printOutput(output, view, () => ['Created the lead space.', '', ...formatTeam(view)])
}

async function invite(
  { core, output }: CommandContext,
  personName: string,
  { user, out }: { user: string; out?: string },
): Promise<void> {
  const { invitationText } = await import('../team/address')
  const invitation = await (await core.loadTeam()).invite({ personName, user })
  if (out === undefined) return output.out(invitationText(invitation))
  await writeFile(out, invitationText(invitation), { mode: 0o600 }).catch((error: unknown) => {
    throw createUnwritableError(out, error)
  })
  printOutput(output, { path: out }, () => [
    toSingleLine(`Wrote the invitation of ${invitation.person} to ${out}. It contains no secret.`),
  ])
}

async function join(context: CommandContext, file: string, options: SignInOptions): Promise<void> {
  const { core, output, readFile } = context
  const { readInvitation } = await import('../team/address')
  const invitation = readInvitation(await readFile(file))
  const { secret, certificate } = await readSignIn(context, options)
  const view = await (await core.loadTeam()).join(invitation, secret, certificate)
  printOutput(output, view, () => ['Joined the lead space.', '', ...formatTeam(view)])
}

async function remove({ core, output }: CommandContext, name: string, options: YesOption): Promise<void> {
  const team = await core.loadTeam()
  const person = (await syncTeam(team)).people.find((teamMember) => teamMember.name === name)
  if (person === undefined)
    throw new AppError('input.invalid', `No person named ${name} in the lead space.`, { field: 'person' })
  confirm(output, [`${name} loses access to the lead space. Their audit log entries stay.`], options)
  await team.remove(person.id)
  printOutput(output, { removed: name }, () => [toSingleLine(`Removed ${name}.`)])
}

async function takeOverLead({ core, output }: CommandContext, idPrefix: string): Promise<void> {
  const team = await core.loadTeam()
  const { id } = findByIdPrefix((await syncTeam(team)).rotations, idPrefix, 'rotation')
  const { rotation } = await core.loadTools()
  await rotation.takeOver(await team.sharedRotation(id))
  const result = await rotation.settled(id)
  printOutput(output, result, () => [
    toSingleLine(`${result.oldKeyName} of ${result.planName}: ${result.state}`),
    '"companion rotate status" shows its steps.',
  ])
  if (result.state === 'failed' || result.state === 'stopped') process.exitCode = 1
}

function findByIdPrefix<T extends { readonly id: string }>(items: readonly T[], idPrefix: string, itemKind: string): T {
  const [match, otherMatch] = items.filter(({ id }) => id.startsWith(idPrefix))
  if (match !== undefined && otherMatch === undefined) return match
  const message = `${match ? 'More than one' : 'No'} ${itemKind} matches ${idPrefix}. "companion team status --json" shows the ids.`
  throw new AppError('input.invalid', message, { field: itemKind })
}

const syncLines = ({ notesSent, notesReceived, conflicts, auditSent }: TeamSync): string[] => [
  `Key records: ${notesSent} sent, ${notesReceived} received, ${conflicts} in conflict`,
  `Audit log: ${auditSent} lines sent`,
]

function formatTeam(view: TeamView): string[] {
  if (view.state === 'none') return ['Not in a lead space.']
  const { failure, waiting, people, conflicts, rotations, switches } = view
  const state = view.isOnline ? 'online' : `offline${failure ? `: ${failure.message}` : ''}`
  const section = (headings: readonly string[], rows: readonly (readonly string[])[]): string[] =>
    rows.length === 0 ? [] : ['', ...table(headings, rows)]
  return [
    `Space     ${view.spaceName}`,
    `You       ${view.personName} on ${view.machineName}`,
    `Database  ${view.address}${view.isEncrypted ? '' : ' (on this computer, not encrypted)'}`,
    `State     ${state}`,
    ...(view.syncedAt === undefined ? [] : [`Synced    ${formatExactTime(view.syncedAt)}`]),
    `Pending   ${waiting.notes} key records, ${waiting.lines} lines of the audit log`,
    ...section(
      ['LEAD', 'COMPUTERS'],
      people.map(({ name, machines }) => [name, machines.map((machine) => machine.name).join(', ') || '-']),
    ),
    ...section(
      ['CONFLICT', 'PLAN', 'KEY', 'SHARED', 'OWN', 'OWN BY'],
      conflicts.map(({ id, planName, keyName, shared, own, ownBy }) => [
        id.slice(0, 8),
        planName,
        keyName,
        shared.holder?.name ?? '-',
        own.holder?.name ?? '-',
        ownBy,
      ]),
    ),
    ...section(
      ['ROTATION', 'KEY', 'STATE', 'BY', 'COMPUTER', 'SINCE'],
      rotations.map(({ id, keyName, state: its, isFree, personName, machineName, startedAt }) => [
        id.slice(0, 8),
        keyName,
        isFree ? `${its}, free` : its,
        personName,
        machineName,
        formatExactTime(startedAt),
      ]),
    ),
    ...section(
      ['SWITCH HERE', 'PLAN', 'ROTATED BY', 'PROBLEM'],
      switches.map((keySwitch) => [
        keySwitch.keyName,
        keySwitch.planName,
        keySwitch.personName,
        keySwitch.failure?.message ?? '-',
      ]),
    ),
  ].map(toSingleLine)
}
