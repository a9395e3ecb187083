import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createProjectFolders, findContext, requireSite } from '../../../../../src/main/tools/setups/config-scopes'
import { writtenTarget } from '../../../../../src/main/tools/targets'
import { createHarness } from './bench'

describe('the place of a site', () => {
  it('is this user’s home unless another is named', async () => {
    const { machine } = createHarness()
    expect(await findContext(machine)).toEqual({ ...machine.place, site: { kind: 'user' } })
  })

  it('of a project includes its folder', async () => {
    const { machine, home } = createHarness()
    const folder = join(home, 'shop')
    mkdirSync(folder)
    const { site, environment } = await findContext(machine, { kind: 'project', folder })
    expect([site, environment.project]).toEqual([{ kind: 'project', folder }, folder])
  })

  it('of a missing folder is refused by name', async () => {
    const { machine, home } = createHarness()
    const folder = join(home, 'gone')
    await expect(findContext(machine, { kind: 'project', folder })).rejects.toMatchObject({
      failure: { code: 'input.invalid', field: 'site', message: expect.stringContaining(folder) },
    })
  })

  it('of a WSL distribution uses its environment and disk', async () => {
    const otherHarness = createHarness()
    const openedFolders: string[] = []
    const { environment, disk } = otherHarness.machine.place
    const { machine } = createHarness({
      distributions: {
        list: async () => ['Ubuntu'],
        open: async (distribution) => {
          openedFolders.push(distribution)
          return { environment, disk }
        },
      },
    })
    const site = { kind: 'wsl', distribution: 'Ubuntu' } as const
    const context = await findContext(machine, site)
    expect(context).toMatchObject({ site, environment: { home: otherHarness.home }, dataDir: machine.place.dataDir })
    expect(openedFolders).toEqual(['Ubuntu'])
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
    const { machine, home } = createHarness()
    const consentQuestions: unknown[] = []
    const projects = createProjectFolders({
      confirm: async (question) => consentQuestions.push(question) > 1,
      isWritten: async (folder) => folder === home,
    })
    const guardedMachine = { ...machine, requireProject: (folder: string) => projects.require(folder) }
    const findProjectContext = (folder: string) => findContext(guardedMachine, { kind: 'project', folder })
    await findProjectContext(home)
    const declinedError = { failure: { code: 'input.declined' } }
    await expect(findProjectContext(join(home, 'gone'))).rejects.toMatchObject(declinedError)
    expect(consentQuestions).toEqual([{ kind: 'useFolder', folder: join(home, 'gone') }])
    mkdirSync(join(home, 'shop'))
    await findProjectContext(join(home, 'shop'))
    await findProjectContext(join(home, 'shop'))
    projects.allow(join(home, 'gone'))
    mkdirSync(join(home, 'gone'))
    await findProjectContext(join(home, 'gone'))
    expect(consentQuestions).toHaveLength(2)
  })
})
