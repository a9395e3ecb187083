import { z } from 'zod'
import { Failure } from '../failure'
import { limits } from '../limits'
import { ApiStandard, CheckView, CleanName, EmptyResult, ItemId, ModelCode, method, SelectedFile } from './common'

/**
 * Delivery of the key to a tool, safest first: by a command, a file with mode 0600, the tool's own 0600 variables file,
 * a shell variable, input in the tool's window, or plain text in its settings.
 */
export const Delivery = z.enum(['helper', 'file', 'envFile', 'env', 'inTool', 'plain'])
export type Delivery = z.infer<typeof Delivery>

/** Destination of a tool's requests: the plan's gateway, or the local relay, which adds the key and counts usage. */
export const Route = z.enum(['gateway', 'relay'])
export type Route = z.infer<typeof Route>

/**
 * State of a tool's settings. `absent`: no gateway is set. `configured`: as this app wrote them. `drifted`: changed
 * since. `otherwise`: configured by others. `unreadable`: see `problem`.
 */
export const ToolStatus = z.enum(['absent', 'configured', 'drifted', 'otherwise', 'unreadable'])
export type ToolStatus = z.infer<typeof ToolStatus>

/** Settings location: the user's home, a project folder, or the home of a Linux distribution on Windows. */
export const Site = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('user') }),
  z.strictObject({ kind: z.literal('project'), folder: z.string().min(1) }),
  z.strictObject({ kind: z.literal('wsl'), distribution: z.string().min(1) }),
])
export type Site = z.infer<typeof Site>
export type SiteKind = Site['kind']

/** Command or page to install a tool. */
const InstallHint = z.union([z.strictObject({ command: z.string() }), z.strictObject({ url: z.string() })]).readonly()
export type InstallHint = z.infer<typeof InstallHint>

/** Model codes by slot, except the main one. */
export const Slots = z.record(z.string(), ModelCode)
export type Slots = z.infer<typeof Slots>

/**
 * A configuration warning, translated by code. `subject` is the variable or setting, `path` the file, and `origin` the
 * source of an overriding value.
 */
export const ToolWarning = z.strictObject({
  code: z.enum([
    'plainText',
    'toolWritesKey',
    'keyFile',
    'envFileHoldsKey',
    'variableNeeded',
    'keyInTool',
    'commentsMoved',
    'otherProviderSwitch',
    'toolStops',
    'overridesExisting',
    'modelSetting',
    'modelRefused',
    'shellVariable',
    'rivalFile',
    'keySentElsewhere',
    'foreignCredential',
    'agentModel',
    'modelNotInPlan',
    'laterValueReplaced',
    'keyInRepository',
    'sessionsKeepProvider',
    'sessionsNeedProvider',
    'restartNeeded',
    'fileChangedSince',
    'fileReplaced',
    'notTried',
    'remoteMaker',
    'relayNeeded',
    'notCopied',
  ]),
  subject: z.string().optional(),
  path: z.string().optional(),
  origin: z.enum(['app', 'loginShell', 'project', 'managed', 'user', 'settings']).optional(),
  /** Fix of the warning: copy `text` (a shell line), open `path`, or remove the setting `subject` in a new preview. */
  fix: z.enum(['copyLine', 'openFile', 'takeOut']).optional(),
  text: z.string().optional(),
})
export type ToolWarning = z.infer<typeof ToolWarning>

const ToolFile = z.strictObject({ path: z.string(), exists: z.boolean() })

/** Reason that requests with a key fail. `keyRejected`: the gateway returned 401. */
const KeyProblem = z.enum(['keyDisabled', 'keyDeleted', 'keyRejected', 'keyMissing', 'planExpired'])
export type KeyProblem = z.infer<typeof KeyProblem>

