import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Handover, RotationPlan, RotationView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { describe, expect, it, vi } from 'vitest'
import { Secret } from '../../../../../src/main/core/secret'
import type { Keychain } from '../../../../../src/main/core/vault/keychain'
import type { AccountKey } from '../../../../../src/main/keys/rotation/ports'
import { expectFailure } from '../../../support/failures'
import {
  claude,
  configureTool,
  type Harness,
  type HarnessTool,
  openCode,
  readToolKey,
  settingsFile,
  startComputer,
  startHarness,
  type TestComputer,
} from './harness'
import { type FetchLike, type MachineParts, proPlanRef } from './machine'

const hourMs = 3_600_000

type RotationOptions = Parameters<TestComputer['rotate']>[0]
/** Waits for the confirmations of holders and other computers before it disables the old key. */
const whenConfirmed: RotationOptions = { disableAfterMs: undefined }

/** Starts a computer with these tools and rotates its key. */
async function startRotated(tools?: readonly HarnessTool[], options?: RotationOptions, parts?: Partial<MachineParts>) {
  const { harness, computer } = await startComputer(tools, parts)
  return { harness, computer, view: await computer.rotate(options) }
}

const createOffsetClock = (ms: number) => ({ clock: () => new Date(Date.now() + ms) })

const listActiveKeys = async (harness: Harness) =>
  (await harness.listKeys()).filter(({ status }) => status === 'ACTIVE')

const newName = /^default-key-\d{4}-\d\d-\d\d$/
const toStepStates = ({ steps }: RotationView) => Object.fromEntries(steps.map(({ id, state }) => [id, state]))

