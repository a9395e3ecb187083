import {
  linkSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FileWatch } from '../../../../src/main/app/file-watch'
import { makeFolder } from '../../support/folders'

let root: string
let home: string
/** The settings file of most tests. */
let path: string
let changedPaths: string[][]
let fileWatches: FileWatch[]
beforeEach(() => {
  root = realpathSync(makeFolder())
  home = join(root, 'home')
  mkdirSync(home)
  path = join(home, 'settings.json')
  changedPaths = []
  fileWatches = []
})
afterEach(() => {
  for (const fileWatch of fileWatches) fileWatch.close()
})

async function openWatch(options: ConstructorParameters<typeof FileWatch>[0]): Promise<FileWatch> {
  const fileWatch = new FileWatch(options)
  fileWatches.push(fileWatch)
  await fileWatch.look()
  return fileWatch
}

const onChange = (changed: readonly string[]) => void changedPaths.push([...changed])
const startWatch = (...paths: readonly string[]) => openWatch({ paths, onChange })

function writeTestFile(path: string, text = 'x'): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function replace(path: string, text: string): void {
  writeFileSync(`${path}.tmp`, text)
  renameSync(`${path}.tmp`, path)
}

/** Makes changes, runs the next scan and returns the paths that it reported. */
async function report(watch: FileWatch, work: () => void): Promise<string[][]> {
  changedPaths.length = 0
  work()
  await watch.look()
  return changedPaths
}

describe('a settings file', () => {
  it('is reported when created, changed, replaced repeatedly, deleted and created again', async () => {
    const fileWatch = await startWatch(path)
    expect(await report(fileWatch, () => writeTestFile(path))).toEqual([[path]])
    expect(await report(fileWatch, () => writeTestFile(path, 'changed'))).toEqual([[path]])
    expect(await report(fileWatch, () => replace(path, 'replaced'))).toEqual([[path]])
    expect(await report(fileWatch, () => replace(path, 'replacer'))).toEqual([[path]])
    expect(await report(fileWatch, () => unlinkSync(path))).toEqual([[path]])
    expect(await report(fileWatch, () => writeTestFile(path))).toEqual([[path]])
    expect(await report(fileWatch, () => undefined)).toEqual([])
  })

  it('is reported when replaced by one of the same size and time', async () => {
    writeTestFile(path, 'one')
    utimesSync(path, 1000, 1000)
    const fileWatch = await startWatch(path)
    const replaceFolder = (): void => {
      writeTestFile(`${path}.new`, 'two')
      utimesSync(`${path}.new`, 1000, 1000)
      renameSync(`${path}.new`, path)
    }
    expect(await report(fileWatch, replaceFolder)).toEqual([[path]])
  })

  it('is reported when it appears or vanishes together with its folders', async () => {
    path = join(home, '.config', 'tool', 'settings.json')
    const fileWatch = await startWatch(path)
    expect(await report(fileWatch, () => writeTestFile(path))).toEqual([[path]])
    expect(await report(fileWatch, () => rmSync(join(home, '.config'), { recursive: true }))).toEqual([[path]])
    expect(await report(fileWatch, () => writeTestFile(path))).toEqual([[path]])
    expect(await report(fileWatch, () => renameSync(join(home, '.config'), join(home, 'old')))).toEqual([[path]])
    expect(await report(fileWatch, () => renameSync(join(home, 'old'), join(home, '.config')))).toEqual([[path]])
    expect(await report(fileWatch, () => rmSync(home, { recursive: true }))).toEqual([[path]])
    expect(await report(fileWatch, () => writeTestFile(path))).toEqual([[path]])
  })

  it('with a symbolic link is reported when its target is written or replaced, and when the link changes', async () => {
    path = join(home, '.tool', 'settings.json')
    const [first = '', second = ''] = ['first', 'second'].map((name) => join(root, 'dots', name))
    writeTestFile(first)
    writeTestFile(second)
    mkdirSync(dirname(path))
    symlinkSync(first, path)
    const fileWatch = await startWatch(path)
    expect(await report(fileWatch, () => writeTestFile(first, 'written'))).toEqual([[path]])
    expect(await report(fileWatch, () => replace(first, 'replaced'))).toEqual([[path]])
    const replaceSymlink = (): void => {
      symlinkSync(second, `${path}.tmp`)
      renameSync(`${path}.tmp`, path)
    }
    expect(await report(fileWatch, replaceSymlink)).toEqual([[path]])
    expect(await report(fileWatch, () => replace(second, 'replaced'))).toEqual([[path]])
  })

  it('in a linked folder is reported, also when the link changes', async () => {
    path = join(home, '.tool', 'settings.json')
    mkdirSync(join(root, 'one'))
    writeTestFile(join(root, 'two', 'settings.json'))
    symlinkSync(join(root, 'one'), join(home, '.tool'))
    const fileWatch = await startWatch(path)
    expect(await report(fileWatch, () => writeTestFile(join(root, 'one', 'settings.json')))).toEqual([[path]])
    const replaceSymlink = (): void => {
      unlinkSync(join(home, '.tool'))
      symlinkSync(join(root, 'two'), join(home, '.tool'))
    }
    expect(await report(fileWatch, replaceSymlink)).toEqual([[path]])
  })

  it('shared by two tools through a hard link is reported for both', async () => {
    const paths = ['one.json', 'two.json'].map((name) => join(home, name))
    const [firstPath = '', secondPath = ''] = paths
    writeTestFile(firstPath)
    linkSync(firstPath, secondPath)
    expect(await report(await startWatch(...paths), () => writeTestFile(firstPath, 'both'))).toEqual([paths])
  })
})

