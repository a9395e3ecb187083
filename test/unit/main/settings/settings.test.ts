import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openNodeStore } from '../../../../src/main/settings/node-settings'
import { createSettings, parseSettings } from '../../../../src/main/settings/settings'
import { makeFolder } from '../../support/folders'

const open = (cwd: string) => createSettings(openNodeStore({ cwd, name: 'settings' }))
const asides = (cwd: string): string[] => readdirSync(cwd).filter((name) => name.includes('.broken-'))

describe('settings', () => {
  it('starts with defaults and keeps what is written, in a file only its owner can read', () => {
    const cwd = makeFolder()
    expect(open(cwd).read()).toMatchObject({ theme: 'system', plans: [], sandbox: { gatewayPort: 4860 } })
    open(cwd).update({ theme: 'dark', welcomed: true })
    expect(open(cwd).read()).toMatchObject({ theme: 'dark', welcomed: true })
    expect(statSync(join(cwd, 'settings.json')).mode & 0o777).toBe(0o600)
  })

  it('sets a file that is no JSON aside and starts anew', () => {
    const cwd = makeFolder()
    writeFileSync(join(cwd, 'settings.json'), '{"plans": [')
    expect(open(cwd).read().plans).toEqual([])
    expect(asides(cwd)).toHaveLength(1)
    expect(readFileSync(join(cwd, asides(cwd)[0] ?? ''), 'utf8')).toBe('{"plans": [')
  })

  it('keeps the good parts beside a broken one, and a copy of the whole', () => {
    const cwd = makeFolder()
    const text = JSON.stringify({ theme: 'dark', plans: 'nonsense' })
    writeFileSync(join(cwd, 'settings.json'), text)
    expect(open(cwd).read()).toMatchObject({ theme: 'dark', plans: [] })
    expect(readFileSync(join(cwd, asides(cwd)[0] ?? ''), 'utf8')).toBe(text)
  })

  it('says which data folder cannot be used', () => {
    const cwd = join(makeFolder(), 'file')
    writeFileSync(cwd, '')
    expect(() => open(cwd)).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ code: 'file.unwritable' }) }),
    )
  })

  it('sees what another process wrote', () => {
    const cwd = makeFolder()
    const [one, two] = [open(cwd), open(cwd)]
    one.update({ railCollapsed: true })
    expect(two.read().railCollapsed).toBe(true)
  })

  it.each([[null], [[]], ['x'], [7]])('reads %j as broken with defaults', (value) => {
    expect(parseSettings(value)).toMatchObject({ broken: ['file'], settings: { theme: 'system' } })
  })
})
