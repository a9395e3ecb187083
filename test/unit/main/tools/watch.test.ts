import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type ToolWatch, watchTools } from '../../../../src/main/tools/watch'
import { sightOf } from '../../../../src/main/tools/watch-sight'

vi.setConfig({ testTimeout: 60_000 })

let root: string
let home: string
let told: string[][]
let open: ToolWatch[]
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'companion-watch-')))
  home = join(root, 'home')
  mkdirSync(home)
  told = []
  open = []
})
afterEach(async () => {
  await Promise.all(open.map((watch) => watch.close()))
  rmSync(root, { recursive: true, force: true })
})

async function start(paths: readonly string[], folders: readonly string[] = []): Promise<ToolWatch> {
  const watch = watchTools({ paths, folders, onChange: (changed) => told.push([...changed]) })
  open.push(watch)
  await watch.ready()
  return watch
}

function put(path: string, text = 'x'): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function replace(path: string, text: string): void {
  writeFileSync(`${path}.tmp`, text)
  renameSync(`${path}.tmp`, path)
}

/** Does something and waits until exactly these files are told, once; in which order is the system's. */
async function expectTold(work: () => void, ...paths: string[]): Promise<void> {
  told.length = 0
  work()
  const files = (): string[][] => told.map((each) => [...each].sort())
  await expect.poll(files, { timeout: 20_000, interval: 20 }).toEqual([[...paths].sort()])
}

describe('a settings file', () => {
  it('is told when it is created, changed, replaced again and again, deleted and created again', async () => {
    const path = join(home, 'settings.json')
    await start([path])
    await expectTold(() => put(path), path)
    await expectTold(() => put(path, 'changed'), path)
    await expectTold(() => replace(path, 'replaced'), path)
    await expectTold(() => replace(path, 'replaced again'), path)
    await expectTold(() => put(path, 'changed again'), path)
    await expectTold(() => unlinkSync(path), path)
    await expectTold(() => put(path), path)
  })

  it('is told when it appears together with its folders, and when they go and come back', async () => {
    const path = join(home, '.config', 'tool', 'settings.json')
    await start([path])
    await expectTold(() => put(path), path)
    await expectTold(() => rmSync(join(home, '.config'), { recursive: true }), path)
    await expectTold(() => put(path), path)
    await expectTold(() => renameSync(join(home, '.config'), join(home, 'old')), path)
    await expectTold(() => renameSync(join(home, 'old'), join(home, '.config')), path)
    await expectTold(() => put(path, 'changed'), path)
  })

  it('is told after the folder at which watching began was gone', async () => {
    const path = join(home, 'work', 'settings.json')
    mkdirSync(dirname(path))
    const watch = await start([path])
    await expectTold(() => rmSync(home, { recursive: true }), path)
    await watch.ready()
    await expectTold(() => put(path), path)
    await expectTold(() => replace(path, 'replaced'), path)
  })

  it('behind a symbolic link is told when it is replaced there, and when the link leads elsewhere', async () => {
    const path = join(home, '.tool', 'settings.json')
    const [first = '', second = ''] = ['first', 'second'].map((name) => join(root, 'dots', name))
    put(first)
    put(second)
    mkdirSync(dirname(path))
    symlinkSync(first, path)
    const watch = await start([path])
    await expectTold(() => replace(first, 'replaced'), path)
    await expectTold(() => replace(first, 'replaced again'), path)
    await expectTold(() => {
      symlinkSync(second, `${path}.tmp`)
      renameSync(`${path}.tmp`, path)
    }, path)
    await watch.ready()
    await expectTold(() => replace(second, 'replaced'), path)
  })

  it('in a folder that is a symbolic link is told', async () => {
    mkdirSync(join(root, 'dots'))
    symlinkSync(join(root, 'dots'), join(home, '.tool'))
    const path = join(home, '.tool', 'settings.json')
    await start([path])
    await expectTold(() => put(join(root, 'dots', 'settings.json')), path)
    await expectTold(() => replace(join(root, 'dots', 'settings.json'), 'replaced'), path)
  })

  it('in a folder that is a link is told when the link leads elsewhere', async () => {
    const path = join(home, '.tool', 'settings.json')
    put(join(root, 'one', 'settings.json'))
    put(join(root, 'two', 'settings.json'))
    symlinkSync(join(root, 'one'), join(home, '.tool'))
    const watch = await start([path])
    await expectTold(() => {
      unlinkSync(join(home, '.tool'))
      symlinkSync(join(root, 'two'), join(home, '.tool'))
    }, path)
    await watch.ready()
    await expectTold(() => replace(join(root, 'two', 'settings.json'), 'replaced'), path)
  })

  it('that two tools share by links is told for both', async () => {
    put(join(root, 'dots', 'shared.json'))
    const paths = ['.one', '.two'].map((name) => join(home, name, 'settings.json'))
    for (const path of paths) {
      mkdirSync(dirname(path))
      symlinkSync(join(root, 'dots', 'shared.json'), path)
    }
    await start(paths)
    await expectTold(() => replace(join(root, 'dots', 'shared.json'), 'replaced'), ...paths)
  })
})