describe('rotating a key', () => {
  it('points every tool at the new key, then disables and deletes the old one', async () => {
    const { harness, computer } = await startComputer()
    const { plans, profiles, events } = computer
    const oldText = readToolKey(harness, openCode)
    const view = await computer.rotate()
    expect(view).toMatchObject({ state: 'done', oldKeyName: 'default-key', canResume: false, canUndo: false })
    expect(view.newKeyName).toMatch(newName)
    expect(view.profiles).toEqual(['work'])
    expect(view.tools.map(({ toolName, state }) => `${toolName} ${state}`).sort()).toEqual([
      'Claude Code verified',
      'Claude Code verified',
      'Cline CLI verified',
      'OpenCode verified',
    ])
    const [plan] = plans.list()
    expect(plan?.keys.map(({ id, name }) => [id, name])).toEqual([[view.newKeyId, view.newKeyName]])
    expect((await profiles.list()).map(({ isActive, missing }) => ({ isActive, missing }))).toEqual([
      { isActive: true, missing: [] },
    ])
    expect(readToolKey(harness, openCode)).not.toBe(oldText)
    expect([...harness.kept.keychain.items.values()]).not.toContain(oldText)
    const started = { oldKey: { name: 'default-key' }, newKey: { name: view.newKeyName } }
    expect(events[0]).toMatchObject({ what: 'rotationStarted', record: started })
    expect(events.at(-1)).toMatchObject({ what: 'rotationDone', record: { newKey: { id: view.newKeyId } } })
    await harness.requireConsistentState()
  })

  it("makes the new key the plan's default once the old one is disabled, and reverts that on undo", async () => {
    const { harness, computer, view } = await startRotated([claude], { graceMs: hourMs })
    const { plans } = computer
    expect(view.state).toBe('waiting')
    expect(await plans.check(harness.planId)).toMatchObject({ ok: true })
    expect(plans.view(harness.planId)).toMatchObject({
      defaultKeyId: view.newKeyId,
      keys: [
        { id: harness.keyId, status: 'DISABLED', replacedBy: { keyId: view.newKeyId, name: view.newKeyName } },
        { id: view.newKeyId, usedBy: ['claude-code'] },
      ],
    })
    await computer.undo(view.id)
    expect(await plans.check(harness.planId)).toMatchObject({ ok: true })
    expect(plans.view(harness.planId)).toMatchObject({
      defaultKeyId: harness.keyId,
      keys: [{ id: harness.keyId, status: 'ACTIVE', usedBy: ['claude-code'] }],
    })
  })

  it('keeps model, slots, and settings that the user changed or removed', async () => {
    const { harness, computer } = await startComputer([])
    const { tools } = computer
    const path = settingsFile(harness, claude)
    const slots = { small: 'aurora-small' }
    const choice = { ...claude, planId: harness.planId, modelCode: 'vega-coder', slots }
    await configureTool(computer, choice)
    const writtenSettings = JSON.parse(readFileSync(path, 'utf8'))
    await tools.carryOut((await tools.previewRestore(claude)).previewId)
    mkdirSync(dirname(path), { recursive: true })
    const ownSettings = { env: { CLAUDE_CODE_USE_BEDROCK: '1', CLAUDE_CODE_MAX_CONTEXT_TOKENS: '5' } }
    writeFileSync(path, JSON.stringify(ownSettings))
    const removedSettings = ['env.CLAUDE_CODE_USE_BEDROCK']
    const pathsToKeep = ['env.CLAUDE_CODE_MAX_CONTEXT_TOKENS']
    await configureTool(computer, { ...choice, settingsToRemove: removedSettings, keep: pathsToKeep })
    expect((await computer.rotate()).state).toBe('done')
    const settings = JSON.parse(readFileSync(path, 'utf8'))
    expect(settings.env).toEqual({ ...writtenSettings.env, CLAUDE_CODE_MAX_CONTEXT_TOKENS: '5' })
    expect(settings.apiKeyHelper).not.toBe(writtenSettings.apiKeyHelper)
    await tools.carryOut((await tools.previewRestore(claude)).previewId)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(ownSettings)
  })

  it('rotates a key that no tool uses', async () => {
    const { view } = await startRotated([])
    expect(view).toMatchObject({ state: 'done', tools: [], profiles: [] })
    expect(toStepStates(view)).toMatchObject({
      repoint: 'skipped',
      verify: 'skipped',
      grace: 'skipped',
      delete: 'done',
    })
  })

  it('succeeds when the gateway accepts the keys but the model is used up', async () => {
    const error = { code: 'quota_exhausted', message: 'The token allowance of this model is used up.' }
    const fetchLike: FetchLike = async (address, init) => {
      const response = await fetch(address, init)
      return response.ok ? Response.json({ error }, { status: 429 }) : response
    }
    const { view } = await startRotated([claude], {}, { fetchLike })
    expect(view.state).toBe('done')
    expect(toStepStates(view)).toMatchObject({ check: 'done', repoint: 'done', confirm: 'done', delete: 'done' })
  })

  it("follows a selection without a key, which means the plan's default", async () => {
    const { computer } = await startComputer([claude])
    const { settings } = computer
    const profiles = settings.read().profiles.map((profile) => ({
      ...profile,
      entries: profile.entries.map(({ keyId: _, keyName: __, ...entry }) => entry),
    }))
    settings.update(() => ({ profiles }))
    const { newKeyId } = await computer.rotate()
    expect(settings.read().profiles[0]?.entries[0]?.keyId).toBe(newKeyId)
  })

  it("changes the relay's route and no file of a tool that uses the relay, and verifies it through the relay", async () => {
    const harness = await startHarness([])
    const requestLog: string[] = []
    // Simulates the relay, which replaces the tool's token by the key of its route.
    const fetchStub: FetchLike = async (address, init) => {
      const path = address.split('/t/opencode')[1]
      if (path === undefined) return fetch(address, init)
      const [way] = computer.settings.read().relay.ways
      const key = await computer.plans.readSecret(computer.plans.find(harness.planId), way?.keyId)
      requestLog.push(`${path} ${way?.keyId}`)
      const headers = { ...init.headers, authorization: `Bearer ${key.expose()}` }
      return fetch(`${computer.plans.find(harness.planId).gatewayUrl}${path}`, { ...init, headers })
    }
    const computer = harness.open({ fetchLike: fetchStub })
    const { settings, tools } = computer
    await configureTool(computer, { toolId: 'opencode', planId: harness.planId, keyId: harness.keyId, route: 'relay' })
    const [way] = settings.read().relay.ways
    const spareRelayRoute = { toolId: 'kilo', planId: 'elsewhere', failover: [{ planId: harness.planId }] }
    settings.update(({ relay }) => ({ relay: { ...relay, ways: [...relay.ways, spareRelayRoute] } }))
    const textBefore = readFileSync(settingsFile(harness, { toolId: 'opencode', delivery: 'file' }), 'utf8')

    const { newKeyId, state, tools: rotated } = await computer.rotate()
    expect([state, rotated.map(({ toolId, state: toolState }) => [toolId, toolState])]).toEqual([
      'done',
      [['opencode', 'verified']],
    ])
    expect(settings.read().relay.ways).toEqual([
      { ...way, keyId: newKeyId },
      { ...spareRelayRoute, failover: [{ planId: harness.planId, keyId: newKeyId }] },
    ])
    expect(requestLog).toEqual([`/v1/chat/completions ${newKeyId}`])
    expect(readFileSync(settingsFile(harness, { toolId: 'opencode', delivery: 'file' }), 'utf8')).toBe(textBefore)
    expect((await tools.view('opencode')).applied?.keyId).toBe(newKeyId)
  })

  it('does not start while the same key, or its new key, is being rotated', async () => {
    const { harness, computer, view } = await startRotated([], { graceMs: hourMs })
    for (const keyId of [harness.keyId, view.newKeyId ?? '']) {
      await expectFailure(computer.rotate({ keyId }), 'rotation.underWay')
    }
  })

  it('is refused with instructions for a key that was handed over', async () => {
    const { rotation, plans } = (await startComputer([])).computer
    const plan = { name: 'handed', gatewayUrl: 'https://gw.example.com', models: ['m'] }
    const { id, keys } = await plans.add(plan, new Secret('sk-handed-0123456789'))
    const message = expect.stringContaining('paste the new key')
    const preview = rotation.preview({ planId: id, keyId: keys[0]?.id ?? '' })
    await expectFailure(preview, { code: 'rotation.notAtAccount', message })
  })

  it('is refused with the name of another key', async () => {
    const { computer } = await startComputer([])
    await expectFailure(computer.rotate({ newKeyName: 'old-laptop' }), { field: 'newKeyName' })
    expect(computer.rotation.list()).toEqual([])
  })
})

const buildHandover = (state: Handover['state']): Handover => ({ holder: { kind: 'person', name: 'Lan' }, state })
const listOpenHandover = () => [buildHandover('open')]

