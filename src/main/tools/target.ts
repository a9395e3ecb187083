import { createHash } from 'node:crypto'
import type { ApiStandard } from '@shared/contract/common'
import type { ModelFacts } from '@shared/contract/plans'
import type { Delivery, InstallHint, Route, Site, SiteKind, ToolWarning } from '@shared/contract/tools'
import type { ToolEnvironment } from '../core/environment'
import type { Secret } from '../core/secret'
import type { Format, Json, Match } from './editors/editor'

/** A value to write, possibly with secrets inside. Undefined removes the setting. */
export type EditValue = Json | Secret | readonly EditValue[] | { readonly [name: string]: EditValue } | undefined

/** One setting that we write: a value, a text in an existing list (`member`), or an object in a list (`element`). */
export type Edit = {
  readonly path: readonly string[]
  /** Address and credential are always written and removed together. */
  readonly role?: 'address' | 'credential'
  /** Whether the tool itself changes the setting. It is then only written if missing, and never compared. */
  readonly isVolatile?: boolean
  /** Whether a newer app version added this setting. A tool that was configured before is not outdated without it. */
  readonly isAddedLater?: boolean
} & (
  | { readonly value: EditValue }
  | { readonly member: string; readonly present: boolean }
  | { readonly element: Match; readonly value: EditValue; readonly isFirst?: boolean }
)

export type TargetInput = {
  /** Root URL of the gateway. Each target derives the tool's base URL from it. */
  readonly gatewayUrl: string
  readonly modelCode: string
  /** Model code of each secondary model (`Slot`) by its id. */
  readonly slots: Readonly<Record<string, string>>
  readonly models: readonly string[]
  /** Context size of models without a known size. Targets call `getContextTokens`. */
  readonly contextTokens: number
  readonly modelFacts?: readonly ModelFacts[] | undefined
  readonly delivery: Delivery
  /** Shell command that prints the key, for the delivery `helper`. The same as program and arguments. */
  readonly helperCommand?: string | undefined
  readonly helperArgv?: readonly string[] | undefined
  /** Path of the file that contains only the key, for the delivery `file`. */
  readonly keyFile?: string | undefined
  /** Variable that holds the key, for the deliveries `env` and `envFile`. */
  readonly variable: string
  /** The key, for the deliveries `envFile` and `plain`. */
  readonly key?: Secret | undefined
}

/** Source of the key in a tool's settings. */
export type FoundCredential =
  | { readonly kind: 'helper'; readonly command: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'plain'; readonly text: Secret }

/** Settings that a tool currently has, even if this app did not write them. */
export type FoundSettings = {
  readonly base?: string | undefined
  readonly modelCode?: string | undefined
  readonly credential?: FoundCredential | undefined
}

/** Settings by file id. An empty object for a missing file. */
export type SettingsByFile = Readonly<Record<string, Json>>

export type TargetFile = {
  /** Id of the file, unique within the tool: `settings`, `env`, ... */
  readonly id: string
  readonly format: Format
  /** Path of the file. Undefined if the tool does not read such a file on this platform or in this scope. */
  readonly path: (environment: ToolEnvironment) => string | undefined
  /** Settings to write, in this order. `current`: the file's settings without ours. `environment`: as for `path`. */
  readonly edits: (input: TargetInput, current: Json, environment: ToolEnvironment) => readonly Edit[]
  /** Whether a value was set by the user for a purpose unrelated to this app. */
  readonly isUsersOwn?: (path: readonly string[], value: Json) => boolean
  /** Mode of a new file, such as 0o700 for a program. Default: 0600. A file with the key always gets 0600. */
  readonly mode?: number
}

/** A secondary model of a tool. It is the main model if the user selects none. */
type Slot = {
  readonly id: string
  /** Whether the slot is for small tasks. The form suggests a model whose name indicates a small one. */
  readonly isSmall?: boolean
}

/**
 * Effect of a setting. `address`: target of requests. `credential`: key. `header`: a header sent together with our key.
 * `provider`: whether our provider is used. `agentModel`: model of one agent, mode or command. `start`: whether the tool
 * starts.
 */
type DecidedAspect = 'address' | 'credential' | 'header' | 'provider' | 'model' | 'agentModel' | 'start'

/** A setting that determines an effect. `*` in its path matches any name. */
export type DecidingSetting = {
  readonly path: readonly string[]
  readonly decides: DecidedAspect
  /** Whether a value does not override our settings. Always true for empty texts and for our own values. */
  readonly isHarmless?: (value: Json) => boolean
  /** Whether the setting also has values that must stay, so that it is not removed as a whole. */
  readonly isShared?: boolean
}

