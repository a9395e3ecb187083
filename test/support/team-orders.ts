/** Work of one computer of a lead space. The process may be killed at any time and started again with the same orders. */
export interface TeamOrders {
  readonly dataDir: string
  readonly keychainDir: string
  readonly name: string
  readonly connectionId: string
  /** Keys of its own that it notes something of. */
  readonly changes: number
  /** Keys of which two leads note something: each another field, and then the same field. */
  readonly shared: number
  /** Times that it rotates the one key that all leads rotate. */
  readonly rotations: number
  /** Where whoever rotates that key leaves a file while it does. */
  readonly folder: string
}
