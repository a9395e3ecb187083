import { z } from 'zod'
import { Failure } from '../failure'
import { Delivery, Site, ToolWarning } from './tool-setups'

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

/** What will be written for one tool, exactly. */
export const ToolChanges = z.strictObject({
  toolId: z.string(),
  site: Site,
  kind: z.enum(['apply', 'restore', 'rewind']),
  files: z.array(FileChange),
  /** The full address that the tool will call. Absent for a restore. */
  requestAddress: z.string().optional(),
  base: z.string().optional(),
  /** True when carrying it out changes which plan or key the relay uses for the tool; its files may stay as they are. */
  setsWay: z.boolean().optional(),
  warnings: z.array(ToolWarning),
})
export type ToolChanges = z.infer<typeof ToolChanges>

/** One tool's changes; `tools.apply` and `tools.restore` carry out this preview and no other. */
export const PreviewView = z.strictObject({ previewId: z.string(), ...ToolChanges.shape })
export type PreviewView = z.infer<typeof PreviewView>

/** The changes of several tools, carried out together or not at all; `left` are those that cannot be changed, and why. */
export const ManyPreview = z.strictObject({
  previewId: z.string(),
  tools: z.array(ToolChanges),
  left: z.array(z.strictObject({ toolId: z.string(), site: Site, failure: Failure })),
})
export type ManyPreview = z.infer<typeof ManyPreview>

/** One setting that is ours and how it stands: values as they may be shown, secrets masked; absent: not there. */
export const DriftEntry = z.strictObject({
  path: z.string(),
  role: z.enum(['address', 'credential']).optional(),
  file: z.string(),
  /** What we wrote, what stands there now, and what the plan asks for now. */
  written: z.string().optional(),
  found: z.string().optional(),
  wanted: z.string().optional(),
  state: z.enum(['same', 'changed', 'outdated']),
})
export type DriftEntry = z.infer<typeof DriftEntry>

/** One write that this app made: to one tool or to several together. */
export const HistoryEntry = z.strictObject({
  id: z.string(),
  at: z.iso.datetime(),
  /** `undone`: it was cut off and taken back at the next start. */
  state: z.enum(['done', 'undone']),
  tools: z.array(
    z.strictObject({
      toolId: z.string(),
      site: Site,
      kind: z.enum(['apply', 'restore', 'rewind', 'letGo']),
      planName: z.string().optional(),
      modelCode: z.string().optional(),
      delivery: Delivery.optional(),
      files: z.array(z.strictObject({ path: z.string(), action: z.enum(['create', 'change', 'delete', 'none']) })),
    }),
  ),
})
export type HistoryEntry = z.infer<typeof HistoryEntry>

/**
 * A write that was cut off (the app or the machine was killed) and taken back; `left`: files somebody changed since; `waiting`: files that
 * had a key in them which the keychain does not give now, to be taken back at a later start.
 */
export const Recovery = z.strictObject({
  undone: z.array(z.strictObject({ toolId: z.string(), site: Site, at: z.iso.datetime() })),
  left: z.array(z.string()),
  waiting: z.array(z.string()).optional(),
})
export type Recovery = z.infer<typeof Recovery>
