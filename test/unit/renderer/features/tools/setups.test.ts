import type { Site, ToolStatus } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import {
  formatSiteKey,
  getToolState,
  getToolStatus,
  listTools,
  needsReview,
  nextStep,
  readSite,
  type toolFilters,
} from '../../../../../src/renderer/features/tools/setups'
import { allTools } from '../../support/all-tools'
import { buildAppliedSetup, tool } from '../../support/views'

const filterTools = (text: string, filter: (typeof toolFilters)[number]) =>
  listTools(allTools(), { text, filter }).installed.map(({ id }) => id)

describe('the list of tools', () => {
  it('counts a configured tool as present even if it is not installed', () => {
    const uninstalledTool = tool({ id: 'gone', installed: false, applied: buildAppliedSetup() })
    expect(listTools([uninstalledTool], { text: '', filter: 'all' }).installed).toEqual([uninstalledTool])
  })

  it.each<[string, (typeof toolFilters)[number], readonly string[]]>([
    ['clIne', 'all', ['cline']],
    ['team', 'all', ['opencode', 'claude-code']],
    ['fast code', 'all', ['claude-code']],
    ['nothing like it', 'all', []],
    ['', 'attention', ['qwen-code', 'opencode', 'kilo']],
    ['', 'configured', ['opencode', 'claude-code']],
    ['open', 'open', []],
  ])('finds by %j with the filter %s: %j', (text, filter, expected) => {
    expect(filterTools(text, filter)).toEqual(expected)
  })
})

describe('the status of a tool', () => {
  const folder = { kind: 'project', folder: '/code/a' } as const
  const buildSetup = (status: ToolStatus) => ({ site: folder, status, drift: [], file: '', files: [] })

  it.each<[ToolStatus, ToolStatus, ToolStatus]>([
    ['configured', 'drifted', 'drifted'],
    ['absent', 'configured', 'configured'],
    ['drifted', 'configured', 'drifted'],
    ['otherwise', 'unreadable', 'unreadable'],
  ])('is the most urgent one: %s here and %s in a project is %s', (userStatus, projectStatus, expected) => {
    expect(getToolStatus(tool({ status: userStatus, setups: [buildSetup(projectStatus)] })).status).toBe(expected)
  })

  it('needs attention while its relay is off, although its files are unchanged', () => {
    const toolView = tool({ applied: buildAppliedSetup({ route: 'relay' }), relayOff: true })
    expect(getToolState(toolView)).toEqual({ word: 'relayOff', tone: 'danger' })
    expect(needsReview(toolView)).toBe(true)
    expect(nextStep(toolView)).toEqual({ label: 'putRight', to: '/tools/claude-code' })
  })

  it('links to the site that needs attention', () => {
    const { label, to } = nextStep(tool({ setups: [buildSetup('drifted')] }))
    expect(label).toBe('putRight')
    expect(to).toBe('/tools/claude-code?at=project%3A%2Fcode%2Fa&do=review')
  })
})

const project: Site = { kind: 'project', folder: '/code/a: b' }

describe('a site', () => {
  it.each<Site>([{ kind: 'user' }, project, { kind: 'wsl', distribution: 'Ubuntu-24.04' }])(
    'survives a round trip through an address: %j',
    (site) => {
      expect(readSite(formatSiteKey(site))).toEqual(site)
    },
  )

  it.each([null, '', 'project:', 'elsewhere:x'])('is this user’s home for invalid %j', (text) => {
    expect(readSite(text)).toEqual({ kind: 'user' })
  })
})