describe('several changes', () => {
  it('at the same time are reported together and once', async () => {
    const paths = ['a', 'b', 'c'].map((name) => join(home, name, 'settings.json'))
    const fileWatch = await startWatch(...paths)
    const writeWatchedFiles = (): void => {
      for (let round = 0; round < 50; round += 1) for (const path of paths) writeTestFile(path, String(round))
    }
    expect(await report(fileWatch, writeWatchedFiles)).toEqual([paths])
  })

  it('to unwatched paths are not reported', async () => {
    path = join(home, '.tool', 'settings.json')
    mkdirSync(dirname(path))
    const fileWatch = await startWatch(path)
    const names = ['projects/big/file', '.tool/other.json', '.tool/deep/settings.json']
    const writeUnwatchedFiles = (): void => {
      for (const name of names) writeTestFile(join(home, name))
    }
    expect(await report(fileWatch, writeUnwatchedFiles)).toEqual([])
  })

  it('during a scan are reported by the next requested scan', async () => {
    const fileWatch = await startWatch(path)
    void fileWatch.look()
    writeTestFile(path)
    await fileWatch.look()
    expect(changedPaths.flat()).toContain(path)
  })
})

it('a folder is reported when a file in it is created, replaced, changed or deleted', async () => {
  const folder = join(root, 'data', 'tools')
  const fileWatch = await startWatch(folder)
  expect(await report(fileWatch, () => writeTestFile(join(folder, 'one.json')))).toEqual([[folder]])
  expect(await report(fileWatch, () => replace(join(folder, 'one.json'), 'x'))).toEqual([[folder]])
  expect(await report(fileWatch, () => writeTestFile(join(folder, 'one.json'), 'by hand'))).toEqual([[folder]])
  expect(await report(fileWatch, () => unlinkSync(join(folder, 'one.json')))).toEqual([[folder]])
  mkdirSync(join(folder, 'history'))
  await fileWatch.look()
  expect(await report(fileWatch, () => writeTestFile(join(folder, 'history', 'deep.json')))).toEqual([])
})

it('a new list of paths replaces the first, and reports its files from their next change', async () => {
  const [first = '', second = ''] = ['first', 'second'].map((name) => join(home, name, 'settings.json'))
  writeTestFile(second)
  const fileWatch = await startWatch(first)
  expect(await report(fileWatch, () => fileWatch.setPaths([second]))).toEqual([])
  expect(await report(fileWatch, () => writeTestFile(first, 'changed'))).toEqual([])
  expect(await report(fileWatch, () => writeTestFile(second, 'changed'))).toEqual([[second]])
})

it('a failing listener still receives the next change', async () => {
  const fail = (changed: readonly string[]) => {
    onChange(changed)
    throw new Error('The window is gone.')
  }
  const fileWatch = await openWatch({ paths: [path], onChange: fail })
  writeTestFile(path)
  await expect(fileWatch.look()).rejects.toThrow('The window is gone.')
  writeTestFile(path, 'changed')
  await expect(fileWatch.look()).rejects.toThrow('The window is gone.')
  expect(changedPaths).toEqual([[path], [path]])
})

describe('the timer', () => {
  it('reports changes without a request', async () => {
    await openWatch({ paths: [path], onChange, everyMs: 10 })
    replace(path, 'x')
    await expect.poll(() => changedPaths, { timeout: 20_000, interval: 10 }).toEqual([[path]])
    replace(path, 'changed')
    await expect.poll(() => changedPaths, { timeout: 20_000, interval: 10 }).toEqual([[path], [path]])
  })

  it('reports nothing after the end, not even earlier changes', async () => {
    const fileWatch = await startWatch(path)
    writeTestFile(path)
    const checkResult = fileWatch.look()
    fileWatch.close()
    await checkResult
    await fileWatch.look()
    expect(changedPaths).toEqual([])
  })

  it('does not keep the process alive', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => /Timeout|FSEvent/.test(name)).length
    const timersBefore = timers()
    await startWatch(join(home, 'settings.json'), home)
    // A timer of an earlier test may end during this one.
    expect(timers()).toBeLessThanOrEqual(timersBefore)
  })
})
