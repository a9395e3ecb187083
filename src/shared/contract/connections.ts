import { z } from 'zod'
import { Failure } from '../failure'
import { limits } from '../limits'
import { AddressCorrection, CleanName, EmptyResult, ItemId, method, PendingKeyView, SelectedFile } from './common'

const Address = z.string().max(2000).exactOptional()

/** Base URLs of a connection. Each may be missing, and its pages then explain that. */
export const Addresses = z.strictObject({
  tokenPlanUrl: Address,
  consoleUrl: Address,
  identityApiUrl: Address,
  runtimeApiUrl: Address,
  memoryApiUrl: Address,
  registryApiUrl: Address,
  aipApiUrl: Address,
  inferenceUrl: Address,
  registryHost: Address,
})
export const AddressKey = Addresses.keyof()
export type AddressKey = z.infer<typeof AddressKey>
export const addressKeys = AddressKey.options

/** Source of IAM tokens. Never holds a secret. The spec does not define the kinds. */
export const TokenSource = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('client-credentials'),
    tokenUrl: z.string().min(1).max(2000),
    clientId: z.string().min(1).max(500),
    scope: z.string().max(2000).optional(),
  }),
  /** Command with arguments, run without a shell. Prints a token or JSON `{access_token, expires_in}`. */
  z.strictObject({ kind: z.literal('command'), command: z.array(z.string().min(1).max(4000)).min(1).max(50) }),
  z.strictObject({ kind: z.literal('pasted') }),
])
export type TokenSource = z.infer<typeof TokenSource>

/** Testable part of a connection: its token source, or a service with an address. */
export const ConnectionPart = z.enum([
  'token',
  'gateway',
  'console',
  'identity',
  'runtime',
  'memory',
  'registry',
  'aip',
  'inference',
])
export type ConnectionPart = z.infer<typeof ConnectionPart>

const testFields = {
  part: ConnectionPart,
  at: z.iso.datetime(),
  durationMs: z.number(),
  requestAddress: z.string().optional(),
}

/** Result of a connection test by one small real request. `reached`: the server responded, but access is not proven. */
export const ConnectionTestView = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), ...testFields, proven: z.enum(['used', 'reached']) }),
  z.strictObject({ ok: z.literal(false), ...testFields, status: z.number().optional(), failure: Failure }),
])
export type ConnectionTestView = z.infer<typeof ConnectionTestView>

export const ConnectionView = z.strictObject({
  id: z.string(),
  name: z.string(),
  addresses: Addresses,
  tokenSource: TokenSource.optional(),
  /** Storage of the secret. `none` means that the token source needs none. */
  secret: z.enum(['keychain', 'session', 'missing', 'none']),
  /** Path of a file with additional CA certificates. */
  caFile: z.string().optional(),
  /** The built-in sandbox's connection, which cannot be changed or removed. */
  isBuiltIn: z.boolean(),
  /** Whether the window shows the plans and resources of this connection. */
  isActive: z.boolean(),
  createdAt: z.iso.datetime(),
  /** Offset of the server's clock in ms, absent when unknown or zero. */
  aheadMs: z.number().optional(),
})
export type ConnectionView = z.infer<typeof ConnectionView>

const Correction = z.strictObject({
  field: z.union([AddressKey, z.literal('tokenUrl')]),
  correction: AddressCorrection,
})

/** A parsed and corrected connection file, not saved yet. */
export const ConnectionDraft = ConnectionView.pick({
  name: true,
  addresses: true,
  tokenSource: true,
  caFile: true,
}).extend({ corrections: z.array(Correction) })
export type ConnectionDraft = z.infer<typeof ConnectionDraft>

/** Asynchronous operations of the platform (spec, "States", Platform API key). */
export const OperationKind = z.enum(['apiKey.create', 'apiKey.delete'])
export type OperationKind = z.infer<typeof OperationKind>

/** A platform operation, polled until it ends, also after a restart. */
export const OperationView = z.strictObject({
  id: z.string(),
  kind: OperationKind,
  connectionId: z.string(),
  connectionName: z.string(),
  subject: z.string(),
  state: z.enum(['running', 'succeeded', 'failed']),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
  failure: Failure.optional(),
})
export type OperationView = z.infer<typeof OperationView>

export const connections = {
  'connections.list': method(z.array(ConnectionView)),
  /** Reads a secret in main. Removes `Bearer` and quotes from a token, but nothing from a client secret. */
  'connections.takeSecretFromClipboard': method(PendingKeyView, {
    kind: z.enum(['client-credentials', 'pasted']).optional(),
  }),
  /**
   * Changes a connection, or adds one if `id` is absent, and returns corrected addresses. A validation error names the
   * `field`. `pendingId` refers to a secret from the clipboard. Without it, a saved secret stays if the token source
   * still needs it.
   */
  'connections.save': method(z.strictObject({ connection: ConnectionView, corrections: z.array(Correction) }), {
    id: z.string().optional(),
    name: CleanName(limits.nameCharacters),
    addresses: Addresses,
    tokenSource: TokenSource.optional(),
    caFile: z.string().max(4000).optional(),
    pendingId: z.string().optional(),
  }),
  'connections.use': method(EmptyResult, ItemId),
  /** Sends one real request. `calls.cancel` cancels it by `callId`. */
  'connections.test': method(ConnectionTestView, { id: z.string(), part: ConnectionPart, callId: z.string() }),
  /** Opens and parses a connection file. No draft if canceled. Fails with `file.*` or `input.invalid`. */
  'connections.readFile': method(z.strictObject({ draft: ConnectionDraft.optional() })),
  /** Saves a connection file without secrets. No path if canceled. */
  'connections.writeFile': method(SelectedFile, ItemId),
  /** Selects a certificate file. Fails with `file.unparsable` if it contains none. */
  'connections.chooseCaFile': method(SelectedFile),
  'connections.remove': method(EmptyResult, ItemId),
  /** Cancels a call. Ignores completed ones. */
  'calls.cancel': method(EmptyResult, { callId: z.string() }),

  /** Platform operations that this app started, newest first. */
  'operations.list': method(z.array(OperationView)),
  /** Removes an operation from the list and stops polling it. */
  'operations.dismiss': method(EmptyResult, ItemId),
  /** Polls a failed operation again. */
  'operations.follow': method(EmptyResult, ItemId),
}
