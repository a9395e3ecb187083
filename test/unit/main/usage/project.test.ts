import { expect, it, test } from 'vitest'
import { filterByProject, toProjectId, toProjectName, toProjectNames } from '../../../../src/main/usage/project'

test.each([
  ['/home/an/code/api', 'api'],
  ['/home/an/code/api/', 'api'],
  ['/home/an/Dự án', 'Dự án'],
  ['C:\\Users\\An\\api', 'api'],
  ['c:/Users/An/api', 'api'],
  ['\\\\server\\share\\api', 'api'],
  ['file:///home/an/D%E1%BB%B1%20%C3%A1n', 'Dự án'],
  ['file:///c%3A/Users/An/api', 'api'],
])('identifies %s by its name and a digest that does not reveal the path', (folder, name) => {
  const id = toProjectId(folder) ?? ''
  expect(id).toMatch(/^[\da-f]{12}\/[^/]+$/)
  expect(toProjectName(id)).toBe(name)
  expect(id).not.toMatch(/home|code|users|server/i)
})

test.each(['', '/', 'C:\\', 'api', './api', 'file://%'])('has no id for %j', (folder) => {
  expect(toProjectId(folder)).toBeUndefined()
})

it('gives a folder the same id in all notations, and a different id than folders of the same name', () => {
  const ids = ['C:\\Users\\An\\api', 'c:/users/an/api', 'file:///c%3A/Users/An/api'].map(toProjectId)
  expect(new Set(ids).size).toBe(1)
  expect(toProjectId('/home/an/api')).not.toBe(toProjectId('/home/binh/api'))
})

it('marks equal names with a part of the digest', () => {
  const names = toProjectNames(['aaaa1111bbbb/api', 'cccc1111bbbb/api', 'aaaa1111bbbb/web'])
  expect([...names.values()]).toEqual(['api (aaaa)', 'api (cccc)', 'web'])
})

it('finds a project of the period by name or id, and lists the candidates', async () => {
  const counts = { requests: 1, errors: 0, inputTokens: 0, outputTokens: 0, cacheTokens: 0 }
  const filter = { scope: 'machine', from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z', toolId: 'pi' } as const
  const usage = {
    shares: async () => [
      { id: '', ...counts },
      { id: 'aaaa/api', name: 'api (aaaa)', ...counts },
      { id: 'cccc/api', name: 'api (cccc)', ...counts },
      { id: 'aaaa/web', name: 'web', ...counts },
    ],
  }
  expect(await filterByProject(usage, filter, 'web')).toEqual({ ...filter, projectId: 'aaaa/web' })
  expect(await filterByProject(usage, filter, 'api (cccc)')).toEqual({ ...filter, projectId: 'cccc/api' })
  await expect(filterByProject(usage, filter, 'api')).rejects.toThrow('api (aaaa), api (cccc)')
  await expect(filterByProject(usage, filter, 'app')).rejects.toThrow('api (aaaa), api (cccc), web')
})
