import type { ToolView } from '@shared/contract'
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { toast } from 'sonner'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ProfilesPage } from '../../../../../../src/renderer/features/tools/profiles/profiles-page'
import { localPlan, setUpTool } from '../../../../../support/tool-setups'
import { installMain, renderInApp } from '../../../support/fake-main'
import { profile, profileEntry } from '../../../support/profiles'
import { withToasts } from '../../../support/toasts'
import { resetStores } from '../../../support/zustand'

const shop = { kind: 'project', folder: '/home/lan/shop' } as const

async function renderPage({ profiles = [profile()], tools = [setUpTool()] as ToolView[] } = {}) {
  let currentProfiles = profiles
  const fakeMain = installMain({
    'profiles.list': () => currentProfiles,
    'tools.list': () => tools,
    'plans.list': () => [localPlan()],
    'profiles.saveCurrent': ({ name }) => {
      const savedProfile = profile({ id: 'new', name })
      currentProfiles = [...currentProfiles, savedProfile]
      return savedProfile
    },
    'profiles.export': () => ({ path: '/home/lan/work.profile.json' }),
  })
  const view = await renderInApp(withToasts(<ProfilesPage />), '/profiles')
  return { main: fakeMain, ...view }
}

const menu = async (name: string, item: string): Promise<void> => {
  await userEvent.click(await screen.findByRole('button', { name: `More actions for ${name}` }))
  await userEvent.click(await screen.findByRole('menuitem', { name: item }))
}

beforeEach(resetStores)

// Dismiss toasts, because they stay visible after their page is removed.
afterEach(() => void toast.dismiss())

it('the profiles show their settings and the active one, and offer to switch', async () => {
  const projectEntry = profileEntry({ toolName: 'OpenCode', site: shop, modelCode: 'm2' })
  const entries = [profileEntry(), projectEntry]
  await renderPage({ profiles: [profile({ isActive: true }), profile({ id: 'c', name: 'client A', entries })] })
  const workToolList = await screen.findByRole('list', { name: 'Tools of work' })
  expect(workToolList.textContent).toContain('Claude Code')
  expect(workToolList.textContent).toContain('team')
  const client = screen.getByRole('list', { name: 'Tools of client A' })
  expect(within(client).getAllByRole('listitem')[1]?.textContent).toMatch(/OpenCode.*shop.*m2/)
  expect(screen.getByText('2 profiles')).toBeTruthy()
  expect(screen.getByText('Active: work')).toBeTruthy()
  const links = screen.getAllByRole('link', { name: /^Switch/ })
  expect(links.map((link) => link.getAttribute('href'))).toEqual(['/profiles/c/switch'])
})

describe('saving the current setup', () => {
  it('saves the selected tools under a unique name', async () => {
    const { main } = await renderPage({ tools: [setUpTool(), setUpTool({ id: 'opencode', name: 'OpenCode' })] })
    await userEvent.click(await screen.findByRole('button', { name: 'Save as profile' }))
    const dialog = await screen.findByRole('dialog')
    const save = within(dialog).getByRole('button', { name: 'Save' })
    await userEvent.type(within(dialog).getByRole('textbox', { name: /Name/ }), 'WORK')
    await screen.findByText('Another profile has this name.')
    expect(save.hasAttribute('disabled')).toBe(true)
    await userEvent.type(within(dialog).getByRole('textbox', { name: /Name/ }), ' 2')
    await userEvent.click(within(dialog).getByRole('checkbox', { name: 'OpenCode' }))
    await userEvent.click(save)
    await main.waitForCalls('profiles.saveCurrent', [{ name: 'WORK 2', toolIds: ['claude-code'] }])
    await screen.findByText('WORK 2 was saved')
    await screen.findByRole('list', { name: 'Tools of WORK 2' })
  })

  it('saves nothing without a selected tool', async () => {
    await renderPage()
    await userEvent.click(await screen.findByRole('button', { name: 'Save as profile' }))
    await userEvent.type(await screen.findByRole('textbox', { name: /Name/ }), 'new')
    await userEvent.click(screen.getByRole('checkbox', { name: 'Claude Code' }))
    expect(screen.getByRole('button', { name: 'Save' }).hasAttribute('disabled')).toBe(true)
  })
})

describe('the menu of a profile', () => {
  it('exports it, and explains that the file has no key and what was omitted', async () => {
    await renderPage({ profiles: [profile({ entries: [profileEntry(), profileEntry({ site: shop })] })] })
    await menu('work', 'Export for a teammate…')
    await screen.findByText('work exported')
    await screen.findByText(/1 project configuration was not exported\. \/home\/lan\/work\.profile\.json/)
  })

  it('does not export one for local folders only', async () => {
    const wslEntry = profileEntry({ site: { kind: 'wsl', distribution: 'Ubuntu' } })
    await renderPage({ profiles: [profile({ entries: [wslEntry] })] })
    await userEvent.click(await screen.findByRole('button', { name: 'More actions for work' }))
    const item = await screen.findByRole('menuitem', { name: 'Export for a teammate…' })
    expect(item.getAttribute('aria-disabled')).toBe('true')
  })
})
