import { z } from 'zod'
import { Failure } from '../failure'
import { maxLastUses } from '../limits'
import { CleanName, createCleanTextSchema, EmptyInputSchema, method, SavedSecret } from './common'

/** `id` survives renaming. Old records have none (see `holderId`). */
export const Holder = z.strictObject({
  id: z.string().min(1).max(100).optional(),
  kind: z.enum(['person', 'tool']),
  name: CleanName(100),
})
export type Holder = z.infer<typeof Holder>

/** Source of information about a use of a key. `copied`: the user copied the key to use it elsewhere. */
const KeyUseSource = z.enum(['relay', 'app', 'toolLog', 'console', 'copied'])
export type KeyUseSource = z.infer<typeof KeyUseSource>

/** A key in the register, with data from its account, this computer and its holders. */
export const RegisterEntry = z.strictObject({
  /** Local plan id if the plan is saved on this computer, else the account's. The same applies to `keyId`. */
  planId: z.string(),
  planName: z.string(),
  /** Plan name with its connection, if plans of several connections have the same name. */
  planLabel: z.string().optional(),
  keyId: z.string(),
  /** Ids for `account.*` methods. */
  origin: z.strictObject({ connectionId: z.string(), planId: z.string(), keyId: z.string() }).optional(),
  keyName: z.string(),
  masked: z.string().optional(),
  status: z.enum(['ACTIVE', 'DISABLED', 'unknown', 'gone']),
  isKeptHere: z.boolean(),
  holder: Holder.optional(),
  purpose: z.string().max(200).optional(),
  machine: z.string().max(100).optional(),
  createdAt: z.iso.datetime().optional(),
  handedOutAt: z.iso.datetime().optional(),
  acknowledgedAt: z.iso.datetime().optional(),
  /** Time of the rotation that created the key. */
  rotatedAt: z.iso.datetime().optional(),
  /** Planned deletion time of a key whose holder left. */
  deleteAt: z.iso.datetime().optional(),
  /** Time at which the app disables the key. */
  endsAt: z.iso.datetime().optional(),
  /** Last use on this computer. `register.lastUses` also queries the accounts. */
  lastUsedAt: z.iso.datetime().optional(),
  lastUsedFrom: KeyUseSource.optional(),
  tools: z.array(z.string()),
  /** Other holders of this key. Normally one key has one holder. */
  alsoServes: z.array(z.string()),
})
export type RegisterEntry = z.infer<typeof RegisterEntry>

/** Entry of the audit log. `subject` names keys, plans, holders or tools, never a secret. */
export const AuditEntry = z.strictObject({
  number: z.number().int().positive(),
  at: z.iso.datetime(),
  what: z.enum([
    'keyAdded',
    'keyRenamed',
    'keyEnabled',
    'keyDisabled',
    'keyDeleted',
    'keyReplaced',
    'keyCopied',
    'keySaved',
    'rotationStarted',
    'rotationStep',
    'rotationStopped',
    'rotationUndone',
    'rotationDone',
    'handedOut',
    'received',
    'acknowledged',
    'revoked',
    'registerChanged',
    'toolWritten',
    'toolRestored',
    // For a purchase, `subject` is the paid amount.
    'planBought',
    'planRenewed',
    'planDeleted',
    'autoRenewOn',
    'autoRenewOff',
    // Actions with secrets from platform responses.
    'secretCopied',
    'secretKept',
    'secretPrinted',
    'secretForgotten',
    'secretSetForInference',
  ]),
  /** Set for secrets of the platform. `keyName` is then the name of the secret, `subject` the connection. */
  secretKind: SavedSecret.shape.kind.optional(),
  planName: z.string().optional(),
  keyName: z.string().optional(),
  subject: z.string().max(300).optional(),
  by: z.enum(['window', 'commandLine']),
  /** User of the operating system. Older lines have none. */
  osUser: z.string().max(100).optional(),
})
export type AuditEntry = z.infer<typeof AuditEntry>

