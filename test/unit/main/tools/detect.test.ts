import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { createEnvironment, type ToolEnvironment } from '../../../../src/main/core/environment'
import { createToolDetector } from '../../../../src/main/tools/detect'
import { makeFolder } from '../../support/folders'

const tool = { executables: ['sometool'] }

let home: string
beforeEach(() => {
  home = makeFolder()
})

const environment = (vars: Record<string, string> = {}): ToolEnvironment =>
  createEnvironment({ home, platform: 'linux', vars: { PATH: '/usr/bin:/bin', ...vars } })

function install(folder: string, script: string): string {
  const path = join(home, folder, 'sometool')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

test('a missing tool is not installed', async () => {
  expect(await createToolDetector(environment())(tool)).toEqual({ installed: false })
})

test.each([
  '.local/bin',
  '.npm-global/bin',
  '.bun/bin',
  '.opencode/bin',
  '.claude/local',
  '.volta/bin',
  '.nvm/versions/node/v22.1.0/bin',
])('a tool in ~/%s is found although it is not on the path', async (folder) => {
  const executable = install(folder, 'echo "2.1.330 (Some Tool)"')
  expect(await createToolDetector(environment())(tool)).toEqual({ installed: true, executable, version: '2.1.330' })
})

test('the path comes first, then the newest version from nvm', async () => {
  install('.nvm/versions/node/v9.0.0/bin', 'echo 9.0.0')
  install('.nvm/versions/node/v22.1.0/bin', 'echo 22.1.0')
  expect((await createToolDetector(environment())(tool)).version).toBe('22.1.0')
  const path = install('mine', 'echo 1.2.3')
  const detectTools = createToolDetector(environment({ PATH: `${dirname(path)}:/bin` }))
  expect(await detectTools(tool)).toMatchObject({ version: '1.2.3' })
})

test.each(['sometool', '@maker/sometool'])('the version of the package %s is read without running it', async (name) => {
  const target = install(`lib/node_modules/${name}/bin`, `touch ${home}/ran; echo 1.0.0`)
  writeFileSync(join(home, 'lib/node_modules', name, 'package.json'), '{ "version": "3.0.65" }')
  mkdirSync(join(home, '.local/bin'), { recursive: true })
  symlinkSync(target, join(home, '.local/bin/sometool'))
  expect(await createToolDetector(environment())(tool)).toMatchObject({ installed: true, version: '3.0.65' })
  expect(existsSync(join(home, 'ran'))).toBe(false)
})

test('a package without a version is asked for it', async () => {
  const target = install('lib/node_modules/sometool/bin', 'echo 1.0.0')
  writeFileSync(join(home, 'lib/node_modules/sometool/package.json'), '{ broken')
  mkdirSync(join(home, '.local/bin'), { recursive: true })
  symlinkSync(target, join(home, '.local/bin/sometool'))
  expect((await createToolDetector(environment())(tool)).version).toBe('1.0.0')
})

test('the npm prefix is searched', async () => {
  install('prefix/bin', 'echo codex-cli 0.169.0-beta.1')
  const detectTools = createToolDetector(environment({ npm_config_prefix: join(home, 'prefix') }))
  expect((await detectTools(tool)).version).toBe('0.169.0-beta.1')
})

test.each([
  ['fails', 'exit 3'],
  ['prints no version', 'echo hello'],
  ['is killed', 'kill -9 $$'],
])('a tool that %s counts as installed', async (_name, script) => {
  const executable = install('.local/bin', script)
  expect(await createToolDetector(environment())(tool)).toEqual({ installed: true, executable })
})

test('a tool finds the interpreter in its own folder, and gets no input and only the given variables', async () => {
  install('.local/bin', 'command -v besides >/dev/null && [ -z "$HOME" ] && ! read -r line && echo 7.7.7')
  const otherProgram = join(home, '.local/bin/besides')
  writeFileSync(otherProgram, '')
  chmodSync(otherProgram, 0o755)
  expect((await createToolDetector(environment())(tool)).version).toBe('7.7.7')
})

test('a tool is run again only after its file changed', async () => {
  const counter = join(home, 'count')
  const executable = install('.local/bin', `echo x >> ${counter}; echo 1.0.0`)
  const detectTools = createToolDetector(environment())
  await Promise.all([detectTools(tool), detectTools(tool)])
  await detectTools(tool)
  expect(readFileSync(counter, 'utf8').trim().split('\n').length).toBeLessThanOrEqual(2)
  const callLog = readFileSync(counter, 'utf8')
  await detectTools(tool)
  expect(readFileSync(counter, 'utf8')).toBe(callLog)
  utimesSync(executable, 1, 1)
  await detectTools(tool)
  expect(readFileSync(counter, 'utf8')).not.toBe(callLog)
})

test('a tool that never responds times out, even when its child process survives', async () => {
  const executable = install('.local/bin', 'sleep 20 & sleep 20')
  const startMs = performance.now()
  const detectTools = createToolDetector(environment(), { timeoutMs: 300 })
  expect(await detectTools(tool)).toEqual({ installed: true, executable })
  expect(performance.now() - startMs).toBeLessThan(4000)
})

test('a desktop app is found by its folder, and a tool by any of its names', async () => {
  const markers = () => [join(home, 'Applications/Some.app')]
  const detectTools = createToolDetector(environment())
  expect(await detectTools({ executables: [], markers })).toEqual({ installed: false })
  mkdirSync(join(home, 'Applications/Some.app'), { recursive: true })
  expect(await detectTools({ executables: [], markers })).toEqual({ installed: true })
  const executable = install('.local/bin', 'echo 1.2.3')
  const found = { installed: true, executable, version: '1.2.3' }
  expect(await detectTools({ executables: ['other-name', 'sometool'] })).toEqual(found)
})

test('a call that timed out is retried, and the result is saved for the next start', async () => {
  const executable = install('.local/bin', 'echo 1.0.0')
  const cacheFile = join(home, 'versions.json')
  const timeout = Object.assign(new Error('too slow'), { killed: true })
  const run = vi.fn(async () => '1.0.0').mockRejectedValueOnce(timeout)
  const detectTools = createToolDetector(environment(), { run, cacheFile })
  expect(await detectTools(tool)).toEqual({ installed: true, executable })
  expect(await detectTools(tool)).toMatchObject({ version: '1.0.0' })
  expect(await createToolDetector(environment(), { run, cacheFile })(tool)).toMatchObject({ version: '1.0.0' })
  expect(run).toHaveBeenCalledTimes(2)
})

test('at most two tools are asked at a time', async () => {
  const names = ['a', 'b', 'c', 'd']
  for (const name of names) {
    const path = join(home, '.local/bin', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '#!/bin/sh\n', { mode: 0o755 })
  }
  let runningCount = 0
  let maxConcurrent = 0
  const run = async (): Promise<string> => {
    runningCount += 1
    maxConcurrent = Math.max(maxConcurrent, runningCount)
    await new Promise(setImmediate)
    runningCount -= 1
    return '1.0.0'
  }
  const detectTools = createToolDetector(environment(), { run })
  const detections = await Promise.all(names.map((name) => detectTools({ executables: [name] })))
  expect(detections.map(({ version }) => version)).toEqual(names.map(() => '1.0.0'))
  expect(maxConcurrent).toBe(2)
})
