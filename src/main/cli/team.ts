import { writeFile } from 'node:fs/promises'
import type { TeamRole, TeamSync, TeamView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { type Command, Option } from 'commander'
import { exactMoment } from '../local-time'
import { Secret } from '../secret'
import { unwritable } from '../tools/files'
import { yes } from './options'
import type { CommandContext } from './output'
import { inLine, print, table } from './output'
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

/** `companion team create | invite | join | leave | remove | resolve | status | push | take-over | verify`. */
export function addTeamCommands(program: Command, context: () => CommandContext): void {
  const team = program.command('team').description('share keys and rotations with other leads (PostgreSQL)')
  addSignIn(
    team
      .command('create')
      .argument('<address>', 'postgres://user@host:5432/database, without a password')
      .requiredOption('--name <name>', 'name of the team')
      .requiredOption('--person <name>', 'your name in the team')
      .option('--ca <file>', 'CA certificates (PEM) of the server, if it has no public one'),
  )
    .description('create a team space in an empty database')
    .action((address: string, options: CreateOptions) => create(context(), address, options))
  team
    .command('invite')
    .argument('<person>', 'their name')
    .requiredOption('--user <user>', 'their database user (must exist)')
    .addOption(new Option('--role <role>', 'role').choices(['lead', 'member']).default('member'))
    .option('--out <file>', 'invitation file (default: standard output)')
    .description('add a person and write their invitation (no secrets)')
    .action((person: string, options: { user: string; role: TeamRole; out?: string }) =>
      invite(context(), person, options),
    )
  addSignIn(team.command('join').argument('<invitation>', 'file'))
    .description('join a team with an invitation')
    .action((file: string, options: SignInOptions) => join(context(), file, options))
  team
    .command('leave')
    .addOption(yes('leave'))
    .description('leave the team (key records stay on this computer)')
    .action((options: YesOption) => leave(context(), options))
  team
    .command('remove')
    .argument('<person>', 'name')
    .addOption(yes('remove them'))
    .description('remove a person from the team')
    .action((person: string, options: YesOption) => remove(context(), person, options))
  team
    .command('status')
    .description('show the team, pending changes and conflicts')
    .action(() => status(context()))
  team
    .command('push')
    .description('sync now')
    .action(() => push(context()))
  addDecisions(team, context)
}

/** What the team asks for now and then. */
function addDecisions(team: Command, context: () => CommandContext): void {
  team
    .command('resolve')
    .argument('<conflict>', 'id or its first characters')
    .addOption(new Option('--keep <version>', 'version to keep').choices(['own', 'shared']).makeOptionMandatory())
    .description('resolve a conflict')
    .action((conflict: string, { keep }: { keep: 'own' | 'shared' }) => resolveConflict(context(), conflict, keep))
  team
    .command('take-over')
    .argument('<rotation>', 'id or its first characters')
    .description('take over a stopped rotation of another computer')
    .action((rotation: string) => takeOver(context(), rotation))
  team
    .command('verify')
    .description("verify the team's audit log")
    .action(() => verify(context()))
}

const addSignIn = (command: Command): Command =>
  command
    .option('--password-stdin', 'read the password from standard input')
    .option('--client-certificate <file>', 'sign in with this certificate (PEM) instead of a password')
    .option('--client-key <file>', 'its private key (PEM), or - for standard input')

/** The secret is read from standard input or from a file, never from the command line. */
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
  const whole = { ...address, ...(certificate !== undefined && { certificate }) }
  const view = await team.create({ spaceName: name, personName: person, address: whole }, secret)
  print(output, view, () => ['Created the team.', '', ...viewLines(view)])
}

async function invite(
  { core, output }: CommandContext,
  personName: string,
  { user, role, out }: { user: string; role: TeamRole; out?: string },
): Promise<void> {
  const { invitationText } = await import('../team/address')
  const team = await core.loadTeam()
  const invitation = await team.invite({ personName, user, role })
  if (out === undefined) return output.out(invitationText(invitation))
  await writeFile(out, invitationText(invitation), { mode: 0o600 }).catch((error: unknown) => {
    throw unwritable(out, error)
  })
  print(output, { path: out }, () => [
    inLine(`Wrote the invitation of ${personName} to ${out}. It contains no secret.`),
  ])
}

async function join(context: CommandContext, file: string, options: SignInOptions): Promise<void> {
  const { core, output, readFile } = context
  const { readInvitation } = await import('../team/address')
  const invitation = readInvitation(await readFile(file))
  const { secret, certificate } = await readSignIn(context, options)
  const view = await (await core.loadTeam()).join(invitation, secret, certificate)
  print(output, view, () => ['Joined the team.', '', ...viewLines(view)])
}

async function leave({ core, output }: CommandContext, options: YesOption): Promise<void> {
  const team = await core.loadTeam()
  const view = await team.get()
  if (view.state === 'none') throw notJoined()
  const { notes, lines } = view.waiting
  const count = notes + lines
  const lost = count > 0 ? [`Not sent yet: ${notes} key records, ${lines} lines of the audit log.`] : []
  confirm(output, [`This computer leaves team ${view.spaceName}. Key records stay on this computer.`, ...lost], options)
  await team.leave()
  print(output, { left: view.spaceName }, () => [inLine(`Left team ${view.spaceName}.`)])
}

