import { z } from 'zod'
import { Failure } from '../failure'
import { Amount, ApiStandard, CleanName, EmptyResult, ModelCode, method, SelectedFile } from './common'
import { ModelFacts } from './plans'

/** Playground id, chosen by the creator. */
export const PlaygroundId = z.string().regex(/^[\w-]{1,64}$/)

/**
 * A plan's gateway uses a subscription key. Platform inference uses an IAM token or a saved platform API key, never a
 * subscription key. A local address has no key.
 */
export const PlaygroundTarget = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('plan'),
    planId: z.string(),
    /** Id of the key. Default: the plan's default key. */
    keyId: z.string().optional(),
    standard: ApiStandard,
    modelCode: ModelCode,
  }),
  z.strictObject({
    kind: z.literal('platform'),
    connectionId: z.string(),
    credential: z.enum(['iam', 'apiKey']),
    modelCode: ModelCode,
  }),
  z.strictObject({
    kind: z.literal('local'),
    url: z.string().min(1).max(2000),
    standard: ApiStandard,
    modelCode: ModelCode,
  }),
])
export type PlaygroundTarget = z.infer<typeof PlaygroundTarget>

/** Model parameters. Omitted ones are not sent, except max_tokens for Messages (default 4096). */
export const PlaygroundParameters = z.strictObject({
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().min(0).max(1).optional(),
  topK: z.number().int().min(1).max(1000).optional(),
  maxTokens: z.number().int().min(1).max(10_000_000).optional(),
  stop: z.array(z.string().min(1).max(200)).max(8).optional(),
  seed: z.number().int().optional(),
  presencePenalty: z.number().min(-2).max(2).optional(),
  frequencyPenalty: z.number().min(-2).max(2).optional(),
  /** Reasoning effort. */
  effort: z.enum(['low', 'medium', 'high']).optional(),
  jsonMode: z.boolean().optional(),
  /** JSON schema of the answer. Takes precedence over `jsonMode`. */
  schema: z.string().max(200_000).optional(),
  /** JSON array of tool definitions in the format of the request's API (chat-completions or Messages). */
  tools: z.string().max(200_000).optional(),
  /** JSON object merged into the request body. Overrides the other parameters. */
  extra: z.string().max(200_000).optional(),
})
export type PlaygroundParameters = z.infer<typeof PlaygroundParameters>

/** An MCP server in the settings of a coding tool. */
export const McpServerRef = z.strictObject({ toolId: z.string().max(100), name: z.string().min(1).max(200) })
export type McpServerRef = z.infer<typeof McpServerRef>

const McpToolName = z.string().min(1).max(200)

/** A tool of an MCP server. `schema`: JSON schema of its input, as text. */
export const McpToolOffer = z.strictObject({
  name: McpToolName,
  description: z.string().max(10_000),
  schema: z.string().max(100_000),
})
export type McpToolOffer = z.infer<typeof McpToolOffer>

/** MCP tool of a definition in the parameter `tools`. `name` is its name in the definition. */
export const PlaygroundMcpTool = z.strictObject({
  name: z.string().min(1).max(64),
  server: McpServerRef,
  tool: McpToolName,
})
export type PlaygroundMcpTool = z.infer<typeof PlaygroundMcpTool>

/** Request settings without messages. */
export const PlaygroundSetup = z.strictObject({
  target: PlaygroundTarget.optional(),
  system: z.string().max(200_000),
  parameters: PlaygroundParameters,
  mcpTools: z.array(PlaygroundMcpTool).max(128).optional(),
})
export type PlaygroundSetup = z.infer<typeof PlaygroundSetup>

/** A message attachment. `tokens` is counted for text (o200k) and omitted for images. */
export const PlaygroundAttachment = z.strictObject({
  id: PlaygroundId,
  kind: z.enum(['image', 'text']),
  name: z.string().max(255),
  mediaType: z.string().max(100),
  bytes: Amount,
  tokens: Amount.optional(),
})
export type PlaygroundAttachment = z.infer<typeof PlaygroundAttachment>

