/**
 * Work of one simulated computer of a team. Its process may be killed at any time and started again with the same work.
 */
export interface TeamWorkerInput {
  readonly dataDir: string
  readonly keychainDir: string
  readonly name: string
  readonly connectionId: string
  /** Number of keys whose notes only this computer edits. */
  readonly changes: number
  /** Number of keys whose notes two leads edit: first different fields, then the same field. */
  readonly shared: number
  /** Number of times that this computer rotates the key that all leads share. */
  readonly rotations: number
  /** Folder for the marker file that exists during a rotation of the shared key. */
  readonly folder: string
}
