import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { electronPath, expect, root, test } from '../support/app'
import { startCompanion } from '../support/companion'

const fatalActions = {
  'an uncaught error': `setImmediate(() => { throw new Error('nobody catches this') })`,
  'an unhandled rejection': `void Promise.reject(new Error('nobody catches this'))`,
}

for (const [errorName, act] of Object.entries(fatalActions))
  test(`the command line ends with one sentence after ${errorName}`, async ({ machine }) => {
    const preload = join(machine.home, 'preload.cjs')
    writeFileSync(preload, `process.on('newListener', (event) => { if (event === 'unhandledRejection') { ${act} } })`)
    const env = { NODE_OPTIONS: `--require ${preload}` }
    const outcome = await startCompanion(machine, ['plan', 'list'], { env })
    const logs = join(machine.dataDir, 'logs')
    expect(outcome).toMatchObject({ code: 1, err: `companion: Unexpected error. See ${logs}.\n` })
    expect(readFileSync(join(logs, 'companion.log'), 'utf8')).toContain('nobody catches this')
  })

test('the app closes, writes a log and shows one sentence after an unhandled error', async ({ start, machine }) => {
  const { app } = await start()
  const exitPromise = once(app.process(), 'exit')
  let outputText = ''
  app.process().stdout?.on('data', (chunk) => {
    outputText += String(chunk)
  })
  await app.evaluate(({ dialog }) => {
    dialog.showErrorBox = (title, text) => void process.stdout.write(`${title}: ${text}\n`)
    setTimeout(() => {
      throw new Error('nobody catches this')
    }, 0)
  })
  expect((await exitPromise)[0]).toBe(1)
  const logs = join(machine.dataDir, 'logs')
  expect(outputText).toContain(
    `Platform Companion: The app stopped because of an unexpected error. Details are in ${logs}.`,
  )
  expect(readFileSync(join(logs, 'companion.log'), 'utf8')).toContain('nobody catches this')
})

test.describe('a data folder that cannot be used', () => {
  test.skip(process.platform !== 'linux', 'Only Linux has folders in which nobody can write.')
  const folders = (file: string): Record<string, string> => ({
    'is in a read-only file system': '/sys/companion',
    'is in a file system without files of its own': '/proc/companion',
    'is a file': file,
  })

  for (const reason of Object.keys(folders('')))
    test(`is named in one sentence by the command line and the app, because it ${reason}`, async ({ machine }) => {
      const file = join(machine.home, 'a-file')
      writeFileSync(file, '')
      const dataDir = folders(file)[reason] ?? ''
      const outcome = await startCompanion({ ...machine, dataDir }, ['plan', 'list'])
      expect(outcome).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^companion: .*\.\n$/) })
      expect(outcome.err).toContain(dataDir)

      // The system's dialog waits for a click.
      const preload = join(machine.home, 'preload.cjs')
      writeFileSync(
        preload,
        `require('electron').dialog.showErrorBox = (title, text) => process.stdout.write(title + ': ' + text + '\\n')`,
      )
      const chromiumSwitches = process.getuid?.() === 0 ? ['--no-sandbox'] : []
      const args = ['-r', preload, ...chromiumSwitches, '--disable-gpu', root, '--data-dir', dataDir]
      const child = spawn(electronPath(), args, { env: machine.env, stdio: ['ignore', 'pipe', 'ignore'] })
      const [outputText, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
      expect(outputText).toContain(`Platform Companion could not start: The app can't write to its folder ${dataDir}.`)
      expect(code).toBe(1)
    })
})
