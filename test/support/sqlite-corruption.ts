import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createFolderInModules } from '../unit/support/folders'
import { buildProgram } from './build-program'
import type { CorrupterInput, CorrupterReport } from './database-corrupter'

type EndedReport = Extract<CorrupterReport, { readonly ended: string }>

async function runCorrupter(program: string, orders: Omit<CorrupterInput, 'folder'>) {
  const folder = await mkdtemp(join(tmpdir(), 'corruption-'))
  const child = fork(program, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const reports: EndedReport[] = []
  let currentCase: string | undefined
  child.on('message', (report: CorrupterReport) => {
    currentCase = 'begins' in report ? report.begins : undefined
    if ('ended' in report) reports.push(report)
  })
  child.send({ folder, ...orders } satisfies CorrupterInput)
  const [code, signal] = await once(child, 'close').finally(() => rm(folder, { recursive: true, force: true }))
  return { all: reports, end: { code, signal, underWay: currentCase } }
}

/**
 * Runs all corruption cases on the ledger and on the playground database, each in its own process, and calls every
 * method. Returns the reports of the cases and how the processes ended.
 */
export async function corruptDatabases(orders: Omit<CorrupterInput, 'folder' | 'database'>) {
  const outDir = await createFolderInModules('corruption')
  const program = await buildProgram(resolve(import.meta.dirname, 'database-corrupter.ts'), outDir)
  const [usage, playground] = await Promise.all([
    runCorrupter(program, { database: 'usage', ...orders }),
    runCorrupter(program, { database: 'playground', ...orders }),
  ]).finally(() => rm(outDir, { recursive: true, force: true }))
  return { usage, playground }
}

const expectedExit = { code: 0, signal: null, underWay: undefined }

/**
 * Extracts the faults from the result of `corruptDatabases`: crashes, and calls that return neither a value nor a
 * failure.
 */
export function findFaults({ usage, playground }: Awaited<ReturnType<typeof corruptDatabases>>) {
  const reports = [...usage.all, ...playground.all]
  return {
    ends: [usage.end, playground.end].filter((end) => JSON.stringify(end) !== JSON.stringify(expectedExit)),
    wrong: reports.filter(({ wrong }) => wrong.length > 0),
    // Cases whose database stayed unusable, although the app should have recovered it or started a new file.
    unusable: reports.flatMap(({ ended, isUsable }) => (isUsable || !isAlwaysUsable(ended) ? [] : [ended])),
  }
}

/**
 * Whether the app must have a usable database after this corruption. Random bytes can produce a valid database with
 * other values.
 */
const isAlwaysUsable = (name: string): boolean =>
  ['truncated', 'zeroed page', 'wrong magic', 'log of random bytes', 'a folder that cannot be written'].includes(
    name,
  ) || /\.(text|name|zone|set_aside|title|setup|record|body|draft|facts|tags|path|state)$|^runs\.answer$/.test(name)
