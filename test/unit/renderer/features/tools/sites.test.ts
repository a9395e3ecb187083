import type { Site } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import {
  listSetups,
  readSite,
  setupKey,
  siteText,
  toolHere,
  usesPlan,
} from '../../../../../src/renderer/features/tools/sites'
import { applied, tool } from '../../support/views'

const project: Site = { kind: 'project', folder: '/code/a: b' }
const remote = { site: project, drift: [], file: '/code/a: b/x.json', files: [] }

describe('a site', () => {
  it.each<Site>([{ kind: 'user' }, project, { kind: 'wsl', distribution: 'Ubuntu-24.04' }])(
    'survives a round trip through an address: %j',
    (site) => {
      expect(readSite(siteText(site))).toEqual(site)
    },
  )

  it.each([null, '', 'project:', 'elsewhere:x'])('is this user’s home for invalid %j', (text) => {
    expect(readSite(text)).toEqual({ kind: 'user' })
  })
})

describe('a tool at a site', () => {
  const home = tool({ applied: applied(), drift: ['x'] })

  it('ignores the setup in this user’s home', () => {
    expect(toolHere(home, project)).toMatchObject({ status: 'absent', drift: [], file: '', site: project })
    expect(toolHere(home, project)).not.toHaveProperty('applied')
  })

  it('shows its own setup', () => {
    const both = tool({ setups: [{ ...remote, status: 'configured', applied: applied({ planId: 'p2' }) }] })
    expect(toolHere(both, project)).toMatchObject({ status: 'configured', applied: { planId: 'p2' } })
    expect(listSetups(both).map(({ site }) => site.kind)).toEqual(['user', 'project'])
    expect([usesPlan(both, 'p2'), usesPlan(both, 'p3'), usesPlan(both, undefined)]).toEqual([true, false, false])
  })

  it('has selections separate from this user’s home', () => {
    expect(setupKey('pi', { kind: 'user' })).toBe('pi')
    expect(setupKey('pi', project)).not.toBe('pi')
  })
})