/** A tool call of the model. `input` is the raw JSON, `at` the length of the answer's text before the call. */
export const PlaygroundToolCall = z.strictObject({
  id: z.string(),
  name: z.string(),
  input: z.string(),
  at: Amount.optional(),
})
export type PlaygroundToolCall = z.infer<typeof PlaygroundToolCall>

/** Result of a tool call, entered by the user. */
export const PlaygroundToolResult = z.strictObject({ callId: z.string().max(500), text: z.string().max(1_000_000) })
export type PlaygroundToolResult = z.infer<typeof PlaygroundToolResult>

const toolResults = z.array(PlaygroundToolResult).max(128).optional()

/** `stopped` by the user, `cut` by a lost connection or quitting (both keep the text). `failed`: rejected or empty. */
const PlaygroundRunState = z.enum(['waiting', 'running', 'done', 'stopped', 'cut', 'failed'])

/** Times in ms. Token counts as reported by the server, absent if unknown. */
export const PlaygroundRun = z.strictObject({
  id: PlaygroundId,
  kind: z.enum(['chat', 'completion', 'embeddings']),
  target: PlaygroundTarget,
  state: PlaygroundRunState,
  startedAt: z.iso.datetime(),
  requestAddress: z.string(),
  isStream: z.boolean(),
  status: z.number().int().optional(),
  firstTokenMs: z.number().nonnegative().optional(),
  durationMs: z.number().nonnegative().optional(),
  /** Output tokens divided by the time from first to last token. Omitted if unknown. */
  tokensPerSecond: z.number().nonnegative().optional(),
  inputTokens: Amount.optional(),
  outputTokens: Amount.optional(),
  cacheReadTokens: Amount.optional(),
  cacheWriteTokens: Amount.optional(),
  /** Reasoning tokens, which the output tokens include. */
  reasoningTokens: Amount.optional(),
  /** Whether the app estimated the tokens of an interrupted answer. */
  isEstimated: z.boolean().optional(),
  /** Validation of an answer in JSON mode or with a schema. An invalid answer without `violation` is not JSON. */
  json: z.strictObject({ isValid: z.boolean(), violation: z.string().optional() }).optional(),
  /** Remaining fraction of the model's token quota, 0 to 1. Absent if the quota is unknown. */
  allowanceShare: z.number().nonnegative().optional(),
  requestId: z.string().optional(),
  /** Raw finish reason of the model (`stop`, `length`, `end_turn`, `tool_use`, …). */
  finishReason: z.string().optional(),
  failure: Failure.optional(),
  /** Other models of the plan to use instead. Set when the model's quota is used up. */
  otherModels: z.array(z.string()).optional(),
})
export type PlaygroundRun = z.infer<typeof PlaygroundRun>

/** Untrusted model output, shown as Markdown without HTML. */
export const PlaygroundAnswer = z.strictObject({
  text: z.string(),
  /** Reasoning text, if the standard provides it. */
  thinking: z.string().optional(),
  toolCalls: z.array(PlaygroundToolCall).optional(),
  /** Whether the answer is a copy that the user changed. Its run describes the original. */
  isEdited: z.boolean().optional(),
})
export type PlaygroundAnswer = z.infer<typeof PlaygroundAnswer>

/** `text`: new text since the last event, `at` the text length before it. `run`: only when it has changed. */
export const PlaygroundProgress = z.strictObject({
  runId: PlaygroundId,
  text: z.strictObject({ at: Amount, piece: z.string() }).optional(),
  thinking: z.strictObject({ at: Amount, piece: z.string() }).optional(),
  toolCalls: z.array(PlaygroundToolCall).optional(),
  run: PlaygroundRun.optional(),
})
export type PlaygroundProgress = z.infer<typeof PlaygroundProgress>

const Title = CleanName(200)
const PlaygroundText = z.string().max(2_000_000)

