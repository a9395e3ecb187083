import { z } from 'zod'
import { Amount, CopiedSecret, EmptyResult, ItemId, method, PendingKeyView, SavedSecret, SelectedFile } from './common'

/** Platform operation id, as in `companion api list` (`memory.memories.list`). */
const OperationId = z.string().regex(/^[a-z][\w.]{0,79}$/i)

/**
 * Arguments of a platform API call. In `body`, `{"$pending": "<id>"}` is replaced by a secret from the clipboard and
 * `{"$held": "<handle>"}` by a secret of an earlier response.
 */
const ResourceArguments = z.strictObject({
  connectionId: z.string(),
  operation: OperationId,
  path: z.record(z.string().max(80), z.string().max(500)).optional(),
  query: z.record(z.string().max(80), z.union([z.string().max(4000), z.number(), z.boolean()])).optional(),
  body: z.json().optional(),
})

const ListArguments = ResourceArguments.omit({ body: true }).extend({
  size: z.number().int().min(1).max(1000).optional(),
})

const Rows = z.strictObject({ rows: z.array(z.json()) })

/** A masked secret of a response. Main holds it for 15 min under `handle`. `at` is its JSON pointer in the data or rows. */
export const CapturedSecret = z.strictObject({ handle: z.string(), at: z.string(), masked: z.string() })
export type CapturedSecret = z.infer<typeof CapturedSecret>

/** Complete response with masked secrets. `data` is omitted for an empty body. */
export const ResourceAnswer = z.strictObject({
  status: z.number().int(),
  data: z.json().optional(),
  requestId: z.string().optional(),
  secrets: z.array(CapturedSecret),
  /** Id in `operations.list` for an asynchronous creation or deletion of a platform API key. */
  operationId: z.string().optional(),
})
export type ResourceAnswer = z.infer<typeof ResourceAnswer>

/** One page in the service's numbering (identity from 0, others from 1). Totals are omitted if unknown. */
export const ResourcePage = z.strictObject({
  rows: z.array(z.json()),
  page: Amount,
  firstPage: Amount,
  totalItems: Amount.optional(),
  totalPages: Amount.optional(),
  requestId: z.string().optional(),
  secrets: z.array(CapturedSecret),
})
export type ResourcePage = z.infer<typeof ResourcePage>

/** One check of an agent container (spec, "Agent container contract"). */
const ContainerFinding = z.strictObject({
  what: z.enum(['port', 'health', 'bind', 'sample', 'userHeader', 'sessionHeader']),
  state: z.enum(['passed', 'failed', 'unknown']),
  /** Code of the finding, translated by the window. */
  code: z.enum([
    ...(['portClosed', 'portRight', 'portMapped', 'timeout', 'refused', 'cut', 'otherFailure'] as const),
    ...(['redirect', 'notOk', 'webPage', 'answered', 'noSuchPath', 'badBody', 'notSent'] as const),
    ...(['bindClosed', 'bindCut', 'bindNetwork', 'bindAlone', 'bindAll', 'bindSilent', 'bindOne'] as const),
    ...(['headerRepeated', 'headerSent'] as const),
  ]),
  values: z.record(z.string(), z.string().max(600)),
  /** English text. */
  seen: z.string().max(2000),
})
export const ContainerCheck = z.strictObject({
  url: z.string(),
  at: z.iso.datetime(),
  durationMs: z.number(),
  findings: z.array(ContainerFinding),
  /** Sample request with its response. */
  sample: z
    .strictObject({
      path: z.string(),
      headers: z.array(z.tuple([z.string(), z.string()])),
      status: z.number().int().optional(),
      answer: z.string(),
    })
    .optional(),
})
export type ContainerCheck = z.infer<typeof ContainerCheck>

/** Response of a runtime's endpoint to a test call. `answer` is cut off after 20 KB. */
const EndpointCall = z.strictObject({
  url: z.string(),
  status: z.number().int(),
  durationMs: Amount,
  answer: z.string(),
  isCut: z.boolean(),
})
export type EndpointCall = z.infer<typeof EndpointCall>

const SampleRequest = z.strictObject({
  /** Path of the sample request. Default: `/invocations`. */
  samplePath: z.string().max(500).optional(),
  sampleBody: z.string().max(200_000).optional(),
  userId: z.string().max(200).optional(),
  sessionId: z.string().max(200).optional(),
})

const handle = z.string().max(100)
const callId = z.string().max(64)
const CancellableArguments = ResourceArguments.extend({ callId: callId.optional() })

export const resources = {
  /**
   * Calls an operation. Fails with `input.invalid` (and the field) before sending, then with `api.*`, `auth.*` or
   * `net.*`. `calls.cancel` cancels the call.
   */
  'resources.call': method(ResourceAnswer, CancellableArguments),
  /** One page of a list. Defaults to the service's first. */
  'resources.page': method(ResourcePage, { ...ListArguments.shape, page: Amount.optional() }),
  /** All rows of a list with masked secrets. Fails with `api.listTooLong` instead of truncating. */
  'resources.every': method(Rows, { ...ListArguments.shape, callId: callId.optional() }),
  /** All rows of a list that has no pages, such as memory records. Their masked secrets cannot be revealed later. */
  'resources.rows': method(Rows, CancellableArguments),
  'resources.takeSecret': method(PendingKeyView),

  'resources.copySecret': method(CopiedSecret, { handle }),
  'resources.keepSecret': method(SavedSecret, {
    handle,
    ...SavedSecret.pick({ connectionId: true, kind: true, name: true }).shape,
  }),
  'resources.keptSecrets': method(z.array(SavedSecret), { connectionId: z.string() }),
  'resources.copyKept': method(CopiedSecret, ItemId),
  'resources.forgetKept': method(EmptyResult, ItemId),
  /** Uses a platform API key from a response or from the saved secrets for inference. Replaces the previous one. */
  'resources.useForInference': method(EmptyResult, {
    connectionId: z.string(),
    of: z.union([z.strictObject({ handle }), z.strictObject({ keptId: z.string() })]),
  }),

  /** Exports the rows of a list to a file that the user selects. Every field is a column. */
  'resources.export': method(SelectedFile, {
    name: z.string().max(100),
    format: z.enum(['json', 'csv']),
    rows: z.array(z.json()).max(20_000),
  }),
  'resources.saveText': method(SelectedFile, { name: z.string().max(100), text: z.string().max(20_000_000) }),
  /** Returns source code that makes a platform API call, with a variable in place of the token. */
  'resources.code': method(z.strictObject({ code: z.string() }), {
    ...ResourceArguments.shape,
    language: z.enum(['curl', 'companion']),
  }),
  /** Checks an agent container on this computer or its network against the runtime contract. */
  'containers.check': method(ContainerCheck, { ...SampleRequest.shape, callId, url: z.string().min(1).max(2000) }),
  /**
   * Sends one POST without credentials to an endpoint of a runtime. Main reads the address from the platform. Fails as
   * `resources.call` does, and with `address.*`. An error status is a result.
   */
  'containers.callEndpoint': method(EndpointCall, {
    ...SampleRequest.shape,
    callId,
    connectionId: z.string(),
    runtimeId: z.string().min(1).max(500),
    endpointId: z.string().min(1).max(500),
  }),
}
