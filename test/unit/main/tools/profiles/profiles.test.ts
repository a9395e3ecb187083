import type { BulkPreview, PlanView, ProfileEntry, Site, ToolChoice, ToolView, ToolWarning } from '@shared/contract'
import { AppError } from '@shared/failure'
import { describe, expect, it, test } from 'vitest'
import { Profiles, switchImmediately, switchModel } from '../../../../../src/main/tools/profiles/profiles'
import { memorySettings } from '../../../../support/memory-settings'
import { localPlan, setUpTool, writtenTool } from '../../../../support/tool-setups'
import { expectFailure } from '../../../support/failures'
import { catchFailure } from '../support/workshop'

const claude = setUpTool()
const openCode = setUpTool({ id: 'opencode', name: 'OpenCode', standard: 'chat-completions' }, { modelCode: 'small' })

/** The setup of a configured tool in a project or a distribution. */
const setupAt = (site: Site, { status, drift, file, files, applied } = claude): ToolView['setups'][number] => ({
  site,
  status,
  drift,
  file,
  files,
  applied,
})

/** Creates the profiles feature with given plans and tools. */
function createHarness({ plans = [localPlan()], tools = [claude, openCode] } = {}) {
  const world = { plans, tools }
  const previewedChoices: (readonly ToolChoice[])[] = []
  let minutes = 0
  const profiles = new Profiles({
    settings: memorySettings(),
    plans: { list: () => world.plans },
    tools: {
      list: async () => world.tools,
      previewMany: async (choices): Promise<BulkPreview> => {
        previewedChoices.push(choices)
        return { previewId: 'preview-1', tools: [], left: [] }
      },
    },
    clock: () => {
      minutes += 1
      return new Date(Date.UTC(2026, 10, 21, 8, minutes))
    },
  })
  return { profiles, world, previewedChoices }
}

const entry = (overrides: Partial<ProfileEntry> = {}): ProfileEntry => ({
  toolId: 'claude-code',
  site: { kind: 'user' },
  planId: 'p1',
  modelCode: 'large',
  slots: {},
  delivery: 'helper',
  ...overrides,
})

describe('saving the current setups', () => {
  it('keeps every configured tool at every site, with plan, key and models', async () => {
    const folder = { kind: 'project', folder: '/home/lan/shop' } as const
    const project = setUpTool({}, { modelCode: 'small' })
    const tools = [{ ...claude, setups: [setupAt(folder, project)] }, writtenTool({ id: 'crush' }), openCode]
    const { profiles } = createHarness({ tools })
    const site = { kind: 'user' }
    expect(await profiles.saveCurrent('work')).toMatchObject({
      isActive: true,
      entries: [
        { toolId: 'claude-code', site, modelCode: 'large', planName: 'team' },
        { toolId: 'claude-code', site: folder, modelCode: 'small', planName: 'team' },
        { toolId: 'opencode', site, modelCode: 'small', planName: 'team' },
      ],
    })
  })

  it('leaves out tools whose plan was removed', async () => {
    const { profiles } = createHarness({ tools: [setUpTool({}, { planId: 'gone' }), openCode] })
    expect((await profiles.saveCurrent('work')).entries.map(({ toolId }) => toolId)).toEqual(['opencode'])
  })

  test.each(['work', 'WORK', ' Work '])('refuses the name "%s" of another profile', async (name) => {
    const { profiles } = createHarness()
    await profiles.saveCurrent('work')
    await expectFailure(profiles.saveCurrent(name), 'profile.nameTaken')
  })
})

describe('the active profile', () => {
  it('is the one that matches every one of its tools, whatever other tools do', async () => {
    const { profiles, world } = createHarness()
    await profiles.saveCurrent('work', ['claude-code'])
    await profiles.saveCurrent('both')
    world.tools = [claude, setUpTool({ id: 'opencode', name: 'OpenCode' }, { modelCode: 'other' })]
    expect((await profiles.list()).map(({ name, isActive }) => [name, isActive])).toEqual([
      ['work', true],
      ['both', false],
    ])
  })

  test.each<[string, ToolView]>([
    ['another model', setUpTool({}, { modelCode: 'small' })],
    ['another plan', setUpTool({}, { planId: 'p2' })],
    ['another key', setUpTool({}, { keyId: 'k2' })],
    ['another delivery', setUpTool({}, { delivery: 'plain' })],
    ['another small model', setUpTool({}, { slots: { small: 'tiny' } })],
    ['settings changed since', setUpTool({ status: 'drifted' })],
    ['nothing', writtenTool()],
  ])('is none when the tool has %s', async (_, tool) => {
    const { profiles, world } = createHarness({ tools: [claude] })
    await profiles.saveCurrent('work')
    world.tools = [tool]
    expect((await profiles.list())[0]?.isActive).toBe(false)
  })

  it('stays active when an omitted slot uses the main model or the first key is not named', async () => {
    const { profiles, world } = createHarness({ tools: [claude] })
    await profiles.saveCurrent('work')
    const { keyId: _, ...applied } = { ...setUpTool({}, { slots: { small: 'large' } }).applied }
    world.tools = [{ ...claude, applied: applied as ToolView['applied'] }]
    expect((await profiles.list())[0]?.isActive).toBe(true)
  })
})