/** A conversation in the list. A search adds a `snippet` with the match from `matchStart` to `matchEnd`. */
export const ConversationSummary = z.strictObject({
  id: PlaygroundId,
  title: z.string(),
  isPinned: z.boolean(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  modelCode: z.string().optional(),
  found: z
    .strictObject({ messageId: PlaygroundId.optional(), snippet: z.string(), matchStart: Amount, matchEnd: Amount })
    .optional(),
})
export type ConversationSummary = z.infer<typeof ConversationSummary>

/** User messages have text and attachments, or results of tool calls. Assistant messages have an answer and a run. */
export const PlaygroundMessage = z.strictObject({
  id: PlaygroundId,
  parentId: PlaygroundId.optional(),
  role: z.enum(['user', 'assistant']),
  createdAt: z.iso.datetime(),
  text: z.string(),
  /** Ids of the attachments, as input for `playground.attachments`. */
  attachments: z.array(PlaygroundId),
  toolResults,
  answer: PlaygroundAnswer.omit({ text: true }).optional(),
  run: PlaygroundRun.optional(),
})
export type PlaygroundMessage = z.infer<typeof PlaygroundMessage>

/** A message of the visible branch, with its siblings (edited or regenerated versions), oldest first. */
export const BranchStep = z.strictObject({
  id: PlaygroundId,
  role: z.enum(['user', 'assistant']),
  siblings: z.array(PlaygroundId),
})
export type BranchStep = z.infer<typeof BranchStep>

/** A message with siblings, in tree order. `depth` counts the earlier branch points above it. */
export const OutlineItem = z.strictObject({
  id: PlaygroundId,
  role: z.enum(['user', 'assistant']),
  depth: Amount,
  /** Start of the message's text. */
  preview: z.string(),
  modelCode: z.string().optional(),
  isShown: z.boolean(),
})
export type OutlineItem = z.infer<typeof OutlineItem>

/** The visible branch of a conversation, without the messages' content. */
export const ConversationView = z.strictObject({
  ...ConversationSummary.omit({ found: true }).shape,
  setup: PlaygroundSetup,
  branch: z.array(BranchStep),
})
export type ConversationView = z.infer<typeof ConversationView>

/** Unsent input, which survives a crash. */
export const PlaygroundDraft = z.strictObject({
  text: PlaygroundText,
  attachments: z.array(PlaygroundId).max(20),
  toolResults,
})
export type PlaygroundDraft = z.infer<typeof PlaygroundDraft>

const Rating = z.number().int().min(1).max(5)

/** One column of a comparison with its target and settings. `prompt` overrides the shared one. */
export const ComparisonColumn = z.strictObject({
  id: PlaygroundId,
  name: z.string().max(100),
  ...PlaygroundSetup.shape,
  prompt: PlaygroundText.optional(),
  /** Rating of the whole column, as earlier versions stored it. */
  rating: Rating.optional(),
})
export type ComparisonColumn = z.infer<typeof ComparisonColumn>

/** Check of an answer. `json` needs no expected value, `schema` expects a JSON schema. */
export const AnswerCheck = z.enum(['equals', 'contains', 'regex', 'json', 'schema'])
export type AnswerCheck = z.infer<typeof AnswerCheck>

/** A test case. `check` compares its answers with `expected`. */
export const ComparisonCase = z.strictObject({
  id: PlaygroundId,
  values: z.array(z.string().max(100_000)).max(20),
  check: AnswerCheck.optional(),
  expected: z.string().max(100_000).optional(),
})
export type ComparisonCase = z.infer<typeof ComparisonCase>

/** Result of a check. `violation` is the first error of a JSON schema or of an invalid pattern. */
export const CheckResult = z.strictObject({
  isPassed: z.boolean(),
  reason: z.enum(['mismatch', 'invalidPattern', 'notJson', 'invalidSchema', 'timeout']).optional(),
  violation: z.string().optional(),
})
export type CheckResult = z.infer<typeof CheckResult>

/** A table of models and settings by test cases. `{{name}}` in prompts is replaced by a value of the case. */
export const ComparisonSetup = z.strictObject({
  title: Title,
  prompt: PlaygroundText,
  columns: z.array(ComparisonColumn).min(1).max(8),
  variables: z.array(z.string().trim().min(1).max(60)).max(20),
  cases: z.array(ComparisonCase).max(200),
  winner: PlaygroundId.optional(),
  /** Runs per test case and column. Default: 1. `getRepeatCount` limits the rows. */
  repeats: z.number().int().min(1).max(10).optional(),
  /** Whether the page hides the columns of a row until its answers are rated. */
  isBlind: z.boolean().optional(),
})
export type ComparisonSetup = z.infer<typeof ComparisonSetup>

/** Address of a cell. `caseId` is absent without test cases, and `repeat` in the first of several runs. */
export const CellAddress = z.strictObject({
  columnId: PlaygroundId,
  caseId: PlaygroundId.optional(),
  repeat: z.number().int().min(2).max(10).optional(),
})
export type CellAddress = z.infer<typeof CellAddress>

/** Latest run of a table cell, without its answer. `isStale`: column, prompt or case changed after the run. */
export const ComparisonCell = z.strictObject({
  ...CellAddress.shape,
  run: PlaygroundRun,
  isStale: z.boolean(),
  /** User rating of the answer. */
  rating: Rating.optional(),
  /** Absent without a check, and until the answer is complete. */
  check: CheckResult.optional(),
})
export type ComparisonCell = z.infer<typeof ComparisonCell>

export const ComparisonSummary = z.strictObject({
  id: PlaygroundId,
  title: z.string(),
  isPinned: z.boolean(),
  updatedAt: z.iso.datetime(),
  columns: Amount,
  cases: Amount,
})
export type ComparisonSummary = z.infer<typeof ComparisonSummary>

export const ComparisonView = ComparisonSummary.pick({ id: true, isPinned: true, updatedAt: true }).extend({
  setup: ComparisonSetup,
  cells: z.array(ComparisonCell),
})
export type ComparisonView = z.infer<typeof ComparisonView>

/** One version of a library prompt. `variables` are its `{{names}}`. */
export const PromptVersion = z.strictObject({
  number: z.number().int().positive(),
  createdAt: z.iso.datetime(),
  text: PlaygroundText,
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
  /** Start of the newest version's text. */
  preview: z.string(),
})
export type PromptSummary = z.infer<typeof PromptSummary>

/** A library prompt with all its versions, newest first. */
export const PromptView = z.strictObject({
  ...PromptSummary.omit({ versions: true, preview: true }).shape,
  versions: z.array(PromptVersion).min(1),
})
export type PromptView = z.infer<typeof PromptView>

/** A changed text, system, target or parameter creates a version. A new name or tags do not. */
export const PromptDraft = z.strictObject({
  id: PlaygroundId.optional(),
  name: Title,
  tags: z.array(CleanName(40)).max(20),
  ...PromptVersion.omit({ number: true, createdAt: true, variables: true }).shape,
})
export type PromptDraft = z.infer<typeof PromptDraft>

const ModelSource = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('plan'), planId: z.string() }),
  z.strictObject({ kind: z.literal('platform'), connectionId: z.string() }),
  z.strictObject({ kind: z.literal('local'), url: z.string().max(2000) }),
])

