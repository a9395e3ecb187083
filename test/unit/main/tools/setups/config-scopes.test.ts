import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createProjectFolders, findContext, requireSite } from '../../../../../src/main/tools/setups/config-scopes'
import { writtenTarget } from '../../../../../src/main/tools/targets'
import { makeBench } from './bench'

describe('the place of a site', () => {
  it('is this user’s home unless another is named', async () => {
    const { machine } = makeBench()
    expect(await findContext(machine)).toEqual({ ...machine.place, site: { kind: 'user' } })
  })

  it('of a project includes its folder', async () => {
    const { machine, home } = makeBench()
    const folder = join(home, 'shop')
    mkdirSync(folder)
    const { site, environment } = await findContext(machine, { kind: 'project', folder })
    expect([site, environment.project]).toEqual([{ kind: 'project', folder }, folder])
  })

  it('of a missing folder is refused by name', async () => {
    const { machine, home } = makeBench()
    const folder = join(home, 'gone')
    await expect(findContext(machine, { kind: 'project', folder })).rejects.toMatchObject({
      failure: { code: 'input.invalid', field: 'site', message: expect.stringContaining(folder) },
    })
  })

  it('of a WSL distribution uses its environment and disk', async () => {
    const otherBench = makeBench()
    const opened: string[] = []
    const { environment, disk } = otherBench.machine.place
    const { machine } = makeBench({
      distributions: {
        list: async () => ['Ubuntu'],
        open: async (distribution) => {
          opened.push(distribution)
          return { environment, disk }
        },
      },
    })
    const site = { kind: 'wsl', distribution: 'Ubuntu' } as const
    const place = await findContext(machine, site)
    expect(place).toMatchObject({ site, environment: { home: otherBench.home }, dataDir: machine.place.dataDir })
    expect(opened).toEqual(['Ubuntu'])
  })

  it('that a tool does not support is refused with the tool’s name', () => {
    const kilo = writtenTarget('kilo')
    expect(() => requireSite(kilo, { kind: 'user' })).not.toThrow()
    expect(() => requireSite(kilo, { kind: 'project', folder: '/x' })).toThrow(
      `${kilo.name} has no settings in this scope.`,
    )
  })
})

describe('allowed projects', () => {
  it('are those that the user chose, wrote to or confirmed, and no files of others are read', async () => {
    const { machine, home } = makeBench()
    const asked: unknown[] = []
    const projects = createProjectFolders({
      confirm: async (question) => asked.push(question) > 1,
      isWritten: async (folder) => folder === home,
    })
    const guarded = { ...machine, requireProject: (folder: string) => projects.require(folder) }
    const at = (folder: string) => findContext(guarded, { kind: 'project', folder })
    await at(home)
    const declined = { failure: { code: 'input.declined' } }
    await expect(at(join(home, 'gone'))).rejects.toMatchObject(declined)
    expect(asked).toEqual([{ kind: 'useFolder', folder: join(home, 'gone') }])
    mkdirSync(join(home, 'shop'))
    await at(join(home, 'shop'))
    await at(join(home, 'shop'))
    projects.allow(join(home, 'gone'))
    mkdirSync(join(home, 'gone'))
    await at(join(home, 'gone'))
    expect(asked).toHaveLength(2)
  })
})