test.each<[string, PlanView[], string]>([
  ['its plan', [], 'team'],
  ['a key', [localPlan({ name: 'renamed', keys: [] })], 'renamed / default-key'],
])('switching names a missing %s and asks for nothing', async (_, plans, missing) => {
  const { profiles, world, previewedChoices } = createHarness()
  const { id } = await profiles.saveCurrent('work')
  world.plans = plans
  expect((await profiles.list())[0]?.missing).toEqual([missing])
  const failure = { code: 'profile.incomplete', message: expect.stringContaining(missing) }
  await expectFailure(profiles.previewUse(id), failure)
  expect(previewedChoices).toEqual([])
})

describe('changing profiles', () => {
  test.each<[string, ProfileEntry[], string]>([
    ['no tool', [], 'profile.incomplete'],
    ['a tool twice', [entry(), entry({ modelCode: 'small' })], 'input.invalid'],
    ['a plan that is not there', [entry({ planId: 'gone' })], 'plan.notFound'],
  ])('refuses %s and keeps the old value', async (_, entries, code) => {
    const { profiles } = createHarness()
    const profileBefore = await profiles.saveCurrent('work')
    await expectFailure(profiles.update({ id: profileBefore.id, entries }), code)
    expect(await profiles.find('work')).toEqual(profileBefore)
  })

  it('keeps the entries of a removed plan when another tool changes', async () => {
    const { profiles, world } = createHarness({
      plans: [localPlan(), localPlan({ id: 'p2', name: 'client' })],
      tools: [claude, setUpTool({ id: 'opencode', name: 'OpenCode' }, { planId: 'p2', keyId: 'k9' })],
    })
    const { id, entries } = await profiles.saveCurrent('work')
    world.plans = [localPlan()]
    const ownEntries = entries.map(({ toolName: _, planName: __, ...one }) => one)
    const changedEntries = ownEntries.map((profileEntry) =>
      profileEntry.toolId === 'claude-code' ? { ...profileEntry, modelCode: 'small' } : profileEntry,
    )
    expect(await profiles.update({ id, entries: changedEntries })).toMatchObject({ missing: ['client'] })
  })

  it('accepts its own name with different capitals', async () => {
    const { profiles } = createHarness()
    const { id } = await profiles.saveCurrent('work')
    expect((await profiles.update({ id, name: 'Work' })).name).toBe('Work')
  })

  it('restores a removed profile at its old position', async () => {
    const { profiles } = createHarness()
    const firstProfile = await profiles.saveCurrent('one')
    await profiles.saveCurrent('two')
    profiles.remove(firstProfile.id)
    expect((await profiles.list()).map(({ name }) => name)).toEqual(['two'])
    expect(await profiles.restore({ id: firstProfile.id })).toEqual(firstProfile)
    expect((await profiles.list()).map(({ name }) => name)).toEqual(['one', 'two'])
    await expectFailure(profiles.restore({ id: firstProfile.id }), 'profile.notFound')
  })

  it('does not restore a profile whose name was reused', async () => {
    const { profiles } = createHarness()
    const { id } = await profiles.saveCurrent('work')
    profiles.remove(id)
    await profiles.saveCurrent('Work')
    await expectFailure(profiles.restore({ id }), 'profile.nameTaken')
  })
})

