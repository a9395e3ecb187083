import { join } from 'node:path'
import type {
  BulkPreview,
  McpChange,
  McpHistoryEntry,
  McpPermission,
  McpServerView,
  McpToolView,
  PreviewView,
  ToolStatus,
} from '@shared/contract'
import { dayMs } from '@shared/durations'
import { AppError } from '@shared/failure'
import type { EngineContext } from '../core/environment'
import { computeHash, decodeText, readSnapshot } from '../core/files/files'
import type { AuditPort } from '../core/ports'
import { Secret } from '../core/secret'
import type { Vault } from '../core/vault/vault'
import type { Routes } from '../relay/routing/routes'
import { prepareApply, type ToolRequest } from './apply'
import type { ChangeSet } from './change-set'
import { commit, recover } from './commit'
import { editors } from './editors'
import { getValueAt, isJsonObject, type Json } from './editors/editor'
import { findEntry, prepareRewind, readHistory } from './history'
import { backupFolder, mcpFolder, type RevealKey, readAllJournals, readJournal } from './journal'
import {
  listSecretLocations,
  listValueNames,
  type McpLaunch,
  mixedValues,
  packValues,
  resolveLaunch,
  showServer,
  unwrapServer,
  withoutValues,
  wrapServer,
} from './mcp-launch'
import type { StoredValues } from './mcp-run-words'
import { keyText } from './owned-settings'
import { prepareRestore } from './restore'
import { Previews, planEach } from './setups/change-history'
import type { SetupEnvironment } from './setups/config-scopes'
import { readFiles, readToolStatus } from './status'
import { type Edit, type EditValue, userSite } from './target'
import { type McpServer, readServer, writeServer } from './targets/mcp-entry'
import {
  anyServerTarget,
  hasStatusLine,
  type McpTarget,
  mcpTarget,
  mcpTargets,
  recordedTarget,
  serverEdits,
  serverTarget,
  statusLineTarget,
  switchEdit,
} from './targets/mcp-servers'
import { getLiteral, rawText, showText } from './targets/mcp-text'
import { listAt } from './targets/shared'

interface McpServersDeps {
  readonly machine: SetupEnvironment
  /** Command that tools start to run this app. `ensure` creates it before a tool's settings refer to it. */
  readonly launcher: { readonly path: string; ensure(): void }
  readonly audit: AuditPort
  readonly permissions: (toolId: string) => readonly McpPermission[]
  /** Revokes a tool's MCP access when its settings no longer contain this app's MCP server. */
  readonly revoke: (toolId: string) => void
  readonly relay: Pick<Routes, 'mcpAccess' | 'mcpUrl' | 'setMcpAccess' | 'isOn'>
  readonly vault: Pick<Vault, 'state' | 'save' | 'remove'>
}

/** A server in a tool's settings. `kept`: names of its values if they are in the keychain. */
type FoundServer = McpServer & { readonly isOn: boolean; readonly isOurs: boolean; readonly kept?: StoredValues }
type AnyServerChange = Extract<McpChange, { what: 'anyServer' }>
type OwnServerChange = Extract<McpChange, { what: 'server' | 'statusLine' }>

/** Consent that a copy of a server needs, because tools will run its command and get its values. */
interface McpConsent {
  readonly server: string
  readonly tools: readonly string[]
  readonly runs: string
  readonly values: readonly string[]
  /** Paths of files that will contain values in plain text. Empty if the values are stored in the keychain. */
  readonly files: readonly string[]
}

/** Values that must be stored in the keychain before a server that needs them is written. */
interface KeychainValues {
  readonly account: string
  readonly secret: Secret
}

/** Time in ms after which the values of a removed server are deleted and undo cannot restore it. */
const valueRetentionMs = 30 * dayMs

interface PreparedChange {
  readonly plans: readonly ChangeSet[]
  readonly left?: BulkPreview['left']
  readonly consent?: McpConsent
  readonly keep?: KeychainValues | undefined
}

