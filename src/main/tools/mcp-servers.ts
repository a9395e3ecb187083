import { join } from 'node:path'
import type { McpChange, McpPermission, McpServerView, McpToolView, PreviewView } from '@shared/contract'
import { AppError } from '@shared/failure'
import type { AuditPort } from '../ports'
import type { Routes } from '../routing/routes'
import { Previews } from '../setups/change-history'
import type { Machine } from '../setups/config-scopes'
import { isProcessAlive } from '../sqlite/process-lock'
import { prepareApply, type ToolRequest } from './apply'
import type { ChangeSet } from './change-set'
import { commit } from './commit'
import { isJsonObject, type Json, valueAt } from './editors/editor'
import type { EngineContext } from './environment'
import { keyText } from './owned-settings'
import { recover } from './recover'
import { prepareRestore } from './restore'
import { readFiles, toolStatus } from './status'
import { userSite, type WrittenTarget } from './target'
import {
  type McpServer,
  type McpTarget,
  mcpTarget,
  mcpTargets,
  readServer,
  serverTarget,
  statusLineTarget,
} from './targets/mcp-servers'

interface McpServersDeps {
  readonly machine: Machine
  /** What tools start; written before a tool is told of it. */
  readonly launcher: { readonly path: string; ensure(): void }
  readonly audit: AuditPort
  readonly permissions: (toolId: string) => readonly McpPermission[]
  /** A tool without the server may do nothing with it. */
  readonly revoke: (toolId: string) => void
  readonly relay: Pick<Routes, 'mcpAccess' | 'setMcpAccess' | 'isOn'>
}

/**
 * The companion's MCP server in the settings of coding tools, and the status line of Claude Code. The same engine as for setups, with records
 * of its own in `<data>/mcp`: each can be added and undone without the other.
 */
export class McpServers {
  readonly #deps: McpServersDeps
  readonly #place: EngineContext
  readonly #previews = new Previews({ wayOf: () => undefined })
  #recovered: Promise<unknown> | undefined

  constructor(deps: McpServersDeps) {
    this.#deps = deps
    const { place } = deps.machine
    this.#place = { ...place, dataDir: join(place.dataDir, 'mcp'), site: userSite }
  }