describe('several changes', () => {
  it('that come together are told together', async () => {
    const paths = ['a', 'b', 'c'].map((name) => join(home, name, 'settings.json'))
    await start(paths)
    told.length = 0
    for (const path of paths) put(path)
    await expect.poll(() => told.flat().sort(), { timeout: 20_000 }).toEqual(paths)
    expect(told).toHaveLength(1)
  })

  it('of what nobody asked for are not told', async () => {
    const path = join(home, '.tool', 'settings.json')
    mkdirSync(dirname(path))
    await start([path])
    put(join(home, 'projects', 'big', 'file'))
    put(join(home, '.tool', 'other.json'))
    put(join(home, '.tool', 'deep', 'settings.json'))
    await expectTold(() => put(path), path)
  })
})

describe('a folder', () => {
  it('tells of the files in it, but not of those further down or those being written', async () => {
    const folder = join(root, 'data', 'tools')
    await start([], [folder])
    await expectTold(() => put(join(folder, 'one.json')), join(folder, 'one.json'))
    put(join(folder, 'backups', 'one.0123'))
    put(join(folder, '.two.json.0123456789ab.companion-tmp'))
    await expectTold(() => replace(join(folder, 'two.json'), 'x'), join(folder, 'two.json'))
  })
})

describe('another list of paths', () => {
  it('takes the place of the first', async () => {
    const [first = '', second = ''] = ['first', 'second'].map((name) => join(home, name, 'settings.json'))
    const watch = await start([first])
    await expectTold(() => put(first), first)
    watch.setPaths([second])
    await watch.ready()
    put(first, 'changed')
    await expectTold(() => put(second), second)
  })

  it('may come again and again before the first is watched', async () => {
    const paths = ['a', 'b', 'c', 'd'].map((name) => join(home, name))
    const watch = watchTools({ paths, onChange: (changed) => told.push([...changed]) })
    open.push(watch)
    for (const path of paths) watch.setPaths([path])
    await watch.ready()
    await expectTold(() => put(join(home, 'd')), join(home, 'd'))
  })
})

describe('the end', () => {
  it('is silent, also about what changed just before', async () => {
    const path = join(home, 'settings.json')
    const watch = await start([path])
    const other = await start([path])
    put(path)
    await watch.close()
    await expect.poll(() => told, { timeout: 20_000 }).toEqual([[path]])
    await other.close()
  })

  it('comes at once when nothing is watched yet', async () => {
    const watch = watchTools({ paths: [join(home, 'a')], onChange: () => undefined })
    watch.setPaths([join(home, 'b')])
    await watch.close()
    await watch.ready()
  })

  it('of the process does not wait for it', async () => {
    const watchersThatHold = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === 'FSEventWrap').length
    const before = watchersThatHold()
    await start([join(home, 'settings.json')], [join(root, 'data')])
    expect(watchersThatHold()).toBe(before)
  })
})

describe('what is looked at', () => {
  it('begins one above the nearest folders that exist, each once', () => {
    mkdirSync(join(home, '.tool'))
    const paths = ['.tool/a', '.tool/b', '.other/deep/c'].map((name) => join(home, name))
    expect(sightOf(paths, [join(root, 'data', 'tools')]).roots).toEqual([dirname(root)])
    expect(sightOf(paths, []).roots).toEqual([root])
    expect(sightOf(paths.slice(0, 2), []).roots).toEqual([home])
  })

  it('is nothing in a home but what leads to a file', () => {
    const sight = sightOf([join(home, '.config', 'tool', 'a')], [])
    expect(['.config', '.config/tool', '.config/tool/a'].map((name) => sight.leadsOn(join(home, name)))).toEqual([
      true,
      true,
      true,
    ])
    expect(['projects', '.config/other', '.config/tool/b'].map((name) => sight.leadsOn(join(home, name)))).toEqual([
      false,
      false,
      false,
    ])
  })
})
