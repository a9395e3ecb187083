import type { Site } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import {
  formatSiteKey,
  listSetups,
  readSite,
  setupKey,
  toSiteTool,
  usesPlan,
} from '../../../../../src/renderer/features/tools/sites'
import { buildAppliedSetup, tool } from '../../support/views'

const project: Site = { kind: 'project', folder: '/code/a: b' }
const projectSetup = { site: project, drift: [], file: '/code/a: b/x.json', files: [] }

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

describe('a tool at a site', () => {
  const home = tool({ applied: buildAppliedSetup(), drift: ['x'] })

  it('ignores the setup in this user’s home', () => {
    expect(toSiteTool(home, project)).toMatchObject({ status: 'absent', drift: [], file: '', site: project })
    expect(toSiteTool(home, project)).not.toHaveProperty('applied')
  })

  it('shows its own setup', () => {
    const toolWithBothSites = tool({
      setups: [{ ...projectSetup, status: 'configured', applied: buildAppliedSetup({ planId: 'p2' }) }],
    })
    expect(toSiteTool(toolWithBothSites, project)).toMatchObject({ status: 'configured', applied: { planId: 'p2' } })
    expect(listSetups(toolWithBothSites).map(({ site }) => site.kind)).toEqual(['user', 'project'])
    expect([
      usesPlan(toolWithBothSites, 'p2'),
      usesPlan(toolWithBothSites, 'p3'),
      usesPlan(toolWithBothSites, undefined),
    ]).toEqual([true, false, false])
  })

  it('has selections separate from this user’s home', () => {
    expect(setupKey('pi', { kind: 'user' })).toBe('pi')
    expect(setupKey('pi', project)).not.toBe('pi')
  })
})
