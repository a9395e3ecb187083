import { createHash } from 'node:crypto'
import type { Standard } from '@shared/contract/common'
import type { Delivery, InstallHint, Route, Site, SiteKind, ToolWarning } from '@shared/contract/tools'
import type { ToolEnvironment } from '../core/environment'
import type { Secret } from '../core/secret'
import type { Format, Json, Match } from './editors/editor'

/** A value that may contain secrets. Undefined removes the setting. */
export type EditValue = Json | Secret | readonly EditValue[] | { readonly [name: string]: EditValue } | undefined

/**
 * One owned setting. Address and credential are always written and removed together. A `member` edit owns one text of
 * an existing list, an `element` edit one object of a list.
 */
export type Edit = {
  readonly path: readonly string[]
  readonly role?: 'address' | 'credential'
  /** Written where it is missing, and never compared: the tool itself rewrites it. */
  readonly isVolatile?: boolean
  /** Owned since a later version of this app: a setup that lacks it is not outdated. */
  readonly isAddedLater?: boolean
} & (
  | { readonly value: EditValue }
  | { readonly member: string; readonly present: boolean }
  | { readonly element: Match; readonly value: EditValue; readonly isFirst?: boolean }
)

export type TargetInput = {
  /** The gateway's root; a target derives the base of its standard from it. */
  readonly gatewayUrl: string
  readonly modelCode: string
  /** A model code for every slot of the target but the main one. */
  readonly slots: Readonly<Record<string, string>>
  /** All model codes of the plan. */
  readonly models: readonly string[]
  readonly contextTokens: number
  readonly delivery: Delivery
  /** With `helper`: one command line for a shell that prints the key, and the same as program and arguments. */
  readonly helperCommand?: string | undefined
  readonly helperArgv?: readonly string[] | undefined
  /** With `file`: where the file is that holds nothing but the key. */
  readonly keyFile?: string | undefined
  /** With `env` and `envFile`: the variable that holds the key. */
  readonly variable: string
  /** With `envFile` and `plain`: the key. */
  readonly key?: Secret | undefined
}

/** Source of the key in a tool's settings. */
export type FoundCredential =
  | { readonly kind: 'helper'; readonly command: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'plain'; readonly text: Secret }

/** Current settings of a tool, regardless of who wrote them. */
export type FoundSettings = {
  readonly base?: string | undefined
  readonly modelCode?: string | undefined
  readonly credential?: FoundCredential | undefined
}

/** The settings of each file of a tool by the file's id; an empty object where there is no file. */
export type SettingsByFile = Readonly<Record<string, Json>>

/** One settings file of a tool. */
export type TargetFile = {
  /** Names it within its tool: `settings`, `env`, ... */
  readonly id: string
  readonly format: Format
  /** Undefined if the tool has no such file on this platform or site. */
  readonly path: (environment: ToolEnvironment) => string | undefined
  /**
   * Every setting that is ours, in the order in which new ones are written. `current` is the file without us; the
   * environment is the one of `path`, for programs and for settings that name another of the tool's files.
   */
  readonly edits: (input: TargetInput, current: Json, environment: ToolEnvironment) => readonly Edit[]
  /** True when a value found in an owned setting is the user's own choice that has nothing to do with us. */
  readonly isUsersOwn?: (path: readonly string[], value: Json) => boolean
  /** Permissions of a file that we create, such as 0o700 for a program; 0600 when left out or when it holds the key. */
  readonly mode?: number
}

/** A secondary model of a tool. Defaults to the main model. */
type Slot = {
  readonly id: string
  /** True for small jobs: a plan's model named like a small one is proposed. */
  readonly isSmall?: boolean
}

/**
 * Effect of a setting. `address`: request target. `credential`: key. `header`: sent with our key. `provider`: selects
 * our provider. `agentModel`: model of one agent, mode or command.
 */
type Decision = 'address' | 'credential' | 'header' | 'provider' | 'model' | 'agentModel'

/** A setting with an effect. `*` in its path matches any name. */
export type DecidingSetting = {
  readonly path: readonly string[]
  readonly decides: Decision
  /** True for values that leave the decision to our settings. Empty texts and our own values always do. */
  readonly isHarmless?: (value: Json) => boolean
}

/** Something that is applied after our settings, so that its values win. */
export type ConflictSource =
  | {
      readonly kind: 'variable'
      readonly name: string
      readonly decides?: Decision
      /** True for values that change nothing. */
      readonly isHarmless?: (value: Json) => boolean
    }
  /** The tool's own main settings file, where a setting next to ours wins over it. */
  | { readonly kind: 'own'; readonly settings: readonly DecidingSetting[] }
  | {
      readonly kind: 'file'
      readonly origin: 'project' | 'managed' | 'user'
      /** `markdown`: the YAML between the `---` lines at the top. */
      readonly format: Format | 'markdown'
      /** Files, and folders with a pattern for their files: `*.json`, or `**` and `*.md` for all folders below too. */
      readonly paths: (environment: ToolEnvironment) => readonly string[]
      readonly settings: readonly DecidingSetting[]
    }