/** A variable or file that overrides the settings we write. */
export type ConflictSource =
  | {
      readonly kind: 'variable'
      readonly name: string
      readonly decides?: DecidedAspect
      /** Whether a value does not override our settings. */
      readonly isHarmless?: (value: Json) => boolean
    }
  /** The tool's main settings file, if it can contain other settings that override ours or stop the tool. */
  | { readonly kind: 'own'; readonly settings: readonly DecidingSetting[] }
  | {
      readonly kind: 'file'
      readonly origin: 'project' | 'managed' | 'user'
      /** Format of the file. `markdown` means YAML front matter. */
      readonly format: Format | 'markdown'
      /** Files, or folders with a pattern: `*.json`, or `**` and `*.md` for all subfolders. */
      readonly paths: (environment: ToolEnvironment) => readonly string[]
      readonly settings: readonly DecidingSetting[]
    }

export type FileSource = Extract<ConflictSource, { kind: 'file' }>

type TargetBase = {
  readonly id: string
  readonly name: string
  readonly standard: ApiStandard
  /** Names of the tool's executables. The tool counts as installed if one of them or a marker exists. */
  readonly executables: readonly string[]
  readonly markers?: (environment: ToolEnvironment) => readonly string[]
  /** Command that starts the tool with our setup. Default: the first executable. */
  readonly start?: string
  readonly install?: InstallHint
  /** Scopes in which the tool can be configured, `user` first. */
  readonly sites: readonly SiteKind[]
  /** Evidence for this description. `run`: tried with this tool version. `docs`: only the documentation. */
  readonly evidence: { readonly kind: 'run'; readonly version: string } | { readonly kind: 'docs' }
}

/** A tool whose settings files this app writes. The setup engine uses this description. */
export type WrittenTarget = TargetBase & {
  readonly kind: 'written'
  /** Whether a running instance ignores changed settings until a restart. */
  readonly needsRestart: boolean
  /** Supported ways to get the key, best first. */
  readonly deliveries: readonly [Delivery, ...Delivery[]]
  /** Supported routes, default first. Gateway or relay when absent. */
  readonly routes?: readonly [Route, ...Route[]]
  readonly slots: readonly Slot[]
  /** Returns the tool's base URL for a gateway. `requestSuffix`: path that the tool appends, for display only. */
  readonly base: (gatewayUrl: string) => string
  readonly requestSuffix: string
  /** Variable that holds the key, for the deliveries `env` and `envFile`. */
  readonly variable: string
  /** Files in write order: settings files come after files that they refer to. One has the id `settings`. */
  readonly files: readonly [TargetFile, ...TargetFile[]]
  readonly readBack: (settings: SettingsByFile, environment: ToolEnvironment) => FoundSettings
  /** Variables and files that override our settings. */
  readonly overriddenBy: readonly ConflictSource[]
  /** Whether a value in them is a model of the plan. Default: it equals one of the plan's model codes. */
  readonly isPlanModel?: (value: Json, models: readonly string[]) => boolean
  readonly warnings?: (settings: SettingsByFile, input: TargetInput) => readonly ToolWarning[]
  /** Sessions, which keep their provider. `own`: ids of those with our provider. `hasOthers`: of other providers. */
  readonly sessions?: (environment: ToolEnvironment) => Promise<{ own: readonly string[]; hasOthers: boolean }>
  /** Shell variables that configure the tool without a settings file, for snippets. Undefined if the tool has none. */
  readonly shell?: (input: TargetInput) => readonly ShellVariable[]
}

/** A shell variable. If `value` is undefined, it contains the key. */
export type ShellVariable = { readonly name: string; readonly value: string | undefined }

/** A tool that the user sets up in its own window by pasting exact values. */
export type GuidedTarget = TargetBase & {
  readonly kind: 'guided'
  /** Fields of the tool's form, in order. `label` is the tool's English field name. */
  readonly fields: (input: Pick<TargetInput, 'gatewayUrl' | 'modelCode'>) => readonly GuidedField[]
  /** Menu path of the form in the tool. */
  readonly place: readonly string[]
  readonly requestAddress: (gatewayUrl: string) => string
  /** Whether the requests come from the tool maker's servers, which cannot reach a gateway on this computer. */
  readonly isRemote: boolean
}

/** One field of a tool's form. `isKey`: the subscription key, which is copied and never shown. */
type GuidedField = { readonly label: string } & ({ readonly value: string } | { readonly isKey: true })

/** Supported routes, default first. */
export const listRoutes = ({ routes = ['gateway', 'relay'] }: WrittenTarget) => routes

export type Target = WrittenTarget | GuidedTarget

export const userSite: Site = { kind: 'user' }

/** Maximum length of an id in a file name. File systems allow 255 bytes, including suffixes of temporary files. */
const maxIdLength = 150

const computeShortDigest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12)

/** Part of a file name for the setup of a tool in a scope. In the user's home, it is only the tool's id. */
export function toSetupId(toolId: string, site: Site): string {
  if (site.kind === 'user')
    return toolId.length > maxIdLength ? `${toolId.slice(0, 40)}-${computeShortDigest(toolId)}` : toolId
  return `${toolId}@${site.kind}-${computeShortDigest(site.kind === 'project' ? site.folder : site.distribution)}`
}

export const isSameSite = (a: Site, b: Site): boolean => toSetupId('', a) === toSetupId('', b)
