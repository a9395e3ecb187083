import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SettingsView } from '@shared/contract'
import { failureCodes } from '@shared/failure'
import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { ExplainedFailure } from '../../../../../src/renderer/failures'
import { FailureList, ShortcutList } from '../../../../../src/renderer/features/help/help-lists'
import { toHelpMarkdown } from '../../../../../src/renderer/features/help/help-page'
import { findPageHelp, HelpPanel } from '../../../../../src/renderer/features/help/help-panel'
import { NewsStrip, Tour } from '../../../../../src/renderer/features/help/tour'
import { useSession } from '../../../../../src/renderer/session'
import { followShortcuts } from '../../../../../src/renderer/shortcuts'
import { installMain, renderInApp } from '../../support/fake-main'
import { appView, settingsView } from '../../support/views'

const renderer = join(import.meta.dirname, '../../../../../src/renderer')

beforeEach(() => {
  followShortcuts()
  useSession.setState({ help: undefined, tourStep: undefined })
})

function installSettings(storedSettings: Partial<SettingsView> = {}) {
  let settings: SettingsView = { ...settingsView, ...storedSettings }
  return installMain({
    'settings.get': () => settings,
    'settings.update': (change) => {
      settings = { ...settings, ...Object.fromEntries(Object.entries(change)) }
      return settings
    },
    'app.get': () => ({ ...appView, version: '2.0.0' }),
  })
}