describe('a key with a holder', () => {
  it('keeps working until its holder has confirmed the new one', async () => {
    const harness = await startHarness([claude])
    const handover = { state: 'open' as Handover['state'] }
    const computer = harness.open({ listHandovers: () => [buildHandover(handover.state)] })
    const { rotation } = computer
    const view = await computer.rotate(whenConfirmed)
    expect(view).toMatchObject({ state: 'waiting', canResume: false, canUndo: true, handover: [buildHandover('open')] })
    expect(view.deleteAt).toBeUndefined()
    expect(toStepStates(view)).toMatchObject({ verify: 'done', disable: 'running', confirm: 'pending' })
    expect(await harness.listKeyNames()).toContain('default-key ACTIVE')
    expect(await harness.sendToolRequests([claude])).toEqual([200])
    expect(computer.plans.view(harness.planId)).toMatchObject({
      defaultKeyId: view.newKeyId,
      keys: [{ id: harness.keyId, status: 'ACTIVE', replacedBy: { keyId: view.newKeyId } }, { id: view.newKeyId }],
    })
    handover.state = 'handedOut'
    expect(await computer.resume(view.id)).toMatchObject({ state: 'waiting' })
    handover.state = 'confirmed'
    expect(rotation.find(view.id)).toMatchObject({ canResume: true })
    expect(await computer.resume(view.id)).toMatchObject({ state: 'done' })
    expect(await harness.listKeyNames()).not.toContain('default-key ACTIVE')
  })

  it('is disabled automatically after the confirmation, and at the latest on the chosen day', async () => {
    for (const confirmation of ['confirmed', 'late'] as const) {
      const harness = await startHarness([])
      const time = { nowMs: Date.now(), state: 'open' as Handover['state'] }
      const computer = harness.open({
        clock: () => new Date(time.nowMs),
        listHandovers: () => [buildHandover(time.state)],
      })
      const disableBy = new Date(time.nowMs + hourMs).toISOString()
      const view = await computer.rotate({ ...whenConfirmed, disableBy })
      expect(view).toMatchObject({ state: 'waiting', disableBy })
      if (confirmation === 'confirmed') time.state = 'confirmed'
      else time.nowMs += 2 * hourMs
      await computer.follow(view.id)
    }
  })

  it('can be restored during the wait, without having been disabled', async () => {
    const { harness, computer, view } = await startRotated([claude], whenConfirmed, { listHandovers: listOpenHandover })
    expect(await computer.undo(view.id)).toMatchObject({ state: 'undone' })
    expect(await harness.listKeyNames()).toContain('default-key ACTIVE')
    await harness.requireConsistentState([claude])
  })
})

describe('the overlap of both keys', () => {
  it('lasts an hour after the switch when a tool keeps its key in memory, then ends automatically', async () => {
    const { harness, view } = await startRotated([openCode], whenConfirmed)
    expect(view).toMatchObject({ state: 'waiting', canUndo: true, canResume: false })
    const switchedAt = Date.parse(view.steps.find(({ id }) => id === 'verify')?.at ?? '')
    expect(Date.parse(view.disableAt ?? '') - switchedAt).toBe(hourMs)
    expect(await harness.listKeyNames()).toContain('default-key ACTIVE')
    await harness.open(createOffsetClock(hourMs + 1000)).follow(view.id)
    expect(await harness.listKeyNames()).not.toContain('default-key ACTIVE')
    await harness.requireConsistentState([openCode])
  })

  it.each([
    ['time', { disableAfterMs: 2 * hourMs }, 2 * hourMs],
    ['day', { disableAfterMs: undefined, disableBy: new Date(Date.now() + 9 * hourMs).toISOString() }, 9 * hourMs],
  ] as const)('lasts until the chosen %s', async (_, when, overlapMs) => {
    const { harness, view } = await startRotated([claude], when)
    const resumeAfter = async (ms: number) => (await harness.open(createOffsetClock(ms)).resume(view.id)).state
    expect(view.state).toBe('waiting')
    expect(await resumeAfter(overlapMs - 600_000)).toBe('waiting')
    expect(await resumeAfter(overlapMs + 600_000)).toBe('done')
  })

  it('lists the tools that still use the old key', async () => {
    const lookups: unknown[] = []
    const timestamp = new Date().toISOString()
    const { harness, computer, view } = await startRotated([openCode], whenConfirmed, {
      keyUsesSince: async (key, since) => {
        lookups.push([key, since.toISOString()])
        return [{ toolId: 'opencode', at: timestamp }]
      },
    })
    expect(await computer.rotation.oldKeyUses(view)).toEqual([{ toolId: 'opencode', at: timestamp }])
    const switchedAt = view.steps.find(({ id }) => id === 'verify')?.at
    expect(lookups).toEqual([[{ planId: harness.planId, keyId: harness.keyId }, switchedAt]])
  })

  it('ends when the old key was disabled at its account, for example when its holder left', async () => {
    const { computer, view } = await startRotated([claude], whenConfirmed, { listHandovers: listOpenHandover })
    const { id } = view
    expect(computer.rotation.find(id)).toMatchObject({ state: 'waiting', canResume: false })
    await computer.account.setKeyStatus({ ...proPlanRef, keyId: 'key-pro-default', status: 'DISABLED' })
    expect(computer.rotation.find(id)).toMatchObject({ canResume: true })
    await computer.follow(id)
  })
})

