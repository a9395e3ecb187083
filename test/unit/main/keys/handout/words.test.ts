import { describe, expect, it } from 'vitest'
import { deepLinkIn, readDeepLink } from '../../../../../src/main/core/launcher/command-arguments'
import { keyNameFor } from '../../../../../src/main/keys/handout/holder-key'
import { hashOfCode, newCode, newPassphrase, readPassphrase } from '../../../../../src/main/keys/handout/kit'

describe('a passphrase', () => {
  it('has six words and is never the same', () => {
    const many = Array.from({ length: 50 }, () => newPassphrase().expose())
    for (const one of many) expect(one).toMatch(/^[a-z]+(-[a-z]+){5}$/)
    expect(new Set(many).size).toBe(50)
  })

  it.each([
    'abandon-ability-able-about-above-absent',
    'abandon ability able about above absent\n',
    '  Abandon Ability, able\tabout  above\r\nabsent ',
    'ABANDON–ABILITY–ABLE–ABOUT–ABOVE–ABSENT',
  ])('of ours is understood as it was typed: %j', (text) => {
    expect(readPassphrase(text)).toBe('abandon-ability-able-about-above-absent')
  })

  it.each([
    ['river of nine lamps', 'river of nine lamps'],
    ['abandon ability able about above nowordofthelist', 'abandon ability able about above nowordofthelist'],
    ['Secret 1\n', 'Secret 1'],
    [' spaced ', ' spaced '],
  ])('of others is taken to the letter: %j', (text, read) => {
    expect(readPassphrase(text)).toBe(read)
  })
})

it('an acknowledgement code is the same however it was typed, and never the same twice', () => {
  const code = newCode()
  expect(code).toMatch(/^[2-9A-HJKMNP-TW-Z]{4}(-[2-9A-HJKMNP-TW-Z]{4}){2}$/)
  expect(hashOfCode(` ${code.toLowerCase().replaceAll('-', ' ')}\n`)).toBe(hashOfCode(code))
  expect(new Set(Array.from({ length: 100 }, newCode)).size).toBe(100)
})

describe('the name of a key', () => {
  it.each([
    ['An', [], 'An'],
    ['An', ['an'], 'An-2'],
    ['An', ['An', 'AN-2'], 'An-3'],
    ['  Nguyễn\tVăn \u0000An ', [], 'Nguyễn Văn An'],
    ['\u0000', [], 'key'],
    ['x'.repeat(80), [], 'x'.repeat(50)],
    ['x'.repeat(80), ['x'.repeat(50)], `${'x'.repeat(48)}-2`],
    ['👩‍💻'.repeat(20), [], '👩‍💻'.repeat(10)],
  ])('for %j beside %j is %j', (holder, taken, name) => {
    expect(keyNameFor(holder, taken)).toBe(name)
    expect(name.length).toBeLessThanOrEqual(50)
  })
})

describe('a deep link', () => {
  it.each([
    'platform-companion://import',
    'platform-companion://import/',
    'platform-companion:import',
    'PLATFORM-COMPANION://IMPORT',
  ])('%s opens the page that receives keys', (url) => expect(readDeepLink(url)).toBe('/handout/open'))

  it.each([
    'platform-companion://import?key=sk-0123456789abcdef',
    'platform-companion://import#sk-0123456789abcdef',
    'platform-companion://import/sk-0123456789abcdef',
    'platform-companion://sk-0123456789abcdef@import',
    'platform-companion://import:80/',
    'platform-companion://constructor',
    'platform-companion://',
    'platform-companion://import\nhttps://example.com',
    'https://import',
    '--import',
    '',
  ])('%j is none', (url) => expect(readDeepLink(url)).toBeUndefined())

  it('is found among the arguments of a start', () => {
    expect(deepLinkIn(['/opt/app', '--flag', 'platform-companion://import'])).toBe('/handout/open')
    expect(deepLinkIn(['/opt/app', 'platform-companion://import?x=1'])).toBeUndefined()
  })
})