const idFields = { id: PlaygroundId }
const ItemRef = z.strictObject({ kind: z.enum(['conversation', 'comparison', 'prompt']), ...idFields })
const MessageRef = z.strictObject({ conversationId: PlaygroundId, messageId: PlaygroundId })
const Ids = z.strictObject({ ids: z.array(PlaygroundId).max(200) })
const DraftKey = z.strictObject({ key: z.string().max(100) })

const PlaygroundConnection = z.strictObject({
  connectionId: z.string(),
  name: z.string(),
  /** Whether the connection can get IAM tokens. */
  hasIam: z.boolean(),
  /** Masked platform API key that is saved for inference. */
  kept: z.string().optional(),
})

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
  'playground.connections': method(z.array(PlaygroundConnection)),
  /** Models of a plan, a platform or a local server. Empty without a readable model list. */
  'playground.models': method(z.array(ModelFacts), ModelSource),
  /** Saves the platform API key for inference and replaces an earlier one. */
  'playground.keepApiKey': method(EmptyResult, { connectionId: z.string(), pendingId: z.string() }),
  'playground.forgetApiKey': method(EmptyResult, { connectionId: z.string() }),

  /** Pinned first, then newest. `search` covers titles, texts and answers. Default limit: 50. */
  'playground.conversations': method(z.array(ConversationSummary), {
    search: z.string().max(200).optional(),
    limit: z.int().min(1).max(1_000_000).optional(),
  }),
  'playground.conversation': method(ConversationView, idFields),
  'playground.messages': method(z.array(PlaygroundMessage), {
    conversationId: PlaygroundId,
    ids: z.array(PlaygroundId).max(200),
  }),
  /** Switches to the branch of a message, down to its newest leaf. */
  'playground.choose': method(ConversationView, MessageRef),
  /** Deletes one message permanently and stops its run. Its replies become replies to its parent. */
  'playground.removeMessage': method(ConversationView, MessageRef),
  /** Adds a changed copy of an answer as its sibling and shows it. */
  'playground.editAnswer': method(ConversationView, { ...MessageRef.shape, text: z.string().min(1).max(2_000_000) }),
  /** Copies the messages from the first to this one into a new conversation. */
  'playground.branch': method(MessageRef.pick({ conversationId: true }), MessageRef),
  'playground.outline': method(z.array(OutlineItem), idFields),
  /** Searches the branch from its first message to the given one. Ignores case and accents. */
  'playground.find': method(z.array(PlaygroundId), { ...MessageRef.shape, text: z.string().max(200) }),
  'playground.setUp': method(EmptyResult, { ...idFields, setup: PlaygroundSetup }),
  'playground.rename': method(EmptyResult, { ...idFields, title: CleanName(200) }),
  'playground.pin': method(EmptyResult, {
    ...ItemRef.shape,
    kind: z.enum(['conversation', 'comparison']),
    isPinned: z.boolean(),
  }),
  /** Removes an item and stops its runs. Can be undone until the next start. */
  'playground.remove': method(EmptyResult, ItemRef),
  'playground.restore': method(EmptyResult, ItemRef),
  /** Exports a conversation to a file that the user selects. No `path` if canceled. */
  'playground.export': method(SelectedFile, { ...idFields, format: z.enum(['markdown', 'json']) }),
  /** Imports JSON exports chosen by the user, of comparisons with answers and ratings. Never replaces existing items. */
  'playground.import': method(z.strictObject({ ids: z.array(PlaygroundId) }), ItemRef.pick({ kind: true })),

  /**
   * Sends a message after `parentId`, in a new conversation when none is given. A `parentId` that already has a reply
   * starts a new branch. Fails before saving anything when the setup cannot be sent.
   */
  'playground.send': method(SentMessage, {
    conversationId: PlaygroundId.optional(),
    parentId: PlaygroundId.optional(),
    message: PlaygroundDraft,
    setup: PlaygroundSetup.required({ target: true }),
  }),
  /** Regenerates an answer and keeps the earlier one as a sibling. */
  'playground.regenerate': method(SentMessage, {
    conversationId: PlaygroundId,
    userMessageId: PlaygroundId,
    setup: PlaygroundSetup.required({ target: true }),
  }),
  /**
   * Lists the tools of an MCP server. The user confirms the start or connection in a native dialog. Fails with
   * `input.declined`, `input.invalid` or `playground.mcpServer`. `calls.cancel` cancels it by `callId`.
   */
  'playground.mcpTools': method(z.array(McpToolOffer).max(128), { callId: z.string().max(64), server: McpServerRef }),
  /** Calls a tool of an MCP server. The user confirms each call in a native dialog. Fails like `mcpTools`. */
  'playground.callMcpTool': method(z.strictObject({ isError: z.boolean(), text: z.string().max(1_000_000) }), {
    callId: z.string().max(64),
    server: McpServerRef,
    tool: McpToolOffer.shape.name,
    /** JSON object of arguments. */
    input: z.string().max(1_000_000),
  }),
  'playground.draft': method(PlaygroundDraft, DraftKey),
  'playground.saveDraft': method(EmptyResult, { ...DraftKey.shape, draft: PlaygroundDraft }),

  /** Accepts images (PNG, JPEG, GIF, WebP, 5 MB) and text files (1 MB) by content. Fails with `input.invalid`. */
  'playground.attach': method(PlaygroundAttachment, {
    name: z.string().max(255),
    mediaType: z.string().max(100),
    base64: z.string().max(7_500_000),
  }),
  'playground.attachments': method(z.array(PlaygroundAttachment), Ids),
  /** Preview content: base64 of an image, or text. */
  'playground.attachmentContent': method(z.strictObject({ content: z.string() }), idFields),

  /** Returns a run with its answer, which may be partial. */
  'playground.run': method(z.strictObject({ run: PlaygroundRun, answer: PlaygroundAnswer }), { runId: PlaygroundId }),
  'playground.stop': method(EmptyResult, { runIds: z.array(PlaygroundId).max(2000) }),
  'playground.inspect': method(PlaygroundWire, { runId: PlaygroundId }),
  /** Returns source code that sends the run's request, with a variable in place of the key. */
  'playground.code': method(z.strictObject({ code: z.string() }), {
    runId: PlaygroundId,
    language: z.enum(['curl', 'python', 'typescript']),
  }),

  'playground.comparisons': method(z.array(ComparisonSummary)),
  'playground.comparison': method(ComparisonView, idFields),
  /** Creates or updates a comparison. Restoring a removed column or case restores its runs until the next start. */
  'playground.saveComparison': method(ComparisonView, { ...idFields, setup: ComparisonSetup }),
  /** Runs cells, at most 4 at a time per target. Fails before starting if one cannot be sent. */
  'playground.runComparison': method(ComparisonView, { ...idFields, cells: z.array(CellAddress).max(1600) }),
  /** Rates the answer of a run, or removes its rating. */
  'playground.rateAnswer': method(ComparisonView, { ...idFields, runId: PlaygroundId, rating: Rating.optional() }),
  /** Asks for a file. Writes a table of cases by columns with answers and metrics. */
  'playground.exportComparison': method(SelectedFile, { ...idFields, format: z.enum(['csv', 'json']) }),

  'playground.prompts': method(z.array(PromptSummary)),
  'playground.prompt': method(PromptView, idFields),
  'playground.savePrompt': method(PromptView, PromptDraft),
  'playground.exportPrompts': method(SelectedFile, { ids: z.array(PlaygroundId).max(1000) }),

  /** Streams a text completion by `playground.progress`. Platform inference and local addresses only. */
  'playground.complete': method(PlaygroundRun, {
    target: PlaygroundTarget,
    prompt: z.string().min(1).max(2_000_000),
    parameters: PlaygroundParameters,
  }),
  /** Embeds several inputs and returns their cosine similarity matrix. Platform inference and local addresses only. */
  'playground.embed': method(
    z.strictObject({
      run: PlaygroundRun,
      embeddings: z.array(EmbeddingView),
      similarity: z.array(z.array(z.number())),
    }),
    {
      callId: z.string().max(64),
      target: PlaygroundTarget,
      inputs: z.array(z.string().min(1).max(200_000)).min(1).max(50),
    },
  ),
}
