import { z } from 'zod'
import { Amount, CleanName, EmptyInputSchema, method, SelectedFile } from './common'
import { ModelFacts } from './plans'
import {
  CellAddress,
  ComparisonSetup,
  ComparisonSummary,
  ComparisonView,
  ConversationSummary,
  ConversationView,
  McpServerRef,
  McpToolOffer,
  OutlineItem,
  PlaygroundAnswer,
  PlaygroundAttachment,
  PlaygroundDraft,
  PlaygroundId,
  PlaygroundMessage,
  PlaygroundParameters,
  PlaygroundRun,
  PlaygroundSetup,
  PlaygroundTarget,
  PromptDraft,
  PromptSummary,
  PromptView,
  Rating,
} from './playground-parts'

export * from './playground-parts'

const ModelSource = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('plan'), planId: z.string() }),
  z.strictObject({ kind: z.literal('platform'), connectionId: z.string() }),
  z.strictObject({ kind: z.literal('local'), url: z.string().max(2000) }),
])

const idFields = { id: PlaygroundId }
const MessageRef = z.strictObject({ conversationId: PlaygroundId, messageId: PlaygroundId })
const Ids = z.strictObject({ ids: z.array(PlaygroundId).max(200) })
const DraftKey = z.strictObject({ key: z.string().max(100) })

export const PlaygroundConnection = z.strictObject({
  connectionId: z.string(),
  name: z.string(),
  /** Whether the connection can get IAM tokens. */
  hasIam: z.boolean(),
  /** Masked platform API key that is saved for inference. */
  kept: z.string().optional(),
})
export type PlaygroundConnection = z.infer<typeof PlaygroundConnection>

/** HTTP request and response of a run. Secret headers are masked, and long texts may be truncated. */
export const PlaygroundWire = z.strictObject({
  method: z.string(),
  requestAddress: z.string(),
  requestHeaders: z.array(z.tuple([z.string(), z.string()])),
  requestBody: z.string(),
  status: z.number().int().optional(),
  answerHeaders: z.array(z.tuple([z.string(), z.string()])),
  /** Body of the response, or the raw events of a stream. */
  answerBody: z.string(),
  isEventStream: z.boolean(),
  /** Whether the response body was truncated to its start and end. */
  isShortened: z.boolean(),
})
export type PlaygroundWire = z.infer<typeof PlaygroundWire>

const EmbeddingView = z.strictObject({
  /** First components of the embedding. */
  preview: z.array(z.number()).max(32),
  dimensions: Amount,
  /** Euclidean length of the embedding. */
  norm: z.number(),
})

const SentMessage = z.strictObject({ conversationId: PlaygroundId, userMessageId: PlaygroundId, runId: PlaygroundId })

