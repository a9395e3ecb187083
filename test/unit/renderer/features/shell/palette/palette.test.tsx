import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { Palette } from '../../../../../../src/renderer/features/shell/palette/palette'
import { setLocale } from '../../../../../../src/renderer/i18n'
import { noteCommand, useCurrentPlan } from '../../../../../../src/renderer/session'
import { buildBuiltInConnection, connection } from '../../../support/connections'
import { installMain, renderInApp } from '../../../support/fake-main'
import { buildLocalAccountPlan } from '../../../support/key-care'
import { profile } from '../../../support/profiles'
import { relayView } from '../../../support/relay'
import { plan, tool } from '../../../support/views'

function CurrentPlan() {
  return <p data-testid="current">{useCurrentPlan()?.name}</p>
}

async function renderPage(plans = [plan(), plan({ id: 'p2', name: 'second' }), buildLocalAccountPlan({ id: 'p3' })]) {
  const fakeMain = installMain({
    'connections.list': () => [buildBuiltInConnection(), connection()],
    'connections.use': () => ({}),
    'plans.list': () => plans,
    'tools.list': () => [tool(), tool({ id: 'codex', name: 'Codex' })],
    'profiles.list': () => [profile({ id: 'c', name: 'client A' }), profile({ isActive: true })],
    'relay.get': () => relayView(),
    'playground.conversations': () => [],
  })
  const view = await renderInApp(
    <>
      <CurrentPlan />
      <Palette />
    </>,
  )
  await screen.findByRole('option', { name: `Usage of ${plans[0]?.name}` })
  await screen.findByRole('option', { name: /Codex/ })
  return { main: fakeMain, ...view }
}

describe('the palette', () => {
  it('switches to another connection, and omits the active one', async () => {
    const { main } = await renderPage()
    await screen.findByRole('option', { name: 'Switch to Production' })
    expect(screen.queryByRole('option', { name: 'Switch to sandbox' })).toBeNull()
    await userEvent.type(screen.getByRole('combobox'), 'switch prod{Enter}')
    await main.waitForCalls('connections.use', [{ id: 'c1' }])
  })

  it('opens a connection to test it', async () => {
    const { place } = await renderPage()
    await userEvent.click(await screen.findByRole('option', { name: 'Test Production' }))
    expect(place()).toBe('/connections?show=c1&test')
  })

  it('switches to another profile, and omits the active one', async () => {
    const { place } = await renderPage()
    await userEvent.click(await screen.findByRole('option', { name: 'Switch to profile client A' }))
    expect(place()).toBe('/profiles/c/switch')
    expect(screen.queryByRole('option', { name: 'Switch to profile work' })).toBeNull()
  })

  it('selects the plan that tools are configured with', async () => {
    await renderPage()
    await userEvent.click(await screen.findByRole('option', { name: 'Configure tools with second' }))
    await waitFor(() => expect(screen.getByTestId('current').textContent).toBe('second'))
  })

  it.each([
    ['Rotate key', '/rotate'],
    ['Rotate ci of platform-team', '/rotate?plan=p3&key=k2'],
    ['Issue a key', '/handout'],
    ['Issue several keys', '/handout/many'],
    ['Import a key', '/handout/open'],
    ['Enter confirmation code', '/register?code=1'],
    ['Audit log', '/register/audit'],
    ['Quota and forecasts', '/usage/left'],
    ['Failed requests', '/usage/requests?scope=machine&errors=1'],
    ['Usage of second', '/usage?scope=machine&plan=p2'],
  ])('opens %s', async (name, path) => {
    const { place } = await renderPage()
    await userEvent.click(await screen.findByRole('option', { name }))
    expect(place()).toBe(path)
  })
})

const manyPlans = Array.from({ length: 500 }, (_, index) => plan({ id: `many-${index}`, name: `batch-${index}` }))

/** The id of the command that Enter would run for a search text. */
function findFirstCommand(text: string): string | null {
  fireEvent.change(screen.getByRole('combobox'), { target: { value: text } })
  return document.querySelector('[role="option"][aria-selected="true"]')?.getAttribute('data-value') ?? null
}

