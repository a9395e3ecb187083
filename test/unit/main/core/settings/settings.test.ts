import * as fs from 'node:fs'
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createSettings, parseSettings } from '../../../../../src/main/core/settings/settings'
import { openSettingsFile } from '../../../../../src/main/core/settings/settings-file'
import { makeFolder } from '../../../support/folders'

type SettingsDisk = NonNullable<Parameters<typeof openSettingsFile>[0]['disk']>

let cwd = ''
let file = ''
beforeEach(() => {
  cwd = makeFolder()
  file = join(cwd, 'settings.json')
})

const openSettings = (dataDir = cwd, onSetAside?: (path: string) => void) =>
  createSettings(openSettingsFile({ dataDir, ...(onSetAside && { onSetAside }) }))
const listBrokenFiles = (): string[] => readdirSync(cwd).filter((name) => name.includes('.broken-'))
const readStoredSettings = () => JSON.parse(readFileSync(file, 'utf8'))

const key = { id: 'k', name: 'one', masked: 'sk-…', addedAt: '2026-01-01T00:00:00Z', kept: 'keychain' }
const plan = {
  id: 'p',
  name: 'team',
  source: 'handed-over',
  gatewayUrl: 'https://gw.example.com',
  models: ['m'],
  contextTokens: 1000,
  createdAt: '2026-01-01T00:00:00Z',
  keys: [key],
}

describe('settings', () => {
  it('starts with defaults and saves changes, in a file that only its owner can read', () => {
    expect(openSettings().read()).toMatchObject({ theme: 'system', plans: [], sandbox: { gatewayPort: 4860 } })
    openSettings().update({ theme: 'dark', welcomed: true })
    expect(openSettings().read()).toMatchObject({ theme: 'dark', welcomed: true })
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('sets an invalid JSON file aside and starts with defaults', () => {
    writeFileSync(file, '{"plans": [')
    expect(openSettings().read().plans).toEqual([])
    expect(listBrokenFiles()).toHaveLength(1)
    expect(readFileSync(join(cwd, listBrokenFiles()[0] ?? ''), 'utf8')).toBe('{"plans": [')
  })

  it.each(['utf8', 'utf16le'] as const)('reads a file in %s with a byte order mark', (encoding) => {
    writeFileSync(file, `\uFEFF${JSON.stringify({ theme: 'dark', plans: [plan] })}`, encoding)
    expect(openSettings().read()).toMatchObject({ theme: 'dark', plans: [{ id: 'p' }] })
    expect(listBrokenFiles()).toEqual([])
  })

  it('keeps the valid parts next to a broken one, and a copy of the whole file', () => {
    const text = JSON.stringify({ theme: 'dark', plans: 'nonsense' })
    writeFileSync(file, text)
    expect(openSettings().read()).toMatchObject({ theme: 'dark', plans: [] })
    expect(readFileSync(join(cwd, listBrokenFiles()[0] ?? ''), 'utf8')).toBe(text)
  })

  it('reports unreadable parts once, however often the file is opened', () => {
    writeFileSync(file, JSON.stringify({ plans: [plan, 'nonsense'] }))
    const reportedPaths: string[] = []
    for (let openCount = 0; openCount < 3; openCount += 1)
      openSettings(cwd, (path) => reportedPaths.push(path)).update({ welcomed: openCount > 0 })
    expect(reportedPaths).toEqual(listBrokenFiles().map((name) => join(cwd, name)))
    expect(reportedPaths).toHaveLength(1)
  })

  it('never moves an unreadable file', () => {
    fs.mkdirSync(file)
    expect(() => openSettings()).toThrow()
    expect(readdirSync(cwd)).toEqual(['settings.json'])
  })

  it('names an unusable data folder', () => {
    writeFileSync(join(cwd, 'file'), '')
    expect(() => openSettings(join(cwd, 'file'))).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ code: 'file.unwritable' }) }),
    )
  })

  it('sees writes of another process, also of the same length', async () => {
    const settings = openSettings()
    settings.update({ theme: 'dark', language: 'vi' })
    await vi.waitFor(() => expect(Date.now() - statSync(file).ctimeMs).toBeGreaterThan(150))
    expect([settings.read().language, settings.read().language]).toEqual(['vi', 'vi'])
    writeFileSync(file, readFileSync(file, 'utf8').replace('"vi"', '"en"'))
    expect(settings.read().language).toBe('en')
    openSettings().update({ language: 'vi' })
    expect(settings.read().language).toBe('vi')
  })

  it('keeps the last known state while another process is in the middle of a write', () => {
    const settings = openSettings()
    settings.update(() => ({ plans: parseSettings({ plans: [plan] }).settings.plans }))
    writeFileSync(file, '{"plans"')
    expect(settings.read().plans).toMatchObject([{ id: 'p' }])
    settings.update({ theme: 'dark' })
    expect(openSettings().read()).toMatchObject({ theme: 'dark', plans: [{ id: 'p' }] })
    expect(listBrokenFiles()).toHaveLength(1)
  })

  it('writes through a symbolic link', () => {
    const otherFile = join(makeFolder(), 'kept.json')
    writeFileSync(otherFile, '{"theme":"dark"}')
    symlinkSync(otherFile, file)
    openSettings().update({ welcomed: true })
    expect(JSON.parse(readFileSync(otherFile, 'utf8'))).toEqual({ theme: 'dark', welcomed: true })
    expect(fs.lstatSync(file).isSymbolicLink()).toBe(true)
  })

  it.each([[null], [[]], ['x'], [7]])('reads %j as broken with defaults', (value) => {
    expect(parseSettings(value)).toMatchObject({ broken: ['file'], settings: { theme: 'system' } })
  })
})