const AppliedSetup = z.strictObject({
  planId: z.string(),
  planName: z.string().optional(),
  keyId: z.string().optional(),
  /** Name of the key. Absent when the key is no longer saved here. */
  keyName: z.string().optional(),
  modelCode: z.string(),
  slots: Slots,
  delivery: Delivery,
  route: Route,
  requestAddress: z.string(),
  at: z.iso.datetime(),
  keyProblem: KeyProblem.optional(),
})

const setup = {
  status: ToolStatus,
  /** Reason why the tool's files are unreadable, or ignored by the tool. */
  problem: Failure.optional(),
  /** Dotted paths of changed settings, without values. */
  drift: z.array(z.string()),
  /** For `drifted`: the files are unchanged, but the plan or relay changed since. */
  isOutdated: z.boolean().optional(),
  /** The settings file that holds the address. */
  file: z.string(),
  files: z.array(ToolFile),
  applied: AppliedSetup.optional(),
  /** Settings that override those of this app, in the tool's files or in sources with higher precedence. */
  conflicts: z.array(ToolWarning).optional(),
  /** Whether the tool uses the stopped relay, so that its requests fail. */
  relayOff: z.boolean().optional(),
  /** Address and model that others configured, for a tool in the state `otherwise`. */
  found: z.strictObject({ base: z.string().optional(), modelCode: z.string().optional() }).optional(),
}

export const SetupView = z.strictObject({ site: Site, ...setup })
export type SetupView = z.infer<typeof SetupView>

/** A coding tool and its configuration. `setups` has the settings locations other than the user's home. */
export const ToolView = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** This app writes files of `written` tools. The user pastes into `guided` ones. `unsupported`: see `reason`. */
  kind: z.enum(['written', 'guided', 'unsupported']),
  reason: z.enum(['platform']).optional(),
  standard: ApiStandard,
  /** Native protocol when the relay translates it to `standard`. */
  speaks: z.literal('responses').optional(),
  installed: z.boolean(),
  version: z.string().optional(),
  executable: z.string().optional(),
  /** Start command. Absent for tools that only have a window. */
  start: z.string().optional(),
  install: InstallHint.optional(),
  /** Tested version. Absent when untested. */
  triedVersion: z.string().optional(),
  deliveries: z.array(Delivery),
  /** Supported routes, default first. */
  routes: z.array(Route),
  slots: z.array(z.strictObject({ id: z.string(), isSmall: z.boolean() })),
  /** Kinds of settings locations that the tool supports. */
  sites: z.array(z.enum(['user', 'project', 'wsl'])),
  /** Whether a running instance needs a restart to apply a change. */
  needsRestart: z.boolean(),
  ...setup,
  setups: z.array(SetupView),
})
export type ToolView = z.infer<typeof ToolView>

/** Tool and site. Default site: the user's home. */
export const ToolLocation = z.strictObject({ toolId: z.string(), site: Site.optional() })
export type ToolLocation = z.infer<typeof ToolLocation>

export const ToolChoice = ToolLocation.extend({
  planId: z.string(),
  /** Id of the key. Default: the plan's default key. */
  keyId: z.string().optional(),
  modelCode: ModelCode,
  /** Model codes of the other slots. Default: the main model's code. */
  slots: Slots.optional(),
  /** Delivery of the key. Default: the best one that the tool supports. */
  delivery: Delivery.optional(),
  /** Route of requests. Default: the first one that the tool supports. */
  route: Route.optional(),
  /** Consent to drop comments for a tool that needs strict JSON. The commented original is kept as a copy. */
  moveCommentsToCopy: z.boolean().optional(),
  /** Dotted paths of settings that this app must not change, in addition to those excluded before. */
  keep: z.array(z.string()).optional(),
  /** Dotted paths of conflicting settings to remove. Undo restores them. */
  settingsToRemove: z.array(z.string()).optional(),
})
export type ToolChoice = z.infer<typeof ToolChoice>