/** Result of verifying the audit log's hash chain. `brokenAt`: first invalid line. Earlier lines are intact. */
export const AuditVerdict = z.strictObject({
  isWhole: z.boolean(),
  count: z.number().int(),
  brokenAt: z.number().int().optional(),
  reason: z.enum(['changed', 'removed', 'unreadable']).optional(),
})
export type AuditVerdict = z.infer<typeof AuditVerdict>

/** Filters entries by text in names and by kind of action. */
const AuditFilter = z.strictObject({
  text: z.string().max(100).optional(),
  kind: z.enum(['keys', 'rotations', 'issued', 'plans', 'secrets']).optional(),
})
export type AuditFilter = z.infer<typeof AuditFilter>

/** Ids of a register entry. With `connectionId` they are the account's ids, otherwise local ids (see `registerId`). */
const PlanKeyRef = z.strictObject({ connectionId: z.string().optional(), planId: z.string(), keyId: z.string() })

/** Keys for which the operation failed. `index` is the position in the input. */
const KeyFailures = z.strictObject({
  failed: z.array(z.strictObject({ index: z.int().nonnegative(), failure: Failure })),
})

export const register = {
  /** All locally known keys, without a request to any account. */
  'register.known': method(EmptyInputSchema, z.array(RegisterEntry)),
  /** All keys, including those at the accounts. Waits until the accounts responded or timed out. */
  'register.list': method(EmptyInputSchema, z.array(RegisterEntry)),
  /** Last use of each key here and, within 45 days, at the accounts, in the order of the input. One request per key. */
  'register.lastUses': method(
    z.strictObject({ keys: z.array(PlanKeyRef).min(1).max(maxLastUses) }),
    z.array(
      z.strictObject({
        at: z.iso.datetime().optional(),
        from: KeyUseSource.optional(),
        /** Whether the account failed, so that use on other computers is not known. */
        isLocalOnly: z.boolean(),
      }),
    ),
  ),
  /** Updates the note about a key. Omitted fields stay unchanged. */
  'register.update': method(
    PlanKeyRef.extend({
      holder: Holder.nullable().optional(),
      purpose: createCleanTextSchema(200).optional(),
      machine: createCleanTextSchema(100).optional(),
      /** End date. Null removes it. Only keys of an account can have one. */
      endsAt: z.iso.datetime().nullable().optional(),
    }),
    RegisterEntry,
  ),
  /** Exports the register without secrets, as CSV to a file that the user selects. */
  'register.export': method(EmptyInputSchema, z.strictObject({ saved: z.boolean(), path: z.string().optional() })),
  /** Local tools and remote holders that lose access when these keys are disabled. */
  'register.previewRevoke': method(
    z.strictObject({ keys: z.array(PlanKeyRef).min(1).max(100_000) }),
    z.strictObject({
      tools: z.array(z.string()),
      /** Tools with damaged configuration records. They may use any key. */
      unknownTools: z.array(z.string()),
      holders: z.array(z.string()),
    }),
  ),
  /** Disables keys at their accounts. With `isLeaving` they are deleted after 7 days, and no rotation waits for their holders. */
  'register.revoke': method(
    z.strictObject({ keys: z.array(PlanKeyRef).min(1).max(1000), isLeaving: z.boolean().optional() }),
    KeyFailures,
  ),
  /** Enables keys again and cancels their planned deletion. */
  'register.enable': method(z.strictObject({ keys: z.array(PlanKeyRef).min(1).max(1000) }), KeyFailures),
  'register.renameHolder': method(z.strictObject({ holder: Holder, name: CleanName(100) }), Holder),
  /** A page of audit log entries, newest first. */
  'audit.list': method(
    AuditFilter.extend({ before: z.number().int().optional(), limit: z.number().int().min(1).max(500) }),
    z.array(AuditEntry),
  ),
  /** Exports the filtered audit log, as CSV to a file that the user selects. */
  'audit.export': method(AuditFilter, z.strictObject({ saved: z.boolean(), path: z.string().optional() })),
  'audit.verify': method(EmptyInputSchema, AuditVerdict),
}
