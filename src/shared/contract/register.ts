import { z } from 'zod'
import { Failure } from '../failure'
import { maxLastUses } from '../limits'
import {
  CleanName,
  CopiedSecret,
  createCleanTextSchema,
  EmptyResult,
  LocalKeyRef,
  ModelCode,
  method,
  SavedSecret,
  SelectedFile,
} from './common'
import { PreviewView, Site } from './tools'

/** `id` survives renaming. Old records have none (see `holderId`). */
export const Holder = z.strictObject({
  id: z.string().min(1).max(100).optional(),
  kind: z.enum(['person', 'tool']),
  name: CleanName(100),
})
export type Holder = z.infer<typeof Holder>

/** Note about a key, which leads share. Never holds the key. */
export const KeyNote = z.strictObject({
  holder: Holder.optional(),
  purpose: z.string().optional(),
  machine: z.string().optional(),
  handedOutAt: z.string().optional(),
  acknowledgedAt: z.string().optional(),
  rotatedAt: z.string().optional(),
  /** Time at which the app disables the key. */
  endsAt: z.string().optional(),
  /** Names of further holders of the key. */
  alsoServes: z.array(z.string()),
})

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

/** Encryption of a key file: a passphrase of six words, sent separately, or the recipient's age public key. */
export const KeyFileLock = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('passphrase') }),
  z.strictObject({ kind: z.literal('recipient'), recipient: z.string().trim().min(1).max(5000) }),
])
export type KeyFileLock = z.infer<typeof KeyFileLock>

/** Id of a coding tool in a key file. */
export const ToolId = z.string().regex(/^[a-z0-9][a-z0-9-]{0,49}$/)

/** Content of a key file without its secret key, shown before the import. */
export const KeyFileContent = z.strictObject({
  /** Version of the key file format. Version 1, from earlier app versions, has no `ids`. */
  version: z.union([z.literal(1), z.literal(2)]),
  /** Name of the sender, as the sender entered it. */
  from: createCleanTextSchema(100),
  holder: Holder,
  purpose: createCleanTextSchema(200).optional(),
  planName: CleanName(100),
  gatewayUrl: z.string().max(2000),
  models: z.array(ModelCode).max(200),
  contextTokens: z.number().int().min(1000).max(10_000_000),
  expiresAt: z.iso.datetime().optional(),
  keyName: createCleanTextSchema(100),
  maskedKey: z.string().max(100),
  /** Tools for which the key file has setup instructions. */
  toolIds: z.array(ToolId).max(50),
  /** Confirmation code that the recipient sends back to the sender. */
  acknowledgement: createCleanTextSchema(100),
  /** Account ids of plan and key, not secret. Omitted for a plan added by key. */
  ids: z
    .strictObject({
      accountId: createCleanTextSchema(200).optional(),
      planId: createCleanTextSchema(500),
      keyId: createCleanTextSchema(500),
    })
    .optional(),
  createdAt: z.iso.datetime(),
})
export type KeyFileContent = z.infer<typeof KeyFileContent>

/** Request to create a key file. Without `keyId`, the account creates a new key named after its holder. */
export const HandoutRequest = z.strictObject({
  planId: z.string(),
  keyId: z.string().optional(),
  holder: Holder,
  purpose: createCleanTextSchema(200).optional(),
  toolIds: z.array(z.string()).max(50),
  lock: KeyFileLock,
})
export type HandoutRequest = z.infer<typeof HandoutRequest>

/** A created key file. Never includes the passphrase, which is copied once or shown in a system dialog. */
export const HandoutResult = z.strictObject({
  id: z.string(),
  holder: Holder,
  keyName: z.string(),
  path: z.string().optional(),
  state: z.enum(['written', 'cancelled', 'failed']),
  hasPassphrase: z.boolean(),
  failure: Failure.optional(),
})
export type HandoutResult = z.infer<typeof HandoutResult>

const KeySwitchTool = z.strictObject({
  toolId: z.string(),
  toolName: z.string(),
  site: Site,
  needsRestart: z.boolean(),
})

