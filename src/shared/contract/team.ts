import { z } from 'zod'
import { Failure } from '../failure'
import { CleanName, createCleanTextSchema, ItemId, method, SelectedFile } from './common'
import { KeyNote } from './register'
import { RotationView } from './rotation'

export const TeamPerson = z.strictObject({
  id: z.number().int(),
  name: z.string(),
  isMe: z.boolean(),
  /** Computers of the person, newest first. */
  machines: z.array(z.strictObject({ name: z.string(), seenAt: z.iso.datetime(), isHere: z.boolean() })),
})
export type TeamPerson = z.infer<typeof TeamPerson>

/** Two conflicting edits of a key note. The version `shared` applies until the user decides. */
export const TeamConflict = z.strictObject({
  id: z.string(),
  planName: z.string(),
  keyName: z.string(),
  /** The edit that was saved second, and its author. */
  own: KeyNote,
  ownBy: z.string(),
  shared: KeyNote,
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
  /** Whether no computer runs the rotation, so that it can be taken over. */
  isFree: z.boolean(),
  /** Present while tools of this computer use the old key. With `failure`, the user must switch them. */
  switchHere: z.strictObject({ failure: Failure.optional() }).optional(),
})
export type TeamRotation = z.infer<typeof TeamRotation>

/** State of the team space. While offline, shows data from `syncedAt` and queues changes. */
export const TeamView = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('none') }),
  z.strictObject({
    state: z.literal('joined'),
    spaceName: z.string(),
    /** Address of the database, without a password. */
    address: z.string(),
    /** SHA-256 fingerprint of the pinned certificate, if no public CA signed it. */
    fingerprint: z.string().optional(),
    isEncrypted: z.boolean(),
    personName: z.string(),
    machineName: z.string(),
    joinedAt: z.iso.datetime(),
    isOnline: z.boolean(),
    syncedAt: z.iso.datetime().optional(),
    failure: Failure.optional(),
    /** Numbers of key notes and audit log lines that are not synced yet. */
    waiting: z.strictObject({ notes: z.number().int(), lines: z.number().int() }),
    people: z.array(TeamPerson),
    conflicts: z.array(TeamConflict),
    rotations: z.array(TeamRotation),
  }),
])
export type TeamView = z.infer<typeof TeamView>

/** Content of a selected invitation file, without secrets. */
export const TeamInvitationView = z.strictObject({
  invitationId: z.string(),
  spaceName: z.string(),
  personName: z.string(),
  address: z.string(),
  fingerprint: z.string().optional(),
})
export type TeamInvitationView = z.infer<typeof TeamInvitationView>

/** `pendingId` is a password from the clipboard (`connections.takeSecretFromClipboard`). */
const pendingId = z.string()

export const team = {
  'team.get': method(TeamView),
  /** Creates a lead space. Needs native confirmation before sending the password. Fails with `team.*`. */
  'team.create': method(TeamView, {
    spaceName: CleanName(100),
    personName: CleanName(100),
    address: createCleanTextSchema(2000),
    pendingId,
    /** Id of the certificates that `team.chooseCertificates` returned. */
    certificatesId: z.string().optional(),
  }),
  'team.chooseInvitation': method(z.strictObject({ invitation: TeamInvitationView.optional() })),
  'team.chooseCertificates': method(
    z.strictObject({ certificatesId: z.string().optional(), fingerprint: z.string().optional() }),
  ),
  'team.join': method(TeamView, { invitationId: z.string(), pendingId }),
  /** Saves a new password once the database accepts it, after native confirmation. Fails with `team.*`. */
  'team.changePassword': method(TeamView, { pendingId }),
  'team.leave': method(TeamView),
  /** Deletes the space for all leads. Fails with `team.notAllowed` unless called by its owner. */
  'team.delete': method(TeamView),
  /** Upgrades a team space of an older version to a lead space. Fails with `team.notAllowed` except for the owner. */
  'team.upgrade': method(TeamView),
  /** Makes a database user a lead and saves the invitation to a selected file. */
  'team.invite': method(SelectedFile, { personName: CleanName(100), user: CleanName(63) }),
  'team.remove': method(TeamView, { personId: z.number().int() }),
  'team.sync': method(TeamView),
  'team.resolve': method(TeamView, { id: z.string(), keep: z.enum(['own', 'shared']) }),
  /** Continues a rotation of another computer. Fails with `rotation.heldElsewhere`. */
  'team.takeOver': method(RotationView, ItemId),
}