export const playground = {
  'playground.connections': method(EmptyInputSchema, z.array(PlaygroundConnection)),
  /** Models of a plan, a platform or a local server. Empty without a readable model list. */
  'playground.models': method(ModelSource, z.array(ModelFacts)),
  /** Saves the platform API key for inference and replaces an earlier one. */
  'playground.keepApiKey': method(
    z.strictObject({ connectionId: z.string(), pendingId: z.string() }),
    PlaygroundConnection,
  ),
  'playground.forgetApiKey': method(z.strictObject({ connectionId: z.string() }), PlaygroundConnection),

  /** Pinned first, then newest. `search` covers titles, texts and answers. `after`: the `next` of the previous page. */
  'playground.conversations': method(
    z.strictObject({ search: z.string().max(200).optional(), after: z.string().max(200).optional() }),
    z.strictObject({ items: z.array(ConversationSummary), next: z.string().optional() }),
  ),
  'playground.conversation': method(z.strictObject(idFields), ConversationView),
  'playground.messages': method(
    z.strictObject({ conversationId: PlaygroundId, ids: z.array(PlaygroundId).max(200) }),
    z.array(PlaygroundMessage),
  ),
  /** Switches to the branch of a message, down to its newest leaf. */
  'playground.choose': method(MessageRef, ConversationView),
  /** Deletes one message permanently and stops its run. Its replies become replies to its parent. */
  'playground.removeMessage': method(MessageRef, ConversationView),
  /** Adds a changed copy of an answer as its sibling and shows it. */
  'playground.editAnswer': method(MessageRef.extend({ text: z.string().min(1).max(2_000_000) }), ConversationView),
  /** Copies the messages from the first to this one into a new conversation. */
  'playground.branch': method(MessageRef, MessageRef.pick({ conversationId: true })),
  'playground.outline': method(z.strictObject(idFields), z.array(OutlineItem)),
  /** Searches the branch from its first message to the given one. Ignores case and accents. */
  'playground.find': method(MessageRef.extend({ text: z.string().max(200) }), z.array(PlaygroundId)),
  'playground.setUp': method(z.strictObject({ ...idFields, setup: PlaygroundSetup }), EmptyInputSchema),
  'playground.rename': method(z.strictObject({ ...idFields, title: CleanName(200) }), EmptyInputSchema),
  'playground.pin': method(z.strictObject({ ...idFields, isPinned: z.boolean() }), EmptyInputSchema),
  /** Removes a conversation and stops its runs. Can be undone until the next start. */
  'playground.remove': method(z.strictObject(idFields), EmptyInputSchema),
  'playground.restore': method(z.strictObject(idFields), EmptyInputSchema),
  /** Exports a conversation to a file that the user selects. No `path` if canceled. */
  'playground.export': method(z.strictObject({ ...idFields, format: z.enum(['markdown', 'json']) }), SelectedFile),
  /** Imports JSON exports chosen by the user. Never replaces existing conversations. */
  'playground.import': method(EmptyInputSchema, z.strictObject({ conversationIds: z.array(PlaygroundId) })),

  /**
   * Sends a message after `parentId`, in a new conversation when none is given. A `parentId` that already has a reply
   * starts a new branch. Fails before saving anything when the setup cannot be sent.
   */
  'playground.send': method(
    z.strictObject({
      conversationId: PlaygroundId.optional(),
      parentId: PlaygroundId.optional(),
      message: PlaygroundDraft,
      setup: PlaygroundSetup.required({ target: true }),
    }),
    SentMessage,
  ),
  /** Regenerates an answer and keeps the earlier one as a sibling. */
  'playground.regenerate': method(
    z.strictObject({
      conversationId: PlaygroundId,
      userMessageId: PlaygroundId,
      setup: PlaygroundSetup.required({ target: true }),
    }),
    SentMessage,
  ),
  /**
   * Lists the tools of an MCP server. The user confirms the start or connection in a native dialog. Fails with
   * `input.declined`, `input.invalid` or `playground.mcpServer`. `calls.cancel` cancels it by `callId`.
   */
  'playground.mcpTools': method(
    z.strictObject({ callId: z.string().max(64), server: McpServerRef }),
    z.array(McpToolOffer).max(128),
  ),
  /** Calls a tool of an MCP server. The user confirms each call in a native dialog. Fails like `mcpTools`. */
  'playground.callMcpTool': method(
    z.strictObject({
      callId: z.string().max(64),
      server: McpServerRef,
      tool: McpToolOffer.shape.name,
      /** JSON object of arguments. */
      input: z.string().max(1_000_000),
    }),
    z.strictObject({ isError: z.boolean(), text: z.string().max(1_000_000) }),
  ),
  'playground.draft': method(DraftKey, PlaygroundDraft),
  'playground.saveDraft': method(DraftKey.extend({ draft: PlaygroundDraft }), EmptyInputSchema),

  /** Accepts images (PNG, JPEG, GIF, WebP, 5 MB) and text files (1 MB) by content. Fails with `input.invalid`. */
  'playground.attach': method(
    z.strictObject({ name: z.string().max(255), mediaType: z.string().max(100), base64: z.string().max(7_500_000) }),
    PlaygroundAttachment,
  ),
  'playground.attachments': method(Ids, z.array(PlaygroundAttachment)),
  /** Preview content: base64 of an image, or text. */
  'playground.attachmentContent': method(z.strictObject(idFields), z.strictObject({ content: z.string() })),

  /** Returns runs with their answers, which may be partial. Omits unknown ids. */
  'playground.runs': method(Ids, z.array(z.strictObject({ run: PlaygroundRun, answer: PlaygroundAnswer }))),
  'playground.stop': method(z.strictObject({ runIds: z.array(PlaygroundId).max(2000) }), EmptyInputSchema),
  'playground.inspect': method(z.strictObject({ runId: PlaygroundId }), PlaygroundWire),
  /** Returns source code that sends the run's request, with a variable in place of the key. */
  'playground.code': method(
    z.strictObject({ runId: PlaygroundId, language: z.enum(['curl', 'python', 'typescript']) }),
    z.strictObject({ code: z.string() }),
  ),

  'playground.comparisons': method(EmptyInputSchema, z.array(ComparisonSummary)),
  'playground.comparison': method(z.strictObject(idFields), ComparisonView),
  /** Creates or updates a comparison. Restoring a removed column or case restores its runs until the next start. */
  'playground.saveComparison': method(z.strictObject({ ...idFields, setup: ComparisonSetup }), ComparisonView),
  'playground.pinComparison': method(z.strictObject({ ...idFields, isPinned: z.boolean() }), EmptyInputSchema),
  'playground.removeComparison': method(z.strictObject(idFields), EmptyInputSchema),
  'playground.restoreComparison': method(z.strictObject(idFields), EmptyInputSchema),
  /** Runs the named or all cells, at most 4 at a time per target. Fails before starting if one cannot be sent. */
  'playground.runComparison': method(
    z.strictObject({ ...idFields, cells: z.array(CellAddress).max(1600).optional() }),
    ComparisonView,
  ),
  /** Rates the answer of a run, or removes its rating. */
  'playground.rateAnswer': method(
    z.strictObject({ ...idFields, runId: PlaygroundId, rating: Rating.optional() }),
    ComparisonView,
  ),
  /** Asks for a file. Writes a table of cases by columns with answers and metrics. */
  'playground.exportComparison': method(z.strictObject({ ...idFields, format: z.enum(['csv', 'json']) }), SelectedFile),
  /** Imports JSON exports chosen by the user, with answers and ratings. Never replaces existing comparisons. */
  'playground.importComparisons': method(EmptyInputSchema, z.strictObject({ comparisonIds: z.array(PlaygroundId) })),

  'playground.prompts': method(EmptyInputSchema, z.array(PromptSummary)),
  'playground.prompt': method(z.strictObject(idFields), PromptView),
  'playground.savePrompt': method(PromptDraft, PromptView),
  'playground.removePrompt': method(z.strictObject(idFields), EmptyInputSchema),
  'playground.restorePrompt': method(z.strictObject(idFields), EmptyInputSchema),
  'playground.exportPrompts': method(z.strictObject({ ids: z.array(PlaygroundId).max(1000) }), SelectedFile),
  'playground.importPrompts': method(EmptyInputSchema, z.strictObject({ promptIds: z.array(PlaygroundId) })),

  /** Streams a text completion by `playground.progress`. Platform inference and local addresses only. */
  'playground.complete': method(
    z.strictObject({
      target: PlaygroundTarget,
      prompt: z.string().min(1).max(2_000_000),
      parameters: PlaygroundParameters,
    }),
    PlaygroundRun,
  ),
  /** Embeds several inputs and returns their cosine similarity matrix. Platform inference and local addresses only. */
  'playground.embed': method(
    z.strictObject({
      callId: z.string().max(64),
      target: PlaygroundTarget,
      inputs: z.array(z.string().min(1).max(200_000)).min(1).max(50),
    }),
    z.strictObject({
      run: PlaygroundRun,
      embeddings: z.array(EmbeddingView),
      similarity: z.array(z.array(z.number())),
    }),
  ),
}