/** Searches that match in either language: terms of the field, and English names. */
const sharedQueries: Readonly<Record<string, string>> = {
  rotate: 'rotate',
  'rotate key': 'rotate',
  'rotate ci': 'rotate-p3-k2',
  'ci rotate': 'rotate-p3-k2',
  dark: 'theme-dark',
  'dark theme': 'theme-dark',
  light: 'theme-light',
  english: 'language-en',
  'tiếng việt': 'language-vi',
  vietnamese: 'language-vi',
  home: 'home',
  usage: 'usage',
  settings: 'settings',
  preferences: 'settings',
  relay: 'relay',
  'pause relay': 'relay-pause',
  'stop relay': 'relay-stop',
  quota: 'usage-left',
  forecast: 'usage-left',
  diagnose: 'examine',
  doctor: 'examine',
  import: 'receive',
  audit: 'audit',
  shortcuts: 'shortcuts',
  hotkeys: 'shortcuts',
  embeddings: 'chat-embeddings',
  compare: 'chat-compare',
  docker: 'docker',
  'docker login': 'docker',
  codex: 'configure-codex',
  'claude code': 'configure-claude-code',
  runtimes: 'runtimes',
  sandbox: 'sandbox',
  alerts: 'alerts',
  undo: 'history',
  client: 'profile-c',
  'gateway.example.com': 'copy-p1',
  QUOTA: 'usage-left',
}

const languages: Readonly<Record<'en' | 'vi', Readonly<Record<string, string>>>> = {
  en: {
    theme: 'theme-system',
    tools: 'tools',
    profiles: 'profiles',
    plans: 'plans',
    playground: 'playground',
    connections: 'connections',
    'add plan': 'add-plan',
    'add a connection': 'add-connection',
    'prod test': 'test-c1',
    'keyboard shortcuts': 'shortcuts',
    'confirmation code': 'enter-code',
  },
  vi: {
    'trang chủ': 'home',
    'trang chu': 'home',
    'công cụ': 'tools',
    'cong cu': 'tools',
    'cài đặt': 'settings',
    'cai dat': 'settings',
    'thêm gói': 'add-plan',
    'them ket noi': 'add-connection',
    'kết nối': 'connections',
    'cảnh báo': 'alerts',
    tối: 'theme-dark',
    'giao diện sáng': 'theme-light',
    'phím tắt': 'shortcuts',
    'chẩn đoán': 'examine',
    'mã xác nhận': 'enter-code',
    'tạm dừng relay': 'relay-pause',
  },
}

describe('the order of palette results', () => {
  it.each(['en', 'vi'] as const)('has the best match first, in %s', async (locale) => {
    await renderPage()
    await act(() => setLocale(locale))
    const expectedCommands = { ...sharedQueries, ...languages[locale] }
    const firstCommands = Object.keys(expectedCommands).map((text) => [text, findFirstCommand(text)])
    expect(Object.fromEntries(firstCommands)).toEqual(expectedCommands)
  })

  it('has the most recently used first among equals, and on top without a search', async () => {
    await renderPage()
    expect(findFirstCommand('switch')).toBe('switch-c1')
    act(() => noteCommand('profile-c'))
    expect(findFirstCommand('switch ')).toBe('profile-c')
    expect(findFirstCommand('')).toBe('profile-c')
  })

  it('renders few of 500 plans, and the others on request', async () => {
    await renderPage(manyPlans)
    expect(document.querySelectorAll('*').length).toBeLessThan(1500)
    fireEvent.change(screen.getByRole('combobox'), { target: { value: 'batch' } })
    expect(screen.getAllByRole('option').length).toBeLessThan(70)
    expect(findFirstCommand('open batch-499')).toBe('open-many-499')
    fireEvent.change(screen.getByRole('combobox'), { target: { value: 'open batch' } })
    fireEvent.click(screen.getByRole('option', { name: /^Show / }))
    expect(screen.getAllByRole('option').length).toBeGreaterThan(70)
  })
})