/** This app's MCP server and status line in tools. Its records are in `<data>/mcp`, apart from those of the setups. */
export class McpServers {
  readonly #deps: McpServersDeps
  readonly #place: EngineContext
  readonly #previews = new Previews({ getUpstream: () => undefined })
  /** Options of previews. `isLast`: it removes everything, so no keychain value stays for an undo. */
  readonly #options = new Map<string, Pick<PreparedChange, 'consent' | 'keep'> & { readonly isLast?: boolean }>()
  #recovered: Promise<unknown> | undefined

  constructor(deps: McpServersDeps) {
    this.#deps = deps
    const { place } = deps.machine
    this.#place = { ...place, dataDir: join(place.dataDir, mcpFolder), site: userSite }
  }

  async list(): Promise<McpToolView[]> {
    await this.#recover()
    return Promise.all(mcpTargets.map((target) => this.#view(target)))
  }

  /** Previews a change. Fails with `tool.*`, `history.notFound`, `input.invalid` or `file.*`. */
  async preview(change: McpChange): Promise<BulkPreview> {
    await this.#recover()
    const { plans, left = [], ...options } = await this.#prepare(change)
    const { previewId, tools } = this.#previews.keepMany(plans, left)
    if (options.consent) this.#options.set(previewId, options)
    return { previewId, left, tools: tools.map(({ base: _, requestAddress: __, ...changes }) => changes) }
  }

  consentFor(previewId: string): McpConsent | undefined {
    return this.#options.get(previewId)?.consent
  }

  /** Applies a preview. Fails with `file.changed` if a file differs from the preview, and then writes nothing. */
  async carryOut(previewId: string): Promise<McpToolView[]> {
    const plans = this.#previews.take(previewId)
    const { keep, isLast = false } = this.#options.get(previewId) ?? {}
    this.#options.delete(previewId)
    const previousAccounts = [...((await this.#accounts()) ?? []), ...(await this.#pastAccounts())]
    if (keep) await this.#deps.vault.save(keep.account, keep.secret)
    if (plans.some(({ past }) => past.next !== undefined)) this.#deps.launcher.ensure()
    const isRelayRoute = ({ past }: ChangeSet): boolean => past.next?.choice.route === 'relay'
    // Enable the relay before writing settings that use it. Disable it only after no setting uses it.
    for (const plan of plans.filter(isRelayRoute)) await this.#deps.relay.setMcpAccess(plan.toolId, true)
    const knownAccounts = [...previousAccounts, ...(keep ? [keep.account] : [])]
    await commit(plans, this.#place).finally(() => this.#forget(knownAccounts, isLast))
    for (const plan of plans) {
      const { toolId, kind } = plan
      if (kind === 'restore') this.#deps.revoke(toolId)
      if (!isRelayRoute(plan)) await this.#deps.relay.setMcpAccess(toolId, false)
      await this.#deps.audit.note({ what: 'toolWritten', subject: `${recordedTarget(toolId).target.name} (MCP)` })
    }
    return this.list()
  }

  /** Previews the removal of all entries that this app wrote, except entries that someone changed. */
  async previewRemoveAll(): Promise<PreviewView[]> {
    await this.#recover()
    const targets = readAllJournals(this.#place.dataDir).map(({ toolId }) => recordedTarget(toolId).target)
    const views: PreviewView[] = []
    for (const target of targets) {
      const { status } = await readToolStatus(target, undefined, this.#place)
      if (status !== 'configured') continue
      const { base: _, requestAddress: __, ...view } = this.#previews.keepOne(await prepareRestore(target, this.#place))
      this.#options.set(view.previewId, { isLast: true })
      views.push(view)
    }
    return views
  }

  async history(): Promise<McpHistoryEntry[]> {
    const entries = await readHistory(this.#place)
    return entries.flatMap(({ id, at, state, tools }) => {
      if (state === 'begun') return []
      const changes = tools.map(({ toolId: recorded, kind, next }) => {
        const { target, toolId, server } = recordedTarget(recorded)
        const toolNames = { toolId, toolName: target.name, ...(server === undefined ? {} : { server }) }
        const ownedSettings = next?.files.flatMap((file) => file.owned) ?? []
        const isRemoval = kind === 'letGo' || ownedSettings.every(({ digest }) => digest === undefined)
        return { ...toolNames, kind: kind === 'rewind' ? kind : isRemoval ? ('restore' as const) : ('write' as const) }
      })
      return [{ id, at, isUndone: state === 'undone', changes }]
    })
  }

  /** Returns the program or address of a server, with its secrets. Fails with `input.invalid`. */
  async getLaunch(toolId: string, name: string): Promise<McpLaunch> {
    const { server } = await this.#find({ toolId, name })
    const { kept, ...program } = server
    const startedServer = kept && program.kind === 'stdio' ? wrapServer(program, kept, this.#launch()) : program
    const facts = { name, runs: showServer(program), values: kept?.names ?? listValueNames(program) }
    return resolveLaunch(facts, startedServer, this.#place.environment.vars)
  }

  watchedFiles(): string[] {
    return mcpTargets.flatMap(({ path }) => path(this.#place.environment) ?? [])
  }

  async #prepare(change: McpChange): Promise<PreparedChange> {
    switch (change.what) {
      case 'rewind': {
        const { tools } = await findEntry(change.entryId, this.#place)
        const context = { place: this.#place, reveal: this.#reveal }
        const plans = tools.map((tool) =>
          prepareRewind(tool, { ...context, target: recordedTarget(tool.toolId).target }),
        )
        return { plans: await Promise.all(plans) }
      }
      case 'anyServer':
        return change.action === 'copy' ? this.#copy(change) : { plans: [await this.#changeServer(change)] }
      default:
        return { plans: [await this.#prepareOwn(change)] }
    }
  }

  async #prepareOwn({ toolId, what, action, isHttp = false, template }: OwnServerChange) {
    const target = what === 'server' ? serverTarget(mcpTarget(toolId)) : statusLineTarget(toolId)
    if (action === 'remove') return prepareRestore(target, this.#place)
    const request = this.#requestFor({ toolId, what, template })
    if (!isHttp || what !== 'server') return prepareApply(target, request, this.#place)
    const { url, token } = await this.#deps.relay.mcpAccess(toolId)
    const relayInput = { gatewayUrl: url, key: token, delivery: 'plain', route: 'relay' } as const
    const plan = await prepareApply(target, { ...request, ...relayInput }, this.#place)
    if (await this.#deps.relay.isOn()) return plan
    return { ...plan, warnings: [...plan.warnings, { code: 'relayNeeded' as const }] }
  }

  /** Finds an MCP server. Fails with `input.invalid`. */
  async #find({ toolId, name }: Pick<AnyServerChange, 'toolId' | 'name'>) {
    const mcp = mcpTarget(toolId)
    const server = (await this.#read(mcp)).get(name)
    if (server) return { mcp, server }
    throw new AppError('input.invalid', `${mcp.name} has no MCP server ${name}.`, { field: 'name' })
  }

  /** Copies a server to other tools. Skips those that do not support it. */
  async #copy(change: AnyServerChange): Promise<PreparedChange> {
    const { name, to = [] } = change
    const { server } = await this.#find(change)
    const { copied, values, keep } = await this.#copyServer(server, change)
    const { plans, left } = await planEach(
      [...new Set(to)].map((toolId) => ({ toolId, plan: () => this.#copyTo(mcpTarget(toolId), name, copied) })),
    )
    const tools = plans.map(({ toolId }) => recordedTarget(toolId).target.name)
    const hasPlainValues = change.values === 'plain' && values.length > 0
    const files = hasPlainValues ? plans.flatMap((plan) => plan.files.map(({ path }) => path)) : []
    const consent = { server: name, tools, runs: showServer(server), values, files }
    return { plans, left, keep, ...(plans.length > 0 ? { consent } : {}) }
  }

  /** A server converted for another tool, with its values. Fails with `input.invalid` or `vault.unavailable`. */
  async #copyServer(
    { kept, ...server }: FoundServer,
    { toolId, name, values: valueMode = 'none' }: AnyServerChange,
  ): Promise<{ copied: McpServer; values: readonly string[]; keep?: KeychainValues }> {
    const values = kept?.names ?? listValueNames(server)
    if (valueMode === 'plain' && !kept) return { copied: server, values }
    const createError = (message: string): AppError => new AppError('input.invalid', message, { field: 'values' })
    if (valueMode === 'plain') throw createError(`The values of ${name} are in the keychain. Copy it with them there.`)
    const secrets = listSecretLocations(server).join(', ')
    if (secrets !== '')
      throw createError(`${name} has a secret in ${secrets}. Copy it as plain text, or add the server there yourself.`)
    if (valueMode === 'none' || values.length === 0) return { copied: withoutValues(server), values: [] }
    if (server.kind !== 'stdio')
      throw createError(
        `${name} runs no program, so its values cannot be in the keychain. Leave them out, or copy them as plain text.`,
      )
    const wrap = (stored: StoredValues): McpServer => wrapServer(withoutValues(server), stored, this.#launch())
    if (kept) return { copied: wrap(kept), values }
    const mixed = mixedValues(server)
    if (mixed.length > 0)
      throw createError(
        `${mixed.join(', ')} of ${name} is a secret with a variable in it, so it can't be in the keychain.`,
      )
    const vault = await this.#deps.vault.state()
    if (vault.kind === 'session') throw new AppError('vault.unavailable', `${vault.reason}. ${vault.install}`)
    // The account is scoped to the data folder.
    const account = `mcp:${toolId}:${name}:${computeHash(this.#place.dataDir).slice(0, 12)}`
    return { copied: wrap({ account, names: values }), values, keep: { account, secret: packValues(server) } }
  }

  /** Keychain accounts used by servers in tool files. Undefined if a file is unreadable. */
  async #accounts(): Promise<string[] | undefined> {
    const serverLists = await Promise.all(mcpTargets.map((mcp) => this.#readAll(mcp))).catch(() => undefined)
    return serverLists?.flatMap(listAccounts)
  }

  /** Keychain accounts of servers that undo can restore. Ignores changes before `sinceMs`. */
  async #pastAccounts(sinceMs = 0): Promise<string[]> {
    const entries = (await readHistory(this.#place)).filter(({ at }) => Date.parse(at) > sinceMs)
    const pastTools = entries.flatMap(({ tools }) => tools)
    const backups = pastTools.flatMap(({ toolId: recordId, files }) => {
      const { server, toolId } = recordedTarget(recordId)
      return server === undefined ? [] : files.flatMap(({ before }) => (before ? [{ toolId, name: before.file }] : []))
    })
    const accounts = backups.map(async ({ toolId, name }) => {
      const mcp = mcpTarget(toolId)
      const text = decodeText(await readSnapshot(join(backupFolder(this.#place), name), this.#place.disk))
      const parsedDocument = editors[mcp.format].parse(text ?? '')
      return parsedDocument.ok ? listAccounts(this.#serversIn(mcp, parsedDocument.value)) : []
    })
    return (await Promise.all(accounts)).flat()
  }

  /** Removes keychain items that no server or undo needs. Keeps those that the keychain cannot delete. */
  async #forget(accounts: readonly string[], isLast: boolean): Promise<void> {
    const minTimestampMs = this.#place.clock().getTime() - valueRetentionMs
    const accountsForUndo = isLast ? [] : await this.#pastAccounts(minTimestampMs)
    const neededAccounts = (await this.#accounts())?.concat(accountsForUndo)
    const unusedAccounts = neededAccounts ? accounts.filter((account) => !neededAccounts.includes(account)) : []
    for (const account of new Set(unusedAccounts)) await this.#deps.vault.remove(account).catch(() => undefined)
  }

  async #copyTo(mcp: McpTarget, name: string, server: McpServer): Promise<ChangeSet> {
    const target = anyServerTarget(mcp, name)
    const { journal } = await readJournal(target.id, this.#place)
    if (journal === undefined && (await this.#read(mcp)).has(name)) {
      const message = `${mcp.name} already has an MCP server ${name}. Remove it there first.`
      throw new AppError('input.invalid', message, { field: 'to' })
    }
    const { entry, unknownSettings } = writeServer(mcp, name, server)
    const plan = await this.#write(mcp, name, serverEdits(mcp, name, entry))
    const notes = unknownSettings.map((subject) => ({ code: 'notCopied' as const, subject }))
    return { ...plan, warnings: [...plan.warnings, ...notes] }
  }

  async #changeServer(change: AnyServerChange): Promise<ChangeSet> {
    const { name, action } = change
    const { mcp, server } = await this.#find(change)
    if (server.isOurs) {
      const message = 'This is the server of this app. Add or remove it as such.'
      throw new AppError('input.invalid', message, { field: 'name' })
    }
    const target = anyServerTarget(mcp, name)
    const { journal } = await readJournal(target.id, this.#place)
    const ownedSettings = journal?.files.flatMap((file) => file.owned) ?? []
    const isCopy = ownedSettings.some(
      ({ path, digest }) => path.length <= mcp.servers.length + 1 && digest !== undefined,
    )
    if (action === 'remove')
      return isCopy ? prepareRestore(target, this.#place) : this.#write(mcp, name, serverEdits(mcp, name, undefined))
    const toggleEdit = switchEdit(mcp, name, action === 'switchOn')
    if (!isCopy) return this.#write(mcp, name, [toggleEdit])
    const [file] = await readFiles(target, this.#place)
    const currentEntry = new Map(listServerEntries(mcp, file?.current ?? {})).get(name)
    const entry = {
      ...(isJsonObject(currentEntry) ? currentEntry : {}),
      [toggleEdit.path.at(-1) ?? '']: toggleEdit.value,
    }
    return this.#write(mcp, name, serverEdits(mcp, name, server.kept ? entry : maskServerValues(entry, server)))
  }

  #write(mcp: McpTarget, name: string, edits: readonly Edit[]): Promise<ChangeSet> {
    return prepareApply(anyServerTarget(mcp, name, edits), emptyRequest, this.#place)
  }

  /** Uses the command that starts this app as key helper. */
  #requestFor({ toolId, what, template = '' }: Pick<OwnServerChange, 'toolId' | 'what' | 'template'>): ToolRequest {
    const templateArgs = template === '' ? [] : ['--template', template]
    // Tools run status lines in a shell. With `--tool` as first argument, the launcher can print the line itself.
    const helperArgv =
      what === 'statusLine'
        ? [this.#deps.launcher.path, 'statusline', '--tool', toolId, ...templateArgs]
        : [...this.#launch(), 'mcp', '--tool', toolId]
    return { ...emptyRequest, helperArgv }
  }

  /** Command that starts this app. Windows needs cmd for command files. */
  #launch(): readonly string[] {
    const { path } = this.#deps.launcher
    return this.#place.environment.platform === 'win32' ? ['cmd', '/c', path] : [path]
  }

  async #view(mcp: McpTarget): Promise<McpToolView> {
    const { toolId, name } = mcp
    const target = serverTarget(mcp)
    const writtenState = await readToolStatus(target, undefined, this.#place)
    const isHttp = writtenState.journal?.choice.route === 'relay'
    const { status, problem, files, journal } = isHttp
      ? writtenState
      : await readToolStatus(target, this.#requestFor({ toolId, what: 'server' }), this.#place)
    // If the relay's port has changed, another program on the old port would receive the token.
    const isAtOldPort = isHttp && journal?.choice.base !== this.#deps.relay.mcpUrl(toolId)
    const [file = { path: '', exists: false }] = files
    const statusLine = hasStatusLine(toolId)
      ? await readToolStatus(statusLineTarget(toolId), undefined, this.#place)
      : undefined
    return {
      toolId,
      name,
      file: file.path,
      exists: file.exists,
      server: toServerState(status, isAtOldPort),
      isHttp,
      ...(problem ? { problem } : {}),
      ...(statusLine ? { statusLine: toServerState(statusLine.status) } : {}),
      servers: [...(await this.#read(mcp))].map(([name, server]) => serverView(mcp, name, server)),
      permissions: [...this.#deps.permissions(toolId)],
    }
  }

  /** MCP servers in a tool's settings file. Empty if the file cannot be read. */
  #read(mcp: McpTarget): Promise<ReadonlyMap<string, FoundServer>> {
    return this.#readAll(mcp).catch(() => new Map())
  }

  async #readAll(mcp: McpTarget): Promise<ReadonlyMap<string, FoundServer>> {
    const [file] = await readFiles(anyServerTarget(mcp, ''), this.#place)
    return file ? this.#serversIn(mcp, file.current) : new Map()
  }

  #serversIn(mcp: McpTarget, settings: Json): ReadonlyMap<string, FoundServer> {
    return new Map(
      listServerEntries(mcp, settings).flatMap(([name, entry]) => {
        const server = readServer(mcp.form, entry)
        if (!server) return []
        const unwrappedServer = unwrapServer(server, this.#deps.launcher.path)
        if (unwrappedServer)
          return [[name, { ...unwrappedServer.server, isOn: server.isOn, isOurs: false, kept: unwrappedServer.kept }]]
        return [[name, { ...server, isOurs: isOwnServer(server, this.#deps.launcher.path) }]]
      }),
    )
  }

  /** The only secret that this app writes into these files is the relay token of a tool. */
  readonly #reveal: RevealKey = async ({ relay = '' }) => keyText((await this.#deps.relay.mcpAccess(relay)).token)

  #recover(): Promise<unknown> {
    this.#recovered ??= recover({ home: this.#place, findContext: async () => this.#place, reveal: this.#reveal })
    return this.#recovered
  }
}

/** An MCP server or a status line needs no plan, model or address. */
const emptyRequest: ToolRequest = { planId: '', gatewayUrl: '', modelCode: '', models: [], contextTokens: 0 }

const listAccounts = (servers: ReadonlyMap<string, FoundServer>): string[] =>
  [...servers.values()].flatMap(({ kept }) => kept?.account ?? [])

function toServerState(status: ToolStatus, isOutdated = false): McpToolView['server'] {
  if (status === 'configured') return isOutdated ? 'modified' : 'added'
  if (status === 'drifted') return 'modified'
  return status === 'unreadable' ? 'unreadable' : 'absent'
}

/** Marks all texts of a server entry as secret if it has any secret, which could be in any of them. */
function maskServerValues(entry: Json, server: McpServer): EditValue {
  if (listValueNames(server).length === 0) return entry
  const close = (value: Json): EditValue => {
    if (typeof value === 'string') return new Secret(value, 'text')
    if (Array.isArray(value)) return value.map(close)
    return isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, close(inner)]))
      : value
  }
  return close(entry)
}

function listServerEntries({ servers, isList }: McpTarget, settings: Json): [name: string, entry: Json][] {
  if (isList)
    return listAt(settings, ...servers).flatMap((entry): [string, Json][] =>
      isJsonObject(entry) ? [[String(entry.name ?? ''), entry]] : [],
    )
  const entries = getValueAt(settings, servers)
  return isJsonObject(entries) ? Object.entries(entries) : []
}

/** A server as shown to the user: without arguments and values, and with only the host of its address. */
function serverView({ form }: McpTarget, name: string, server: FoundServer): McpServerView {
  const { isOurs, isOn, kept } = server
  const values = { values: [...(kept?.names ?? listValueNames(server))], areValuesKept: kept !== undefined }
  const sharedFields = { isOurs, isOn, canSwitch: form.toggle !== undefined, ...values }
  if (server.kind === 'stdio')
    return { name, kind: 'program', runs: showText(server.command).split(/[\\/]/).at(-1) ?? '', ...sharedFields }
  const url = rawText(server.url)
  return { name, kind: server.kind, ...(URL.canParse(url) ? { runs: new URL(url).host } : {}), ...sharedFields }
}

function isOwnServer(server: McpServer, ownPath: string): boolean {
  if (server.kind === 'stdio') return [server.command, ...server.args].some((word) => getLiteral(word) === ownPath)
  return /^http:\/\/127\.0\.0\.1:\d+\/mcp\//.test(getLiteral(server.url) ?? '')
}
