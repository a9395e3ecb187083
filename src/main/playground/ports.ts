import type {
  ComparisonSetup,
  ComparisonSummary,
  ComparisonView,
  ConversationSummary,
  ConversationView,
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

/** What a model is told of a message. */
export type PromptMessage = Pick<PlaygroundMessage, 'role' | 'text' | 'attachments'>

/** A run as it is kept, with the answer so far. */
export interface KeptRun {
  readonly run: PlaygroundRun
  readonly answer: PlaygroundAnswer
  /** Absent while it is under way. */
  readonly wire?: PlaygroundWire | undefined
}

/**
 * The two messages that a request begins with: the person's (absent when it is there already) and the answer's place, a message with the
 * run's id.
 */
export interface NewTurn {
  readonly conversationId: string
  /** A new conversation is made with this title. */
  readonly title?: string | undefined
  readonly setup: PlaygroundSetup
  readonly user?: Pick<PlaygroundMessage, 'id' | 'parentId' | 'text' | 'attachments'> | undefined
  /** What the answer follows. */
  readonly userMessageId: string
  readonly run: PlaygroundRun
  /** When it began, in ms since 1970. */
  readonly at: number
}

/** A conversation with all its branches, as it is exported and imported. */
export interface WholeConversation {
  readonly title: string
  readonly isPinned: boolean
  readonly createdAt: string
  readonly updatedAt: string
  readonly setup: PlaygroundSetup
  /** Parents before children. Each answer with its run. */
  readonly messages: readonly PlaygroundMessage[]
  /** Content as base64. */
  readonly attachments: readonly (PlaygroundAttachment & { readonly base64: string })[]
}

/**
 * What the playground keeps (embedded SQLite, a file and a thread of its own). Fails with `playground.notFound` for what is not there and
 * `playground.unavailable` when the file cannot be used. Everything that resolved is on the disk.
 */
export interface PlaygroundStore {
  conversations(query: {
    readonly search?: string | undefined
    readonly after?: string | undefined
  }): Promise<{ readonly items: readonly ConversationSummary[]; readonly next?: string | undefined }>
  conversation(id: string): Promise<ConversationView>
  messages(conversationId: string, ids: readonly string[]): Promise<readonly PlaygroundMessage[]>
  /** The messages from the first down to this one, and nothing of them but what a model is told. */
  readLine(conversationId: string, messageId: string): Promise<readonly PromptMessage[]>
  choose(conversationId: string, messageId: string): Promise<ConversationView>
  beginTurn(turn: NewTurn): Promise<void>
  setUp(id: string, setup: PlaygroundSetup): Promise<void>
  rename(id: string, title: string): Promise<void>
  pin(id: string, isPinned: boolean): Promise<void>
  /** Hidden until it is restored; gone for good at the next opening of the file. Gives the runs under way in it. */
  remove(id: string): Promise<readonly string[]>
  restore(id: string): Promise<void>
  whole(id: string): Promise<WholeConversation>
  /** Under new ids; gives that of the conversation. */
  add(conversation: WholeConversation): Promise<string>

  draft(key: string): Promise<PlaygroundDraft>
  saveDraft(key: string, draft: PlaygroundDraft): Promise<void>

  /** The same content is kept once. Content that nothing names any more goes at the next opening. */
  attach(attachment: PlaygroundAttachment, content: Uint8Array): Promise<void>
  attachments(ids: readonly string[]): Promise<readonly PlaygroundAttachment[]>
  attachmentContent(id: string): Promise<Uint8Array>

  /** Keeps a run that belongs to no message, or the state of one that does. A run found under way when the file is opened is `cut`. */
  saveRun(kept: KeptRun): Promise<void>
  /** Unknown ones are left out. What went over the wire comes along when a single run is asked for. */
  runs(ids: readonly string[]): Promise<readonly KeptRun[]>

  comparisons(): Promise<readonly ComparisonSummary[]>
  comparison(id: string): Promise<ComparisonView>
  saveComparison(id: string, setup: ComparisonSetup): Promise<ComparisonView>
  pinComparison(id: string, isPinned: boolean): Promise<void>
  removeComparison(id: string): Promise<readonly string[]>
  restoreComparison(id: string): Promise<void>
  /** Puts runs into cells, in place of those that are there, and keeps them. */
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