async function remove({ core, output }: CommandContext, name: string, options: YesOption): Promise<void> {
  const team = await core.loadTeam()
  await team.sync()
  const view = await team.get()
  if (view.state === 'none') throw notJoined()
  const person = view.people.find((one) => one.name === name)
  if (person === undefined)
    throw new AppError('input.invalid', `No person named ${name} in the team.`, { field: 'person' })
  confirm(output, [`${name} loses access to the team space. Their audit log entries stay.`], options)
  await team.remove(person.id)
  print(output, { removed: name }, () => [inLine(`Removed ${name}.`)])
}

/** Asks the database, and tells what was known before where it does not answer. */
async function status({ core, output }: CommandContext): Promise<void> {
  const team = await core.loadTeam()
  const { team: record } = core.settings.read()
  if (record) await team.sync().catch(() => undefined)
  const view = await team.get()
  print(output, view, () => viewLines(view))
}

async function push({ core, output }: CommandContext): Promise<void> {
  const sent = await (await core.loadTeam()).sync()
  print(output, sent, () => syncLines(sent))
}

async function resolveConflict(
  { core, output }: CommandContext,
  wanted: string,
  keep: 'own' | 'shared',
): Promise<void> {
  const team = await core.loadTeam()
  await team.sync()
  const view = await team.get()
  const conflict = only(view.state === 'joined' ? view.conflicts : [], wanted, 'conflict')
  await team.resolve(conflict.id, keep)
  print(output, { id: conflict.id, kept: keep }, () => [inLine(`Resolved the conflict of ${conflict.keyName}.`)])
}

async function takeOver({ core, output }: CommandContext, wanted: string): Promise<void> {
  const team = await core.loadTeam()
  await team.sync()
  const view = await team.get()
  const { id } = only(view.state === 'joined' ? view.rotations : [], wanted, 'rotation')
  const { rotation } = await core.loadTools()
  await rotation.takeOver(await team.sharedRotation(id))
  const result = await rotation.settled(id)
  print(output, result, () => [
    inLine(`${result.oldKeyName} of ${result.planName}: ${result.state}`),
    '"companion rotate status" shows its steps.',
  ])
  if (result.state === 'failed' || result.state === 'stopped') process.exitCode = 1
}

async function verify({ core, output }: CommandContext): Promise<void> {
  const verdict = await (await core.loadTeam()).verifyAudit()
  print(output, verdict, () => [
    verdict.isWhole
      ? `The audit log is intact: ${verdict.count} lines.`
      : `Line ${verdict.brokenAt} was ${verdict.reason}. The ${verdict.count} lines before it are intact.`,
  ])
  if (!verdict.isWhole) process.exitCode = 1
}

function only<T extends { readonly id: string }>(all: readonly T[], wanted: string, what: string): T {
  const [found, other] = all.filter(({ id }) => id.startsWith(wanted))
  if (found !== undefined && other === undefined) return found
  const message = `${found ? 'More than one' : 'No'} ${what} matches ${wanted}. "companion team status --json" shows the ids.`
  throw new AppError('input.invalid', message, { field: what })
}

const notJoined = (): AppError =>
  new AppError('team.notJoined', 'Not in a team. Create one, or join with an invitation.')

const syncLines = ({ notesSent, notesReceived, conflicts, auditSent }: TeamSync): string[] => [
  `Key records: ${notesSent} sent, ${notesReceived} received, ${conflicts} in conflict`,
  `Audit log: ${auditSent} lines sent`,
]

function viewLines(view: TeamView): string[] {
  if (view.state === 'none') return ['Not in a team.']
  const { failure, waiting, people, conflicts, rotations } = view
  const state = view.isOnline ? 'online' : `offline${failure ? `: ${failure.message}` : ''}`
  return [
    `Team      ${view.spaceName}`,
    `You       ${view.personName} (${view.role}) on ${view.machineName}`,
    `Database  ${view.address}${view.isEncrypted ? '' : ' (on this computer, not encrypted)'}`,
    `State     ${state}`,
    ...(view.syncedAt === undefined ? [] : [`Synced    ${exactMoment(view.syncedAt)}`]),
    `Pending   ${waiting.notes} key records, ${waiting.lines} lines of the audit log`,
    '',
    ...table(
      ['PERSON', 'ROLE', 'COMPUTERS'],
      people.map(({ name, role, machines }) => [name, role, machines.map((one) => one.name).join(', ') || '-']),
    ),
    ...(conflicts.length === 0
      ? []
      : [
          '',
          ...table(
            ['CONFLICT', 'PLAN', 'KEY', 'SHARED', 'OWN', 'OWN BY'],
            conflicts.map(({ id, planName, keyName, shared, own, ownBy }) => [
              ...[id.slice(0, 8), planName, keyName, shared.holder?.name ?? '-', own.holder?.name ?? '-', ownBy],
            ]),
          ),
        ]),
    ...(rotations.length === 0
      ? []
      : [
          '',
          ...table(
            ['ROTATION', 'KEY', 'STATE', 'BY', 'COMPUTER', 'SINCE'],
            rotations.map(({ id, keyName, state: its, isFree, personName, machineName, startedAt }) => [
              ...[
                id.slice(0, 8),
                keyName,
                isFree ? `${its}, free` : its,
                personName,
                machineName,
                exactMoment(startedAt),
              ],
            ]),
          ),
        ]),
  ].map(inLine)
}
