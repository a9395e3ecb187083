import type { DriftEntry, MethodInput } from '@shared/contract'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { SnippetsDialog } from '../../../../../src/renderer/features/tools/snippets-dialog'
import { useToolsStore } from '../../../../../src/renderer/features/tools/tool-form'
import { ToolPage } from '../../../../../src/renderer/features/tools/tool-page'
import { useVerifications } from '../../../../../src/renderer/features/tools/verifications'
import { allTools } from '../../support/all-tools'
import {
  clickButton,
  createPageRenderer,
  expectLink,
  type FakeMethods,
  findEnabledButton,
  installMain,
  renderInApp,
} from '../../support/fake-main'
import { changes } from '../../support/many'
import { relayView } from '../../support/relay'
import { buildAppliedSetup, failedCheck, passedCheck, plan, tool } from '../../support/views'

beforeEach(() => {
  useToolsStore.setState({ picked: {} })
  useVerifications.setState({}, true)
})

const folder = '/home/lan/code/client-a'
const guideAddress = 'https://gateway.example.com/v1/chat/completions'
const siteQuery = `at=${encodeURIComponent(`project:${folder}`)}`

const answers: FakeMethods = {
  'tools.list': () => [...allTools()],
  'plans.list': () => [plan({ models: ['large', 'fast'] })],
  'tools.preview': ({ toolId }) => ({ previewId: 'p1', ...changes(toolId) }),
  'tools.previewRestore': ({ toolId }) => ({ previewId: 'r1', ...changes(toolId, { kind: 'restore' }) }),
  'tools.verify': () => passedCheck,
  'tools.chooseProject': () => ({}),
  'tools.guide': ({ modelCode }) => ({
    place: ['Settings', 'Models', 'Override OpenAI Base URL'],
    fields: [
      { label: 'Base URL', value: 'https://gateway.example.com/v1' },
      { label: 'Model', value: modelCode },
      { label: 'API Key' },
    ],
    requestAddress: guideAddress,
    warnings: [{ code: 'remoteMaker', subject: 'http://127.0.0.1:4860' }],
  }),
  'tools.distributions': () => ['Ubuntu'],
}
const renderPage = createPageRenderer(<ToolPage />, '/tools/claude-code', answers, '/tools/:toolId')

describe('a tool at other sites', () => {
  it('lists its other setups, with a link to undo them', async () => {
    await renderPage()
    const list = await screen.findByRole('list', { name: 'Other scopes' })
    expect(list.textContent).toContain('Project client-a')
    expect(list.textContent).toContain('fast')
    await expectLink('Undo… Project client-a', `/tools/claude-code?${siteQuery}&do=undo`)
  })

  it('is previewed, undone and verified there and not in this user’s home', async () => {
    const site = { kind: 'project', folder }
    const firstPage = await renderPage({}, `/tools/claude-code?${siteQuery}&do=configure`)
    await waitFor(() => expect(firstPage.main.askedFor('tools.preview')[0]).toMatchObject({ site, modelCode: 'fast' }))
    firstPage.unmount()
    const secondPage = await renderPage({}, `/tools/claude-code?${siteQuery}&do=undo`)
    await secondPage.main.waitForCalls('tools.previewRestore', [{ toolId: 'claude-code', site }])
    secondPage.unmount()
    const thirdPage = await renderPage({}, `/tools/claude-code?${siteQuery}&verify=1`)
    await thirdPage.main.waitForCalls('tools.verify', [{ toolId: 'claude-code', site }])
    await waitFor(() => expect(thirdPage.place()).toBe(`/tools/claude-code?${siteQuery}`))
  })

  it('starts with a fresh selection in a chosen folder', async () => {
    const { main, place } = await renderPage({ 'tools.chooseProject': () => ({ folder: '/code/new' }) })
    await clickButton('Configure a project…')
    await waitFor(() => expect(place()).toBe('/tools/claude-code?at=project%3A%2Fcode%2Fnew&do=configure'))
    const site = { kind: 'project', folder: '/code/new' }
    await waitFor(() => expect(main.askedFor('tools.preview').at(-1)).toMatchObject({ site, modelCode: 'large' }))
    expect(screen.getByText('Not configured')).toBeTruthy()
  })

  it('stays when the dialog is closed', async () => {
    const { main, place } = await renderPage()
    await clickButton('Configure a project…')
    await waitFor(() => expect(main.askedFor('tools.chooseProject')).toHaveLength(1))
    expect(place()).toBe('/tools/claude-code')
  })

  it('loads no sites for a tool with only one', async () => {
    const { main } = await renderPage({}, '/tools/nanocoder')
    await screen.findByText('Changes')
    expect(screen.queryByText('Scope')).toBeNull()
    expect(main.askedFor('tools.distributions')).toEqual([])
  })
})