  /** Every tool that speaks MCP, with its servers. */
  async list(): Promise<McpToolView[]> {
    await this.#recover()
    return Promise.all(mcpTargets.map((target) => this.#view(target)))
  }

  /** What a change would write. Adding twice changes nothing. Fails with `tool.notFound`, `tool.notConfigured` or `file.*`. */
  async preview(change: McpChange): Promise<PreviewView> {
    await this.#recover()
    const { base: _, requestAddress: __, ...view } = this.#previews.keepOne(await this.#prepare(change))
    return view
  }

  /** Writes what a preview showed. Fails with `file.changed`; then nothing is written. */
  async carryOut(previewId: string): Promise<McpToolView[]> {
    const plans = this.#previews.take(previewId)
    if (plans.some(({ past }) => past.next !== undefined)) this.#deps.launcher.ensure()
    const isOverRelay = ({ past }: ChangeSet): boolean => past.next?.choice.route === 'relay'
    // The relay is there before a tool is pointed at it, and for as long as one is.
    for (const plan of plans.filter(isOverRelay)) await this.#deps.relay.setMcpAccess(plan.toolId, true)
    await commit(plans, this.#place)
    for (const plan of plans) {
      const { toolId, kind } = plan
      if (kind === 'restore') this.#deps.revoke(toolId)
      if (!isOverRelay(plan)) await this.#deps.relay.setMcpAccess(toolId, false)
      const name = mcpTargets.find((one) => one.toolId === toolId)?.name ?? statusLineTarget.name
      await this.#deps.audit.note({ what: 'toolWritten', subject: `${name} (MCP)` })
    }
    return this.list()
  }

  /** What would take out the server and the status line wherever this app added them and nobody changed them since. */
  async previewRemoveAll(): Promise<PreviewView[]> {
    const added = (await this.list()).flatMap(({ toolId, server, statusLine }): McpChange[] => [
      ...(server === 'added' ? [{ toolId, what: 'server', action: 'remove' } as const] : []),
      ...(statusLine === 'added' ? [{ toolId, what: 'statusLine', action: 'remove' } as const] : []),
    ])
    return Promise.all(added.map((change) => this.preview(change)))
  }

  /** Every file that is worth watching. */
  watchedFiles(): string[] {
    return mcpTargets.flatMap(({ path }) => path(this.#place.environment) ?? [])
  }

  async #prepare({ toolId, what, action, isHttp = false }: McpChange): Promise<ChangeSet> {
    const target = what === 'server' ? serverTarget(mcpTarget(toolId)) : this.#statusLineOf(toolId)
    if (action === 'remove') return prepareRestore(target, this.#place)
    const request = this.#requestFor(target)
    if (!isHttp || what !== 'server') return prepareApply(target, request, this.#place)
    const { url, token } = await this.#deps.relay.mcpAccess(toolId)
    const overRelay = { gatewayUrl: url, key: token, delivery: 'plain', route: 'relay' } as const
    const plan = await prepareApply(target, { ...request, ...overRelay }, this.#place)
    if (await this.#deps.relay.isOn()) return plan
    return { ...plan, warnings: [...plan.warnings, { code: 'relayNeeded' }] }
  }

  #statusLineOf(toolId: string): WrittenTarget {
    if (toolId === 'claude-code') return statusLineTarget
    throw new AppError('tool.notFound', 'Only Claude Code has a status line that this app sets.')
  }

  /** A program of ours takes the place of the helper; there is no plan and no address. */
  #requestFor({ id }: WrittenTarget): ToolRequest {
    const { path } = this.#deps.launcher
    const own = id === statusLineTarget.id ? ['statusline'] : ['mcp', '--tool', id]
    // Windows starts no command file without its shell; a status line is run by one anyway.
    const isBare = this.#place.environment.platform === 'win32' && id !== statusLineTarget.id
    const helperArgv = [...(isBare ? ['cmd', '/c'] : []), path, ...own]
    return { planId: '', gatewayUrl: '', modelCode: '', models: [], contextTokens: 0, helperArgv }
  }

  async #view(mcp: McpTarget): Promise<McpToolView> {
    const { toolId, name } = mcp
    const target = serverTarget(mcp)
    const written = await toolStatus(target, undefined, this.#place)
    const isHttp = written.journal?.choice.route === 'relay'
    const found = isHttp ? written : await toolStatus(target, this.#requestFor(target), this.#place)
    const { status, problem, files } = found
    const [file = { path: '', exists: false }] = files
    return {
      ...{ toolId, name, file: file.path, exists: file.exists, server: presenceOf(status), isHttp },
      ...(problem ? { problem } : {}),
      ...(toolId === 'claude-code' ? { statusLine: await this.#statusLine() } : {}),
      servers: await this.#servers(mcp, target),
      permissions: [...this.#deps.permissions(toolId)],
    }
  }

  async #statusLine() {
    const { status } = await toolStatus(statusLineTarget, undefined, this.#place)
    return presenceOf(status)
  }

  async #servers(mcp: McpTarget, target: WrittenTarget): Promise<McpServerView[]> {
    const [file] = await readFiles(target, this.#place).catch(() => [])
    const found = file && valueAt(file.current, mcp.servers)
    return entriesOf(found, mcp.isList === true).flatMap(([name, entry]) => {
      const server = readServer(mcp, entry)
      return server ? [serverView(name, server, this.#deps.launcher.path)] : []
    })
  }

  /** Takes back what a kill cut off, once. */
  #recover(): Promise<unknown> {
    this.#recovered ??= recover({
      home: this.#place,
      placeOf: async () => this.#place,
      reveal: async ({ relay = '' }) => keyText((await this.#deps.relay.mcpAccess(relay)).token),
      isRunning: isProcessAlive,
    })
    return this.#recovered
  }
}

function presenceOf(status: Awaited<ReturnType<typeof toolStatus>>['status']): McpToolView['server'] {
  if (status === 'configured') return 'added'
  if (status === 'drifted') return 'modified'
  return status === 'unreadable' ? 'unreadable' : 'absent'
}

function entriesOf(found: Json | undefined, isList: boolean): [name: string, entry: Json][] {
  if (isList) {
    const list = Array.isArray(found) ? found : []
    return list.flatMap((one): [string, Json][] => (isJsonObject(one) ? [[String(one.name ?? ''), one]] : []))
  }
  return isJsonObject(found) ? Object.entries(found) : []
}

/** What may be shown of a server: neither arguments nor values, nor more of an address than its host. */
function serverView(name: string, server: McpServer, ownPath: string): McpServerView {
  if (server.kind !== 'stdio')
    return { name, kind: 'http', ...hostOf(server.url), isOurs: /^http:\/\/127\.0\.0\.1:\d+\/mcp\//.test(server.url) }
  const { command, args } = server
  const isOurs = [command, ...args].includes(ownPath)
  return { name, kind: 'program', runs: command.split(/[\\/]/).at(-1) ?? '', isOurs }
}

function hostOf(url: string): { readonly runs?: string } {
  try {
    return { runs: new URL(url).host }
  } catch {
    return {}
  }
}
