import { z } from 'zod'
import { CheckView, ModelCode, Nothing } from './common'
import { method } from './define'
import { DriftEntry, HistoryEntry, ManyPreview, PreviewView, Recovery } from './tool-changes'
import { Site, ToolAt, ToolChoice, ToolView, ToolWarning } from './tool-setups'

export * from './tool-changes'
export * from './tool-setups'

/** The same configuration as text to paste elsewhere; never holds a key, but the name of a variable for it. */
export const Snippet = z.strictObject({
  kind: z.enum(['file', 'shell', 'powershell', 'devcontainer', 'ci']),
  /** Where the text belongs, when it is a file. */
  path: z.string().optional(),
  language: z.enum(['json', 'yaml', 'toml', 'dotenv', 'shell', 'powershell', 'text']),
  text: z.string(),
})
export type Snippet = z.infer<typeof Snippet>

/** One field of a tool's own form. Without `value` it is the key, which is copied and never shown. */
const GuideField = z.strictObject({ label: z.string(), value: z.string().optional() })

/** How a person sets up a guided tool. */
export const GuideView = z.strictObject({
  /** Where the form is, as the tool's own menu says it. */
  place: z.array(z.string()),
  fields: z.array(GuideField),
  requestAddress: z.string(),
  warnings: z.array(ToolWarning),
})
export type GuideView = z.infer<typeof GuideView>

const GuideChoice = z.strictObject({
  toolId: z.string(),
  planId: z.string(),
  keyId: z.string().optional(),
  modelCode: ModelCode,
})

export const tools = {
  'tools.list': method(Nothing, z.array(ToolView)),
  'tools.preview': method(ToolChoice, PreviewView),
  'tools.previewMany': method(z.strictObject({ choices: z.array(ToolChoice).min(1).max(100) }), ManyPreview),
  'tools.previewRestore': method(ToolAt, PreviewView),
  /** Everything this app ever wrote to a tool, at every site, taken back. */
  'tools.previewRemoveAll': method(Nothing, ManyPreview),
  'tools.apply': method(z.strictObject({ previewId: z.string() }), ToolView),
  'tools.restore': method(z.strictObject({ previewId: z.string() }), ToolView),
  'tools.applyMany': method(z.strictObject({ previewId: z.string() }), z.array(ToolView)),
  'tools.drift': method(ToolAt, z.array(DriftEntry)),
  /** Leaves the files as they are and forgets that we wrote them. */
  'tools.letGo': method(ToolAt, ToolView),
  /** Newest first; of one tool, or of all. */
  'tools.history': method(z.strictObject({ toolId: z.string().optional() }), z.array(HistoryEntry)),
  /** Puts the files of a write back as they were right before it. */
  'tools.previewRewind': method(z.strictObject({ entryId: z.string() }), ManyPreview),
  /** What the start of this app took back; told once. */
  'tools.recovery': method(Nothing, Recovery),
  /** One real small request in the tool's own standard, with the address and key that its files give it now. */
  'tools.verify': method(ToolAt, CheckView),
  'tools.snippets': method(ToolChoice, z.array(Snippet)),
  'tools.guide': method(GuideChoice, GuideView),
  /** One real small request with the values of the guide. */
  'tools.checkGuide': method(GuideChoice, CheckView),
  'tools.showFile': method(
    z.strictObject({ toolId: z.string(), site: Site.optional(), path: z.string().optional() }),
    Nothing,
  ),
  /** Asks for a project's folder; nothing when the person cancelled. */
  /** Whether this desktop has a terminal that can be opened. */
  'tools.terminal': method(Nothing, z.strictObject({ isThere: z.boolean() })),
  /** Opens a terminal where a tool is set up (its project's folder, or the home), after a question of the system. */
  'tools.openTerminal': method(ToolAt, Nothing),
  'tools.chooseProject': method(Nothing, z.strictObject({ folder: z.string().optional() })),
  /** The distributions of the Windows Subsystem for Linux; empty elsewhere. */
  'tools.distributions': method(Nothing, z.array(z.string())),
}
