import { describe, expect, it } from 'vitest'
import {
  forbiddenIn,
  freeName,
  mayBuy,
  missingCredits,
} from '../../../../../src/renderer/features/packages/package-access'
import { buyer } from '../../support/account'

describe('the characters a name may not have', () => {
  it.each([
    ['team_1.a-B', []],
    ['my plan!', [' ', '!']],
    ['gói gói', ['ó', ' ']],
    ['go\u0301i', ['ó']],
    ['a/b/c', ['/']],
    ['📦x', ['📦']],
  ])('of %j are %j', (name, characters) => {
    expect(forbiddenIn(name)).toEqual(characters)
  })
})

describe('a suggested name', () => {
  it.each([
    ['Pro', [], 'pro'],
    ['Pro', ['pro'], 'pro-2'],
    ['Pro', ['PRO', 'pro-2'], 'pro-3'],
    ['team-2', ['team-2'], 'team'],
    ['team-2', ['team', 'team-2'], 'team-3'],
    ['Gói Đội ngũ', [], 'goi-doi-ngu'],
    ['!!!', [], 'plan'],
  ])('from %j beside %j is %j', (from, taken, name) => {
    expect(freeName(from, taken)).toBe(name)
  })

  it('is never too long, whatever number it gets', () => {
    const name = freeName('x'.repeat(80), ['x'.repeat(46)])
    expect([name.length <= 50, name.endsWith('-2')]).toEqual([true, true])
  })
})

describe('who can buy', () => {
  it.each([
    ['ROOT', true],
    ['ADMIN', true],
    ['DEVELOPER', false],
    ['VIEWER', false],
  ] as const)('%s: %s', (role, may) => {
    expect(mayBuy(buyer({ role }))).toBe(may)
  })

  it('lacks exactly what the total is above the credits', () => {
    expect([
      missingCredits(buyer({ credits: 90_000 }), 99_000),
      missingCredits(buyer({ credits: 99_000 }), 99_000),
    ]).toEqual([9_000, 0])
  })
})
