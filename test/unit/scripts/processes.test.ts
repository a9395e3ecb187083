import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { processTable } from '../../../scripts/lib/process-table.mjs'
import { endProcess, exitCode, run, startProcess } from '../../../scripts/lib/processes.mjs'
import { root } from '../../../scripts/lib/project.mjs'
import { makeFolder } from '../support/folders'

function node(code: string, options: { keepOutput?: boolean; timeoutMs?: number } = {}) {
  return run(process.execPath, ['-e', code], { keepOutput: true, ...options })
}

test('returns the exit code and both outputs', async () => {
  const result = await node("console.log('out'); console.error('err'); process.exitCode = 7")
  expect(result).toMatchObject({ code: 7, timedOut: false })
  expect(result.output).toContain('out\n')
  expect(result.output).toContain('err\n')
})

test('returns 127 for a command that does not exist', async () => {
  expect(await run('/nowhere/command', [], { keepOutput: true })).toMatchObject({ code: 127 })
})

test('ends a command after its timeout', async () => {
  expect(await node('setInterval(() => {}, 1000)', { timeoutMs: 50 })).toMatchObject({ code: 143, timedOut: true })
})

test('ends the children of a command as well', async () => {
  const child = "require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])"
  const parent = startProcess(process.execPath, ['-e', `console.log(${child}.pid); setInterval(() => {}, 1000)`], {})
  const id = Number(await new Promise((resolve) => parent.stdout?.once('data', resolve)))
  expect(isRunning(id)).toBe(true)
  await endProcess(parent, 'SIGTERM')
  expect(isRunning(id)).toBe(false)
})

test('does not wait for a program that outlives the command and holds its output', async () => {
  const options = "{ detached: true, stdio: 'inherit' }"
  const code = `const c = require('child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 8000)'], ${options}); console.log(c.pid); c.unref()`
  const { output } = await node(code)
  expect(isRunning(Number(output))).toBe(true)
  process.kill(Number(output))
})

test('counts signals as a shell does', () => {
  expect([exitCode(0, null), exitCode(3, null), exitCode(null, 'SIGINT'), exitCode(null, 'SIGTERM')]).toEqual([
    0, 3, 130, 143,
  ])
})

test.each([
  ['throws', "throw new Error('no')", 1],
  ['gives a number', 'return 3', 3],
  ['has done its work', '', 0],
])('a script that %s reports it with its exit code, even if electron-builder was loaded', (_, work, code) => {
  const path = join(makeFolder(), 'try.mjs')
  const toUrl = (name: string) => pathToFileURL(join(root, name)).href
  const lines = [
    `import { script } from '${toUrl('scripts/lib/script.mjs')}'`,
    // electron-builder uses async-exit-hook to remove temporary files.
    `import onExit from '${toUrl('node_modules/async-exit-hook/index.js')}'`,
    `await script(import.meta.url, async () => { ${work} })`,
    'onExit((done) => done?.())',
  ]
  writeFileSync(path, lines.join('\n'))
  expect(spawnSync(process.execPath, [path]).status).toBe(code)
})

/** An ended process may stay in the process table until it is reaped. */
function isRunning(id: number): boolean {
  if (process.platform === 'linux') return processTable().some((row) => row.id === id && row.state !== 'Z')
  try {
    return process.kill(id, 0)
  } catch {
    return false
  }
}
