import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { McpCallView } from '@shared/contract/mcp'

const maxBytes = 100_000
const mostShown = 200

/** The latest calls to the MCP server, by all its processes: a line each, with one older file kept. Never arguments or results. */
export class CallLog {
  readonly #folder: string
  readonly #path: string

  constructor(dataDir: string) {
    this.#folder = join(dataDir, 'logs')
    this.#path = join(this.#folder, 'mcp-calls.jsonl')
  }

  add(call: McpCallView): void {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      if ((statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0) > maxBytes)
        renameSync(this.#path, `${this.#path}.1`)
      appendFileSync(this.#path, `${JSON.stringify(call)}\n`, { mode: 0o600 })
    } catch {
      // A full disk or a read-only folder must not stop a call.
    }
  }

  /** The newest first. */
  list(): McpCallView[] {
    const lines = [`${this.#path}.1`, this.#path].flatMap(linesOf)
    return lines
      .slice(-mostShown)
      .reverse()
      .flatMap((line) => readCall(line) ?? [])
  }
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
  } catch {
    return []
  }
}

/** A line that another process has not written to its end is none. */
function readCall(line: string): McpCallView | undefined {
  try {
    return McpCallView.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}