describe('a profile for a teammate', () => {
  it('contains no key, no local id and no project folder', async () => {
    const [key] = localPlan().keys
    const plans = [localPlan({ id: 'plan-id-of-here', keys: key ? [{ ...key, id: 'key-id-of-here' }] : [] })]
    const localIds = { planId: 'plan-id-of-here', keyId: 'key-id-of-here' }
    const site = { kind: 'project', folder: '/home/lan/secret-shop' } as const
    const tools = [
      setUpTool({ setups: [setupAt(site, setUpTool({}, localIds))] }, localIds),
      setUpTool({ id: 'opencode', name: 'OpenCode' }, localIds),
    ]
    const { profiles } = createHarness({ tools, plans })
    const { id } = await profiles.saveCurrent('work', ['opencode', 'claude-code'])
    const { text } = profiles.exportText(id)
    for (const localText of ['-id-of-here', 'sk-...', 'secret-shop', '/home', 'default-key'])
      expect(text).not.toContain(localText)
    expect(JSON.parse(text)).toMatchObject({
      version: 1,
      name: 'work',
      plans: [{ ref: 'plan-1', models: ['large', 'small'] }],
    })
  })

  it('reports unknown tools and key deliveries, and keeps the rest', async () => {
    const localHarness = createHarness({ tools: [claude, openCode] })
    const { text } = localHarness.profiles.exportText((await localHarness.profiles.saveCurrent('work')).id)
    const newerText = text.replace('"opencode"', '"tool-of-tomorrow"').replace('"helper"', '"telepathy"')
    const remoteComputer = createHarness({ tools: [writtenTool({ deliveries: ['file', 'plain'] })] })
    const { importId, file } = await remoteComputer.profiles.read(newerText)
    expect(file.notes).toEqual([
      { toolId: 'tool-of-tomorrow', what: 'toolUnknown' },
      { toolId: 'claude-code', what: 'deliveryUnknown' },
    ])
    const importedProfile = await remoteComputer.profiles.import({ importId, name: 'work', plans: { 'plan-1': 'p1' } })
    expect(importedProfile.entries).toMatchObject([{ toolId: 'claude-code', delivery: 'file' }])
  })

  it('needs a plan for each plan in the file', async () => {
    const { profiles } = createHarness()
    const { text } = profiles.exportText((await profiles.saveCurrent('work')).id)
    const { importId } = await profiles.read(text)
    await expectFailure(profiles.import({ importId, name: 'new', plans: {} }), 'profile.incomplete')
    await expectFailure(profiles.import({ importId, name: 'new', plans: { 'plan-1': 'gone' } }), 'plan.notFound')
    await expectFailure(profiles.import({ importId, name: 'Work', plans: { 'plan-1': 'p1' } }), 'profile.nameTaken')
    expect((await profiles.import({ importId, name: 'new', plans: { 'plan-1': 'p1' } })).name).toBe('new')
    await expectFailure(profiles.import({ importId, name: 'again', plans: {} }), 'profile.notFound')
  })

  it('cannot be created from setups of a local folder or a removed plan', async () => {
    const site = { kind: 'wsl', distribution: 'Ubuntu' } as const
    const { profiles, world } = createHarness({ tools: [writtenTool({ setups: [setupAt(site)] })] })
    const { id } = await profiles.saveCurrent('work')
    expect(() => profiles.exportText(id)).toThrow(/folder on this computer/)
    world.tools = [claude]
    const otherProfile = await profiles.saveCurrent('other')
    world.plans = []
    expect(() => profiles.exportText(otherProfile.id)).toThrow(/team is no longer/)
  })
})

describe('a file that is not a profile', () => {
  const validProfile = {
    kind: 'platform-companion-profile',
    version: 1,
    name: 'work',
    plans: [{ ref: 'a', name: 'team', gatewayUrl: 'https://gw.example.com', models: ['m'], contextTokens: 128_000 }],
    tools: [{ tool: 'claude-code', plan: 'a', model: 'm', slots: {}, delivery: 'helper' }],
  }
  const [plan] = validProfile.plans
  const [tool] = validProfile.tools

  test.each<[string, unknown, RegExp]>([
    ['empty', '', /empty/],
    ['no JSON', '{\n "kind": oops\n}', /line 2/],
    ['with a comment', '{ // hello\n}', /comment/i],
    ['a list', '[]', /not a profile|object/],
    ['something else', { kind: 'connection', version: 1 }, /not a profile/],
    ['of a newer version', { ...validProfile, version: 2, extra: true }, /newer version/],
    ['without a name', { ...validProfile, name: ' ' }, /name is not valid/],
    ['with a key in it', { ...validProfile, plans: [{ ...plan, key: 'sk-0123456789abcdef' }] }, /unknown fields: key/],
    ['with a model that is none', { ...validProfile, tools: [{ ...tool, model: 'a b' }] }, /tools\.0\.model/],
    ['with a plan that leads nowhere', { ...validProfile, tools: [{ ...tool, plan: 'b' }] }, /plan that is not in it/],
    ['with a tool twice', { ...validProfile, tools: [tool, tool] }, /tool twice/],
    ['with two plans of one ref', { ...validProfile, plans: [plan, plan] }, /same ref/],
    ['with a wrong address', { ...validProfile, plans: [{ ...plan, gatewayUrl: 'ftp://x' }] }, /gateway address/],
    ['with unknown tools only', { ...validProfile, tools: [{ ...tool, tool: 'x' }] }, /no tool that this version/],
  ])('%s is refused with a reason', async (_, content, message) => {
    const { profiles } = createHarness()
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    const failure = await catchFailure(profiles.read(text))
    expect(failure).toMatchObject({ code: 'profile.unreadable', message: expect.stringMatching(message) })
    expect(failure?.message).not.toContain('sk-')
  })

  it('accepts an address that includes an endpoint path', async () => {
    const { profiles } = createHarness()
    const content = { ...validProfile, plans: [{ ...plan, gatewayUrl: 'https://gw.example.com/v1/' }] }
    expect((await profiles.read(JSON.stringify(content))).file.plans[0]?.gatewayUrl).toBe('https://gw.example.com')
  })

  it('prefers the plan with the right models to one with the same name', async () => {
    const gatewayUrl = 'https://gw.example.com'
    const { profiles } = createHarness({
      plans: [
        localPlan({ id: 'named', name: 'team', gatewayUrl, models: [] }),
        localPlan({ id: 'lists', name: 'x', gatewayUrl, models: ['m', 'n'] }),
      ],
    })
    expect((await profiles.read(JSON.stringify(validProfile))).file.plans[0]?.matchingPlanId).toBe('lists')
  })
})

