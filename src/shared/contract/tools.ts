import { z } from 'zod'
import { Failure } from '../failure'
import { CheckView, ModelCode, Nothing, Standard } from './common'
import { method } from './define'

/** How a tool gets the key: a command it runs, a 0600 file its settings point at, or in plain text in its settings. */
export const Delivery = z.enum(['helper', 'file', 'plain'])
export type Delivery = z.infer<typeof Delivery>

/** `absent`: nothing of ours in its files; `configured`: all as written; `drifted`: something changed since; `unreadable`: see `problem`. */
export const ToolStatus = z.enum(['absent', 'configured', 'drifted', 'unreadable'])
export type ToolStatus = z.infer<typeof ToolStatus>

export const ToolView = z.strictObject({
  id: z.string(),
  name: z.string(),
  standard: Standard,
  installed: z.boolean(),
  version: z.string().optional(),
  executable: z.string().optional(),
  supported: z.boolean(),
  reason: z.string().optional(),
  status: ToolStatus,
  /** Why its files cannot be read or would not be loaded by the tool. */
  problem: Failure.optional(),
  /** Settings that no longer are as written (dotted paths; values are never shown). */
  drift: z.array(z.string()),
  file: z.string(),
  deliveries: z.array(Delivery),
  /** True when a running instance must be restarted to see a change. */
  needsRestart: z.boolean(),
  applied: z
    .strictObject({
      planId: z.string(),
      planName: z.string().optional(),
      modelCode: z.string(),
      smallModelCode: z.string(),
      delivery: Delivery,
      requestAddress: z.string(),
      at: z.iso.datetime(),
    })
    .optional(),
})
export type ToolView = z.infer<typeof ToolView>

/** What to configure a tool with. */
export const ToolChoice = z.strictObject({
  toolId: z.string(),
  planId: z.string(),
  modelCode: ModelCode,
  smallModelCode: ModelCode.optional(),
  delivery: Delivery.optional(),
  /** Consent, for a tool that needs strict JSON, to write it without comments; the commented original stays beside it. */
  moveCommentsToCopy: z.boolean().optional(),
})
export type ToolChoice = z.infer<typeof ToolChoice>

/** One line of a diff, secrets masked. `gap` stands for `count` unchanged lines. */
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
  /** Set when `path` is a symbolic link: the file it leads to, which is the one that is written. */
  linkTarget: z.string().optional(),
  /** True for a file that will hold the key itself (mode 0600); its text is not shown. */
  holdsKey: z.boolean(),
  lines: z.array(DiffLine),
})
export type FileChange = z.infer<typeof FileChange>

/** Something to know before writing; words are chosen by code, `subject` names the thing (a variable, a setting). */
export const ToolWarning = z.strictObject({
  code: z.enum([
    'plainText',
    'keyFile',
    'commentsMoved',
    'otherProviderSwitch',
    'overridesExisting',
    'modelSetting',
    'shellVariable',
    'sessionVault',
    'restartNeeded',
    'fileChangedSince',
  ]),
  subject: z.string().optional(),
})
export type ToolWarning = z.infer<typeof ToolWarning>

/** What will be written, exactly; `tools.apply` and `tools.restore` carry out this preview and no other. */
export const PreviewView = z.strictObject({
  previewId: z.string(),
  toolId: z.string(),
  kind: z.enum(['apply', 'restore']),
  files: z.array(FileChange),
  /** The full address that the tool will call. Absent for a restore. */
  requestAddress: z.string().optional(),
  base: z.string().optional(),
  warnings: z.array(ToolWarning),
})
export type PreviewView = z.infer<typeof PreviewView>

export const tools = {
  'tools.list': method(Nothing, z.array(ToolView)),
  'tools.preview': method(ToolChoice, PreviewView),
  'tools.previewRestore': method(z.strictObject({ toolId: z.string() }), PreviewView),
  'tools.apply': method(z.strictObject({ previewId: z.string() }), ToolView),
  'tools.restore': method(z.strictObject({ previewId: z.string() }), ToolView),
  /** One real small request in the tool's own standard, with the address and key that its files give it now. */
  'tools.verify': method(z.strictObject({ toolId: z.string() }), CheckView),
  'tools.showFile': method(z.strictObject({ toolId: z.string() }), Nothing),
}