/** Preview of switching a tool to an imported key. Without `change`, only the relay's route changes, no file. */
export const KeySwitchPreview = KeySwitchTool.extend({ change: PreviewView.optional(), failure: Failure.optional() })
export type KeySwitchPreview = z.infer<typeof KeySwitchPreview>

export const KeySwitchResult = KeySwitchTool.extend({
  state: z.enum(['verified', 'failed']),
  failure: Failure.optional(),
})
export type KeySwitchResult = z.infer<typeof KeySwitchResult>

/** An imported key whose confirmation code the user has not sent to the sender yet. */
export const ImportedKeyView = z.strictObject({
  planId: z.string(),
  planName: z.string(),
  keyId: z.string(),
  keyName: z.string(),
  from: z.string(),
  /** Tools that still use an older key of the same plan and holder. They fail once that key is disabled. */
  tools: z.array(KeySwitchTool),
  oldKeyNames: z.array(z.string()),
  /** Whether a switched tool failed its test. */
  hasFailed: z.boolean(),
  /** Confirmation code. Set once all tools were switched and tested, or the user skipped switching. */
  code: z.string().optional(),
})
export type ImportedKeyView = z.infer<typeof ImportedKeyView>

/** A key file that was read. `needs` is the secret that decrypts it, and `anotherKey` means another computer's key. */
const ChosenKeyFile = z.strictObject({
  kitId: z.string(),
  path: z.string(),
  needs: z.enum(['passphrase', 'nothing', 'anotherKey']),
})
export type ChosenKeyFile = z.infer<typeof ChosenKeyFile>

const ResultIds = z.strictObject({ ids: z.array(z.string()).min(1).max(100) })