type Action = 'change' | 'none'

function createToolChange(action: Action, code: ToolWarning['code'] = 'restartNeeded'): BulkPreview['tools'][number] {
  return {
    toolId: 'claude-code',
    site: { kind: 'user' },
    kind: 'apply',
    files: [{ path: '/home/lan/.claude/settings.json', action, holdsKey: false, lines: [] }],
    warnings: [{ code }],
  }
}

const skippedTools: BulkPreview['left'] = [
  { toolId: 'crush', site: { kind: 'user' }, failure: { code: 'file.unparsable', message: 'no' } },
]

/** Switches a profile and returns the result and the applied changes. */
async function switchProfile(preview: Partial<BulkPreview> | undefined, apply: () => unknown = () => []) {
  const written: string[] = []
  const result = await switchImmediately({
    preview: async () => preview && { previewId: 'preview-1', tools: [], left: [], ...preview },
    applyMany: async (id) => {
      written.push(id)
      return apply()
    },
  })
  return { ...result, written }
}

describe('switching to a profile in one step', () => {
  const changed = createToolChange('change')

  test.each<[string, Partial<BulkPreview> | undefined, string, string[]]>([
    ['writes exactly the preview', { tools: [changed] }, 'switched', ['preview-1']],
    ['writes nothing when all tools match', { tools: [createToolChange('none', 'plainText')] }, 'switched', []],
    ['asks before a key in plain text', { tools: [createToolChange('change', 'plainText')] }, 'asks', []],
    ['asks when a tool cannot be changed', { tools: [changed], left: skippedTools }, 'asks', []],
    ['asks when the preview cannot be shown', undefined, 'asks', []],
  ])('%s', async (_, preview, outcome, written) => {
    expect(await switchProfile(preview)).toEqual({ outcome, written })
  })

  test.each([
    [new AppError('file.unwritable', 'The disk is full.'), 'file.unwritable'],
    [new TypeError('bug'), 'internal.unexpected'],
  ])('reports why it failed: %s', async (error, code) => {
    const result = await switchProfile({ tools: [changed] }, () => Promise.reject(error))
    expect(result).toMatchObject({ outcome: 'failed', code })
  })
})

describe('selecting another model', () => {
  const key = { name: 'k', masked: 'sk-…', addedAt: '2026-11-23T12:00:00.000Z', kept: 'keychain' } as const
  const plan = { id: 'p', models: ['large', 'small', 'tiny'], keys: [{ ...key, id: 'k1' }] }
  const choice: ToolChoice = {
    toolId: 'claude-code',
    planId: 'p',
    keyId: 'k1',
    modelCode: 'large',
    delivery: 'helper',
    route: 'gateway',
    slots: { small: 'tiny', opus: 'large' },
    settingsToRemove: ['model'],
  }

  it('keeps key, delivery and slots of the same plan, and updates slots with the old model code', () => {
    expect(switchModel({ choice }, plan, 'small')).toEqual({ ...choice, modelCode: 'small', slots: { small: 'tiny' } })
  })

  it('uses the default key and the models of another plan', () => {
    const { keyId: _, ...rest } = choice
    const otherPlan = { id: 'q', models: ['other'], keys: [{ ...key, id: 'k1' }] }
    expect(switchModel({ choice }, otherPlan, 'other')).toEqual({ ...rest, planId: 'q', modelCode: 'other', slots: {} })
  })

  it('replaces a disabled key by the default', () => {
    const disabledPlan = { ...plan, keys: [{ ...key, id: 'k1', status: 'DISABLED' as const }] }
    expect(switchModel({ choice }, disabledPlan, 'small')).not.toHaveProperty('keyId')
  })
})
