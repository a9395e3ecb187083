import { execFile, spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)
/** Options for the shortest possible bench: two rounds with the smallest amounts of each part. */
const smallestOptions = ['--runs', '2', '--requests', '1000', '--tokens', '1000']
/** Names of the benchmark's parts, read from its help text. */
const { stderr: usage } = spawnSync(process.execPath, ['scripts/bench.mjs', '--help'], { cwd: root, encoding: 'utf8' })
const parts = /--only=([\w|]+)/.exec(usage)?.[1]?.split('|') ?? []

test('the bench has parts', () => expect(parts).toContain('command'))

test.each(parts)('the part %s of the bench runs completely and prints its measurements', async (part) => {
  const command = ['scripts/bench.mjs', `--only=${part}`, ...smallestOptions]
  const { stdout } = await run(process.execPath, command, { cwd: root, maxBuffer: 16 * 1024 * 1024 })
  expect(stdout).toMatch(/median \(range\) +bare +app +ratio/)
  expect(stdout).toMatch(/Goals: \d+ of \d+ reached/)
})
