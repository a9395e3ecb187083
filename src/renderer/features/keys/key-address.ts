/** Which key of which plan of which account: what every call about a key names. */
export interface KeyAddress {
  readonly connectionId: string
  readonly planId: string
  readonly keyId: string
}
