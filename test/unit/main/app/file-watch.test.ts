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
let changedPaths: string[][]
let fileWatches: FileWatch[]
beforeEach(() => {
  root = realpathSync(makeFolder())
  home = join(root, 'home')
  mkdirSync(home)
  changedPaths = []
  fileWatches = []
})
afterEach(() => {
  for (const fileWatch of fileWatches) fileWatch.close()
})

async function startWatch(...paths: readonly string[]): Promise<FileWatch> {
  const fileWatch = new FileWatch({ paths, onChange: (changed) => changedPaths.push([...changed]) })
  fileWatches.push(fileWatch)
  await fileWatch.look()
  return fileWatch
}

function writeTestFile(path: string, text = 'x'): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function replace(path: string, text: string): void {
  writeFileSync(`${path}.tmp`, text)
  renameSync(`${path}.tmp`, path)
}

/** Makes changes, runs the next scan and returns the paths that it reported. */
async function listReportedPaths(watch: FileWatch, work: () => void): Promise<string[][]> {
  changedPaths.length = 0
  work()
  await watch.look()
  return changedPaths
}

describe('a settings file', () => {
  it('is reported when created, changed, replaced repeatedly, deleted and created again', async () => {
    const path = join(home, 'settings.json')
    const fileWatch = await startWatch(path)
    expect(await listReportedPaths(fileWatch, () => writeTestFile(path))).toEqual([[path]])
    expect(await listReportedPaths(fileWatch, () => writeTestFile(path, 'changed'))).toEqual([[path]])
    expect(await listReportedPaths(fileWatch, () => replace(path, 'replaced'))).toEqual([[path]])
    expect(await listReportedPaths(fileWatch, () => replace(path, 'replacer'))).toEqual([[path]])
    expect(await listReportedPaths(fileWatch, () => unlinkSync(path))).toEqual([[path]])
    expect(await listReportedPaths(fileWatch, () => writeTestFile(path))).toEqual([[path]])
    expect(await listReportedPaths(fileWatch, () => undefined)).toEqual([])
  })

  it('is reported when replaced by one of the same size and time', async () => {
    const path = join(home, 'settings.json')
    writeTestFile(path, 'one')
    utimesSync(path, 1000, 1000)
    const fileWatch = await startWatch(path)
    const replaceFolder = (): void => {
      writeTestFile(`${path}.new`, 'two')
      utimesSync(`${path}.new`, 1000, 1000)
      renameSync(`${path}.new`, path)
    }
    expect(await listReportedPaths(fileWatch, replaceFolder)).toEqual([[path]])
  })

  it('is reported when it appears or vanishes together with its folders', async () => {
    const path = join(home, '.config', 'tool', 'settings.json')
    const fileWatch = await startWatch(path)
    expect(await listReportedPaths(fileWatch, () => writeTestFile(path))).toEqual([[path]])
    expect(await listReportedPaths(fileWatch, () => rmSync(join(home, '.config'), { recursive: true }))).toEqual([
      [path],
    ])
    expect(await listReportedPaths(fileWatch, () => writeTestFile(path))).toEqual([[path]])
    expect(await listReportedPaths(fileWatch, () => renameSync(join(home, '.config'), join(home, 'old')))).toEqual([
      [path],
    ])
    expect(await listReportedPaths(fileWatch, () => renameSync(join(home, 'old'), join(home, '.config')))).toEqual([
      [path],
    ])
    expect(await listReportedPaths(fileWatch, () => rmSync(home, { recursive: true }))).toEqual([[path]])
    expect(await listReportedPaths(fileWatch, () => writeTestFile(path))).toEqual([[path]])
  })

  it('with a symbolic link is reported when its target is written or replaced, and when the link changes', async () => {
    const path = join(home, '.tool', 'settings.json')
    const [first = '', second = ''] = ['first', 'second'].map((name) => join(root, 'dots', name))
    writeTestFile(first)
    writeTestFile(second)
    mkdirSync(dirname(path))
    symlinkSync(first, path)
    const fileWatch = await startWatch(path)
    expect(await listReportedPaths(fileWatch, () => writeTestFile(first, 'written'))).toEqual([[path]])
    expect(await listReportedPaths(fileWatch, () => replace(first, 'replaced'))).toEqual([[path]])
    const replaceSymlink = (): void => {
      symlinkSync(second, `${path}.tmp`)
      renameSync(`${path}.tmp`, path)
    }
    expect(await listReportedPaths(fileWatch, replaceSymlink)).toEqual([[path]])
    expect(await listReportedPaths(fileWatch, () => replace(second, 'replaced'))).toEqual([[path]])
  })

  it('in a linked folder is reported, also when the link changes', async () => {
    const path = join(home, '.tool', 'settings.json')
    mkdirSync(join(root, 'one'))
    writeTestFile(join(root, 'two', 'settings.json'))
    symlinkSync(join(root, 'one'), join(home, '.tool'))
    const fileWatch = await startWatch(path)
    expect(await listReportedPaths(fileWatch, () => writeTestFile(join(root, 'one', 'settings.json')))).toEqual([
      [path],
    ])
    const replaceSymlink = (): void => {
      unlinkSync(join(home, '.tool'))
      symlinkSync(join(root, 'two'), join(home, '.tool'))
    }
    expect(await listReportedPaths(fileWatch, replaceSymlink)).toEqual([[path]])
  })

  it('shared by two tools through a hard link is reported for both', async () => {
    const paths = ['one.json', 'two.json'].map((name) => join(home, name))
    const [firstPath = '', secondPath = ''] = paths
    writeTestFile(firstPath)
    linkSync(firstPath, secondPath)
    expect(await listReportedPaths(await startWatch(...paths), () => writeTestFile(firstPath, 'both'))).toEqual([paths])
  })
})