describe('a change of the settings', () => {
  it('applies to the current file content, not to what was read before', () => {
    const [firstSettings, secondSettings] = [openSettings(), openSettings()]
    const purchase = (planId: string) => ({ connectionId: 'c', planId })
    firstSettings.read()
    secondSettings.update(({ pendingPurchases: purchases }) => ({ pendingPurchases: [...purchases, purchase('a')] }))
    firstSettings.update(({ pendingPurchases: purchases }) => ({ pendingPurchases: [...purchases, purchase('b')] }))
    expect(secondSettings.read().pendingPurchases).toEqual([purchase('a'), purchase('b')])
  })

  it('of several parts is saved as a whole, or not at all when it fails', () => {
    const settings = openSettings()
    const updateTwoSettings = (isFailing: boolean) => () =>
      settings.transaction(() => {
        settings.update({ theme: 'dark' })
        expect(settings.read().theme).toBe('dark')
        if (isFailing) throw new Error('no')
        settings.update({ welcomed: true })
        return 'done'
      })
    expect(updateTwoSettings(true)).toThrow('no')
    expect(settings.read()).toMatchObject({ theme: 'system', welcomed: false })
    expect(updateTwoSettings(false)()).toBe('done')
    expect(openSettings().read()).toMatchObject({ theme: 'dark', welcomed: true })
  })

  it('without an effect writes nothing and sends no event', () => {
    const settings = openSettings()
    settings.update({ theme: 'dark' })
    const mtimeBefore = statSync(file, { bigint: true }).mtimeNs
    settings.onChange(() => expect.unreachable())
    settings.update({ theme: 'dark' })
    expect(statSync(file, { bigint: true }).mtimeNs).toBe(mtimeBefore)
  })
})

it('a write of another process is reported even if its content was already read', () => {
  const [settingsFile, otherSettings] = [openSettingsFile({ dataDir: cwd }), openSettings()]
  const ownSettings = createSettings(settingsFile)
  otherSettings.update({ theme: 'dark' })
  settingsFile.lookAgain()
  const onChange = vi.fn()
  settingsFile.onChange(onChange)
  otherSettings.update({ theme: 'light' })
  expect(ownSettings.read().theme).toBe('light')
  otherSettings.update({ theme: 'dark' })
  settingsFile.lookAgain()
  settingsFile.lookAgain()
  expect(onChange).toHaveBeenCalledOnce()
})

