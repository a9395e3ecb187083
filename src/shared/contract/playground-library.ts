import { z } from 'zod'
import { CleanName } from './common'
import {
  PlaygroundAnswer,
  PlaygroundId,
  PlaygroundParameters,
  PlaygroundRun,
  PlaygroundSetup,
  PlaygroundTarget,
} from './playground-parts'

const amount = z.number().int().nonnegative()
const Title = CleanName(200)
const Text = z.string().max(2_000_000)

/** A conversation in the list; with a search, what was found in it, the match between `matchStart` and `matchEnd` of `snippet`. */
export const ConversationSummary = z.strictObject({
  id: PlaygroundId,
  title: z.string(),
  isPinned: z.boolean(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  messages: amount,
  /** The model that answered last. */
  modelCode: z.string().optional(),
  found: z
    .strictObject({ messageId: PlaygroundId.optional(), snippet: z.string(), matchStart: amount, matchEnd: amount })
    .optional(),
})
export type ConversationSummary = z.infer<typeof ConversationSummary>

/** One message of the tree. A user's has `text` and attachments, an assistant's the answer and its run. */
export const PlaygroundMessage = z.strictObject({
  id: PlaygroundId,
  parentId: PlaygroundId.optional(),
  role: z.enum(['user', 'assistant']),
  createdAt: z.iso.datetime(),
  text: z.string(),
  /** Ids; `playground.attachments` tells of them. */
  attachments: z.array(PlaygroundId),
  answer: PlaygroundAnswer.omit({ text: true }).optional(),
  run: PlaygroundRun.optional(),
})
export type PlaygroundMessage = z.infer<typeof PlaygroundMessage>

/** A place of the shown branch: the message that is shown, and all that stand beside it (edited or regenerated), oldest first. */
export const BranchStep = z.strictObject({
  id: PlaygroundId,
  role: z.enum(['user', 'assistant']),
  siblings: z.array(PlaygroundId),
})
export type BranchStep = z.infer<typeof BranchStep>

/** A conversation as it is opened: the shown branch from the first message to the last, bodies asked for apart. */
export const ConversationView = z.strictObject({
  ...ConversationSummary.omit({ found: true }).shape,
  setup: PlaygroundSetup,
  branch: z.array(BranchStep),
})
export type ConversationView = z.infer<typeof ConversationView>

/** What a person has typed and not sent; survives a crash. */
export const PlaygroundDraft = z.strictObject({
  text: Text,
  attachments: z.array(PlaygroundId).max(20),
})
export type PlaygroundDraft = z.infer<typeof PlaygroundDraft>

/** One column of a comparison: what answers, and how. With `prompt` it has its own instead of the shared one. */
export const ComparisonColumn = z.strictObject({
  id: PlaygroundId,
  name: z.string().max(100),
  ...PlaygroundSetup.shape,
  prompt: Text.optional(),
  /** What the person thinks of its answers, 1 to 5. */
  rating: z.number().int().min(1).max(5).optional(),
})
export type ComparisonColumn = z.infer<typeof ComparisonColumn>

/** What is compared: columns by cases. `{{name}}` in prompts and system texts is filled from the case's row; without cases there is one. */
export const ComparisonSetup = z.strictObject({
  title: Title,
  prompt: Text,
  columns: z.array(ComparisonColumn).min(1).max(8),
  variables: z.array(z.string().trim().min(1).max(60)).max(20),
  cases: z.array(z.strictObject({ id: PlaygroundId, values: z.array(z.string().max(100_000)).max(20) })).max(200),
  /** The column that the person prefers. */
  winner: PlaygroundId.optional(),
})
export type ComparisonSetup = z.infer<typeof ComparisonSetup>

/** The newest run of a column with a case; the answer is asked for apart. `isStale`: column, prompt or case changed since. */
export const ComparisonCell = z.strictObject({
  columnId: PlaygroundId,
  /** Absent where there are no cases. */
  caseId: PlaygroundId.optional(),
  run: PlaygroundRun,
  isStale: z.boolean(),
})
export type ComparisonCell = z.infer<typeof ComparisonCell>

export const ComparisonSummary = z.strictObject({
  id: PlaygroundId,
  title: z.string(),
  isPinned: z.boolean(),
  updatedAt: z.iso.datetime(),
  columns: amount,
  cases: amount,
})
export type ComparisonSummary = z.infer<typeof ComparisonSummary>

export const ComparisonView = z.strictObject({
  id: PlaygroundId,
  isPinned: z.boolean(),
  updatedAt: z.iso.datetime(),
  setup: ComparisonSetup,
  cells: z.array(ComparisonCell),
})
export type ComparisonView = z.infer<typeof ComparisonView>

/** A text of the prompts library at one time. `variables` are the `{{names}}` in it. */
export const PromptVersion = z.strictObject({
  number: z.number().int().positive(),
  createdAt: z.iso.datetime(),
  text: Text,
  system: z.string().max(200_000),
  target: PlaygroundTarget.optional(),
  parameters: PlaygroundParameters,
  variables: z.array(z.string()),
})
export type PromptVersion = z.infer<typeof PromptVersion>

export const PromptSummary = z.strictObject({
  id: PlaygroundId,
  name: z.string(),
  tags: z.array(z.string()),
  updatedAt: z.iso.datetime(),
  versions: z.number().int().positive(),
  /** The beginning of the newest text. */
  preview: z.string(),
})
export type PromptSummary = z.infer<typeof PromptSummary>

/** The newest version first. */
export const PromptView = z.strictObject({
  ...PromptSummary.omit({ versions: true, preview: true }).shape,
  versions: z.array(PromptVersion).min(1),
})
export type PromptView = z.infer<typeof PromptView>

/** What is saved: a changed text, system, target or parameter makes a new version, another name or tags do not. */
export const PromptDraft = z.strictObject({
  id: PlaygroundId.optional(),
  name: Title,
  tags: z.array(CleanName(40)).max(20),
  ...PromptVersion.omit({ number: true, createdAt: true, variables: true }).shape,
})
export type PromptDraft = z.infer<typeof PromptDraft>