describe('a key that another computer uses', () => {
  const otherComputer = {
    machineUid: 'uid-b',
    computer: 'desk-b',
    person: 'Minh',
    osUser: 'minh',
    toolNames: ['Claude Code'],
    publishedAt: '2026-11-28T01:00:00.000Z',
  }
  const stubUses =
    (state: { uses: readonly (typeof otherComputer)[] | undefined | 'unreachable' }) =>
    async ({ keyId }: AccountKey) => {
      expect(keyId).toBe('key-pro-default')
      if (state.uses === 'unreachable') throw new AppError('team.unreachable', 'Connection refused.')
      return state.uses
    }

  it('works until that computer has switched', async () => {
    const state = { uses: [otherComputer] as readonly (typeof otherComputer)[] }
    const findOtherUses = stubUses(state)
    const { harness, computer, view } = await startRotated([claude], whenConfirmed, { findOtherUses })
    expect(view).toMatchObject({ state: 'waiting', computers: [otherComputer] })
    expect(await harness.listKeyNames()).toContain('default-key ACTIVE')
    computer.rotation.engine.follow()
    state.uses = []
    computer.rotation.engine.wake()
    await vi.waitFor(() => expect(computer.rotation.find(view.id)).toMatchObject({ state: 'done', computers: [] }))
    await computer.rotation.engine.end()
  })

  it('is looked up once, however often the settings change, until the lead space reports a change', async () => {
    const [counts, findUses] = [{ lookups: 0, sleeps: 0 }, stubUses({ uses: [otherComputer] })]
    const { computer } = await startRotated([claude], whenConfirmed, {
      findOtherUses: (key) => {
        counts.lookups += 1
        return findUses(key)
      },
      sleep: (ms, signal) => {
        counts.sleeps += 1
        return wait(ms, undefined, { signal })
      },
    })
    const lookupsBefore = counts.lookups
    for (let changeCount = 0; changeCount < 3; changeCount += 1) {
      const sleepsBefore = counts.sleeps
      computer.rotation.engine.follow()
      await vi.waitFor(() => expect(counts.sleeps).toBeGreaterThan(sleepsBefore))
    }
    expect(counts.lookups).toBe(lookupsBefore + 1)
    computer.rotation.engine.wake()
    await vi.waitFor(() => expect(counts.lookups).toBe(lookupsBefore + 2))
    await computer.rotation.engine.end()
  })

  it('is disabled without the lead space only if the user confirms it', async () => {
    const findOtherUses = stubUses({ uses: 'unreachable' })
    const { harness, computer, view } = await startRotated([claude], whenConfirmed, { findOtherUses })
    expect(view.state).toBe('waiting')
    expect(await harness.listKeyNames()).toContain('default-key ACTIVE')
    computer.rotation.endHandover(view)
    expect(await computer.rotation.settled(view.id)).toMatchObject({ state: 'done' })
  })

  it('is unknown without a lead space', async () => {
    const { view } = await startRotated([claude], whenConfirmed, { findOtherUses: stubUses({ uses: undefined }) })
    expect([view.state, view.computers]).toEqual(['done', undefined])
  })
})

describe('a new key that is missing in the keychain', () => {
  it('is not used, and is fetched from the account when the rotation resumes', async () => {
    const harness = await startHarness([claude, openCode])
    const { keychain } = harness.kept
    const nonstoringKeychain: Keychain = {
      get: (account) => keychain.get(account),
      set: async () => {},
      remove: (account) => keychain.remove(account),
    }
    const computer = harness.open({ keychain: nonstoringKeychain })
    const failedRotation = await computer.rotate()
    expect(failedRotation).toMatchObject({ state: 'failed', tools: [] })
    expect(toStepStates(failedRotation)).toMatchObject({ repoint: 'pending' })
    expect(await harness.sendToolRequests([claude, openCode])).toEqual([200, 200])
    expect((await harness.open().resume(failedRotation.id)).state).toBe('done')
    await harness.requireConsistentState([claude, openCode])
  })

  it('is fetched again when it was lost after saving', async () => {
    const harness = await startHarness([claude, openCode])
    const { keychain } = harness.kept
    const accountsBefore = new Set(keychain.items.keys())
    let isResponseLost = false
    const computer = harness.open({
      fetchLike: (address, init) => {
        for (const account of isResponseLost ? [] : keychain.items.keys())
          if (!accountsBefore.has(account)) keychain.items.delete(account)
        isResponseLost = true
        return fetch(address, init)
      },
    })
    expect((await computer.rotate()).state).toBe('done')
    expect(isResponseLost).toBe(true)
    await harness.requireConsistentState([claude, openCode])
  })
})

describe('the preview of a rotation', () => {
  it('lists the changes and the keys that could be freed, oldest first, and changes nothing', async () => {
    const harness = await startHarness()
    const { rotation, account } = harness.open({
      listHolders: ({ keyId }) => holders.get(keyId) ?? [],
      listHandovers: listOpenHandover,
    })
    const holders = new Map([['key-pro-default', ['Lan']]])
    const spareKey = await account.addKey({ ...proPlanRef, name: 'spare' })
    const keyOfHolder = await account.addKey({ ...proPlanRef, name: 'held' })
    holders.set(keyOfHolder.keyId, ['Minh'])
    const plan = RotationPlan.parse(await rotation.preview(harness))
    expect(plan).toMatchObject({
      keyName: 'default-key',
      slots: { used: 4, max: 5 },
      profiles: ['work'],
      holders: ['Lan'],
    })
    expect(plan.newKeyName).toMatch(newName)
    expect(plan.tools.map(({ toolName, needsRestart }) => `${toolName} ${needsRestart}`).sort()).toEqual([
      'Claude Code false',
      'Claude Code false',
      'Cline CLI true',
      'OpenCode true',
    ])
    expect(plan.freeable.map(({ keyId }) => keyId)).toEqual(['key-pro-old-laptop', spareKey.keyId])
    expect(await harness.listKeys()).toHaveLength(4)
  })

  it('offers no key that a tool, a profile or another rotation needs, and does not start without a free slot', async () => {
    const harness = await startHarness([claude])
    const computer = harness.open()
    const { rotation, account, plans } = computer
    await account.addKey({ ...proPlanRef, name: 'second' })
    const second = plans.list()[0]?.keys[1]
    await configureTool(computer, { ...openCode, planId: harness.planId, keyId: second?.id })
    await account.addKey({ ...proPlanRef, name: 'third' })
    await account.addKey({ ...proPlanRef, name: 'fourth' })
    const { slots, freeable } = await rotation.preview(harness)
    expect({ slots, names: freeable.map(({ name }) => name) }).toEqual({
      slots: { used: 5, max: 5 },
      names: ['old-laptop', 'third', 'fourth'],
    })
    await expectFailure(computer.rotate(), 'account.keyLimitReached')
    expect(await harness.listKeys()).toHaveLength(5)
    expect(rotation.list()).toEqual([])
  })
})

