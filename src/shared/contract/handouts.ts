import { z } from 'zod'
import { Failure } from '../failure'
import { CopiedSecret, createCleanTextSchema, EmptyInputSchema, LocalKeyRef, ModelCode, method } from './common'
import { Holder } from './register'
import { PreviewView, Site } from './tools'

/** Encryption of a key file: a passphrase of six words, sent separately, or the recipient's age public key. */
export const KeyFileLock = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('passphrase') }),
  z.strictObject({ kind: z.literal('recipient'), recipient: z.string().trim().min(1).max(5000) }),
])
export type KeyFileLock = z.infer<typeof KeyFileLock>

/** Content of a key file without its secret key, shown before the import. */
export const KeyFileContent = z.strictObject({
  /** Version of the key file format. Version 1, from earlier app versions, has no `ids`. */
  version: z.union([z.literal(1), z.literal(2)]),
  /** Name of the sender, as the sender entered it. */
  from: createCleanTextSchema(100),
  holder: Holder,
  purpose: createCleanTextSchema(200).optional(),
  planName: createCleanTextSchema(100),
  gatewayUrl: z.string(),
  models: z.array(ModelCode),
  contextTokens: z.number().int(),
  expiresAt: z.iso.datetime().optional(),
  keyName: createCleanTextSchema(100),
  maskedKey: z.string(),
  /** Ids of the tools for which the key file has setup instructions. */
  toolIds: z.array(z.string()),
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

const ResultIds = z.strictObject({ ids: z.array(z.string()).min(1).max(100) })

export const handouts = {
  /** Returns what to warn about before creating a key file: other holders of the key, or no free key slot. */
  'handouts.preview': method(
    HandoutRequest.omit({ lock: true, toolIds: true }),
    z.strictObject({
      alsoServes: z.array(z.string()),
      freeSlots: z.number().int().optional(),
      makesKey: z.boolean(),
      keyName: z.string(),
    }),
  ),
  /** Creates a key file for one holder at a path that the user selects. */
  'handouts.create': method(HandoutRequest, HandoutResult),
  /** Creates a key file per holder in a chosen folder, up to the free slots. A retry skips holders with a file. */
  'handouts.createMany': method(
    z.strictObject({
      planId: z.string(),
      holders: z.array(Holder).min(1).max(100),
      toolIds: z.array(z.string()).max(50),
      lock: KeyFileLock,
      /** Lets `calls.cancel` stop before the next holder, and `handouts.progress` report the progress. */
      callId: z.string().max(64).optional(),
    }),
    z.array(HandoutResult),
  ),
  /** Number of holders that a running `handouts.createMany` has finished. Absent before a folder is chosen. */
  'handouts.progress': method(
    z.strictObject({ callId: z.string().max(64) }),
    z.strictObject({ done: z.number().int().nonnegative().optional() }),
  ),
  /** Creates a key file per existing key in a chosen folder, for example after a rotation. */
  'handouts.createForKeys': method(
    z.strictObject({
      keys: z
        .array(HandoutRequest.omit({ lock: true }).required({ keyId: true }))
        .min(1)
        .max(100),
      lock: KeyFileLock,
    }),
    z.array(HandoutResult),
  ),
  /** Copies passphrases in main, one line per holder if several. Clears the clipboard after `clearsAfterMs`. */
  'handouts.copyPassphrases': method(ResultIds, CopiedSecret),
  /** Shows the passphrases in a system dialog, outside of the window. */
  'handouts.showPassphrases': method(ResultIds, EmptyInputSchema),
  /** Prints passphrases with the system's print dialog. */
  'handouts.printPassphrases': method(
    ResultIds,
    z.strictObject({ outcome: z.enum(['printed', 'cancelled', 'failed']) }),
  ),
  /** Parses holder names from CSV or lines. `left` contains skipped lines, such as duplicates. */
  'handouts.readNames': method(
    z.strictObject({ text: z.string().max(100_000) }),
    z.strictObject({ holders: z.array(Holder), left: z.array(z.string()) }),
  ),
  /** Age public key of this computer, created on first use. The private key is in the keychain. */
  'handouts.ownRecipient': method(EmptyInputSchema, z.strictObject({ recipient: z.string() })),
  /**
   * Lets the user select a key file, or confirm the one that the system opened with the app (`isOpened`). `needs` is the
   * secret that decrypts it, and `anotherKey` means another computer's key.
   */
  'handouts.chooseKit': method(
    z.strictObject({ isOpened: z.boolean().optional() }),
    z
      .strictObject({ kitId: z.string(), path: z.string(), needs: z.enum(['passphrase', 'nothing', 'anotherKey']) })
      .partial(),
  ),
  /** Decrypts a key file in main. Takes the passphrase from the input, or from the clipboard if it is absent. */
  'handouts.openKit': method(
    z.strictObject({ kitId: z.string(), passphrase: z.string().max(500).optional() }),
    KeyFileContent,
  ),
  /** Saves the key of a decrypted key file in the keychain and adds its plan on this computer. */
  'handouts.accept': method(z.strictObject({ kitId: z.string() }), ImportedKeyView),
  /** Imported keys whose confirmation code was not sent yet, newest first. */
  'handouts.imported': method(EmptyInputSchema, z.array(ImportedKeyView)),
  'handouts.previewSwitch': method(LocalKeyRef, z.array(KeySwitchPreview)),
  /** Tests an imported key, then switches and tests each tool separately. */
  'handouts.switchTools': method(
    LocalKeyRef,
    z.strictObject({ results: z.array(KeySwitchResult), imported: ImportedKeyView }),
  ),
  /** Returns the confirmation code although some tools still use an older key. */
  'handouts.skipSwitch': method(LocalKeyRef, ImportedKeyView),
  'handouts.markCodeSent': method(LocalKeyRef, EmptyInputSchema),
  /** Marks a handed-out key as received in the register, by its confirmation code. Fails with `handout.unknownCode`. */
  'handouts.acknowledge': method(
    z.strictObject({ code: z.string().trim().min(1).max(200) }),
    z.strictObject({ holder: Holder, planName: z.string(), keyName: z.string() }),
  ),
}