/** A diff line with masked secrets. `gap` replaces `count` unchanged lines. */
export const DiffLine = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('same'), text: z.string(), oldLine: z.number(), newLine: z.number() }),
  z.strictObject({ kind: z.literal('added'), text: z.string(), newLine: z.number() }),
  z.strictObject({ kind: z.literal('removed'), text: z.string(), oldLine: z.number() }),
  z.strictObject({ kind: z.literal('gap'), count: z.number() }),
])
export type DiffLine = z.infer<typeof DiffLine>

export const FileChange = z.strictObject({
  path: z.string(),
  action: z.enum(['create', 'change', 'delete', 'none']),
  /** Target file if `path` is a symbolic link. The target is written. */
  linkTarget: z.string().optional(),
  /** Whether the file will contain the key (mode 0600). Its text is then hidden. */
  holdsKey: z.boolean(),
  lines: z.array(DiffLine),
})
export type FileChange = z.infer<typeof FileChange>

export const ToolChanges = z.strictObject({
  toolId: z.string(),
  site: Site,
  kind: z.enum(['apply', 'restore', 'rewind']),
  files: z.array(FileChange),
  /** Full request URL of the tool. Omitted for a restore. */
  requestAddress: z.string().optional(),
  base: z.string().optional(),
  /** Whether applying the preview changes the tool's plan or key in the relay, even if no file changes. */
  setsWay: z.boolean().optional(),
  warnings: z.array(ToolWarning),
})
export type ToolChanges = z.infer<typeof ToolChanges>

/** Preview of one tool. `tools.apply` and `tools.restore` apply exactly this preview. */
export const PreviewView = ToolChanges.extend({ previewId: z.string() })
export type PreviewView = z.infer<typeof PreviewView>

/** A change of several tools, applied all or nothing. `left`: tools that cannot be changed, with the reason. */
export const BulkPreview = z.strictObject({
  previewId: z.string(),
  tools: z.array(ToolChanges),
  left: z.array(z.strictObject({ toolId: z.string(), site: Site, failure: Failure })),
})
export type BulkPreview = z.infer<typeof BulkPreview>

/** A setting and its change since this app wrote it. Secrets are masked. A missing value is undefined. */
export const DriftEntry = z.strictObject({
  path: z.string(),
  role: z.enum(['address', 'credential']).optional(),
  file: z.string(),
  /** `written`: by this app. `found`: in the file now. `wanted`: written by the app next time. */
  written: z.string().optional(),
  found: z.string().optional(),
  wanted: z.string().optional(),
  state: z.enum(['same', 'changed', 'outdated']),
})
export type DriftEntry = z.infer<typeof DriftEntry>

export const HistoryEntry = z.strictObject({
  id: z.string(),
  at: z.iso.datetime(),
  /** State of the write. `undone` means interrupted and rolled back at the next start. */
  state: z.enum(['done', 'undone']),
  tools: z.array(
    z.strictObject({
      toolId: z.string(),
      site: Site,
      kind: z.enum(['apply', 'restore', 'rewind', 'letGo']),
      planName: z.string().optional(),
      modelCode: z.string().optional(),
      delivery: Delivery.optional(),
      files: z.array(FileChange.pick({ path: true, action: true })),
    }),
  ),
})
export type HistoryEntry = z.infer<typeof HistoryEntry>

/** `left`: files that others changed since. `waiting`: files whose key is missing, retried at a later start. */
export const Recovery = z.strictObject({
  undone: z.array(z.strictObject({ toolId: z.string(), site: Site, at: z.iso.datetime() })),
  left: z.array(z.string()),
  waiting: z.array(z.string()).optional(),
})
export type Recovery = z.infer<typeof Recovery>

/** Configuration as text to paste on another computer, with a variable name in place of the key. */
export const Snippet = z.strictObject({
  kind: z.enum(['file', 'shell', 'powershell', 'devcontainer', 'ci']),
  path: z.string().optional(),
  language: z.enum(['json', 'yaml', 'toml', 'dotenv', 'shell', 'powershell', 'text']),
  text: z.string(),
})
export type Snippet = z.infer<typeof Snippet>

