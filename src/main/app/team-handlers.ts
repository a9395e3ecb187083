import { randomUUID } from 'node:crypto'
import type { DomainHandlers } from '@shared/contract'
import { AppError } from '@shared/failure'
import type { Core } from '../compose/compose'
import type { ToolFeatures } from '../compose/tools'
import { type Confirm, requireConsent } from '../core/consent/consent'
import { realDisk } from '../core/files/disk'
import { Content, createUnreadableError, readChosenFile, resolveLinks, writeFile } from '../core/files/files'
import type { FileDialogs } from '../core/ports'
import type { TeamAddress } from '../core/settings/records'
import type { PendingKeys } from '../plans/key-clipboard'
import type { Invitation } from '../team/address'

interface TeamHandlerDeps {
  readonly core: Pick<Core & ToolFeatures, 'loadTeam' | 'settings' | 'rotation'>
  readonly confirm: Confirm
  readonly pending: PendingKeys
  readonly dialogs: FileDialogs
}

/** Selected secrets stay in the main process. The user confirms before a database password is sent to a server. */
export function teamHandlers({ core, confirm, pending, dialogs }: TeamHandlerDeps): DomainHandlers<'team'> {
  const invitations = new Map<string, Invitation>()
  const certificates = new Map<string, string>()
  const loadAddressModule = () => import('../team/address')
  const readFingerprint = async (ca: string | undefined): Promise<{ fingerprint?: string }> => {
    const fingerprint = (await loadAddressModule()).computeFingerprint(ca)
    return fingerprint === undefined ? {} : { fingerprint }
  }
  const requireDestination = async (space: string, { host, port, user, ca }: TeamAddress): Promise<void> => {
    const fingerprint = await readFingerprint(ca)
    await requireConsent(confirm, { kind: 'joinTeam', space, user, address: `${host}:${port}`, ...fingerprint })
  }
  return {
    // Load the team module only for members of a team.
    'team.get': async () => (core.settings.read().team ? (await core.loadTeam()).get() : { state: 'none' }),
    'team.chooseInvitation': async () => {
      const path = await dialogs.open('json')
      if (path === undefined) return {}
      const { readInvitation, formatAddress } = await loadAddressModule()
      const invitation = readInvitation(await readText(path))
      const invitationId = randomUUID()
      invitations.set(invitationId, invitation)
      const { spaceName, person: personName, ca } = invitation
      const view = { invitationId, spaceName, personName, address: formatAddress(invitation) }
      return { invitation: { ...view, ...(await readFingerprint(ca)) } }
    },
    'team.chooseCertificates': async () => {
      const path = await dialogs.open('certificates')
      if (path === undefined) return {}
      const { readCertificates, computeFingerprint } = await loadAddressModule()
      const text = readCertificates(await readText(path))
      const certificatesId = randomUUID()
      certificates.set(certificatesId, text)
      return { certificatesId, fingerprint: computeFingerprint(text) }
    },
    'team.create': async ({ spaceName, personName, address: text, pendingId, certificatesId }) => {
      const { readTeamAddress } = await loadAddressModule()
      const address = readTeamAddress(text, certificates.get(certificatesId ?? ''))
      await requireDestination(spaceName, address)
      const team = await core.loadTeam()
      const view = await team.create({ spaceName, personName, address }, pending.get(pendingId))
      pending.forget(pendingId)
      team.follow()
      return view
    },
    'team.join': async ({ invitationId, pendingId }) => {
      const invitation = invitations.get(invitationId)
      if (invitation === undefined) {
        const message = 'The invitation is no longer open. Choose its file again.'
        throw new AppError('team.badInvitation', message)
      }
      await requireDestination(invitation.spaceName, invitation)
      const team = await core.loadTeam()
      const view = await team.join(invitation, pending.get(pendingId))
      pending.forget(pendingId)
      team.follow()
      return view
    },
    'team.changePassword': async ({ pendingId }) => {
      const { team } = core.settings.read()
      if (team) await requireDestination(team.spaceName, team.address)
      const view = await (await core.loadTeam()).changeSignIn(pending.get(pendingId))
      pending.forget(pendingId)
      return view
    },
    'team.leave': async () => (await core.loadTeam()).leave(),
    'team.delete': async () => (await core.loadTeam()).delete(),
    'team.upgrade': async () => (await core.loadTeam()).upgrade(),
    'team.invite': async (request) => {
      const path = await dialogs.save(`${request.personName}.json`, 'json')
      if (path === undefined) return {}
      const { invitationText } = await loadAddressModule()
      const text = invitationText(await (await core.loadTeam()).invite(request))
      await writeFile({ path: await resolveLinks(path, realDisk), content: new Content(text), mode: 0o600 }, realDisk)
      return { path }
    },
    'team.remove': async ({ personId }) => (await core.loadTeam()).remove(personId),
    'team.sync': async () => (await core.loadTeam()).sync({ switchesKeys: true }),
    'team.resolve': async ({ id, keep }) => (await core.loadTeam()).resolve(id, keep),
    'team.takeOver': async ({ id }) => {
      const { lease } = await (await core.loadTeam()).open()
      return core.rotation.takeOver(await lease.findRotation(id))
    },
  }
}

/** Maximum size in bytes of an invitation or certificate file. Real files are much smaller. */
const maxFileBytes = 1_000_000

const readText = async (path: string): Promise<string> =>
  String(await readChosenFile(path, maxFileBytes, () => createUnreadableError(path, 'it is too large')))
