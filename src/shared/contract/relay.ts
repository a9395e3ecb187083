import { z } from 'zod'
import { Failure } from '../failure'
import { Amount, CopiedSecret, method, PendingKeyView } from './common'

/** Plan and key for outgoing requests. Defaults to the plan's default key. */
export const RelayRoute = z.strictObject({ planId: z.string(), keyId: z.string().optional() })
export type RelayRoute = z.infer<typeof RelayRoute>

/**
 * Overload errors after which the next fallback is tried. Absent means none. `rejected` means errors before any work,
 * such as a rate limit with a long wait, 503 and 529. `any` adds 500, 502, 504, timeouts and broken connections, which
 * may have cost tokens.
 */
export const OverloadFailover = z.enum(['rejected', 'any'])
export type OverloadFailover = z.infer<typeof OverloadFailover>

/** A tool that uses the relay or could use it. */
export const RelayTool = z.strictObject({
  toolId: z.string(),
  toolName: z.string(),
  /** Relay address of the tool, `http://127.0.0.1:PORT/t/<tool>`, used in place of the gateway's address. */
  address: z.string(),
  /** Whether the tool's files contain the relay's address. */
  isPointedHere: z.boolean(),
  /**
   * The tool's plan and key, then its fallbacks, used if the allowance is used up or a key is rejected, before any byte
   * reached the tool. Empty for a tool without a plan.
   */
  upstreams: z.array(
    z.strictObject({ ...RelayRoute.shape, planName: z.string().optional(), keyName: z.string().optional() }),
  ),
  overload: OverloadFailover.optional(),
  /** The last switch to a fallback because of overload. `until`: the plan and key are not tried first until then. */
  lastSwitch: z
    .strictObject({ at: z.iso.datetime(), until: z.iso.datetime(), from: z.string(), to: z.string() })
    .optional(),
  /** Number of requests in progress. */
  open: Amount,
  /** Number of finished requests. */
  requests: Amount,
  lastAt: z.iso.datetime().optional(),
  /** Failure of the last request, if it failed. */
  lastFailure: Failure.optional(),
})
export type RelayTool = z.infer<typeof RelayTool>

/** The relay is a local proxy that adds the key and counts usage. `paused` rejects all requests with 503. */
export const RelayView = z.strictObject({
  state: z.enum(['off', 'starting', 'on', 'paused', 'failed']),
  /** Reason for the state `failed`. */
  failure: Failure.optional(),
  port: z.number().int(),
  /** Whether the relay starts with the app. */
  wanted: z.boolean(),
  /** Starts the app without a window at sign-in. Omitted if the system does not support it. */
  startAtLogin: z.boolean().optional(),
  /** Whether the app stays in the tray when the last window is closed. */
  keepInBackground: z.boolean(),
  /** Whether budgets allow requests to paths of unknown cost. */
  allowsUncounted: z.boolean(),
  tools: z.array(RelayTool),
})
export type RelayView = z.infer<typeof RelayView>

/** OTLP authentication: a token or base64 text in `Authorization`, or a custom header. */
export const OtlpAuth = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('bearer') }),
  z.strictObject({ kind: z.literal('basic') }),
  z.strictObject({
    kind: z.literal('header'),
    name: z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/),
  }),
])
export type OtlpAuth = z.infer<typeof OtlpAuth>

/** Metrics exporters. Prompts, responses and keys are never exported. */
export const MetricsView = z.strictObject({
  prometheus: z.strictObject({ isOn: z.boolean(), address: z.string() }),
  /** OTLP export. Absent when disabled. */
  otlp: z
    .strictObject({
      endpoint: z.string(),
      auth: OtlpAuth.optional(),
      /** Whether a header value is saved. */
      hasSecret: z.boolean(),
      sendsSpans: z.boolean(),
    })
    .optional(),
})
export type MetricsView = z.infer<typeof MetricsView>

/** OTLP endpoint. Keeps the saved secret when none is given, unless the host changes. */
export const OtlpInput = z.strictObject({
  endpoint: z.string().min(1).max(2000),
  auth: OtlpAuth.optional(),
  sendsSpans: z.boolean(),
})
export type OtlpInput = z.infer<typeof OtlpInput>

export const relay = {
  'relay.get': method(RelayView),
  /** Starts the relay. Fails with `relay.portInUse` or `relay.failed`. */
  'relay.start': method(RelayView, { port: z.number().int().min(1024).max(65_535).optional() }),
  /** Tools that use the relay fail while it is stopped. `relay.get` lists them. */
  'relay.stop': method(RelayView),
  'relay.setPaused': method(RelayView, { paused: z.boolean() }),
  /** Changes a tool's plan, key and fallbacks. Applies to the next request without file changes. */
  'relay.setWay': method(RelayView, {
    toolId: z.string(),
    way: RelayRoute,
    failover: z.array(RelayRoute).max(10),
    overload: OverloadFailover.optional(),
  }),
  'relay.setOptions': method(RelayView, {
    startAtLogin: z.boolean().optional(),
    keepInBackground: z.boolean().optional(),
    allowsUncounted: z.boolean().optional(),
  }),

  'metrics.get': method(MetricsView),
  /** Switches the Prometheus endpoint on or off. Fails with `vault.unavailable`. */
  'metrics.setPrometheus': method(MetricsView, { isOn: z.boolean() }),
  /** Copies the `/metrics` token to the clipboard temporarily. Fails with `vault.*`. */
  'metrics.copyToken': method(CopiedSecret),
  /** Reads the header value from the clipboard. It stays in main until it is saved. Fails with `clipboard.noKey`. */
  'metrics.takeSecret': method(PendingKeyView),
  /** Saves the OTLP export after native confirmation. Fails with `input.declined`, `address.*` or `vault.*`. */
  'metrics.setOtlp': method(MetricsView, { ...OtlpInput.shape, pendingId: z.string().optional() }),
  'metrics.removeOtlp': method(MetricsView),
}
