import type { ProfileEntry, ProfileView } from '@shared/contract'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import {
  EditProfilePage,
  hasSameEntries,
  withModel,
} from '../../../../../../src/renderer/features/tools/profiles/profile-page'
import { localPlan, setUpTool } from '../../../../../support/tool-setups'
import { installMain, renderInApp } from '../../../support/fake-main'
import { profile, profileEntry } from '../../../support/profiles'

const openCode = profileEntry({ toolId: 'opencode', toolName: 'OpenCode', modelCode: 'small' })

async function renderPage(overrides: Partial<ProfileView> = {}, path = '/profiles/w') {
  const savedProfile = profile({ entries: [profileEntry(), openCode], ...overrides })
  const fakeMain = installMain({
    'profiles.list': () => [savedProfile],
    'tools.list': () => [
      setUpTool({}, { modelCode: 'huge' }),
      setUpTool({ id: 'opencode', name: 'OpenCode' }, { modelCode: 'small' }),
    ],
    'plans.list': () => [localPlan(), localPlan({ id: 'p2', name: 'client', models: ['m2'] })],
    'profiles.update': () => savedProfile,
  })
  const view = await renderInApp(<EditProfilePage />, path, '/profiles/:profileId')
  return { main: fakeMain, ...view }
}

const fields = (name: string): Promise<HTMLElement> => screen.findByRole('group', { name })
const chooseFieldOption = async (tool: string, field: string, option: string): Promise<void> => {
  await userEvent.click(within(await fields(tool)).getByRole('combobox', { name: field }))
  await userEvent.click(await screen.findByRole('option', { name: new RegExp(`^${option}`) }))
}
const save = (): HTMLElement => screen.getByRole('button', { name: 'Save' })

describe('an edited profile', () => {
  it('assigns another plan to a tool, with its first key and a model', async () => {
    const { main } = await renderPage()
    await fields('Claude Code')
    expect(save().hasAttribute('disabled')).toBe(true)
    await chooseFieldOption('Claude Code', 'Plan', 'client')
    await userEvent.click(save())
    const entryFields = { site: { kind: 'user' }, slots: {}, delivery: 'helper' }
    const entries = [
      { ...entryFields, toolId: 'claude-code', planId: 'p2', modelCode: 'm2' },
      { ...entryFields, toolId: 'opencode', planId: 'p1', keyId: 'k1', modelCode: 'small' },
    ]
    await main.waitForCalls('profiles.update', [{ id: 'w', entries }])
  })

  it('removes a tool, but never the last one', async () => {
    const { main } = await renderPage()
    await userEvent.click(await screen.findByRole('button', { name: 'Remove OpenCode from this profile' }))
    expect(screen.queryByRole('button', { name: 'Remove Claude Code from this profile' })).toBeNull()
    await userEvent.click(save())
    await waitFor(() =>
      expect(main.askedFor('profiles.update')).toMatchObject([{ entries: [{ toolId: 'claude-code' }] }]),
    )
  })

  it('adopts the current setups of the tools', async () => {
    const { main } = await renderPage()
    await userEvent.click(await screen.findByRole('button', { name: 'Use current configuration' }))
    await userEvent.click(save())
    const entries = [{ modelCode: 'huge' }, { modelCode: 'small' }]
    await waitFor(() => expect(main.askedFor('profiles.update')).toMatchObject([{ entries }]))
  })

  it('reverts to the saved version', async () => {
    await renderPage()
    await chooseFieldOption('Claude Code', 'Model', 'small')
    expect(save().hasAttribute('disabled')).toBe(false)
    await userEvent.click(screen.getByRole('button', { name: 'Discard changes' }))
    expect(save().hasAttribute('disabled')).toBe(true)
  })

  it('cannot be saved without a model code', async () => {
    await renderPage()
    await chooseFieldOption('Claude Code', 'Model', 'Other model code')
    expect(save().hasAttribute('disabled')).toBe(true)
  })

  it('names a missing plan and key', async () => {
    await renderPage({
      missing: ['old', 'team / lost'],
      entries: [profileEntry({ planId: 'gone', planName: 'old' }), { ...openCode, keyId: 'gone' }],
    })
    await screen.findByText('old is no longer on this computer. Choose another plan.')
    await screen.findByText('The key is no longer on this computer. Choose another key.')
    expect(screen.queryByRole('link', { name: 'Switch' })).toBeNull()
  })

  it('shows that it no longer exists', async () => {
    await renderPage({}, '/profiles/other')
    await screen.findByText('Profile not found')
  })
})

const entry = (overrides: Partial<ProfileEntry> = {}): ProfileEntry => ({
  toolId: 'claude-code',
  site: { kind: 'user' },
  planId: 'p1',
  keyId: 'k1',
  modelCode: 'large',
  slots: { small: 'small', background: 'large' },
  delivery: 'helper',
  ...overrides,
})

it('an entry of a profile with another model replaces the old one everywhere, and leaves other models', () => {
  expect(withModel(entry(), 'huge')).toEqual(entry({ modelCode: 'huge', slots: { small: 'small' } }))
})

it('the current setups are equal for any order of slots, but not with another key', () => {
  const slotEntry = entry({ slots: { background: 'large', small: 'small' } })
  expect(hasSameEntries([entry()], [slotEntry])).toBe(true)
  expect(hasSameEntries([entry()], [entry({ keyId: 'k2' })])).toBe(false)
  expect(hasSameEntries([entry()], [])).toBe(false)
})