describe('a tool that is configured manually', () => {
  it('shows where to go, what to enter, the resulting address, and who sends its requests', async () => {
    await renderPage({}, '/tools/cursor')
    const fields = await screen.findByRole('table', { name: 'Values to enter' })
    expect(fields.textContent).toContain('Base URLhttps://gateway.example.com/v1')
    expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toContainEqual(
      expect.stringContaining('SettingsModelsOverride OpenAI Base URL'),
    )
    expect(screen.getByRole('region', { name: 'Request address' }).textContent).toContain(guideAddress)
    expect(screen.getByText(/Cursor sends requests from its vendor’s servers/)).toBeTruthy()
    expect(screen.getByText('Manual')).toBeTruthy()
  })

  it('verifies exactly these values, and explains a failure', async () => {
    const { main } = await renderPage({ 'tools.checkGuide': () => failedCheck }, '/tools/cursor')
    await clickButton('Test')
    await screen.findByText('The gateway rejected the key')
    expect(main.askedFor('tools.checkGuide')).toEqual([{ toolId: 'cursor', planId: 'p1', modelCode: 'large' }])
  })
})

it('an unsupported tool explains why, and what would make it possible', async () => {
  const { main } = await renderPage({}, '/tools/claude-desktop')
  await screen.findByText('Claude Desktop is not available on this system')
  expect(screen.getByText(/on a computer where it runs/)).toBeTruthy()
  expect(main.askedFor('tools.guide')).toEqual([])
})

it('an unknown tool links back to the tools', async () => {
  await renderPage({}, '/tools/nothing')
  await screen.findByText('Tool not found')
  expect(screen.getByRole('link', { name: 'Show tools' })).toBeTruthy()
})

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

/** Opens the review of a drifted tool. Returns a function that reads the settings that the last preview keeps. */
async function openReview(list: readonly DriftEntry[] = entries) {
  const overrides: FakeMethods = { 'tools.list': () => [driftedTool], 'tools.drift': () => [...list] }
  const { main } = await renderPage(overrides, '/tools/claude-code?do=review')
  return (): unknown => (main.askedFor('tools.preview') as MethodInput<'tools.preview'>[]).at(-1)?.keep
}

const findSettingChoice = (setting: string) => screen.findByRole('radiogroup', { name: `Action for ${setting}` })
const pickOption = async (setting: string, optionName: string): Promise<void> =>
  userEvent.click(within(await findSettingChoice(setting)).getByRole('radio', { name: optionName }))
describe('settings changed elsewhere', () => {
  it('keep address and key together, and ask only about the one that differs', async () => {
    const kept = await openReview()
    await waitFor(() => expect(kept()).toEqual([]))
    await pickOption('env.BASE', 'Keep current')
    expect(screen.queryByRole('radiogroup', { name: 'Action for apiKeyHelper' })).toBeNull()
    await waitFor(() => expect(kept()).toEqual(['env.BASE', 'apiKeyHelper']))
    expect(screen.getByText(/Address and key are kept or restored together/)).toBeTruthy()
    await pickOption('env.BASE', 'Restore')
    await waitFor(() => expect(kept()).toEqual([]))
  })

  it('ask once about address and key when both differ', async () => {
    const kept = await openReview(
      entries.map((driftEntry) => (driftEntry.role ? { ...driftEntry, state: 'changed' as const } : driftEntry)),
    )
    await pickOption('apiKeyHelper', 'Keep current')
    const address = within(await findSettingChoice('env.BASE')).getByRole('radio', { name: 'Keep current' })
    expect(address.getAttribute('aria-checked')).toBe('true')
    await waitFor(() => expect(kept()).toEqual(['env.BASE', 'apiKeyHelper']))
  })

  it('show that they were fixed elsewhere', async () => {
    await openReview(entries.map((entry) => ({ ...entry, state: 'same' as const })))
    await screen.findByText('All settings match again')
  })
})

const relayedSetup = buildAppliedSetup({
  route: 'relay',
  requestAddress: 'http://127.0.0.1:4870/t/claude-code/v1/messages',
})

describe('a tool on the relay', () => {
  it('can apply a change of the relay’s plan without changing a file', async () => {
    const unchangedFiles = [{ path: '/x', action: 'none' as const, holdsKey: false, lines: [] }]
    const overrides: FakeMethods = {
      'tools.list': () => [tool({ applied: relayedSetup })],
      'tools.preview': () => ({ previewId: 'p', ...changes('claude-code', { files: unchangedFiles, setsWay: true }) }),
    }
    await renderPage(overrides, '/tools/claude-code?do=configure')
    await screen.findByText(/The relay will use team for Claude Code/)
    await findEnabledButton('Apply')
  })

  it('shows once that the relay is off, starts it and verifies again', async () => {
    const relayOffFailure = { code: 'relay.off', message: 'Off.' } as const
    let isRelayOn = false
    const overrides: FakeMethods = {
      'tools.list': () => [tool({ applied: relayedSetup, relayOff: true })],
      'tools.verify': () => (isRelayOn ? passedCheck : { ...failedCheck, failure: relayOffFailure }),
      'relay.start': () => {
        isRelayOn = true
        return relayView({ tools: [] })
      },
    }
    const { main, user } = await renderPage(overrides, '/tools/claude-code?verify=1')
    await screen.findByText('Tools that use the relay are offline until it runs.')
    await user.click(screen.getByRole('button', { name: 'Start the relay' }))
    await screen.findByText('Key and plan work')
    expect(main.askedFor('tools.verify')).toHaveLength(2)
  })
})

it('explains a tool without snippets', async () => {
  installMain({ 'tools.snippets': () => [] })
  await renderInApp(
    <SnippetsDialog choice={{ toolId: 'pi', planId: 'p1', modelCode: 'large' }} onClose={() => undefined} />,
  )
  await screen.findByText('No snippet available for this tool.')
})