describe('a tool that cannot be pointed at the new key', () => {
  const corruptModelSetting = (text: string) =>
    text.replace('"ANTHROPIC_MODEL": "aurora-large"', '"ANTHROPIC_MODEL": "aurora-small"')

  it.each([
    ['was changed by hand', corruptModelSetting, 'file.changed'],
    ['cannot be read', () => '{ broken', 'file.unparsable'],
  ])('is reported and skipped, and both keys stay active, when its file %s', async (_, change, code) => {
    const { harness, computer } = await startComputer([claude, openCode])
    const path = settingsFile(harness, claude)
    const textBefore = readFileSync(path, 'utf8')
    writeFileSync(path, change(textBefore))
    const stoppedRotation = await computer.rotate()
    expect(stoppedRotation).toMatchObject({ state: 'stopped', canResume: true, canUndo: true })
    expect(toStepStates(stoppedRotation)).toMatchObject({ repoint: 'failed', verify: 'failed', disable: 'pending' })
    expect(stoppedRotation.tools.map(({ toolName, state, failure }) => [toolName, state, failure?.code])).toEqual([
      ['Claude Code', 'failed', code],
      ['OpenCode', 'verified', undefined],
    ])
    expect(stoppedRotation.steps.find(({ id }) => id === 'verify')?.failure?.message).toContain('Claude Code')
    expect(readFileSync(path, 'utf8')).toBe(change(textBefore))
    expect(await listActiveKeys(harness)).toHaveLength(2)

    writeFileSync(path, textBefore)
    expect((await computer.resume(stoppedRotation.id)).state).toBe('done')
    await harness.requireConsistentState([claude, openCode])
  })

  it('stays unchanged when the rotation is undone instead', async () => {
    const { harness, computer } = await startComputer([claude, openCode])
    const path = settingsFile(harness, claude)
    const spoiledText = corruptModelSetting(readFileSync(path, 'utf8'))
    writeFileSync(path, spoiledText)
    const stoppedRotation = await computer.rotate()
    expect((await computer.undo(stoppedRotation.id)).state).toBe('undone')
    expect(readFileSync(path, 'utf8')).toBe(spoiledText)
    await harness.requireConsistentState([claude, openCode])
  })

  it('is ignored once it uses another key or no key of the plan', async () => {
    const { harness, computer } = await startComputer([claude, openCode])
    const path = settingsFile(harness, claude)
    writeFileSync(path, corruptModelSetting(readFileSync(path, 'utf8')))
    const stoppedRotation = await computer.rotate()
    await computer.tools.stopManaging({ toolId: 'claude-code' })
    const { state, tools } = await computer.resume(stoppedRotation.id)
    expect({ state, names: tools.map(({ toolId }) => toolId) }).toEqual({ state: 'done', names: ['opencode'] })
  })

  it("waits for the confirmation of the key's holder, in both directions", async () => {
    const manualTool = { toolId: 'qwen-code', delivery: 'env' } as const
    const toolRef = { toolId: 'qwen-code', site: { kind: 'user' } } as const
    const { harness, computer, view: stoppedRotation } = await startRotated([manualTool], { graceMs: hourMs })
    const { rotation } = computer
    expect(stoppedRotation.tools[0]?.failure?.code).toBe('rotation.keyByHand')
    expect((await computer.resume(stoppedRotation.id)).state).toBe('stopped')
    expect(await harness.listKeyNames()).toContain('default-key ACTIVE')
    rotation.confirmTool({ id: stoppedRotation.id, ...toolRef })
    expect((await computer.resume(stoppedRotation.id)).state).toBe('waiting')
    expect(await computer.undo(stoppedRotation.id)).toMatchObject({
      state: 'stopped',
      canResume: true,
      canUndo: false,
    })
    expect(await listActiveKeys(harness)).toHaveLength(2)
    rotation.confirmTool({ id: stoppedRotation.id, ...toolRef })
    expect((await computer.resume(stoppedRotation.id)).state).toBe('undone')
    expect(() => rotation.confirmTool({ id: stoppedRotation.id, ...toolRef })).toThrow(/does not wait/)
  })
})

