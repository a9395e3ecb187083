import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '../support/app'
import { companionProcess } from '../support/companion'

const acts = {
  'an uncaught error': `setImmediate(() => { throw new Error('nobody catches this') })`,
  'an unhandled rejection': `void Promise.reject(new Error('nobody catches this'))`,
}

for (const [what, act] of Object.entries(acts))
  test(`the command line ends with one sentence after ${what}`, async ({ machine }) => {
    const preload = join(machine.home, 'preload.cjs')
    writeFileSync(preload, `process.on('newListener', (event) => { if (event === 'unhandledRejection') { ${act} } })`)
    const env = { NODE_OPTIONS: `--require ${preload}` }
    const outcome = await companionProcess(machine, ['plan', 'list'], { env })
    const logs = join(machine.dataDir, 'logs')
    expect(outcome).toMatchObject({ code: 1, err: `companion: Unexpected error. See ${logs}.\n` })
    expect(readFileSync(join(logs, 'companion.log'), 'utf8')).toContain('nobody catches this')
  })

test('the app closes, writes a log and shows one sentence after an unhandled error', async ({ start, machine }) => {
  const { app } = await start()
  const ended = once(app.process(), 'exit')
  let said = ''
  app.process().stdout?.on('data', (chunk) => {
    said += String(chunk)
  })
  await app.evaluate(({ dialog }) => {
    dialog.showErrorBox = (title, text) => void process.stdout.write(`${title}: ${text}\n`)
    setTimeout(() => {
      throw new Error('nobody catches this')
    }, 0)
  })
  expect((await ended)[0]).toBe(1)
  const logs = join(machine.dataDir, 'logs')
  expect(said).toContain(`Platform Companion: The app stopped because of an unexpected error. Details are in ${logs}.`)
  expect(readFileSync(join(logs, 'companion.log'), 'utf8')).toContain('nobody catches this')
})
