/** Whether a plan serves calls. */
type PlanStatus = 'ACTIVE' | 'EXPIRED'

/** Whether a subscription key is accepted. */
type KeyStatus = 'ACTIVE' | 'DISABLED'

/** A plan as a starter of the sandbox is told about it; the only place where the sandbox gives out keys. */
export interface ReadyPlan {
  readonly planId: string
  readonly name: string
  readonly planType: string
  readonly status: PlanStatus
  /** ISO 8601 UTC in the sandbox's own clock. */
  readonly expiresAt: string
  readonly models: readonly {
    readonly modelCode: string
    readonly displayName: string
    readonly contextTokens: number
  }[]
  readonly keys: readonly {
    readonly keyId: string
    readonly name: string
    readonly status: KeyStatus
    readonly key: string
  }[]
}

/** Said once, when both listeners accept calls. Addresses have no path and no trailing slash. */
export interface ReadyMessage {
  readonly kind: 'ready'
  readonly gatewayUrl: string
  readonly platformUrl: string
  /** Bearer token of the control surface, `{platformUrl}/sandbox/...`. */
  readonly controlToken: string
  /** The addresses of a connection to it, by their names in a connection file; the registry host has no scheme. */
  readonly addresses: Readonly<
    Record<
      | 'tokenPlanUrl'
      | 'consoleUrl'
      | 'identityApiUrl'
      | 'runtimeApiUrl'
      | 'memoryApiUrl'
      | 'registryApiUrl'
      | 'aipApiUrl'
      | 'inferenceUrl'
      | 'registryHost',
      string
    >
  >
  /** A client that may ask for IAM tokens. */
  readonly iam: { readonly tokenUrl: string; readonly clientId: string; readonly clientSecret: string }
  readonly plans: readonly ReadyPlan[]
}

/** Said instead of `ReadyMessage` when the sandbox cannot start; the process then ends with code 1. */
export type FailedMessage =
  | { readonly kind: 'failed'; readonly code: 'portInUse'; readonly port: number }
  | { readonly kind: 'failed'; readonly code: 'stateInUse' | 'unexpected'; readonly message: string }

/** Everything the process ever says to the one that started it. */
export type SandboxMessage = ReadyMessage | FailedMessage
