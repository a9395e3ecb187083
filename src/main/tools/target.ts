import type { Standard } from '@shared/contract/common'
import type { Delivery, ToolWarning } from '@shared/contract/tools'
import type { Secret } from '../secret'
import type { Json } from './editors/json-value'
import type { ToolEnvironment } from './environment'

/** What a tool is configured with. `keyFile` and `key` are there when `delivery` needs them. */
export type TargetInput = {
  /** The gateway's root; a target derives the base of its standard from it. */
  readonly gatewayUrl: string
  readonly modelCode: string
  readonly smallModelCode: string
  readonly models: readonly string[]
  readonly contextTokens: number
  readonly delivery: Delivery
  readonly helperCommand?: string | undefined
  readonly keyFile?: string | undefined
  readonly key?: Secret | undefined
}

/** The value of an owned setting; undefined: the setting is removed. */
export type EditValue = Json | Secret | undefined

/**
 * One setting that is ours. The address is never written without the credential, and both leave together.
 * A `member` edit owns one element of a list that is there already, not the list.
 */
export type Edit = { readonly path: readonly string[]; readonly role?: 'address' | 'credential' } & (
  | { readonly value: EditValue }
  | { readonly member: string; readonly present: boolean }
)

/** How a tool's settings let it get the key. */
export type FoundCredential =
  | { readonly kind: 'helper'; readonly command: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'plain'; readonly text: Secret }

/** What a tool's settings say now. */
export type FoundSettings = {
  readonly base?: string | undefined
  readonly modelCode?: string | undefined
  readonly credential?: FoundCredential | undefined
}

/** One coding tool as data: where its settings are and which of them are ours. One engine does the rest. */
export type Target = {
  readonly id: string
  readonly name: string
  readonly standard: Standard
  readonly executable: string
  /** True when a running instance does not see a change. */
  readonly needsRestart: boolean
  /** The ways it can get the key, best first. */
  readonly deliveries: readonly [Delivery, ...Delivery[]]
  /** `json`: its parser is strict, and one comment voids the file. */
  readonly format: 'json' | 'jsonc'
  /** What it appends to its base, as shown to a person. */
  readonly requestSuffix: string
  /** The settings file to write. */
  readonly file: (environment: ToolEnvironment) => string
  /** Every setting that is ours, in the order in which new ones are written. `current` is the file without us. */
  readonly edits: (input: TargetInput, current: Json) => readonly Edit[]
  readonly readBack: (current: Json) => FoundSettings
  /** What in the file or the environment would stand in the way. */
  readonly warnings: (current: Json, environment: ToolEnvironment) => readonly ToolWarning[]
  /** True when a value found in an owned setting is the user's own choice that has nothing to do with us. */
  readonly isUsersOwn?: (path: readonly string[], value: Json) => boolean
}
