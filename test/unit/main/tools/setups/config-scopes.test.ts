import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { createEnvironment } from '../../../../../src/main/core/environment'
import { createProjectFolders, findContext } from '../../../../../src/main/tools/setups/config-scopes'
import { createToolsHarness } from '../support/tools-harness'

it('the place of a WSL distribution uses its environment and disk', async () => {
  const { machine } = await createToolsHarness()
  const { disk } = machine.place
  const environment = createEnvironment({ home: '/home/in-wsl', platform: 'linux', vars: {} })
  const distributions = { list: async () => ['Ubuntu'], open: vi.fn(async () => ({ environment, disk })) }
  const site = { kind: 'wsl', distribution: 'Ubuntu' } as const
  const context = await findContext({ ...machine, distributions }, site)
  expect(context).toMatchObject({ site, environment: { home: '/home/in-wsl' }, dataDir: machine.place.dataDir })
  expect(distributions.open).toHaveBeenCalledExactlyOnceWith('Ubuntu')
})

it('allowed projects are those that the user chose, wrote to or confirmed and that exist, and no files of others are read', async () => {
  const { machine, home } = await createToolsHarness()
  mkdirSync(home)
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
  await expect(findProjectContext(join(home, 'gone'))).rejects.toMatchObject({
    failure: { code: 'input.invalid', field: 'site', message: expect.stringContaining(join(home, 'gone')) },
  })
  mkdirSync(join(home, 'gone'))
  await findProjectContext(join(home, 'gone'))
  expect(consentQuestions).toHaveLength(2)
})
