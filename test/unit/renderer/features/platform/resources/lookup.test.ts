import { describe, expect, it } from 'vitest'
import { identityResources } from '../../../../../../src/renderer/features/platform/identities/section'
import { memories } from '../../../../../../src/renderer/features/platform/memory/memories'
import { apiKeys, models } from '../../../../../../src/renderer/features/platform/models/models'
import {
  images,
  repositories,
  robotAccounts,
} from '../../../../../../src/renderer/features/platform/registry/repositories'
import {
  findIdentifier,
  findPagePath,
  readField,
  readName,
  toSubject,
  toTargetParameters,
} from '../../../../../../src/renderer/features/platform/resources/lookup'
import { runtimes, versions } from '../../../../../../src/renderer/features/platform/runtimes/runtimes'

it.each([
  ['the first name that has a value', { id: null, uuid: 'u-1', name: 'n' }, ['id', 'uuid', 'name'], 'u-1'],
  ['however it is written', { created_at: 'then' }, ['createdAt'], 'then'],
  ['inside an object', { metadata: { Display_Name: 'Inside' } }, ['metadata.displayName'], 'Inside'],
  ['a value of no', { enabled: false }, ['enabled'], false],
  ['nothing for names it does not have', { other: 1 }, ['id'], undefined],
  ['nothing for a row that is a text', 'plain', ['id'], undefined],
  ['nothing that every object inherits', {}, ['constructor', 'toString'], undefined],
])('a field of a row is %s', (_, row, names, value) => {
  expect(readField(row, names)).toEqual(value)
})

describe('a row of another server', () => {
  it('is identified by the resource’s order of fields', () => {
    expect(findIdentifier({ name: 'n', uuid: 'u' }, repositories.identifier.names)).toBe('u')
    expect(findIdentifier({ Repo_Id: 7 }, repositories.identifier.names)).toBe('7')
    expect(findIdentifier('pull', repositories.identifier.names)).toBe('pull')
    expect(findIdentifier({ key: 'x' }, repositories.identifier.names)).toBeUndefined()
  })

  it('is named by its first text without a name field', () => {
    expect(readName({ count: 3, label: 'My repository' }, repositories)).toBe('My repository')
    expect(readName({ count: 3 }, repositories)).toBe('')
  })
})

it('the page of a row has its encoded identifier', () => {
  const subject = toSubject(repositories, { id: 'a/b c', name: 'x' }, {})
  expect(toTargetParameters(repositories, subject)).toEqual({ path: { repoId: 'a/b c' }, query: {} })
  expect(findPagePath(repositories, subject)).toBe('/registry/repositories/a%2Fb%20c')
})

/** Width of a table in the smallest window in px. */
const minPageWidth = 594
/** Minimum width of a row's name and menu in px. */
const otherColumnsWidth = 160 + 44

const lists = [runtimes, versions, memories, models, apiKeys, repositories, images, robotAccounts]

it.each([...lists, ...identityResources])(
  'the columns of a list of $at fit into every width at which they are shown',
  ({ columns }) => {
    const breakpoints = columns.map((column) => column.from ?? 0).filter((width) => width > minPageWidth)
    const overflowWidths = [minPageWidth, ...breakpoints].filter((width) => {
      const visibleColumns = columns.filter(({ from = 0 }) => width >= from)
      const minWidths = visibleColumns.map((column) => Number(/\d+/.exec(column.width ?? '90px')?.[0]))
      return minWidths.reduce((sum, minWidth) => sum + minWidth, otherColumnsWidth) > width
    })
    expect(overflowWidths).toEqual([])
  },
)