describe('a tool whose record is damaged', () => {
  const recordPath = ({ dataDir }: Pick<TestComputer, 'dataDir'>) => join(dataDir, 'tools', 'opencode.json')
  const listUnknownTools = ({ tools }: RotationView) =>
    tools.filter(({ failure }) => failure?.code === 'rotation.toolUnknown')

  it.each([
    ['cut off', (text: string) => text.slice(0, text.length / 2)],
    ['empty', () => ''],
    ['of a later version', (text: string) => text.replace('"version": 2', '"version": 3')],
  ])('(%s) is listed in the preview and keeps both keys alive until the record is repaired', async (_, spoil) => {
    const { harness, computer } = await startComputer([claude, openCode])
    const path = recordPath(computer)
    const recordBefore = readFileSync(path, 'utf8')
    writeFileSync(path, spoil(recordBefore))
    expect(spoil(recordBefore)).not.toBe(recordBefore)
    const plan = RotationPlan.parse(await computer.rotation.preview(harness))
    expect(plan.tools.map(({ toolName }) => toolName)).toEqual(['Claude Code'])
    expect(plan.unknownTools).toEqual([
      { toolId: 'opencode', toolName: 'OpenCode', site: { kind: 'user' }, recordPath: path },
    ])
    const stoppedRotation = await computer.rotate()
    expect(stoppedRotation).toMatchObject({ state: 'stopped', canResume: true, canUndo: true })
    expect(toStepStates(stoppedRotation)).toMatchObject({ verify: 'failed', disable: 'pending' })
    expect(listUnknownTools(stoppedRotation)).toMatchObject([
      { toolName: 'OpenCode', state: 'failed', recordPath: path },
    ])
    expect(await listActiveKeys(harness)).toHaveLength(2)
    expect(await harness.sendToolRequests([claude, openCode])).toEqual([200, 200])

    writeFileSync(path, recordBefore)
    expect((await computer.resume(stoppedRotation.id)).state).toBe('done')
    await harness.requireConsistentState([claude, openCode])
  })

  it('prevents deletion of the old key once disabled, and of the new key on undo', async () => {
    const { harness, computer, view: waitingRotation } = await startRotated([openCode], { graceMs: hourMs })
    const recordBefore = readFileSync(recordPath(computer), 'utf8')
    writeFileSync(recordPath(computer), '{}')
    const laterComputer = harness.open(createOffsetClock(2 * hourMs))
    const stoppedRotation = await laterComputer.resume(waitingRotation.id)
    expect(listUnknownTools(stoppedRotation)).toHaveLength(1)
    expect(await harness.listKeyNames()).toContain('default-key DISABLED')
    expect(await laterComputer.undo(stoppedRotation.id)).toMatchObject({
      state: 'stopped',
      canResume: true,
    })
    expect(await listActiveKeys(harness)).toHaveLength(2)
    writeFileSync(recordPath(computer), recordBefore)
    expect((await laterComputer.resume(stoppedRotation.id)).state).toBe('undone')
    await harness.requireConsistentState([openCode])
  })
})

describe('a running rotation', () => {
  it('pauses after the current step and resumes', async () => {
    const { harness, computer } = await startComputer([claude])
    const { planId, keyId } = harness
    const { id } = await computer.rotation.start({ planId, keyId, graceMs: 0, disableAfterMs: 0 })
    const stoppedRotation = await computer.rotation.stop({ id })
    expect(stoppedRotation).toMatchObject({ state: 'stopped', canResume: true, canUndo: true })
    expect(toStepStates(stoppedRotation)).toMatchObject({ disable: 'pending' })
    expect(await harness.sendToolRequests([claude])).toEqual([200])
    expect((await computer.resume(id)).state).toBe('done')
  })

  it('also undoes tools that were configured with the new key during the rotation', async () => {
    const { harness, computer, view: waitingRotation } = await startRotated([claude], { graceMs: hourMs })
    await configureTool(computer, { ...openCode, planId: harness.planId, keyId: waitingRotation.newKeyId })
    expect((await computer.undo(waitingRotation.id)).state).toBe('undone')
    expect(await harness.listKeyNames()).toEqual(['default-key ACTIVE', 'old-laptop DISABLED'])
    await harness.requireConsistentState([claude, openCode])
  })

  it('repoints tools configured with the old key during the rotation before it deletes that key', async () => {
    const { harness, computer, view: waitingRotation } = await startRotated([claude], { graceMs: hourMs })
    await configureTool(computer, { ...openCode, planId: harness.planId, keyId: harness.keyId })
    await computer.rotation.stop(waitingRotation)
    const laterComputer = harness.open(createOffsetClock(2 * hourMs))
    expect((await laterComputer.resume(waitingRotation.id)).state).toBe('done')
    await harness.requireConsistentState([claude, openCode])
  })

  it('repoints tools configured with the old key during the rotation before it disables that key', async () => {
    const harness = await startHarness([claude])
    const earlierComputer = harness.open()
    const oldKey = readToolKey(harness, claude)
    let isConfigured = false
    const usedWhenDisabled: boolean[] = []
    const computer = harness.open({
      // While the first switched tool is verified, another tool gets configured with the old key.
      fetchLike: async (address, init) => {
        if (!isConfigured && readToolKey(harness, claude) !== oldKey) {
          isConfigured = true
          await configureTool(earlierComputer, { ...openCode, planId: harness.planId, keyId: harness.keyId })
        }
        return fetch(address, init)
      },
      throughSend: (send) => async (request) => {
        if (String(request.body).includes('DISABLED')) usedWhenDisabled.push(readToolKey(harness, openCode) === oldKey)
        return send(request)
      },
    })
    expect((await computer.rotate()).state).toBe('done')
    expect([isConfigured, usedWhenDisabled]).toEqual([true, [false]])
    await harness.requireConsistentState([claude, openCode])
  })

  it('does not delete an old key that was enabled again until the user resumes', async () => {
    const { harness, computer, view: waitingRotation } = await startRotated([claude], { graceMs: hourMs })
    await computer.account.setKeyStatus({ ...proPlanRef, keyId: 'key-pro-default', status: 'ACTIVE' })
    const laterComputer = harness.open(createOffsetClock(2 * hourMs))
    const failedRotation = await laterComputer.resume(waitingRotation.id)
    expect(failedRotation.state).toBe('failed')
    expect(failedRotation.steps.at(-1)?.failure?.code).toBe('rotation.oldKeyStillWorks')
    expect(await harness.listKeyNames()).toContain('default-key ACTIVE')
    expect((await laterComputer.resume(waitingRotation.id)).state).toBe('done')
  })

  it('fails when the gateway still accepts the old key', async () => {
    const passedCheck = { ok: true, at: '2026-01-01T00:00:00.000Z', requestAddress: 'x', durationMs: 1 } as const
    const check: MachineParts['check'] = async () => ({ ...passedCheck, standard: 'chat-completions' })
    const { harness, view: failedRotation } = await startRotated([claude], {}, { check })
    expect(failedRotation.steps.find(({ id }) => id === 'confirm')?.failure?.code).toBe('rotation.oldKeyStillWorks')
    expect(failedRotation).toMatchObject({ state: 'failed', canResume: true, canUndo: true })
    expect((await harness.open().resume(failedRotation.id)).state).toBe('done')
  })

  it('belongs to its process while that is alive', async () => {
    const { computer, view } = await startRotated([], { graceMs: hourMs })
    const { rotation, settings } = computer
    const { id } = view
    const [record] = settings.read().rotations
    if (record === undefined) throw new Error('no record')
    const createRunningRotation = (pid: number, reportedAt = new Date()) =>
      settings.update(() => ({
        rotations: [{ ...record, state: 'running', runner: { pid, at: reportedAt.toISOString() } }],
      }))
    createRunningRotation(process.ppid)
    expect(rotation.find(id)).toMatchObject({ state: 'running', canResume: false })
    expect(() => rotation.resume({ id })).toThrow(/in progress/)
    expect(() => rotation.dismiss({ id })).toThrow(/in progress/)
    createRunningRotation(process.ppid, new Date(Date.now() - hourMs))
    expect(rotation.find(id)).toMatchObject({ state: 'stopped', canResume: true })
  })
})

