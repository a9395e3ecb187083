import { z } from 'zod'
import { Failure } from '../failure'
import { cleanName, hasHiddenCharacters } from '../hidden-characters'
import { limits } from '../limits'
import { apiStandards } from '../usage-words'

/** An IPC method. Both its input and output are validated at the boundary. */
export interface Method<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  readonly input: I
  readonly output: O
}

/** Creates a method from its result and its input: a schema, or the fields of an object. Default: an empty object. */
export function method<O extends z.ZodType, I extends z.ZodType = typeof EmptyResult>(
  output: O,
  input?: I,
): Method<I, O>
export function method<O extends z.ZodType, F extends z.ZodRawShape>(
  output: O,
  fields: F,
): Method<z.ZodObject<F, z.core.$strict>, O>
export function method(output: z.ZodType, input: z.ZodType | z.ZodRawShape = {}): Method {
  return { input: input instanceof z.ZodType ? input : z.strictObject(input), output }
}

/** Result of a method that returns nothing. */
export const EmptyResult = z.strictObject({})

export const Amount = z.number().int().nonnegative()

/** Input of methods about one item. */
export const ItemId = z.strictObject({ id: z.string() })

/** Path of a file that the user selected. Absent if canceled. */
export const SelectedFile = z.strictObject({ path: z.string().optional() })

/** Time in ms after which a copied secret is cleared from the clipboard. */
export const CopiedSecret = z.strictObject({ clearsAfterMs: z.number() })

/** A secret that main read from the clipboard and keeps in memory for at most 15 minutes until it is saved. */
export const PendingKeyView = z.strictObject({ pendingId: z.string(), masked: z.string() })
export type PendingKeyView = z.infer<typeof PendingKeyView>

/** Ids of a key on this computer. */
export const LocalKeyRef = z.strictObject({ planId: z.string(), keyId: z.string() })

export const KeyStatus = z.enum(['ACTIVE', 'DISABLED'])

/** Gateway protocol: chat-completions, with base URL `{url}/v1` in tools, or Messages, with base URL `{url}`. */
export const ApiStandard = z.enum(apiStandards)
export type ApiStandard = z.infer<typeof ApiStandard>

/** Kind of correction of a pasted address. The window has a text for each kind. */
export const AddressCorrection = z.enum([
  'trimmed',
  'unquoted',
  'schemeAdded',
  'schemeRepaired',
  'lowercased',
  'suffixRemoved',
  'trailingSlashRemoved',
  'queryRemoved',
  'fragmentRemoved',
  'defaultPortRemoved',
  'hostEncoded',
])
export type AddressCorrection = z.infer<typeof AddressCorrection>

/** Text of one line without invisible characters, with a maximum length. */
export const createCleanTextSchema = (maxLength: number) =>
  z
    .string()
    .overwrite((text) => cleanName(text, 2 * maxLength))
    .max(maxLength)

/** Non-empty `createCleanTextSchema`. */
export const CleanName = (maxLength: number) => createCleanTextSchema(maxLength).min(1)

/** Model code, sent to the gateway verbatim. Rejects lookalike characters. */
export const ModelCode = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\s\p{Cc}]+$/u)
  .refine((code) => !hasHiddenCharacters(code))

/**
 * Reference to a plan. An account's plan has the connection, the account once known, and the account's plan id. A plan added by key has an
 * empty `connectionId` and a local plan id.
 */
export const PlanRef = z.strictObject({
  connectionId: z.string(),
  accountId: z.string().optional(),
  planId: z.string(),
})
export type PlanRef = z.infer<typeof PlanRef>

/** The plan name rule of the spec (Limits). */
export const PlanName = z.string().regex(limits.planName)

const checkFields = {
  at: z.iso.datetime(),
  standard: ApiStandard,
  requestAddress: z.string(),
  durationMs: z.number(),
  /** Tested model. Omitted if no model code is known, and then only key and plan are verified. */
  modelCode: z.string().optional(),
}

/** Result of a minimal gateway request. Times in ms. Tokens as reported, omitted if unknown. */
export const CheckView = z.discriminatedUnion('ok', [
  z.strictObject({
    ok: z.literal(true),
    ...checkFields,
    answer: z.string().max(300).optional(),
    inputTokens: z.number().optional(),
    outputTokens: z.number().optional(),
    requestId: z.string().optional(),
  }),
  z.strictObject({
    ok: z.literal(false),
    ...checkFields,
    status: z.number().optional(),
    failure: Failure,
  }),
])
export type CheckView = z.infer<typeof CheckView>

/** MCP tools that change something: `ask_model` uses quota, `memory_remember` writes. Off by default per tool. */
export const McpPermission = z.enum(['ask_model', 'memory_remember'])
export type McpPermission = z.infer<typeof McpPermission>

export const SavedSecret = z.strictObject({
  id: z.string(),
  connectionId: z.string(),
  kind: z.enum(['robot', 'platformApiKey', 'providerKey', 'token', 'serviceAccount']),
  name: createCleanTextSchema(200),
  masked: z.string(),
  keptAt: z.iso.datetime(),
})
export type SavedSecret = z.infer<typeof SavedSecret>
