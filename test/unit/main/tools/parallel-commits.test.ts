import { EventEmitter, once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Disk } from '../../../../src/main/core/files/disk'
import { prepareApply } from '../../../../src/main/tools/apply'
import { journalPath, readJournal } from '../../../../src/main/tools/journal'
import { claudeCode } from '../../../../src/main/tools/targets/claude-code'
import { unsyncedDisk } from './support/quick-disk'
import { catchFailure, otherRequest, request, ToolHarness } from './support/workshop'

it('two concurrent writes of a tool leave the record that matches its settings, and the second reports a conflict', async () => {
  const harness = new ToolHarness()
  const originalText = '{\n  "theme": "dark"\n}\n'
  harness.writeFileAt(harness.getFile(claudeCode), originalText)
  const record = journalPath(claudeCode.id, harness.place)
  const events = new EventEmitter()
  let hasPaused = false
  const pausingDisk: Disk = {
    ...unsyncedDisk,
    rename: async (from, to) => {
      if (to === record && !hasPaused) {
        hasPaused = true
        events.emit('paused')
        await once(events, 'resumed')
      }
      await unsyncedDisk.rename(from, to)
    },
  }
  const firstPlan = await prepareApply(claudeCode, request, harness.on(pausingDisk))
  const secondPlan = await prepareApply(claudeCode, otherRequest, harness.place)
  const paused = once(events, 'paused')
  const firstCommit = harness.commit(firstPlan, pausingDisk)
  await paused
  const secondFailure = catchFailure(harness.commit(secondPlan))
  // Without a lock, the second write would finish before the first one continues.
  for (let turn = 0; turn < 100; turn += 1) await nextTurn()
  events.emit('resumed')
  await firstCommit
  expect(await secondFailure).toMatchObject({ code: 'file.changed' })
  expect((await readJournal(claudeCode.id, harness.place)).journal?.choice.planId).toBe(request.planId)
  await harness.restore(claudeCode)
  expect(harness.read(harness.getFile(claudeCode))?.toString()).toBe(originalText)
})