/** A field of a settings form in a tool. A field without `value` is for the key, which is copied but never shown. */
const GuideField = z.strictObject({ label: z.string(), value: z.string().optional() })

export const GuideView = z.strictObject({
  /** Menu path of the form in the tool. */
  place: z.array(z.string()),
  fields: z.array(GuideField),
  requestAddress: z.string(),
  warnings: z.array(ToolWarning),
})
export type GuideView = z.infer<typeof GuideView>

const GuideChoice = ToolChoice.pick({ toolId: true, planId: true, keyId: true, modelCode: true })

const PreviewId = PreviewView.pick({ previewId: true })

/** Checks of the doctor, in order. `skipped` when a required earlier check failed. */
export const DoctorCheck = z.enum([
  'installed',
  'fileParses',
  'ownedValues',
  'rivals',
  'helperRuns',
  'keyAlive',
  'suffixRight',
  'modelInPlan',
  'realRequest',
])
export type DoctorCheck = z.infer<typeof DoctorCheck>

/** Fix of a finding, offered in the window and the CLI. */
export const DoctorFix = z.enum([
  'applyAgain',
  'undo',
  'openFile',
  'chooseModel',
  'chooseKey',
  'replaceKey',
  'copyLine',
  'install',
  'unlockKeychain',
  'retry',
  'startRelay',
])
export type DoctorFix = z.infer<typeof DoctorFix>

export const Finding = z.strictObject({
  check: DoctorCheck,
  outcome: z.enum(['ok', 'warning', 'failed', 'skipped']),
  /** Affected file, variable, setting, model or address. */
  subject: z.string().optional(),
  failure: Failure.optional(),
  fix: DoctorFix.optional(),
  /** For `copyLine`. */
  text: z.string().optional(),
  /** For `realRequest`: the cost, as counted by the gateway. */
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  durationMs: z.number().optional(),
})
export type Finding = z.infer<typeof Finding>

export const DoctorReport = z.strictObject({
  toolId: z.string(),
  toolName: z.string(),
  site: Site,
  at: z.iso.datetime(),
  /** Worst outcome of the findings. */
  outcome: z.enum(['ok', 'warning', 'failed']),
  findings: z.array(Finding),
})
export type DoctorReport = z.infer<typeof DoctorReport>

/** Profile name, also the argument of `companion use`. */
export const ProfileName = CleanName(limits.nameCharacters)

export const ProfileEntry = z.strictObject({
  toolId: z.string(),
  site: Site,
  planId: z.string(),
  keyId: z.string().optional(),
  modelCode: ModelCode,
  slots: Slots,
  delivery: Delivery,
  /** Route of the tool. Default: gateway. */
  route: Route.optional(),
})
export type ProfileEntry = z.infer<typeof ProfileEntry>

/** A named set of tool setups that are switched together. */
export const ProfileView = z.strictObject({
  id: z.string(),
  name: z.string(),
  entries: z.array(z.strictObject({ ...ProfileEntry.shape, toolName: z.string(), planName: z.string().optional() })),
  /** Whether all tools of the profile are configured as it describes. */
  isActive: z.boolean(),
  /** Plans or keys of the profile that this computer lacks. The user must choose others before using the profile. */
  missing: z.array(z.string()),
})
export type ProfileView = z.infer<typeof ProfileView>

/** A profile file, whose plans must be matched to local ones. */
export const ProfileFile = z.strictObject({
  name: z.string(),
  plans: z.array(
    z.strictObject({
      /** Id of the plan within the file. */
      ref: z.string(),
      name: z.string(),
      gatewayUrl: z.string(),
      models: z.array(z.string()),
      contextTokens: z.number(),
      /** Id of the plan on this computer with the profile's gateway address. */
      matchingPlanId: z.string().optional(),
    }),
  ),
  tools: z.array(
    z.strictObject({ toolId: z.string(), toolName: z.string(), planRef: z.string(), modelCode: z.string() }),
  ),
  /** Differences after an import: unknown tools are skipped, and unsupported key deliveries are replaced by another. */
  notes: z.array(z.strictObject({ toolId: z.string(), what: z.enum(['toolUnknown', 'deliveryUnknown']) })),
})
export type ProfileFile = z.infer<typeof ProfileFile>