export const register = {
  /** All locally known keys, without a request to any account. */
  'register.known': method(z.array(RegisterEntry)),
  /** All keys, including those at the accounts. Waits until the accounts responded or timed out. */
  'register.list': method(z.array(RegisterEntry)),
  /** Last use of each key here and, within 45 days, at the accounts, in the order of the input. One request per key. */
  'register.lastUses': method(
    z.array(
      z.strictObject({
        at: z.iso.datetime().optional(),
        from: KeyUseSource.optional(),
        /** Whether the account failed, so that use on other computers is not known. */
        isLocalOnly: z.boolean(),
      }),
    ),
    { keys: z.array(PlanKeyRef).min(1).max(maxLastUses) },
  ),
  /** Updates the note about a key. Omitted fields stay unchanged. */
  'register.update': method(RegisterEntry, {
    ...PlanKeyRef.shape,
    holder: Holder.nullable().optional(),
    purpose: createCleanTextSchema(200).optional(),
    machine: createCleanTextSchema(100).optional(),
    /** End date. Null removes it. Only keys of an account can have one. */
    endsAt: z.iso.datetime().nullable().optional(),
  }),
  /** Exports the register without secrets, as CSV to a file that the user selects. */
  'register.export': method(SelectedFile),
  /** Local tools and remote holders that lose access when these keys are disabled. */
  'register.previewRevoke': method(
    z.strictObject({
      tools: z.array(z.string()),
      /** Tools with damaged configuration records. They may use any key. */
      unknownTools: z.array(z.string()),
      holders: z.array(z.string()),
    }),
    { keys: z.array(PlanKeyRef).min(1).max(100_000) },
  ),
  /** Disables keys at their accounts. With `isLeaving` they are deleted after 7 days, and no rotation waits for their holders. */
  'register.revoke': method(KeyFailures, {
    keys: z.array(PlanKeyRef).min(1).max(1000),
    isLeaving: z.boolean().optional(),
  }),
  /** Enables keys again and cancels their planned deletion. */
  'register.enable': method(KeyFailures, { keys: z.array(PlanKeyRef).min(1).max(1000) }),
  'register.renameHolder': method(Holder, { holder: Holder, name: CleanName(100) }),
  /** A page of audit log entries, newest first. */
  'audit.list': method(z.array(AuditEntry), {
    ...AuditFilter.shape,
    before: z.number().int().optional(),
    limit: z.number().int().min(1).max(500),
  }),
  /** Exports the filtered audit log, as CSV to a file that the user selects. */
  'audit.export': method(SelectedFile, AuditFilter),
  'audit.verify': method(AuditVerdict),

  /** Returns what to warn about before creating a key file: other holders of the key, or no free key slot. */
  'handouts.preview': method(
    z.strictObject({
      alsoServes: z.array(z.string()),
      freeSlots: z.number().int().optional(),
      makesKey: z.boolean(),
      keyName: z.string(),
    }),
    HandoutRequest.omit({ lock: true, toolIds: true }),
  ),
  /** Creates a key file for one holder at a path that the user selects. */
  'handouts.create': method(HandoutResult, HandoutRequest),
  /**
   * Creates a key file per item in a chosen folder, up to the free slots. An item without `keyId` gets the holder's own
   * key, and a retry skips it if its file exists.
   */
  'handouts.createMany': method(z.array(HandoutResult), {
    items: z
      .array(HandoutRequest.omit({ lock: true }))
      .min(1)
      .max(100),
    lock: KeyFileLock,
    /** Lets `calls.cancel` stop before the next item, and `handouts.progress` report the progress. */
    callId: z.string().max(64).optional(),
  }),
  /** Number of items that a running `handouts.createMany` has finished. Absent before a folder is chosen. */
  'handouts.progress': method(z.strictObject({ done: z.number().int().nonnegative().optional() }), {
    callId: z.string().max(64),
  }),
  /** Copies passphrases in main, one line per holder if several. Clears the clipboard after `clearsAfterMs`. */
  'handouts.copyPassphrases': method(CopiedSecret, ResultIds),
  /** Shows the passphrases in a system dialog, outside of the window. */
  'handouts.showPassphrases': method(EmptyResult, ResultIds),
  /** Prints passphrases with the system's print dialog. */
  'handouts.printPassphrases': method(
    z.strictObject({ outcome: z.enum(['printed', 'cancelled', 'failed']) }),
    ResultIds,
  ),
  /** Parses holder names from CSV or lines. `left` contains skipped lines, such as duplicates. */
  'handouts.readNames': method(z.strictObject({ holders: z.array(Holder), left: z.array(z.string()) }), {
    text: z.string().max(100_000),
  }),
  /** Age public key of this computer, created on first use. The private key is in the keychain. */
  'handouts.ownRecipient': method(z.strictObject({ recipient: z.string() })),
  /** Lets the user select a key file, or confirm the one that the system opened with the app (`isOpened`). */
  'handouts.chooseKit': method(z.strictObject({ kit: ChosenKeyFile.optional() }), { isOpened: z.boolean().optional() }),
  /** Decrypts a key file in main. Takes the passphrase from the input, or from the clipboard if it is absent. */
  'handouts.openKit': method(KeyFileContent, { kitId: z.string(), passphrase: z.string().max(500).optional() }),
  /** Saves the key of a decrypted key file in the keychain and adds its plan on this computer. */
  'handouts.accept': method(ImportedKeyView, { kitId: z.string() }),
  /** Imported keys whose confirmation code was not sent yet, newest first. */
  'handouts.imported': method(z.array(ImportedKeyView)),
  'handouts.previewSwitch': method(z.array(KeySwitchPreview), LocalKeyRef),
  /** Tests an imported key, then switches and tests each tool separately. */
  'handouts.switchTools': method(
    z.strictObject({ results: z.array(KeySwitchResult), imported: ImportedKeyView }),
    LocalKeyRef,
  ),
  /** Returns the confirmation code although some tools still use an older key. */
  'handouts.skipSwitch': method(ImportedKeyView, LocalKeyRef),
  'handouts.markCodeSent': method(EmptyResult, LocalKeyRef),
  /** Marks a handed-out key as received in the register, by its confirmation code. Fails with `handout.unknownCode`. */
  'handouts.acknowledge': method(z.strictObject({ holder: Holder, planName: z.string(), keyName: z.string() }), {
    code: z.string().trim().min(1).max(200),
  }),
}
