import type {
  ComparisonSetup,
  ComparisonSummary,
  ComparisonView,
  ConversationSummary,
  ConversationView,
  OutlineItem,
  PlaygroundAnswer,
  PlaygroundAttachment,
  PlaygroundDraft,
  PlaygroundMessage,
  PlaygroundRun,
  PlaygroundSetup,
  PlaygroundWire,
  PromptDraft,
  PromptSummary,
  PromptView,
} from '@shared/contract'

/** Parts of a message that are sent to a model. */
export type PromptMessage = Pick<PlaygroundMessage, 'id' | 'role' | 'text' | 'attachments' | 'toolResults'> &
  Pick<PlaygroundAnswer, 'toolCalls'>

/** A stored run with its answer so far. */
export interface KeptRun {
  readonly run: PlaygroundRun
  readonly answer: PlaygroundAnswer
  /** Request and response. Undefined while the run is active. */
  readonly wire?: PlaygroundWire | undefined
}

/**
 * The messages of a new request: the user's message, unless it is already stored, and an empty answer message whose id
 * is that of the run.
 */
export interface NewTurn {
  readonly conversationId: string
  readonly title?: string | undefined
  readonly setup: PlaygroundSetup
  readonly user?: Pick<PlaygroundMessage, 'id' | 'parentId' | 'text' | 'attachments' | 'toolResults'> | undefined
  readonly userMessageId: string
  readonly run: PlaygroundRun
  /** Start of the run, in ms since 1970. */
  readonly at: number
}

/** A conversation with all its branches, for export and import. */
export interface WholeConversation {
  readonly title: string
  readonly isPinned: boolean
  readonly createdAt: string
  readonly updatedAt: string
  readonly setup: PlaygroundSetup
  /** Messages, parents before children. Answers include their run. */
  readonly messages: readonly PlaygroundMessage[]
  /** Attachments with their content as base64. */
  readonly attachments: readonly (PlaygroundAttachment & { readonly base64: string })[]
}

/**
 * Playground data in SQLite, on a separate thread. Fails with `playground.notFound` for missing data and
 * `playground.unavailable` when the file is unusable. A resolved promise means that the change is on disk.
 */
export interface PlaygroundStore {
  conversations(query: {
    readonly search?: string | undefined
    readonly after?: string | undefined
  }): Promise<{ readonly items: readonly ConversationSummary[]; readonly next?: string | undefined }>
  conversation(id: string): Promise<ConversationView>
  messages(conversationId: string, ids: readonly string[]): Promise<readonly PlaygroundMessage[]>
  /** The messages from the first to the given one, with only the parts that are sent to a model. */
  readLine(conversationId: string, messageId: string): Promise<readonly PromptMessage[]>
  choose(conversationId: string, messageId: string): Promise<ConversationView>
  beginTurn(turn: NewTurn): Promise<void>
  /** Deletes one message; the messages after it follow its parent. */
  removeMessage(conversationId: string, messageId: string): Promise<ConversationView>
  /** Adds a changed copy of an answer as its sibling, and shows it. */
  editAnswer(conversationId: string, messageId: string, text: string): Promise<ConversationView>
  outline(id: string): Promise<readonly OutlineItem[]>
  /** Ids of the messages from the first to the given one whose text contains the search words. */
  findMessages(conversationId: string, messageId: string, text: string): Promise<readonly string[]>
  setUp(id: string, setup: PlaygroundSetup): Promise<void>
  rename(id: string, title: string): Promise<void>
  pin(id: string, isPinned: boolean): Promise<void>
  /** Hides a conversation until it is restored. The next opening of the file deletes it. Returns its active runs. */
  remove(id: string): Promise<readonly string[]>
  restore(id: string): Promise<void>
  whole(id: string): Promise<WholeConversation>
  /** Adds a conversation under new ids and returns its id. */
  add(conversation: WholeConversation): Promise<string>

  draft(key: string): Promise<PlaygroundDraft>
  saveDraft(key: string, draft: PlaygroundDraft): Promise<void>

  /** Stores equal content once. The next opening of the file deletes unreferenced content. */
  attach(attachment: PlaygroundAttachment, content: Uint8Array): Promise<void>
  attachments(ids: readonly string[]): Promise<readonly PlaygroundAttachment[]>
  attachmentContent(id: string): Promise<Uint8Array>

  /**
   * Adds a run that belongs to no message, or updates any stored run. A run that was active when the file is opened
   * becomes `cut`.
   */
  saveRun(storedRun: KeptRun): Promise<void>
  /** Reads runs, without unknown ones. Includes request and response when a single run is requested. */
  runs(ids: readonly string[]): Promise<readonly KeptRun[]>

  comparisons(): Promise<readonly ComparisonSummary[]>
  comparison(id: string): Promise<ComparisonView>
  saveComparison(id: string, setup: ComparisonSetup): Promise<ComparisonView>
  pinComparison(id: string, isPinned: boolean): Promise<void>
  removeComparison(id: string): Promise<readonly string[]>
  restoreComparison(id: string): Promise<void>
  /** Replaces the runs of comparison cells by new ones. */
  beginCells(
    id: string,
    cells: readonly { readonly columnId: string; readonly caseId?: string | undefined; readonly run: PlaygroundRun }[],
  ): Promise<void>

  prompts(): Promise<readonly PromptSummary[]>
  prompt(id: string): Promise<PromptView>
  savePrompt(draft: PromptDraft): Promise<PromptView>
  removePrompt(id: string): Promise<void>
  restorePrompt(id: string): Promise<void>
  close(): Promise<void>
}
