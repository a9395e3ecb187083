import type { DriftEntry, MethodInput } from '@shared/contract'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { ToolPage } from '../../../../../src/renderer/features/tools/tool-page'
import { installMain, renderInApp } from '../../support/fake-main'
import { changes } from '../../support/many'
import { buildAppliedSetup, plan, tool } from '../../support/views'

const file = '/home/lan/.claude/settings.json'
const buildUnchangedEntry = (path: string, value: string): DriftEntry => ({
  path,
  file,
  written: value,
  found: value,
  wanted: value,
  state: 'same',
})
const entries: readonly DriftEntry[] = [
  {
    ...buildUnchangedEntry('env.BASE', 'https://a.example'),
    role: 'address',
    found: 'https://b.example',
    state: 'changed',
  },
  { ...buildUnchangedEntry('apiKeyHelper', 'companion …'), role: 'credential' },
  { path: 'env.MODEL', file, written: 'large', wanted: 'huge', state: 'changed' },
  buildUnchangedEntry('env.OTHER', 'x'),
]
const driftedTool = tool({ status: 'drifted', applied: buildAppliedSetup(), drift: ['env.BASE', 'env.MODEL'] })

async function renderPage(list: readonly DriftEntry[] = entries) {
  let currentTool = driftedTool
  const fakeMain = installMain({
    'tools.list': () => [currentTool],
    'plans.list': () => [plan()],
    'tools.drift': () => [...list],
    'tools.preview': () => ({ previewId: 'p1', ...changes('claude-code') }),
    'tools.apply': () => {
      currentTool = tool({ applied: buildAppliedSetup() })
      return currentTool
    },
  })
  const view = await renderInApp(<ToolPage />, '/tools/claude-code?do=review', '/tools/:toolId')
  const getKeptSettings = (): unknown => {
    const previewInputs = fakeMain.askedFor('tools.preview') as readonly MethodInput<'tools.preview'>[]
    return previewInputs.at(-1)?.keep
  }
  return { main: fakeMain, kept: getKeptSettings, ...view }
}

const findSettingChoice = (setting: string) => screen.findByRole('radiogroup', { name: `Action for ${setting}` })
const pickOption = async (setting: string, optionName: string): Promise<void> =>
  userEvent.click(within(await findSettingChoice(setting)).getByRole('radio', { name: optionName }))
const bar = (name: string): Promise<HTMLElement> =>
  waitFor(() => {
    const buttons = screen.getAllByRole('button', { name })
    const button = buttons.find((candidate) => candidate.hasAttribute('aria-keyshortcuts'))
    if (!button || button.hasAttribute('disabled')) throw new Error(`${name} cannot be pressed yet`)
    return button
  })

describe('settings changed elsewhere', () => {
  it('are all restored by default', async () => {
    const { main, kept } = await renderPage()
    await userEvent.click(await bar('Restore all'))
    await waitFor(() => expect(main.askedFor('tools.apply')).toEqual([{ previewId: 'p1' }]))
    expect(kept()).toEqual([])
    await screen.findByText('Claude Code is configured with team')
  })

  it('keep address and key together, and ask only about the one that differs', async () => {
    const { kept } = await renderPage()
    await pickOption('env.BASE', 'Keep current')
    expect(screen.queryByRole('radiogroup', { name: 'Action for apiKeyHelper' })).toBeNull()
    await waitFor(() => expect(kept()).toEqual(['env.BASE', 'apiKeyHelper']))
    expect(screen.getByText(/Address and key are kept or restored together/)).toBeTruthy()
    await pickOption('env.BASE', 'Restore')
    await waitFor(() => expect(kept()).toEqual([]))
  })

  it('ask once about address and key when both differ', async () => {
    const { kept } = await renderPage(
      entries.map((driftEntry) => (driftEntry.role ? { ...driftEntry, state: 'changed' as const } : driftEntry)),
    )
    await pickOption('apiKeyHelper', 'Keep current')
    const address = within(await findSettingChoice('env.BASE')).getByRole('radio', { name: 'Keep current' })
    expect(address.getAttribute('aria-checked')).toBe('true')
    await waitFor(() => expect(kept()).toEqual(['env.BASE', 'apiKeyHelper']))
  })

  it('show that they were fixed elsewhere', async () => {
    await renderPage(entries.map((entry) => ({ ...entry, state: 'same' as const })))
    await screen.findByText('All settings match again')
  })
})