describe('the help of a page', () => {
  it('exists for every route', () => {
    const source = readFileSync(join(renderer, 'main.tsx'), 'utf8')
    const matches = [...source.matchAll(/(?:<Route path="|^ {2}')(\/[^"'*]*)/gm)]
    const routes = matches.map(([, path = '']) => path.replace(/(.)\/$/, '$1'))
    expect(routes.length).toBeGreaterThan(50)
    expect(routes.filter((path) => path !== '/welcome' && !findPageHelp(path))).toEqual([])
  })

  it('describes the page, with the current shortcuts', async () => {
    installSettings()
    followShortcuts({ find: 'Mod+Shift+F' })
    useSession.setState({ help: 'page' })
    const { place } = await renderInApp(<HelpPanel />, '/plans')
    const panel = await screen.findByRole('dialog', { name: 'Help' })
    expect(panel.textContent).toContain('Lists the plans of your account')
    expect(within(panel).getByText('Search the current list').parentElement?.textContent).toContain('CtrlShiftF')
    await userEvent.click(within(panel).getByRole('button', { name: 'Error codes' }))
    expect([place(), useSession.getState().help]).toEqual(['/help/errors', undefined])
  })
})

describe('the failure codes', () => {
  it('are all listed with cause and remedy, without placeholders', async () => {
    await renderInApp(<FailureList />, '/help/errors?code=net.refused')
    const items = within(screen.getByRole('list', { name: 'Error codes' })).getAllByRole('listitem')
    expect(items.map((item) => item.querySelector('code')?.textContent).toSorted()).toEqual(failureCodes.toSorted())
    expect(items.filter(({ textContent }) => /\{\{|undefined/.test(textContent ?? ''))).toEqual([])
    expect(
      items.filter((item) => item.hasAttribute('aria-current')).map((item) => item.querySelector('code')?.textContent),
    ).toEqual(['net.refused'])
  })

  it('are found by code and word', async () => {
    await renderInApp(<FailureList />, '/help/errors')
    const field = screen.getByRole('searchbox')
    await userEvent.click(field)
    await userEvent.paste('storage.full')
    expect(screen.getAllByRole('listitem')).toHaveLength(1)
    await userEvent.clear(field)
    await userEvent.paste('no such thing')
    screen.getByText('No matching error code')
  })

  it('are explained with the actual failure', async () => {
    installSettings()
    const failure = { code: 'net.refused', message: 'Nobody listens at 127.0.0.1:9.' } as const
    await renderInApp(
      <>
        <ExplainedFailure failure={failure} />
        <HelpPanel />
      </>,
    )
    act(() => screen.getByRole('button', { name: 'More about this error', hidden: true }).click())
    expect(useSession.getState().help).toBe('net.refused')
    expect(screen.getByRole('dialog').textContent).toContain('net.refused')
    expect(screen.getByRole('dialog').textContent).toContain('How to fix')
  })
})

describe('the list of shortcuts', () => {
  async function renderPage() {
    const fakeMain = installSettings()
    await renderInApp(<ShortcutList />)
    const change = async (command: string, keys: string): Promise<void> => {
      await userEvent.click(screen.getByRole('button', { name: `Change the shortcut: ${command}` }))
      await userEvent.keyboard(keys)
    }
    return { main: fakeMain, change, saved: () => fakeMain.askedFor('settings.update') }
  }

  it('saves new keys, and restores the defaults', async () => {
    const { change, saved } = await renderPage()
    await change('Go to Usage', '{Control>}u{/Control}')
    await waitFor(() => expect(saved()).toEqual([{ shortcuts: { usage: 'Mod+U' } }]))
    await waitFor(() =>
      expect(document.activeElement?.getAttribute('aria-label')).toBe('Change the shortcut: Go to Usage'),
    )
    await userEvent.click(await screen.findByRole('button', { name: 'Reset all' }))
    await waitFor(() => expect(saved().at(-1)).toEqual({ shortcuts: {} }))
  })

  it('refuses keys of another command by name, and Escape keeps the old ones', async () => {
    const { change, saved } = await renderPage()
    await change('Go to Usage', '{Control>}k{/Control}')
    expect(screen.getByRole('alert').textContent).toBe('Already used: Search or run a command')
    await userEvent.keyboard('{Control>}c{/Control}')
    expect(screen.getByRole('alert').textContent).toBe('Reserved for the system or for text fields.')
    await userEvent.keyboard('{Escape}')
    expect(screen.queryByRole('alert')).toBeNull()
    expect(saved()).toEqual([])
  })
})

describe('the tour', () => {
  it('goes through five pages with the same key, and ends', async () => {
    installSettings()
    useSession.setState({ tourStep: 0 })
    const Probe = () => (useSession(({ tourStep }) => tourStep) === undefined ? null : <Tour />)
    const { place } = await renderInApp(<Probe />, '/tools')
    screen.getByRole('button', { name: 'Start tour' }).focus()
    const focusedTexts: (string | null)[] = []
    for (let pageIndex = 1; pageIndex <= 5; pageIndex += 1) {
      await userEvent.keyboard('{Enter}')
      await screen.findByText(`${pageIndex} of 5`)
      focusedTexts.push(place())
    }
    expect(focusedTexts).toEqual(['/plans', '/tools', '/usage', '/playground', '/'])
    expect(screen.getByText(/(Ctrl|⌘)\+K finds any page or command/)).toBeTruthy()
    await userEvent.keyboard('{Enter}')
    expect(screen.queryByRole('region')).toBeNull()
  })

  it('is closed with Escape', async () => {
    installSettings()
    useSession.setState({ tourStep: 2 })
    await renderInApp(<Tour />)
    await waitFor(() => expect(document.activeElement?.textContent).toBe('Next'))
    await userEvent.keyboard('{Escape}')
    expect(useSession.getState().tourStep).toBeUndefined()
  })
})

describe('the release notes', () => {
  it('exist in both languages, line by line', () => {
    const listShape = (name: string): string[] =>
      readFileSync(join(renderer, '../..', name), 'utf8')
        .split('\n')
        .map((line) => line.replace(/^(#+|-)?.*/, '$1'))
    expect(listShape('CHANGELOG.vi.md')).toEqual(listShape('CHANGELOG.md'))
  })

  it('appear after an update until they are closed', async () => {
    const fakeMain = installSettings({ newsSeen: '1.9.0' })
    await renderInApp(<NewsStrip />)
    await screen.findByText('The app was updated to version 2.0.0.')
    await userEvent.click(screen.getByRole('button', { name: 'Dismiss' }))
    await waitFor(() => expect(screen.queryByRole('region')).toBeNull())
    expect(fakeMain.askedFor('settings.update')).toEqual([{ newsSeen: '2.0.0' }])
  })

  it('omit their title, pictures, and repository links', () => {
    const text = '# Guide\n\nSee [budgets](../budgets.md), [site](https://example.com).\n\n![A](../a.png)\n\nEnd.\n'
    expect(toHelpMarkdown(text)).toBe('\nSee budgets, [site](https://example.com).\n\nEnd.\n')
  })
})