/** Sources that override our settings, and the tool version tested. `docs`: from documentation only. */
export type Precedence = {
  readonly checked: string
  readonly sources: readonly ConflictSource[]
  /** Whether a value names one of the plan's models; a plain model code unless given. */
  readonly isPlanModel?: (value: Json, models: readonly string[]) => boolean
}

type TargetBase = {
  readonly id: string
  readonly name: string
  readonly standard: Standard
  /** Programs, and files or folders that prove the installation. */
  readonly executables: readonly string[]
  readonly markers?: (environment: ToolEnvironment) => readonly string[]
  /** Start command with our setup. Default: the first executable. */
  readonly start?: string
  /** Install command or page. */
  readonly install?: InstallHint
  /** Supported sites, `user` first. */
  readonly sites: readonly SiteKind[]
  /** `run`: tested with this version. `docs`: from documentation only. */
  readonly evidence: { readonly kind: 'run'; readonly version: string } | { readonly kind: 'docs' }
}

/** A tool whose files this app writes: data. One engine does the rest. */
export type WrittenTarget = TargetBase & {
  readonly kind: 'written'
  /** True when a running instance does not see a change. */
  readonly needsRestart: boolean
  /** The ways it can get the key, best first. */
  readonly deliveries: readonly [Delivery, ...Delivery[]]
  /** The ways it can be pointed, the usual one first; the gateway or the relay when left out. */
  readonly routes?: readonly [Route, ...Route[]]
  readonly slots: readonly Slot[]
  /** Base URL for a gateway, and the suffix that the tool appends, for display. */
  readonly base: (gatewayUrl: string) => string
  readonly requestSuffix: string
  /** The variable that holds the key with `env` and `envFile`. */
  readonly variable: string
  /** In write order: referenced files before settings. One of them is `settings`. */
  readonly files: readonly [TargetFile, ...TargetFile[]]
  readonly readBack: (settings: SettingsByFile, environment: ToolEnvironment) => FoundSettings
  readonly precedence: Precedence
  /** Settings of any origin in the tool's own files that stop it or redirect it away from the plan. */
  readonly conflicts?: (settings: SettingsByFile) => readonly ToolWarning[]
  /** Further warnings about the tool's files or the choice. */
  readonly warnings?: (settings: SettingsByFile, input: TargetInput) => readonly ToolWarning[]
  /** Sessions that remember the provider they began with, by id: those of ours and whether there are others. */
  readonly sessions?: (
    environment: ToolEnvironment,
  ) => Promise<{ readonly own: readonly string[]; readonly hasOthers: boolean }>
  /** Shell variables that make it work without any file; for snippets. Undefined: it takes none. */
  readonly shell?: (input: TargetInput) => readonly ShellVariable[]
}

/** A shell variable. Undefined `value`: the key. */
export type ShellVariable = { readonly name: string; readonly value: string | undefined }

/** A tool that a person sets up in its own window, with exact values to paste. */
export type GuidedTarget = TargetBase & {
  readonly kind: 'guided'
  /** In the order of the tool's own form; `label` is the tool's own word for the field, in English. */
  readonly fields: (input: Pick<TargetInput, 'gatewayUrl' | 'modelCode'>) => readonly GuidedField[]
  /** Menu path of the form in the tool. */
  readonly place: readonly string[]
  /** The full address that it calls for a gateway. */
  readonly requestAddress: (gatewayUrl: string) => string
  /** True when requests come from the maker's servers, so that a gateway on this machine cannot be reached. */
  readonly isRemote: boolean
}

/** One field of a tool's own form. `key`: the subscription key, which is copied and never shown. */
type GuidedField = { readonly label: string } & ({ readonly value: string } | { readonly isKey: true })

const defaultRoutes: readonly [Route, ...Route[]] = ['gateway', 'relay']

/** The ways a tool can be pointed, the usual one first. */
export const listRoutes = ({ routes = defaultRoutes }: WrittenTarget): readonly [Route, ...Route[]] => routes

/** One coding tool. */
export type Target = WrittenTarget | GuidedTarget

/** This user's home. */
export const userSite: Site = { kind: 'user' }

/** File systems allow 255 bytes, of which temporary names need some. */
const maxIdLength = 150

const shortDigest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12)

/** Names a tool at a site in file names: the tool alone for this user's home. */
export function toSetupId(toolId: string, site: Site): string {
  if (site.kind === 'user')
    return toolId.length > maxIdLength ? `${toolId.slice(0, 40)}-${shortDigest(toolId)}` : toolId
  const where = site.kind === 'project' ? site.folder : site.distribution
  return `${toolId}@${site.kind}-${shortDigest(where)}`
}

/** True when both are the same place. */
export function sameSite(a: Site, b: Site): boolean {
  return toSetupId('', a) === toSetupId('', b)
}
