import { type ChildProcess, fork } from 'node:child_process'
import { on, once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readJournal } from '../../../../src/main/tools/journal'
import { claudeCode } from '../../../../src/main/tools/targets/claude-code'
import { buildProgram } from '../../../support/state-writers'
import { folderBesideModules } from '../../support/folders'
import type { CommitOrders, Progress } from './support/committer'
import { otherRequest, request, Workshop } from './support/workshop'

let programs = ''
let program = ''
beforeAll(async () => {
  programs = await folderBesideModules('committer')
  program = await buildProgram(resolve(import.meta.dirname, 'support/committer.ts'), programs)
})
afterAll(() => rm(programs, { recursive: true, force: true }))

const children: ChildProcess[] = []
let workshop: Workshop
beforeEach(() => {
  workshop = new Workshop()
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  workshop.close()
})

/** A process that will set up a tool, with its messages. */
async function committer(orders: Pick<CommitOrders, 'request' | 'isPausing'>) {
  const { home, dataDir } = workshop
  const { key: _, ...asked } = orders.request as typeof request
  const child = fork(program, [JSON.stringify({ home, dataDir, ...orders, request: asked })])
  children.push(child)
  const messages = on(child, 'message')
  const next = async (): Promise<Progress> => (await messages.next()).value[0]
  expect(await next()).toBe('planned')
  return { next, goOn: () => child.send('go on'), closed: once(child, 'close') }
}

describe('two processes that set up the same tool concurrently', () => {
  it('leave the record that matches the settings, and the other process reports a conflict', async () => {
    mkdirSync(workshop.dataDir)
    const original = '{\n  "theme": "dark"\n}\n'
    workshop.writeFileAt(workshop.getFile(claudeCode), original)
    const first = await committer({ request, isPausing: true })
    const second = await committer({ request: otherRequest, isPausing: false })
    first.goOn()
    await first.next()
    expect(await first.next()).toBe('paused')
    second.goOn()
    // Without a lock, the second process would finish before the first one continues.
    const isHeldBack = (await second.next()) === 'waits'
    const early = isHeldBack ? undefined : await second.next()
    first.goOn()
    const ends = [await first.next(), early ?? (await second.next())]
    await Promise.all([first.closed, second.closed])
    expect(ends).toEqual([{ ended: 'done' }, { ended: 'file.changed' }])
    const { journal } = await readJournal(claudeCode.id, workshop.place)
    expect(journal?.choice.planId).toBe(request.planId)
    await workshop.restore(claudeCode)
    expect(workshop.read(workshop.getFile(claudeCode))?.toString()).toBe(original)
  })
})