describe('unknown content', () => {
  const newerPlan = { ...plan, id: 'n', name: 'newer', source: 'of a later version' }
  const newerSettings = { ...plan, later: { deep: [1] }, keys: [{ ...key, later: 'k' }, 7], lastCheck: 'later' }
  const text = {
    plans: [newerSettings, newerPlan, 'nonsense', null],
    connections: { wrong: 'type' },
    relay: { port: 'x', wanted: true, later: 1, ways: [{ toolId: 'pi', planId: 'p', failover: [], later: 2 }, 3] },
    later: ['part'],
  }

  it('does not hide known content', () => {
    writeFileSync(file, JSON.stringify(text))
    expect(openSettings().read()).toMatchObject({
      plans: [{ id: 'p', keys: [{ id: 'k' }] }],
      connections: [],
      relay: { port: 4870, wanted: true, ways: [{ toolId: 'pi' }] },
    })
  })

  it('survives every write, of the same record and of others', () => {
    writeFileSync(file, JSON.stringify(text))
    const settings = openSettings()
    const addedPlan = { ...plan, id: 'q', source: 'console' as const, keys: [] }
    const connection = { id: 'c', name: 'c', addresses: {}, createdAt: 'now' }
    const pendingPurchases = [{ connectionId: 'c', planId: 'p' }]
    settings.update(({ plans, relay }) => ({
      plans: [...plans.map((savedPlan) => ({ ...savedPlan, name: 'renamed' })), addedPlan],
      relay: { ...relay, wanted: false, ways: relay.ways.map((route) => ({ ...route, planId: 'q' })) },
      connections: [connection],
      pendingPurchases,
    }))
    const ways = [{ toolId: 'pi', planId: 'q', failover: [], later: 2 }, 3]
    expect(readStoredSettings()).toEqual({
      plans: [{ ...newerSettings, name: 'renamed' }, addedPlan, ...text.plans.slice(1)],
      connections: [connection, text.connections],
      relay: { ...text.relay, wanted: false, isPaused: false, keepInBackground: false, ways },
      later: ['part'],
      pendingPurchases,
    })
  })

  it('is removed with its record, and a removed field stays removed', () => {
    writeFileSync(file, JSON.stringify({ plans: [{ ...newerSettings, expiresAt: 'soon' }] }))
    const settings = openSettings()
    settings.update(({ plans }) => ({ plans: plans.map(({ expiresAt: _, ...one }) => one) }))
    expect(readStoredSettings()).toEqual({ plans: [newerSettings] })
    settings.update(() => ({ plans: [] }))
    expect(readStoredSettings()).toEqual({ plans: [] })
  })
})

describe('a read-only data folder', () => {
  const { openSync, writeFileSync: writeSync, fsyncSync, closeSync, renameSync } = fs
  const disk = { openSync, writeFileSync: writeSync, fsyncSync, closeSync, renameSync }
  const calls = ['openSync', 'writeFileSync', 'fsyncSync', 'renameSync'] as const
  const failDiskCall = (call: (typeof calls)[number], code: string, isOn: () => boolean): SettingsDisk => ({
    ...disk,
    [call]: (...input: never[]) => {
      if (isOn()) throw Object.assign(new Error(code), { code })
      return Reflect.apply(disk[call], undefined, input)
    },
  })

  const codes = { ENOSPC: 'storage.full', EDQUOT: 'storage.full', EROFS: 'storage.denied', EACCES: 'storage.denied' }
  const faults = calls.flatMap((call) => Object.entries(codes).map(([code, failure]) => [call, code, failure] as const))

  it.each(faults)('keeps earlier changes when %s fails with %s, reports it, and recovers', (call, code, expected) => {
    let isEnabled = false
    const settings = createSettings(openSettingsFile({ dataDir: cwd, disk: failDiskCall(call, code, () => isEnabled) }))
    settings.update({ theme: 'dark' })
    const textBefore = readFileSync(file, 'utf8')
    isEnabled = true
    expect(() => settings.update({ theme: 'light' })).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ code: expected }) }),
    )
    expect([readFileSync(file, 'utf8'), settings.read().theme]).toEqual([textBefore, 'dark'])
    expect(readdirSync(cwd).sort()).toEqual(['settings.json', 'settings.lock'])
    isEnabled = false
    settings.update({ theme: 'light' })
    expect(openSettings().read().theme).toBe('light')
  })
})
