import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Driver from 'libsql'
import { onTestFinished } from 'vitest'
import { createEnvironment } from '../../../../../src/main/core/environment'
import { ToolLogReader } from '../../../../../src/main/usage/tool-logs/import'
import { toolLogs } from '../../../../../src/main/usage/tool-logs/index'
import { createAttribution } from '../../../../../src/main/usage/tool-logs/tool-log'
import { makeFolder } from '../../../support/folders'
import { createTestLedger } from '../test-ledger'

type ToolSetupPeriod = Parameters<typeof createAttribution>[0][number]

const fixtures = join(import.meta.dirname, '../../../../fixtures/tool-logs')

/** Path of each tool's fixture in a home. */
const toolFolders: Readonly<Record<string, string>> = {
  'claude-code': '.claude',
  'qwen-code': '.qwen',
  continue: '.continue',
  cline: '.cline/data',
  pi: '.pi/agent',
  droid: '.factory',
}

/** Time at which the fixtures were recorded. */
export const recordedAt = new Date('2026-11-21T22:28:00Z')

/** Clock of the log tests: a day after the fixtures were recorded. */
const currentTime = new Date('2026-11-22T12:00:00Z')

/** A home with tools' logs, and a reader. */
export function createLogHarness({
  uses = [],
  notBefore: earliestMs = 0,
  vars = {},
}: {
  uses?: readonly ToolSetupPeriod[]
  notBefore?: number
  vars?: Record<string, string>
} = {}) {
  const home = makeFolder()
  const testLedger = createTestLedger()
  /** `all`: oldest first. */
  const ledger = { ...testLedger, all: () => testLedger.all('toolLog').toReversed() }
  const logEntries: unknown[] = []
  const deps = {
    ledger,
    environment: createEnvironment({ home, platform: 'linux', vars }),
    attribution: () => createAttribution(uses, () => 'first-key'),
    notBefore: () => earliestMs,
    clock: () => currentTime,
    log: { info: () => undefined, error: (...args: unknown[]) => logEntries.push(args) },
  }
  const reader = () => {
    const readers = toolLogs.map((log) => new ToolLogReader(log, deps))
    const find = (toolId: string) => readers.find((candidate) => candidate.toolId === toolId)
    return {
      states: () => Promise.all(readers.map((toolLogReader) => toolLogReader.state())),
      read: async (toolId: string) => find(toolId)?.read(),
      forget: async (toolId: string) => find(toolId)?.forget(),
    }
  }
  const logs = reader()
  /** Copies a tool's fixture to the tool's own path. */
  function copyLogs(toolId: string): void {
    const toolFolder = toolFolders[toolId]
    if (toolFolder) cpSync(join(fixtures, toolId), join(home, toolFolder), { recursive: true })
    else createLogDatabase(join(home, '.local/share', toolId, `${toolId}.db`), toolId)
    // Continue's log has no timestamps.
    if (toolId === 'continue')
      for (const [index, name] of readdirSync(join(home, '.continue/sessions')).toSorted().entries()) {
        const modifiedSeconds = recordedAt.getTime() / 1000 + index
        utimesSync(join(home, '.continue/sessions', name), modifiedSeconds, modifiedSeconds)
      }
  }
  return {
    home,
    ledger,
    logged: logEntries,
    /** Creates a new reader, as after a restart of the app. */
    reader,
    logs,
    write(path: string, text: string | Buffer) {
      mkdirSync(dirname(join(home, path)), { recursive: true })
      writeFileSync(join(home, path), text)
    },
    copyLogs,
    /** Copies and reads the fixtures of these tools. */
    async importLogs(...toolIds: readonly string[]) {
      for (const toolId of toolIds) {
        copyLogs(toolId)
        await logs.read(toolId)
      }
    },
    /** Creates a database at a tool's path, open until the test ends. */
    database(path: string, ...sql: readonly string[]): Driver.Database {
      mkdirSync(dirname(join(home, path)), { recursive: true })
      const driver = new Driver(join(home, path))
      driver.exec(sql.join(';\n'))
      onTestFinished(() => void driver.close())
      return driver
    },
    figures: () =>
      ledger
        .all()
        .map(({ inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 }) => [
          inputTokens,
          outputTokens,
          cacheReadTokens + cacheWriteTokens,
        ]),
    /** State of a tool's log as this reader sees it. */
    state: async (toolId: string, reader = logs) => (await reader.states()).find((state) => state.toolId === toolId),
  }
}

/** A database in the write-ahead mode that the tools use. */
function createLogDatabase(path: string, toolId: string): void {
  mkdirSync(dirname(path), { recursive: true })
  if (existsSync(path)) return
  const driver = new Driver(path)
  driver.exec('PRAGMA journal_mode = WAL')
  driver.exec(readFileSync(join(fixtures, toolId, `${toolId}.sql`), 'utf8'))
  driver.close()
}
