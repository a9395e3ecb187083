import { writeFile } from 'node:fs/promises'
import type { TeamView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { Option } from 'commander'
import { createUnwritableError } from '../core/files/files'
import { formatExactTime } from '../core/local-time'
import { Secret } from '../core/secret'
import type { CommandContext, CommandOptions, ContextCommand, Program } from './context'
import { type Columns, confirm, inputError, listLines, type Result, toSingleLine } from './output'

type JoinedTeam = Extract<TeamView, { state: 'joined' }>

/** Commands that affect the whole lead space and need `--yes`. `done` is also the key in the JSON. */
const spaceCommands = [
  {
    name: 'leave',
    description: 'leave the lead space (key records stay on this computer)',
    yes: 'leave',
    question: ({ spaceName, waiting: { notes, lines } }: JoinedTeam) => [
      `This computer leaves ${spaceName}. Key records stay on this computer.`,
      ...(notes + lines > 0 ? [`Not sent yet: ${notes} key records, ${lines} lines of the audit log.`] : []),
    ],
    done: 'Left',
  },
  {
    name: 'delete',
    description: 'delete the lead space for all leads (owner)',
    yes: 'delete it',
    question: ({ spaceName }: JoinedTeam) => [
      `Deletes ${spaceName} from the database for all leads: key records, rotations and the audit log.`,
      'Each computer keeps its own key records and its own audit log.',
    ],
    done: 'Deleted',
  },
  {
    name: 'upgrade',
    description: 'upgrade a space that an older version of the app made (owner)',
    yes: 'upgrade',
    question: ({ spaceName }: JoinedTeam) => [
      `Upgrades ${spaceName}. Leads, key records, rotations and the audit log stay. Older versions of the app can no longer use the space.`,
      'A team space becomes a lead space: shared usage and team budgets are deleted, and members lose access.',
    ],
    done: 'Upgraded',
  },
] as const

const addSignInOptions = <Context extends CommandContext, Args extends unknown[], Options>(
  command: ContextCommand<Context, Args, Options>,
) =>
  command
    .flag('--password-stdin', 'read the password from standard input')
    .value('--client-certificate <file>', 'sign in with this certificate (PEM) instead of a password')
    .value('--client-key <file>', 'its private key (PEM), or - for standard input')

export function addTeamCommands(program: Program): void {
  const description = 'share keys, rotations and the audit log with other leads (PostgreSQL)'
  const team = program.addGroup('team', description, async (context) => ({
    ...context,
    team: await context.core.loadTeam(),
  }))
  const addressText = 'postgres://user@host:5432/database, without a password'
  const create = team
    .add('create <address>', 'create a lead space in an empty database', addressText)
    .required('--name <name>', 'name of the space')
    .required('--person <name>', 'your name in the space')
    .value('--ca <file>', 'CA certificates (PEM) of the server, if it has no public one')
  addSignInOptions(create).run(async (teamContext, text, options) => {
    const { name: spaceName, person: personName, ca } = options
    const { readTeamAddress } = await import('../team/address')
    const address = readTeamAddress(text, ca === undefined ? undefined : await teamContext.readFile(ca))
    const { secret, certificate } = await readSignIn(teamContext, options)
    const request = { spaceName, personName, address: { ...address, certificate } }
    return formatTeam(await teamContext.team.create(request, secret), ['Created the lead space.', ''])
  })
  team
    .add('invite <person>', 'add a lead and write their invitation (no secrets)', 'their name')
    .required('--user <user>', 'their database user (must exist)')
    .addOption(new Option('--role <role>', 'role').choices(['lead']).hideHelp())
    .value('--out <file>', 'invitation file (default: standard output)')
    .run(async ({ team: space }, personName, { user, out }) => {
      const { invitationText } = await import('../team/address')
      const invitation = await space.invite({ personName, user })
      const text = invitationText(invitation)
      if (out === undefined) return [invitation, text.trimEnd().split('\n').map(toSingleLine)]
      await writeFile(out, text, { mode: 0o600 }).catch((error: unknown) => {
        throw createUnwritableError(out, error)
      })
      const line = toSingleLine(`Wrote the invitation of ${invitation.person} to ${out}. It contains no secret.`)
      return [{ path: out }, [line]]
    })
  addSignInOptions(team.add('join <invitation>', 'join a lead space with an invitation', 'file')).run(
    async (teamContext, file, options) => {
      const { readInvitation } = await import('../team/address')
      const invitation = readInvitation(await teamContext.readFile(file))
      const { secret, certificate } = await readSignIn(teamContext, options)
      return formatTeam(await teamContext.team.join(invitation, secret, certificate), ['Joined the lead space.', ''])
    },
  )
  addSignInOptions(team.add('password', 'save a new password or certificate of the database')).run(
    async (teamContext, options) => {
      const { secret, certificate } = await readSignIn(teamContext, options)
      return formatTeam(await teamContext.team.changeSignIn(secret, certificate))
    },
  )
  for (const { name, description, yes, question, done } of spaceCommands)
    team
      .add(name, description)
      .yes(yes)
      .run(async ({ team: space, output }, options) => {
        const view = requireJoinedTeam(await space.get())
        confirm(output, question(view), options)
        await space[name]()
        return [{ [done.toLowerCase()]: view.spaceName }, [toSingleLine(`${done} ${view.spaceName}.`)]]
      })
  team
    .add('remove <person>', 'remove a lead', 'name')
    .yes('remove them')
    .run(async ({ team: space, output }, name, options) => {
      const person = requireJoinedTeam(await space.sync()).people.find((lead) => lead.name === name)
      if (person === undefined) throw inputError(`No person named ${name} in the lead space.`, 'person')
      confirm(output, [`${name} loses access to the lead space. Their audit log entries stay.`], options)
      await space.remove(person.id)
      return [{ removed: name }, [toSingleLine(`Removed ${name}.`)]]
    })
  team
    .add('status', 'show leads, pending changes, conflicts and rotations')
    // Syncs first, but shows the last known state if the database is unavailable.
    .run(async ({ team: space }) => formatTeam(await space.sync().catch(() => space.get())))
  team
    .add('push', 'sync now, and switch tools here to the new keys of rotations on other computers')
    .run(async ({ team: space }) => formatTeam(await space.sync({ switchesKeys: true })))
  team
    .add('resolve <conflict>', 'resolve a conflict', 'id or its first characters')
    .required('--keep <version>', 'version to keep', ['own', 'shared'])
    .run(async ({ team: space }, idPrefix, { keep }) => {
      const { id, keyName } = findByIdPrefix(requireJoinedTeam(await space.sync()).conflicts, idPrefix, 'conflict')
      await space.resolve(id, keep)
      return [{ id, kept: keep }, [toSingleLine(`Resolved the conflict of ${keyName}.`)]]
    })
  team
    .add('take-over <rotation>', 'take over a stopped rotation of another computer', 'id or its first characters')
    .run(async ({ team: space, core }, idPrefix) => {
      const { id } = findByIdPrefix(requireJoinedTeam(await space.sync()).rotations, idPrefix, 'rotation')
      const { rotation } = await core.loadTools()
      await rotation.takeOver(await (await space.open()).lease.findRotation(id))
      const result = await rotation.settled(id)
      if (result.state === 'failed' || result.state === 'stopped') process.exitCode = 1
      const text = `${result.oldKeyName} of ${result.planName}: ${result.state}`
      return [result, [toSingleLine(text), '"companion rotate status" shows its steps.']]
    })
  team.add('verify', 'verify the audit log of the lead space').run(async ({ team: space }) => {
    const verdict = await (await space.open()).audit.verify()
    const { isWhole, count, brokenAt, reason } = verdict
    if (isWhole) return [verdict, [`The audit log is intact: ${count} lines.`]]
    process.exitCode = 1
    return [verdict, [`Line ${brokenAt} was ${reason}. The ${count} lines before it are intact.`]]
  })
}

function requireJoinedTeam(view: TeamView): JoinedTeam {
  if (view.state === 'joined') return view
  throw new AppError('team.notJoined', 'Not in a lead space. Create one, or join with an invitation.')
}

/** Reads the secret from standard input or a file, never from the command line. */
async function readSignIn(
  { readStdin, readFile }: CommandContext,
  { passwordStdin, clientCertificate, clientKey }: CommandOptions<ReturnType<typeof addSignInOptions>>,
): Promise<{ secret: Secret; certificate?: string }> {
  if (clientCertificate !== undefined && clientKey !== undefined) {
    const { readCertificates } = await import('../team/address')
    const certificate = readCertificates(await readFile(clientCertificate))
    return { secret: new Secret(await readFile(clientKey), 'text'), certificate }
  }
  if (passwordStdin !== true || clientCertificate !== undefined || clientKey !== undefined)
    throw inputError('Use --password-stdin, or --client-certificate with --client-key. Nothing was sent.', 'password')
  const password = (await readStdin()).replace(/\r?\n$/, '')
  if (password === '') throw inputError('No password on standard input.', 'password')
  return { secret: new Secret(password, 'text') }
}

function findByIdPrefix<T extends { readonly id: string }>(items: readonly T[], idPrefix: string, itemKind: string): T {
  const [match, otherMatch] = items.filter(({ id }) => id.startsWith(idPrefix))
  if (match !== undefined && otherMatch === undefined) return match
  const message = `${match ? 'More than one' : 'No'} ${itemKind} matches ${idPrefix}. "companion team status --json" shows the ids.`
  throw inputError(message, itemKind)
}

function formatTeam(view: TeamView, heading: readonly string[] = []): Result {
  if (view.state === 'none') return [view, ['Not in a lead space.']]
  const { failure, waiting, people, conflicts, rotations } = view
  const state = view.isOnline ? 'online' : `offline${failure ? `: ${failure.message}` : ''}`
  const section = <Row>(rows: readonly Row[], columns: Columns<Row>): string[] =>
    rows.length === 0 ? [] : ['', ...listLines(rows, columns)]
  const lines = [
    ...heading,
    `Space     ${view.spaceName}`,
    `You       ${view.personName} on ${view.machineName}`,
    `Database  ${view.address}${view.isEncrypted ? '' : ' (on this computer, not encrypted)'}`,
    `State     ${state}`,
    ...(view.syncedAt === undefined ? [] : [`Synced    ${formatExactTime(view.syncedAt)}`]),
    `Pending   ${waiting.notes} key records, ${waiting.lines} lines of the audit log`,
    ...section(people, {
      LEAD: ({ name }) => name,
      COMPUTERS: ({ machines }) => machines.map(({ name }) => name).join(', ') || '-',
    }),
    ...section(conflicts, {
      CONFLICT: ({ id }) => id.slice(0, 8),
      PLAN: ({ planName }) => planName,
      KEY: ({ keyName }) => keyName,
      SHARED: ({ shared }) => shared.holder?.name,
      OWN: ({ own }) => own.holder?.name,
      'OWN BY': ({ ownBy }) => ownBy,
    }),
    ...section(rotations, {
      ROTATION: ({ id }) => id.slice(0, 8),
      KEY: ({ keyName }) => keyName,
      STATE: ({ state: rotationState, isFree }) => (isFree ? `${rotationState}, free` : rotationState),
      BY: ({ personName }) => personName,
      COMPUTER: ({ machineName }) => machineName,
      SINCE: ({ startedAt }) => formatExactTime(startedAt),
      'TOOLS HERE': ({ switchHere }) => switchHere && (switchHere.failure?.message ?? 'use the old key'),
    }),
  ]
  return [view, lines.map(toSingleLine)]
}
