import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { McpCallView } from '@shared/contract/mcp'
import { escapeHiddenInJson } from '@shared/hidden-characters'
import { parseJson } from '@shared/json'
import { redact } from '../core/secret'
import type { SettingsStore } from '../core/settings/settings'
import { withProcessLock } from '../core/sqlite/process-lock'

const maxBytes = 100_000
const maxShownCalls = 200
/** Maximum characters of a call's arguments. */
const maxArgumentsLength = 2000

/** Log of recent calls of all MCP server processes, with one rotated file. Arguments only if enabled, never results. */
export class CallLog {
  readonly #path: string
  readonly #lockPath: string

  /** `recordsArguments` reads whether arguments are recorded. */
  constructor(
    dataDir: string,
    private readonly recordsArguments = (): boolean => false,
  ) {
    this.#path = join(dataDir, 'logs', 'mcp-calls.jsonl')
    this.#lockPath = join(dataDir, 'mcp-calls.lock')
  }

  add(call: McpCallView, callArguments?: unknown): void {
    try {
      if (this.recordsArguments()) this.#addWithArguments(call, callArguments)
      else this.#append(call)
    } catch {
      // A full disk or a read-only folder must not stop an MCP call.
    }
  }

  /** Checks the setting again under the lock, so nothing is stored after the log was switched off and removed. */
  #addWithArguments(call: McpCallView, callArguments: unknown): void {
    const recordedCall = { ...call, arguments: argumentsText(callArguments) }
    withProcessLock(this.#lockPath, () => this.#append(this.recordsArguments() ? recordedCall : call))
  }

  #append(call: McpCallView): void {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 })
    if ((statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0) > maxBytes)
      renameSync(this.#path, `${this.#path}.1`)
    appendFileSync(this.#path, `${JSON.stringify(call)}\n`, { mode: 0o600 })
  }

  /** Deletes stored arguments after recording was switched off. */
  forgetArguments(): void {
    withProcessLock(this.#lockPath, () => {
      // Rewrite the newer file first, because another process may rotate it to `.1` at the same time.
      for (const path of [this.#path, `${this.#path}.1`]) {
        const calls = readLines(path).flatMap((line) => readCall(line) ?? [])
        if (calls.every((call) => call.arguments === undefined)) continue
        const text = calls.map(({ arguments: _, ...call }) => `${JSON.stringify(call)}\n`).join('')
        writeFileSync(`${path}.new`, text, { mode: 0o600 })
        renameSync(`${path}.new`, path)
      }
    })
  }

  /** Newest first. */
  list(): McpCallView[] {
    const lines = [`${this.#path}.1`, this.#path].flatMap(readLines)
    return lines
      .slice(-maxShownCalls)
      .reverse()
      .flatMap((line) => readCall(line) ?? [])
  }
}

/** Switches recording of arguments. Switching off deletes stored ones. */
export function setRecordsArguments(settings: SettingsStore, dataDir: string, isOn: boolean): void {
  settings.update(({ mcp }) => ({ mcp: { ...mcp, recordsArguments: isOn } }))
  if (!isOn) new CallLog(dataDir).forgetArguments()
}

/** Start of a call's arguments as JSON, masked. Also masks before serializing, because JSON escapes quotes in texts. */
function argumentsText(callArguments: unknown): string {
  const json = JSON.stringify(callArguments ?? {}, (_, value) => (typeof value === 'string' ? redact(value) : value))
  const text = escapeHiddenInJson(redact(json))
  return text.length <= maxArgumentsLength ? text : `${text.slice(0, maxArgumentsLength)}…`
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
  } catch {
    return []
  }
}

/** Parses a line of the log. Undefined for a line that another process is still writing. */
const readCall = (line: string): McpCallView | undefined => McpCallView.safeParse(parseJson(line)).data
