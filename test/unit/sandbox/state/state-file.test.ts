import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createStateWriter, loadWorld } from '../../../../src/sandbox/state/state-file'
import { World } from '../../../../src/sandbox/state/world'
import { buildProgram } from '../../../support/build-program'
import { getRounds } from '../../../support/depth'
import { makeFolder } from '../../support/folders'
import { plainWorld } from '../plain-world'

const seed = 'ab'.repeat(32)
const world = plainWorld(seed, Date.now())
const generation = (tokenGeneration: number): World => ({ ...world, tokenGeneration })

let folder = ''
let path = ''
let notices: string[] = []
const notify = (text: string) => void notices.push(text)
const loadPlainWorld = () => loadWorld(path, { notify, begin: plainWorld })
const readWrittenWorld = async () => World.parse(JSON.parse(await readFile(path, 'utf8')))

beforeEach(() => {
  folder = makeFolder()
  path = join(folder, 'state.json')
  notices = []
})

describe('a state file', () => {
  test('of version 1 keeps its seed, so that its keys stay valid', async () => {
    await writeFile(path, JSON.stringify({ version: 1, seed, clockOffsetMs: 5, plans: [], keys: [] }))
    const keys = plainWorld(seed, Date.now()).keys.map((key) => ({ ...key, createdAt: expect.any(String) }))
    const loadedWorld = await loadPlainWorld()
    expect(loadedWorld).toMatchObject({ version: 2, seed })
    expect(loadedWorld?.keys).toEqual(keys)
    expect([notices, await readdir(folder)]).toEqual([[], ['state.json']])
  })

  test.each([
    ['a later version', JSON.stringify({ ...world, version: 3 })],
    ['the first version without a seed', JSON.stringify({ version: 1 })],
    ['the first version with half a seed', JSON.stringify({ version: 1, seed: seed.slice(32) })],
    ['a field that is not known', JSON.stringify({ ...world, extra: 1 })],
    ['half a file', JSON.stringify(world).slice(0, 500)],
    ['nothing', ''],
    ['bytes that are no text', '\u0000\u0001'],
  ])('with %s is set aside unchanged, with a message', async (_, content) => {
    await writeFile(path, content)
    expect(await loadPlainWorld()).toBeUndefined()
    const [aside = '', ...rest] = await readdir(folder)
    expect([aside, rest]).toEqual([expect.stringMatching(/^state\.json\.broken-/), []])
    expect(await readFile(join(folder, aside), 'utf8')).toBe(content)
    expect(notices).toEqual([expect.stringContaining(join(folder, aside))])
  })

  test('loses the temporary file of a killed writer, and nothing else', async () => {
    const otherFiles = [
      'other.json.12-0123abcd.tmp',
      'state.json.broken-2026',
      'state.json.tmp',
      'state.json.x-0123abcd.tmp',
    ]
    const leftoverFiles = ['state.json.12-0123abcd.tmp', 'state.json.99999-deadbeef.tmp']
    for (const name of [...otherFiles, ...leftoverFiles]) await writeFile(join(folder, name), 'x')
    await loadPlainWorld()
    expect((await readdir(folder)).sort()).toEqual(otherFiles)
  })
})

describe('a writer', () => {
  /** A simulated disk whose writes finish when the test says so. */
  const slowDisk = () => {
    const startedWrites: string[] = []
    const writeCallbacks: ((error?: Error) => void)[] = []
    const writeFile = (_: string, text: string) => {
      startedWrites.push(text)
      return new Promise<void>((resolveWrite, rejectWrite) =>
        writeCallbacks.push((error) => (error ? rejectWrite(error) : resolveWrite())),
      )
    }
    const listGenerations = () => startedWrites.map((text) => World.parse(JSON.parse(text)).tokenGeneration)
    return { writeFile, ends: writeCallbacks, generations: listGenerations }
  }

  test('never writes twice concurrently, and ends with the last change', async () => {
    const { writeFile, ends, generations } = slowDisk()
    const writer = createStateWriter(path, notify, writeFile)
    writer.save(generation(1))
    const firstFlush = writer.flush()
    await vi.waitUntil(() => ends.length === 1)
    writer.save(generation(2))
    writer.save(generation(3))
    const secondFlush = writer.flush()
    expect(generations()).toEqual([1])
    ends[0]?.()
    await firstFlush
    await vi.waitUntil(() => ends.length === 2)
    ends[1]?.()
    await secondFlush
    expect(generations()).toEqual([1, 3])
  })

  test('reports a full disk once, retries by itself, and reports the recovery', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    let isDiskFull = true
    let attempts = 0
    const storedTexts: string[] = []
    const writer = createStateWriter(path, notify, async (_, text) => {
      attempts += 1
      if (isDiskFull) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
      storedTexts.push(text)
    })
    for (let index = 1; index <= 5; index += 1) {
      writer.save(generation(index))
      await vi.advanceTimersByTimeAsync(550)
    }
    expect(attempts).toBeGreaterThanOrEqual(5)
    expect(notices).toEqual([expect.stringMatching(/was not written.*ENOSPC: no space left on device/)])
    isDiskFull = false
    await vi.advanceTimersByTimeAsync(550)
    expect(storedTexts.map((text) => JSON.parse(text).tokenGeneration)).toEqual([5])
    expect(notices.slice(1)).toEqual(['The state file could be written again.'])
  })
})

test('survives kills at any moment, and leaves nothing behind', { timeout: getRounds(60_000, 600_000) }, async () => {
  const program = await buildProgram(join(import.meta.dirname, 'state-file-child.ts'), join(folder, 'program'))
  path = join(folder, 'data', 'state.json')
  let lastNumber = 0
  // On a busy machine a round may end before the first write.
  for (let roundIndex = 0; roundIndex < getRounds(5, 20) || lastNumber <= 20; roundIndex += 1) {
    const child = spawn(process.execPath, [program, path], { stdio: ['ignore', 'pipe', 'inherit'] })
    const exitPromise = once(child, 'exit')
    const [line] = await once(createInterface(child.stdout), 'line')
    // Each round starts from the state that the previous kill left, and interrupts a write at another point.
    expect(line).toBe(`ready ${lastNumber}`)
    await new Promise((passed) => setTimeout(passed, (roundIndex * 7) % 40))
    child.kill('SIGKILL')
    await exitPromise
    const names = await readdir(join(folder, 'data')).catch((): string[] => [])
    expect(names.filter((item) => item !== 'state.json' && !item.endsWith('.tmp'))).toEqual([])
    expect(names.filter((item) => item.endsWith('.tmp')).length).toBeLessThanOrEqual(1)
    if (names.includes('state.json')) lastNumber = (await readWrittenWorld()).tokenGeneration
  }
  expect(lastNumber).toBeGreaterThan(20)
  expect((await loadPlainWorld())?.tokenGeneration).toBe(lastNumber)
  expect([await readdir(join(folder, 'data')), notices]).toEqual([['state.json'], []])
})