it('a new key that the gateway rejects reaches no tool', async () => {
  const harness = await startHarness([claude, openCode])
  const oldKey = readToolKey(harness, claude)
  const textsBefore = [claude, openCode].map((tool) => readFileSync(settingsFile(harness, tool), 'utf8'))
  let changeCount = 0
  const fetchLike: FetchLike = async (address, init) => {
    if (JSON.stringify(init.headers).includes(oldKey)) return fetch(address, init)
    const settings = [claude, openCode].map((tool) => readFileSync(settingsFile(harness, tool), 'utf8'))
    if (settings.some((text, index) => text !== textsBefore[index])) changeCount += 1
    return new Response('{"error":{"message":"unknown key"}}', { status: 401 })
  }
  const view = await harness.open({ fetchLike }).rotate()
  expect(view.state).toBe('failed')
  expect(toStepStates(view)).toMatchObject({ add: 'done', keep: 'done', check: 'failed' })
  expect(changeCount).toBe(0)
})

describe('the grace period', () => {
  it('ends with the deletion of the old key, and allows an undo until then', async () => {
    const { harness, view: waitingRotation } = await startRotated([claude], { graceMs: hourMs })
    expect(waitingRotation).toMatchObject({ state: 'waiting', canResume: false, canUndo: true })
    expect(Date.parse(waitingRotation.deleteAt ?? '') - Date.parse(waitingRotation.startedAt)).toBeGreaterThanOrEqual(
      hourMs,
    )
    expect(await harness.listKeyNames()).toContain('default-key DISABLED')
    const initialComputer = harness.open()
    initialComputer.rotation.engine.follow()
    expect(initialComputer.rotation.resume(waitingRotation).state).toBe('waiting')
    await initialComputer.rotation.engine.end()
    expect(await harness.listKeyNames()).toContain('default-key DISABLED')

    let currentTime = new Date()
    const computer = harness.open({ clock: () => currentTime })
    computer.rotation.engine.follow()
    currentTime = new Date(Date.now() + hourMs + 60_000)
    await computer.follow(waitingRotation.id)
    expect(await harness.listKeyNames()).not.toContain('default-key DISABLED')
    await expectFailure(computer.undo(waitingRotation.id), 'rotation.cannotUndo')
    await harness.requireConsistentState([claude])
  })

  it.each([
    ['net.refused', 'running'],
    ['api.forbidden', 'failed'],
  ] as const)('that ends with %s is %s a minute later', async (code, state) => {
    const { harness, view: waitingRotation } = await startRotated([], { graceMs: hourMs })
    let currentTime = new Date(Date.now() + 2 * hourMs)
    const clock = () => currentTime
    const offlineComputer = harness.open({
      clock,
      throughSend: () => () => Promise.reject(new AppError(code, 'Nobody answers.')),
    })
    offlineComputer.rotation.engine.follow()
    await vi.waitFor(() => expect(offlineComputer.rotation.find(waitingRotation.id).state).toBe('failed'))
    await offlineComputer.rotation.engine.end()
    currentTime = new Date(currentTime.getTime() + 61_000)
    const { rotation } = harness.open({ clock })
    rotation.engine.follow()
    expect(rotation.find(waitingRotation.id).state).toBe(state)
    await rotation.engine.end()
  })

  it('is paused by stopping', async () => {
    const { harness, computer, view: waitingRotation } = await startRotated([], { graceMs: hourMs })
    expect((await computer.rotation.stop(waitingRotation)).state).toBe('stopped')
    const laterComputer = harness.open(createOffsetClock(2 * hourMs))
    laterComputer.rotation.engine.follow()
    await laterComputer.rotation.engine.end()
    expect(await harness.listKeyNames()).toContain('default-key DISABLED')
  })
})