export const tools = {
  'tools.list': method(z.array(ToolView)),
  'tools.preview': method(PreviewView, ToolChoice),
  'tools.previewMany': method(BulkPreview, { choices: z.array(ToolChoice).min(1).max(100) }),
  'tools.previewRestore': method(PreviewView, ToolLocation),
  /** Removes everything this app wrote to any tool at any site. */
  'tools.previewRemoveAll': method(BulkPreview),
  'tools.apply': method(ToolView, PreviewId),
  'tools.restore': method(ToolView, PreviewId),
  'tools.applyMany': method(z.array(ToolView), PreviewId),
  'tools.drift': method(z.array(DriftEntry), ToolLocation),
  /** Stops managing a tool and keeps its files. */
  'tools.stopManaging': method(ToolView, ToolLocation),
  /** History of one tool or of all, newest first. */
  'tools.history': method(z.array(HistoryEntry), { toolId: z.string().optional() }),
  /** Restores the files to their state before a write. */
  'tools.previewRewind': method(BulkPreview, { entryId: z.string() }),
  /** Result of rolling back interrupted writes when the app started. Returned only once. */
  'tools.recovery': method(Recovery),
  /** Sends one minimal request in the tool's standard with the address and key from its files. */
  'tools.verify': method(CheckView, ToolLocation),
  'tools.snippets': method(z.array(Snippet), ToolChoice),
  'tools.guide': method(GuideView, GuideChoice),
  /** Tests the values of `tools.guide` with one small real request. */
  'tools.checkGuide': method(CheckView, GuideChoice),
  'tools.showFile': method(EmptyResult, { ...ToolLocation.shape, path: z.string().optional() }),
  /** Whether this desktop has a supported terminal. */
  'tools.terminal': method(z.strictObject({ isThere: z.boolean() })),
  /** Opens a terminal in the project folder or home, after native confirmation. */
  'tools.openTerminal': method(EmptyResult, ToolLocation),
  'tools.chooseProject': method(z.strictObject({ folder: z.string().optional() })),
  /** WSL distributions. Empty on other systems. */
  'tools.distributions': method(z.array(z.string())),

  /** Diagnoses a configured tool with one real request, which costs a few tokens. `callId` allows canceling. */
  'doctor.run': method(DoctorReport, { ...ToolLocation.shape, callId: z.string() }),

  'profiles.list': method(z.array(ProfileView)),
  /** Saves the current setups as a profile. Fails with `profile.nameTaken`. */
  'profiles.saveCurrent': method(ProfileView, { name: ProfileName, toolIds: z.array(z.string()).optional() }),
  'profiles.update': method(ProfileView, {
    id: z.string(),
    name: ProfileName.optional(),
    entries: z.array(ProfileEntry).optional(),
  }),
  'profiles.remove': method(EmptyResult, ItemId),
  /** Restores a profile removed since the app started. */
  'profiles.restore': method(ProfileView, ItemId),
  /** Previews a switch, which `tools.applyMany` carries out. */
  'profiles.previewUse': method(BulkPreview, ItemId),
  /** Exports a profile without secrets. No path if canceled. */
  'profiles.export': method(SelectedFile, ItemId),
  /** Asks for a profile file and parses it without saving. */
  'profiles.readFile': method(z.strictObject({ importId: z.string(), file: ProfileFile }).partial()),
  /** Imports a parsed profile with each of its plans matched to a local one. */
  'profiles.import': method(ProfileView, {
    importId: z.string(),
    name: ProfileName,
    plans: z.record(z.string(), z.string()),
  }),
}
