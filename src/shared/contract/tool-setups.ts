import { z } from 'zod'
import { Failure } from '../failure'
import { ModelCode, Standard } from './common'

/**
 * How a tool gets the key, best first: a command it runs; a 0600 file its settings point at; the tool's own 0600 file of
 * variables; a variable of the shell it is started from; typed by the person into the tool's own window; in plain text in its settings.
 */
export const Delivery = z.enum(['helper', 'file', 'envFile', 'env', 'inTool', 'plain'])
export type Delivery = z.infer<typeof Delivery>

/** Where a tool is pointed: at the plan's gateway, or at the relay of this machine, which adds the key and counts. */
export const Route = z.enum(['gateway', 'relay'])
export type Route = z.infer<typeof Route>

/**
 * `absent`: nothing of ours, and no other gateway either; `configured`: all as written; `drifted`: something changed since;
 * `otherwise`: somebody else set it up for a gateway; `unreadable`: see `problem`.
 */
export const ToolStatus = z.enum(['absent', 'configured', 'drifted', 'otherwise', 'unreadable'])
export type ToolStatus = z.infer<typeof ToolStatus>

/** Where settings of a tool are: this user's home, one project's folder, or the home in a Linux distribution on Windows. */
export const Site = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('user') }),
  z.strictObject({ kind: z.literal('project'), folder: z.string().min(1) }),
  z.strictObject({ kind: z.literal('wsl'), distribution: z.string().min(1) }),
])
export type Site = z.infer<typeof Site>
export type SiteKind = Site['kind']

/** How a tool is installed: a command to type, or a page to open in a browser. */
export type InstallHint = { readonly command: string } | { readonly url: string }

/** Model codes by slot, for every slot of a tool but the main one. */
export const Slots = z.record(z.string(), ModelCode)
export type Slots = z.infer<typeof Slots>

/**
 * Something to know about a tool's configuration; words are chosen by code, `subject` names the thing (a variable, a setting), `path` the
 * file. `origin` says where a thing that wins over ours was found.
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
    'restartNeeded',
    'fileChangedSince',
    'fileReplaced',
    'notTried',
    'remoteMaker',
    'relayNeeded',
  ]),
  subject: z.string().optional(),
  path: z.string().optional(),
  origin: z.enum(['app', 'loginShell', 'project', 'managed', 'user', 'settings']).optional(),
  /** What a button can do about it: copy `text` (a shell line), open `path`, or preview again with `subject` taken out. */
  fix: z.enum(['copyLine', 'openFile', 'takeOut']).optional(),
  text: z.string().optional(),
})
export type ToolWarning = z.infer<typeof ToolWarning>

/** One settings file of a tool. */
const ToolFile = z.strictObject({ path: z.string(), exists: z.boolean() })
export type ToolFile = z.infer<typeof ToolFile>

const Applied = z.strictObject({
  planId: z.string(),
  planName: z.string().optional(),
  keyId: z.string().optional(),
  /** Absent when the key is not kept here any more. */
  keyName: z.string().optional(),
  modelCode: z.string(),
  slots: Slots,
  delivery: Delivery,
  route: Route,
  requestAddress: z.string(),
  at: z.iso.datetime(),
})

const setup = {
  status: ToolStatus,
  /** Why its files cannot be read or would not be loaded by the tool. */
  problem: Failure.optional(),
  /** Settings that no longer are as written (dotted paths; values are never shown). */
  drift: z.array(z.string()),
  /** The settings file that holds the address. */
  file: z.string(),
  files: z.array(ToolFile),
  applied: Applied.optional(),
  /** What keeps the tool from what it was given, in its own files or in those that go before them; absent: nothing. */
  conflicts: z.array(ToolWarning).optional(),
  /** True when it is pointed at the relay and the relay does not run: its requests fail until one of both changes. */
  relayOff: z.boolean().optional(),
  /** With `otherwise`: where it is pointed now. */
  found: z.strictObject({ base: z.string().optional(), modelCode: z.string().optional() }).optional(),
}

/** How a tool stands at one site. */
export const SetupView = z.strictObject({ site: Site, ...setup })
export type SetupView = z.infer<typeof SetupView>

/** One coding tool and how it stands in this user's home; `setups` are those at other sites. */
export const ToolView = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** `written`: this app writes its files; `guided`: a person pastes values into it; `unsupported`: see `reason`. */
  kind: z.enum(['written', 'guided', 'unsupported']),
  reason: z.enum(['platform']).optional(),
  standard: Standard,
  installed: z.boolean(),
  version: z.string().optional(),
  executable: z.string().optional(),
  /** How it is started, as a person types it; absent for one that has a window only. */
  start: z.string().optional(),
  install: z.union([z.strictObject({ command: z.string() }), z.strictObject({ url: z.string() })]).optional(),
  /** The version of the tool that this was seen to work with; absent: only read about, not yet tried by us. */
  triedVersion: z.string().optional(),
  deliveries: z.array(Delivery),
  /** The ways it can be pointed, the usual one first. */
  routes: z.array(Route),
  slots: z.array(z.strictObject({ id: z.string(), isSmall: z.boolean() })),
  /** Sites whose settings it reads. */
  sites: z.array(z.enum(['user', 'project', 'wsl'])),
  /** True when a running instance must be restarted to see a change. */
  needsRestart: z.boolean(),
  ...setup,
  setups: z.array(SetupView),
})
export type ToolView = z.infer<typeof ToolView>

/** A tool at a site; this user's home when none is named. */
export const ToolAt = z.strictObject({ toolId: z.string(), site: Site.optional() })
export type ToolAt = z.infer<typeof ToolAt>

/** What to configure a tool with. */
export const ToolChoice = z.strictObject({
  toolId: z.string(),
  site: Site.optional(),
  planId: z.string(),
  /** The plan's default when left out. */
  keyId: z.string().optional(),
  modelCode: ModelCode,
  /** Slots left out take the model's own code. */
  slots: Slots.optional(),
  /** The tool's best one when left out. */
  delivery: Delivery.optional(),
  /** The tool's usual one when left out. */
  route: Route.optional(),
  /** Consent, for a tool that needs strict JSON, to write it without comments; the commented original stays beside it. */
  moveCommentsToCopy: z.boolean().optional(),
  /** Dotted paths of settings to leave as they are, though they would be ours, beside those kept before; left out: none. */
  keep: z.array(z.string()).optional(),
  /** Dotted paths of settings in the way, to take out; undoing brings them back. */
  takeOut: z.array(z.string()).optional(),
})
export type ToolChoice = z.infer<typeof ToolChoice>
