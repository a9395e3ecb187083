import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { takeSnapshot } from '../tools/folder-snapshot'
import type { Machine } from './app'
import { type CliHarness, expect, teamPlan } from './cli-desk'
import { cliPath } from './companion'
import { claudeFile, writeUserFile } from './tools'

/** Maximum delay of the kill after the first write of a batch, in ms. A batch ends sooner by itself. */
const maxKillDelayMs = 36

/** Kills a command shortly after its first write. */
async function runAndKill(machine: Machine, args: readonly string[], afterMs: number): Promise<void> {
  const folder = join(machine.dataDir, 'tools/history')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const folderWatcher = watch(folder)
  const child: ChildProcess = spawn(process.execPath, [cliPath, '--data-dir', machine.dataDir, ...args], {
    env: machine.env,
    stdio: 'ignore',
  })
  const closePromise = once(child, 'close')
  await Promise.race([once(folderWatcher, 'change'), closePromise])
  if (afterMs > 0) await Promise.race([wait(afterMs), closePromise])
  child.kill('SIGKILL')
  await closePromise
  folderWatcher.close()
}

/**
 * Kills the setup of several tools `roundCount` times, and checks that each is complete or undone after the next command.
 */
export async function killBatches({ machine, run, succeed }: CliHarness, roundCount: number): Promise<void> {
  const batch = ['claude-code', 'opencode', 'kilo', 'qwen-code', 'pi', 'crush', 'continue', 'nanocoder']
  const configure = ['configure', ...batch, '--plan', teamPlan]
  writeUserFile(claudeFile(machine), '{"theme": "dark"}')
  writeUserFile(join(machine.home, '.config/kilo/kilo.jsonc'), '// mine\n{}\n')
  const snapshotBefore = takeSnapshot(machine.home)
  await succeed(...configure)
  const snapshotAfter = takeSnapshot(machine.home)
  await succeed('restore', '--all', '--yes')
  expect(takeSnapshot(machine.home)).toEqual(snapshotBefore)
  const entries = async (): Promise<{ id: string; state: string }[]> => JSON.parse(await succeed('history', '--json'))
  let undoneCount = 0
  for (let roundIndex = 0; roundIndex < roundCount; roundIndex += 1) {
    const knownIds = (await entries()).map(({ id }) => id)
    await runAndKill(machine, configure, Math.floor((Math.random() * maxKillDelayMs * roundIndex) / (roundCount - 1)))
    const dryRun = await run('configure', 'claude-code', '--plan', teamPlan, '--dry-run')
    expect(dryRun.code, dryRun.err).toBe(0)
    const [newEntry] = (await entries()).filter(({ id }) => !knownIds.includes(id))
    expect(takeSnapshot(machine.home), newEntry?.state).toEqual(
      newEntry?.state === 'done' ? snapshotAfter : snapshotBefore,
    )
    expect(dryRun.err.includes('was interrupted and rolled back')).toBe(newEntry?.state === 'undone')
    if (newEntry?.state === 'undone') undoneCount += 1
    await run('restore', '--all', '--yes')
  }
  expect(takeSnapshot(machine.home)).toEqual(snapshotBefore)
  expect(undoneCount).toBeGreaterThan(0)
}
