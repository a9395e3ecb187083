import type { Site } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { formatSiteKey, readSite } from '../../../../../src/renderer/features/tools/setups'

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