describe('several changes', () => {
  it('at the same time are reported together and once', async () => {
    const paths = ['a', 'b', 'c'].map((name) => join(home, name, 'settings.json'))
    const fileWatch = await startWatch(...paths)
    const writeWatchedFiles = (): void => {
      for (let round = 0; round < 50; round += 1) for (const path of paths) writeTestFile(path, String(round))
    }
    expect(await listReportedPaths(fileWatch, writeWatchedFiles)).toEqual([paths])
  })

  it('to unwatched paths are not reported', async () => {
    const path = join(home, '.tool', 'settings.json')
    mkdirSync(dirname(path))
    const fileWatch = await startWatch(path)
    const unwatchedFiles = ['projects/big/file', '.tool/other.json', '.tool/deep/settings.json'].map((name) =>
      join(home, name),
    )
    const writeUnwatchedFiles = (): void => {
      for (const file of unwatchedFiles) writeTestFile(file)
    }
    expect(await listReportedPaths(fileWatch, writeUnwatchedFiles)).toEqual([])
  })

  it('during a scan are reported by the next requested scan', async () => {
    const path = join(home, 'settings.json')
    const fileWatch = await startWatch(path)
    void fileWatch.look()
    writeTestFile(path)
    await fileWatch.look()
    expect(changedPaths.flat()).toContain(path)
  })
})

describe('a folder', () => {
  it('is reported when a file in it is created, replaced, changed or deleted', async () => {
    const folder = join(root, 'data', 'tools')
    const fileWatch = await startWatch(folder)
    expect(await listReportedPaths(fileWatch, () => writeTestFile(join(folder, 'one.json')))).toEqual([[folder]])
    expect(await listReportedPaths(fileWatch, () => replace(join(folder, 'one.json'), 'x'))).toEqual([[folder]])
    expect(await listReportedPaths(fileWatch, () => writeTestFile(join(folder, 'one.json'), 'by hand'))).toEqual([
      [folder],
    ])
    expect(await listReportedPaths(fileWatch, () => unlinkSync(join(folder, 'one.json')))).toEqual([[folder]])
    mkdirSync(join(folder, 'history'))
    await fileWatch.look()
    expect(await listReportedPaths(fileWatch, () => writeTestFile(join(folder, 'history', 'deep.json')))).toEqual([])
  })
})

describe('a new list of paths', () => {
  it('replaces the first, and reports its files from their next change', async () => {
    const [first = '', second = ''] = ['first', 'second'].map((name) => join(home, name, 'settings.json'))
    writeTestFile(second)
    const fileWatch = await startWatch(first)
    expect(await listReportedPaths(fileWatch, () => fileWatch.setPaths([second]))).toEqual([])
    expect(await listReportedPaths(fileWatch, () => writeTestFile(first, 'changed'))).toEqual([])
    expect(await listReportedPaths(fileWatch, () => writeTestFile(second, 'changed'))).toEqual([[second]])
  })
})

describe('a failing listener', () => {
  it('still receives the next change', async () => {
    const path = join(home, 'settings.json')
    const fileWatch = new FileWatch({
      paths: [path],
      onChange: (changed) => {
        changedPaths.push([...changed])
        throw new Error('The window is gone.')
      },
    })
    fileWatches.push(fileWatch)
    await fileWatch.look()
    writeTestFile(path)
    await expect(fileWatch.look()).rejects.toThrow('The window is gone.')
    writeTestFile(path, 'changed')
    await expect(fileWatch.look()).rejects.toThrow('The window is gone.')
    expect(changedPaths).toEqual([[path], [path]])
  })
})

describe('the timer', () => {
  it('reports changes without a request', async () => {
    const path = join(home, 'settings.json')
    const fileWatch = new FileWatch({
      paths: [path],
      onChange: (changed) => changedPaths.push([...changed]),
      everyMs: 10,
    })
    fileWatches.push(fileWatch)
    await fileWatch.look()
    replace(path, 'x')
    await expect.poll(() => changedPaths, { timeout: 20_000, interval: 10 }).toEqual([[path]])
    replace(path, 'changed')
    await expect.poll(() => changedPaths, { timeout: 20_000, interval: 10 }).toEqual([[path], [path]])
  })

  it('reports nothing after the end, not even earlier changes', async () => {
    const path = join(home, 'settings.json')
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
