import { readFile, stat } from 'node:fs/promises'
import type { MethodInput, MethodOutput } from '@shared/contract'
import { AppError } from '@shared/failure'
import type { Disk } from '../tools/disk'
import { Content, fileNameOf, resolveLinks, writeFile } from '../tools/files'
import { comparisonCsv, comparisonJson } from './comparison-file'
import { conversationJson, conversationMarkdown, readConversation } from './conversation-file'
import type { PlaygroundStore, WholeConversation } from './ports'
import { type ImportedPrompt, promptsJson, readPrompts } from './prompt-file'

/** Asks a person for files of the playground; undefined, or none, when none was chosen. */
export interface PlaygroundDialogs {
  savePlayground(suggestedName: string, format: 'markdown' | 'json' | 'csv'): Promise<string | undefined>
  openPlayground(): Promise<readonly string[]>
}

interface PlaygroundFilesDeps {
  readonly store: PlaygroundStore
  readonly dialogs: PlaygroundDialogs
  readonly disk: Disk
  readonly onChanged: () => void
}

type Saved = MethodOutput<'playground.export'>

const longestFileBytes = 256_000_000
const privateMode = 0o600
const extensions = { markdown: 'md', json: 'json', csv: 'csv' } as const
const runsAtOnce = 100

/** Conversations, comparisons and prompts as files that a person chooses in a dialog. */
export class PlaygroundFiles {
  readonly #deps: PlaygroundFilesDeps

  constructor(deps: PlaygroundFilesDeps) {
    this.#deps = deps
  }

  /** Fails with `playground.notFound` or `file.unwritable`. */
  async export({ id, format }: MethodInput<'playground.export'>): Promise<Saved> {
    const whole = await this.#deps.store.whole(id)
    const text = format === 'json' ? conversationJson(whole) : await this.#markdown(id, whole)
    return this.#save(whole.title, format, text)
  }

  /** Adds what is in the chosen files, all of them or none. Fails with `playground.unreadable` or `file.unreadable`. */
  async import(): Promise<string[]> {
    const conversations = (await this.#chosenTexts()).map(readConversation)
    const ids: string[] = []
    for (const conversation of conversations) ids.push(await this.#deps.store.add(conversation))
    if (ids.length > 0) this.#deps.onChanged()
    return ids
  }

  /** Fails with `playground.notFound` or `file.unwritable`. */
  async exportComparison({ id, format }: MethodInput<'playground.exportComparison'>): Promise<Saved> {
    const view = await this.#deps.store.comparison(id)
    const runIds = view.cells.map(({ run }) => run.id)
    const kept = []
    for (let at = 0; at < runIds.length; at += runsAtOnce)
      kept.push(...(await this.#deps.store.runs(runIds.slice(at, at + runsAtOnce))))
    const text = format === 'csv' ? comparisonCsv(view, kept) : comparisonJson(view, kept)
    return this.#save(view.setup.title, format, text)
  }

  /** Fails with `playground.notFound` or `file.unwritable`. */
  async exportPrompts(ids: readonly string[]): Promise<Saved> {
    const prompts = await Promise.all(ids.map((id) => this.#deps.store.prompt(id)))
    return this.#save(prompts.length === 1 ? (prompts[0]?.name ?? '') : 'prompts', 'json', promptsJson(prompts))
  }

  /** Adds the prompts of the chosen files, all of them or none. Fails with `playground.unreadable` or `file.unreadable`. */
  async importPrompts(): Promise<string[]> {
    const prompts = (await this.#chosenTexts()).flatMap(readPrompts)
    const ids: string[] = []
    for (const prompt of prompts) ids.push(...(await this.#addPrompt(prompt)))
    if (ids.length > 0) this.#deps.onChanged()
    return ids
  }

  async #addPrompt(versions: ImportedPrompt): Promise<string[]> {
    let id: string | undefined
    for (const version of versions) {
      const saved = await this.#deps.store.savePrompt({ ...version, ...(id === undefined ? {} : { id }) })
      id = saved.id
    }
    return id === undefined ? [] : [id]
  }

  async #markdown(id: string, { title, setup, messages, attachments }: WholeConversation): Promise<string> {
    const { branch } = await this.#deps.store.conversation(id)
    const byId = new Map(messages.map((message) => [message.id, message]))
    return conversationMarkdown({
      title,
      system: setup.system,
      messages: branch.flatMap((step) => byId.get(step.id) ?? []),
      fileNames: new Map(attachments.map((one) => [one.id, one.name])),
    })
  }

  async #save(title: string, format: keyof typeof extensions, text: string): Promise<Saved> {
    const { dialogs, disk } = this.#deps
    const name = `${fileNameOf(title, 'playground')}.${extensions[format]}`
    const path = await dialogs.savePlayground(name, format)
    if (path === undefined) return {}
    await writeFile({ path: await resolveLinks(path, disk), content: new Content(text), mode: privateMode }, disk)
    return { path }
  }

  async #chosenTexts(): Promise<string[]> {
    const texts: string[] = []
    for (const path of await this.#deps.dialogs.openPlayground()) texts.push(await textOf(path))
    return texts
  }
}

async function textOf(path: string): Promise<string> {
  try {
    if ((await stat(path)).size > longestFileBytes) throw tooLong(path)
    return await readFile(path, 'utf8')
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('file.unreadable', `${path} cannot be read. Check its path and permissions.`, { cause })
  }
}

const tooLong = (path: string): AppError =>
  new AppError('playground.unreadable', `${path} is far too long for a file that this app exported.`)