describe('rotating many keys', () => {
  it('continues after a key that cannot be rotated and reports each', async () => {
    const harness = await startHarness([claude])
    const { rotation, account, plans } = harness.open()
    await account.addKey({ ...proPlanRef, name: 'second' })
    const { planId, keyId } = harness
    const second = plans.list()[0]?.keys[1]?.id ?? ''
    const keys = [keyId, 'gone', second].map((item) => ({ planId, keyId: item }))
    const views = await rotation.startMany({ keys, graceMs: 0, disableAfterMs: 0 })
    expect(views.map((view) => RotationView.parse(view).state)).toEqual(['done', 'failed', 'done'])
    expect(views[1]?.steps[0]?.failure?.code).toBe('key.notFound')
    expect(rotation.list().map(({ oldKeyName }) => oldKeyName)).toEqual(['second', 'default-key'])
    await harness.requireConsistentState([claude])
  })

  it('ends when the running rotation is stopped', async () => {
    const harness = await startHarness([])
    const { rotation, account, plans } = harness.open()
    await account.addKey({ ...proPlanRef, name: 'second' })
    const keys = (plans.list()[0]?.keys ?? []).map(({ id }) => ({ planId: harness.planId, keyId: id }))
    const batch = rotation.startMany({ keys, graceMs: 0, disableAfterMs: 0 })
    // Stop the batch while its first rotation is running.
    await vi.waitFor(() => expect(rotation.list()).toHaveLength(1), { interval: 1 })
    await rotation.stop({ id: rotation.list()[0]?.id ?? '' })
    expect((await batch).map(({ oldKeyName, state }) => [oldKeyName, state])).toEqual([['default-key', 'stopped']])
    expect(await harness.listKeyNames()).toContain('second ACTIVE')
  })
})

it('the list of rotations is sorted newest first and allows dropping an entry that neither runs nor waits', async () => {
  const { computer, view: waitingRotation } = await startRotated([], { graceMs: hourMs })
  const { rotation } = computer
  expect(() => rotation.dismiss(waitingRotation)).toThrow(/in progress/)
  await computer.undo(waitingRotation.id)
  rotation.dismiss(waitingRotation)
  expect(rotation.list()).toEqual([])
  expect(() => rotation.find(waitingRotation.id)).toThrow(/no longer in the list/)
})

describe('a scheduled rotation', () => {
  const dayMs = 24 * hourMs

  async function startWithSchedule(everyDays?: number) {
    const harness = await startHarness()
    const time = { aheadMs: 0 }
    const machine = harness.open({ clock: () => new Date(Date.now() + time.aheadMs) })
    const key = { planId: harness.planId, keyId: harness.keyId }
    const at = new Date(Date.now() + dayMs).toISOString()
    const schedule = { ...key, at, ...(everyDays === undefined ? {} : { everyDays }), graceMs: 0, disableAfterMs: 0 }
    const schedules = await machine.rotation.schedule(schedule)
    expect(schedules).toMatchObject([{ ...schedule, keyName: 'default-key' }])
    return { ...machine, time, key, at }
  }

  it('repeats after the days it missed while the app was closed', async () => {
    const { rotation, settings, time, at, key } = await startWithSchedule(30)
    time.aheadMs += 65 * dayMs
    expect(await rotation.schedules.startDue()).toHaveLength(1)
    const nextAt = new Date(Date.parse(at) + 90 * dayMs).toISOString()
    expect(settings.read().rotationSchedules).toMatchObject([{ ...key, at: nextAt, everyDays: 30 }])
    await rotation.settled(rotation.list()[0]?.id ?? '')
  })

  it('that cannot start says why once, and is tried again until it has started', async () => {
    const { rotation, time } = await startWithSchedule()
    expect(await rotation.schedules.startDue()).toEqual([])
    time.aheadMs += dayMs
    const failedStart = vi.spyOn(rotation, 'start').mockRejectedValue(new AppError('account.planExpired', 'Expired.'))
    expect(await rotation.schedules.startDue()).toMatchObject([{ failure: { code: 'account.planExpired' } }])
    expect(await rotation.schedules.startDue()).toEqual([])
    expect(rotation.schedules.list()).toMatchObject([{ failure: { message: 'Expired.' } }])
    failedStart.mockRejectedValue(new AppError('net.refused', 'Offline.'))
    expect(await rotation.schedules.startDue()).toEqual([])
    failedStart.mockRestore()
    expect(rotation.schedules.list()[0]?.failure).toBeUndefined()
    expect(await rotation.schedules.startDue()).toMatchObject([{ keyName: 'default-key' }])
    expect((await rotation.settled(rotation.list()[0]?.id ?? '')).state).toBe('done')
    expect([rotation.schedules.list(), await rotation.schedules.startDue()]).toEqual([[], []])
  })

  it('is refused in the past', async () => {
    const { rotation, key } = await startWithSchedule()
    const past = { ...key, at: new Date().toISOString(), graceMs: 0 }
    await expectFailure(rotation.schedule(past), 'input.invalid')
  })
})
