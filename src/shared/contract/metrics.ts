import { z } from 'zod'
import { CopiedSecret, EmptyInputSchema, method, PendingKeyView } from './common'

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

export const metrics = {
  'metrics.get': method(EmptyInputSchema, MetricsView),
  /** Switches the Prometheus endpoint on or off. Fails with `vault.unavailable`. */
  'metrics.setPrometheus': method(z.strictObject({ isOn: z.boolean() }), MetricsView),
  /** Copies the `/metrics` token to the clipboard temporarily. Fails with `vault.*`. */
  'metrics.copyToken': method(EmptyInputSchema, CopiedSecret),
  /** Reads the header value from the clipboard. It stays in main until it is saved. Fails with `clipboard.noKey`. */
  'metrics.takeSecret': method(EmptyInputSchema, PendingKeyView),
  /** Saves the OTLP export after native confirmation. Fails with `input.declined`, `address.*` or `vault.*`. */
  'metrics.setOtlp': method(z.strictObject({ ...OtlpInput.shape, pendingId: z.string().optional() }), MetricsView),
  'metrics.removeOtlp': method(EmptyInputSchema, MetricsView),
}
