/** Work of one computer of a lead space. The process may be killed at any time and started again with the same orders. */
export interface TeamOrders {
  readonly dataDir: string
  readonly keychainDir: string
  readonly name: string
  readonly connectionId: string
  /** Number of own keys to annotate. */
  readonly changes: number
  /** Keys that two leads edit, first different fields, then the same field. */
  readonly shared: number
  /** Number of rotations of the key that all leads rotate. */
  readonly rotations: number
  /** Path of the marker file during a rotation of the shared key. */
  readonly folder: string
}
