import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { build } from 'vite'
import { beforeAll, expect, it } from 'vitest'
import { makeSharedFolder } from '../../support/folders'

const folder = makeSharedFolder()
let program = ''

beforeAll(async () => {
  await build({
    configFile: false,
    logLevel: 'error',
    build: { ssr: resolve(import.meta.dirname, 'force-exit-child.ts'), outDir: folder },
  })
  const [name = ''] = await readdir(folder)
  program = join(folder, name)
})

async function run(...args: readonly string[]) {
  const child = spawn(process.execPath, [program, ...args], { stdio: 'inherit' })
  const [code, signal]: unknown[] = await once(child, 'exit')
  return { code, signal }
}

it('ends a process whose main thread hangs', async () => {
  expect(await run('50', 'stuck')).toEqual({ code: null, signal: 'SIGKILL' })
})

it('does not keep a finished process alive', async () => {
  expect(await run('600000')).toEqual({ code: 0, signal: null })
})
