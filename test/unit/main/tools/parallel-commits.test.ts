import { type ChildProcess, fork } from 'node:child_process'
import { on, once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readJournal } from '../../../../src/main/tools/journal'
import { claudeCode } from '../../../../src/main/tools/targets/claude-code'
import { buildProgram } from '../../../support/build-program'
import { createFolderInModules } from '../../support/folders'
import type { CommitterInput, Progress } from './support/committer'
import { otherRequest, request, ToolHarness } from './support/workshop'

let programs = ''
let program = ''
beforeAll(async () => {
  programs = await createFolderInModules('committer')
  program = await buildProgram(resolve(import.meta.dirname, 'support/committer.ts'), programs)
})
afterAll(() => rm(programs, { recursive: true, force: true }))

const children: ChildProcess[] = []
let harness: ToolHarness
beforeEach(() => {
  harness = new ToolHarness()
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

/** Starts a process that configures a tool on request, and records its messages. */
async function runCommitter(orders: Pick<CommitterInput, 'request' | 'isPausing'>) {
  const { home, dataDir } = harness
  const { key: _, ...asked } = orders.request as typeof request
  const child = fork(program, [JSON.stringify({ home, dataDir, ...orders, request: asked })])
  children.push(child)
  const messages = on(child, 'message')
  const readNextProgress = async (): Promise<Progress> => (await messages.next()).value[0]
  expect(await readNextProgress()).toBe('planned')
  return { next: readNextProgress, resume: () => child.send('go on'), closed: once(child, 'close') }
}

describe('two processes that set up the same tool concurrently', () => {
  it('leave the record that matches the settings, and the other process reports a conflict', async () => {
    mkdirSync(harness.dataDir)
    const originalText = '{\n  "theme": "dark"\n}\n'
    harness.writeFileAt(harness.getFile(claudeCode), originalText)
    const firstCommitter = await runCommitter({ request, isPausing: true })
    const secondCommitter = await runCommitter({ request: otherRequest, isPausing: false })
    firstCommitter.resume()
    await firstCommitter.next()
    expect(await firstCommitter.next()).toBe('paused')
    secondCommitter.resume()
    // Without a lock, the second process would finish before the first one continues.
    const isWaitingForLock = (await secondCommitter.next()) === 'waits'
    const earlyResult = isWaitingForLock ? undefined : await secondCommitter.next()
    firstCommitter.resume()
    const commitOutcomes = [await firstCommitter.next(), earlyResult ?? (await secondCommitter.next())]
    await Promise.all([firstCommitter.closed, secondCommitter.closed])
    expect(commitOutcomes).toEqual([{ ended: 'done' }, { ended: 'file.changed' }])
    const { journal } = await readJournal(claudeCode.id, harness.place)
    expect(journal?.choice.planId).toBe(request.planId)
    await harness.restore(claudeCode)
    expect(harness.read(harness.getFile(claudeCode))?.toString()).toBe(originalText)
  })
})
