import { z } from 'zod'
import { Failure } from '../failure'
import { CleanName, CleanText, method, Nothing } from './common'
import { AuditVerdict, Holder } from './register'
import { RotationView } from './rotation'

/** A lead. */
export const TeamPerson = z.strictObject({
  id: z.number().int(),
  name: z.string(),
  isMe: z.boolean(),
  /** Computers that joined, the newest first. */
  machines: z.array(z.strictObject({ name: z.string(), seenAt: z.iso.datetime(), isHere: z.boolean() })),
})
export type TeamPerson = z.infer<typeof TeamPerson>

/** Shared note about a key. Never holds the key. */
export const TeamHolding = z.strictObject({
  planName: z.string(),
  keyName: z.string(),
  holder: Holder.optional(),
  purpose: z.string().optional(),
  machine: z.string().optional(),
  handedOutAt: z.string().optional(),
  acknowledgedAt: z.string().optional(),
  rotatedAt: z.string().optional(),
  alsoServes: z.array(z.string()),
  changedAt: z.iso.datetime(),
  /** Name of the person who changed it last. */
  changedBy: z.string().optional(),
})
export type TeamHolding = z.infer<typeof TeamHolding>

const Version = TeamHolding.pick({
  holder: true,
  purpose: true,
  machine: true,
  handedOutAt: true,
  acknowledgedAt: true,
  rotatedAt: true,
  alsoServes: true,
})

/** Conflicting edits of a key note. `shared` applies until the user decides. */
export const TeamConflict = z.strictObject({
  id: z.string(),
  planName: z.string(),
  keyName: z.string(),
  /** The version that came later, and who made it. */
  own: Version,
  ownBy: z.string(),
  shared: Version,
  sharedBy: z.string().optional(),
  at: z.iso.datetime(),
})
export type TeamConflict = z.infer<typeof TeamConflict>

/** An unfinished rotation of any team member. */
export const TeamRotation = z.strictObject({
  id: z.string(),
  planName: z.string(),
  keyName: z.string(),
  newKeyName: z.string(),
  state: z.string(),
  step: z.string().optional(),
  personName: z.string(),
  machineName: z.string(),
  isHere: z.boolean(),
  startedAt: z.iso.datetime(),
  /** Nobody is working on it, so that it can be taken over. */
  isFree: z.boolean(),
})
export type TeamRotation = z.infer<typeof TeamRotation>

/** Team space. Offline: data from `syncedAt`, changes are sent later. */
export const TeamView = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('none') }),
  z.strictObject({
    state: z.literal('joined'),
    spaceName: z.string(),
    /** Without a password. */
    address: z.string(),
    /** SHA-256 of the certificate that is trusted, where it is not of a public authority. */
    fingerprint: z.string().optional(),
    /** The connection is encrypted. */
    isEncrypted: z.boolean(),
    personName: z.string(),
    machineName: z.string(),
    joinedAt: z.iso.datetime(),
    isOnline: z.boolean(),
    syncedAt: z.iso.datetime().optional(),
    failure: Failure.optional(),
    /** Key records and lines of the audit log that were not sent yet. */
    waiting: z.strictObject({ notes: z.number().int(), lines: z.number().int() }),
    people: z.array(TeamPerson),
    holdings: z.array(TeamHolding),
    conflicts: z.array(TeamConflict),
    rotations: z.array(TeamRotation),
    /** Rotations of other computers whose old key this computer still uses. With `failure`, a person has to switch it. */
    switches: z.array(
      z.strictObject({
        rotationId: z.string(),
        planName: z.string(),
        keyName: z.string(),
        personName: z.string(),
        failure: Failure.optional(),
      }),
    ),
  }),
])
export type TeamView = z.infer<typeof TeamView>

/** An invitation that a person chose, without secrets. */
export const TeamInvitationView = z.strictObject({
  invitationId: z.string(),
  spaceName: z.string(),
  personName: z.string(),
  address: z.string(),
  fingerprint: z.string().optional(),
})
export type TeamInvitationView = z.infer<typeof TeamInvitationView>

export const TeamSync = z.strictObject({
  notesSent: z.number().int(),
  notesReceived: z.number().int(),
  conflicts: z.number().int(),
  auditSent: z.number().int(),
})
export type TeamSync = z.infer<typeof TeamSync>

/** `pendingId`: a password that was taken from the clipboard (`connections.takeSecretFromClipboard`). */
const pendingId = z.string()

export const team = {
  'team.get': method(Nothing, TeamView),
  /** Asks in a dialog of the system before the password is sent there. Fails with `team.*`. */
  'team.create': method(
    z.strictObject({
      spaceName: CleanName(100),
      personName: CleanName(100),
      address: CleanText(2000),
      pendingId,
      /** Result of `team.chooseCertificates`. */
      certificatesId: z.string().optional(),
    }),
    TeamView,
  ),
  'team.chooseInvitation': method(Nothing, z.strictObject({ invitation: TeamInvitationView.optional() })),
  'team.chooseCertificates': method(
    Nothing,
    z.strictObject({ certificatesId: z.string().optional(), fingerprint: z.string().optional() }),
  ),
  'team.join': method(z.strictObject({ invitationId: z.string(), pendingId }), TeamView),
  /** Replaces the password of the database after the database accepted it. Asks in a dialog of the system before it is sent. Fails with `team.*`. */
  'team.changePassword': method(z.strictObject({ pendingId }), TeamView),
  'team.leave': method(Nothing, TeamView),
  /** Deletes the space for all leads. Fails with `team.notAllowed` for everyone but its owner. */
  'team.delete': method(Nothing, TeamView),
  /** Makes a lead space of a team space of an older version. Fails with `team.notAllowed` for everyone but its owner. */
  'team.upgrade': method(Nothing, TeamView),
  /** Makes a database user a lead and asks where to save the invitation. */
  'team.invite': method(
    z.strictObject({ personName: CleanName(100), user: CleanName(63) }),
    z.strictObject({ path: z.string().optional() }),
  ),
  'team.remove': method(z.strictObject({ personId: z.number().int() }), TeamView),
  'team.sync': method(Nothing, TeamSync),
  'team.resolve': method(z.strictObject({ id: z.string(), keep: z.enum(['own', 'shared']) }), TeamView),
  /** Continues a rotation of another computer. Fails with `rotation.heldElsewhere`. */
  'team.takeOver': method(z.strictObject({ id: z.string() }), RotationView),
  'team.verifyAudit': method(Nothing, AuditVerdict),
}
