import type { DoctorReport, Finding, MethodInput, ToolView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { Route, Routes } from 'react-router'
import { beforeEach, describe, expect, it, test } from 'vitest'
import {
  DoctorPage,
  ToolDoctorPage,
  useExaminations,
} from '../../../../../../src/renderer/features/tools/doctor/doctor-page'
import { setUpTool, writtenTool } from '../../../../../support/tool-setups'
import { clickButton, createPageRenderer, expectLink } from '../../../support/fake-main'
import { createDeferred } from '../../../support/later'
import { appView } from '../../../support/views'

type DoctorInput = MethodInput<'doctor.run'>
type DoctorResponse = DoctorReport | Failure | Promise<DoctorReport>

const file = '/home/lan/.claude/settings.json'

const passedFindings: Finding[] = [
  { check: 'installed', outcome: 'ok' },
  { check: 'fileParses', outcome: 'ok', subject: file },
  { check: 'realRequest', outcome: 'ok', inputTokens: 14, outputTokens: 9, durationMs: 800 },
]

const report = (overrides: Partial<DoctorReport> = {}): DoctorReport => ({
  toolId: 'claude-code',
  toolName: 'Claude Code',
  site: { kind: 'user' },
  at: '2026-11-21T08:00:00.000Z',
  outcome: 'ok',
  findings: passedFindings,
  ...overrides,
})

const pages = (
  <Routes>
    <Route path="/tools/:toolId/doctor" element={<ToolDoctorPage />} />
    <Route path="/doctor" element={<DoctorPage />} />
    <Route path="*" element={<p>elsewhere</p>} />
  </Routes>
)
const openPage = createPageRenderer(pages, '/tools/claude-code/doctor', {
  'calls.cancel': () => ({}),
  'tools.showFile': () => ({}),
  'app.copyText': () => ({}),
  'app.recheckVault': () => appView,
})
const renderPage = (
  run: (input: DoctorInput) => DoctorResponse = () => report(),
  tools: ToolView[] = [setUpTool()],
  path?: string,
) => openPage({ 'tools.list': () => tools, 'doctor.run': run }, path)

const mockFindings =
  (...findings: Finding[]) =>
  (): DoctorReport =>
    report({ outcome: 'failed', findings })

beforeEach(() => useExaminations.setState({}, true))

describe('a diagnosed tool', () => {
  it('does not start again on return, only by the button', async () => {
    const firstPage = await renderPage()
    await screen.findByText('All checks passed')
    firstPage.unmount()
    const { main } = await renderPage()
    await screen.findByText('All checks passed')
    expect(main.askedFor('doctor.run')).toEqual([])
    await userEvent.click(screen.getByRole('button', { name: 'Diagnose again' }))
    await waitFor(() => expect(main.askedFor('doctor.run')).toHaveLength(1))
  })

  it('can be cancelled, and later results are ignored', async () => {
    const { promise, answer } = createDeferred<DoctorReport>()
    const { main } = await renderPage(() => promise)
    await clickButton('Cancel')
    const [input] = main.askedFor('doctor.run') as DoctorInput[]
    expect(main.askedFor('calls.cancel')).toEqual([{ callId: input?.callId }])
    answer(report())
    await promise
    await screen.findByRole('button', { name: 'Diagnose' })
    expect(screen.queryByText('All checks passed')).toBeNull()
  })

  it('uses the site in the address', async () => {
    const { status, drift, file: path, files, applied } = setUpTool()
    const site = { kind: 'project', folder: '/home/lan/shop' } as const
    const tool = writtenTool({ setups: [{ site, status, drift, file: path, files, applied }] })
    const address = '/tools/claude-code/doctor?at=project%3A%2Fhome%2Flan%2Fshop'
    const { main } = await renderPage(undefined, [tool], address)
    await screen.findByText('All checks passed')
    expect(main.askedFor('doctor.run')[0]).toMatchObject({ toolId: 'claude-code', site })
  })

  it('does not start for a tool that is not configured', async () => {
    const { main } = await renderPage(undefined, [writtenTool()])
    await screen.findByText('Claude Code is not configured')
    expect(main.askedFor('doctor.run')).toEqual([])
  })

  it('explains why it failed to start, and retries', async () => {
    let tryCount = 0
    await renderPage(() => {
      tryCount += 1
      return tryCount === 1 ? { code: 'internal.unexpected', message: 'x' } : report()
    })
    await clickButton('Try again')
    await screen.findByText('All checks passed')
  })
})

describe('a finding', () => {
  const keychainFinding: Finding = { check: 'helperRuns', outcome: 'failed', fix: 'unlockKeychain' }

  test.each<[Finding['fix'], string, string]>([
    ['applyAgain', 'Restore settings…', '/tools/claude-code?do=configure'],
    ['undo', 'Undo…', '/tools/claude-code?do=undo'],
    ['chooseModel', 'Choose another model', '/tools/claude-code?do=configure'],
    ['chooseKey', 'Choose another key', '/tools/claude-code?do=configure'],
    ['replaceKey', 'Replace key', '/plans/p1?paste=1'],
  ])('with the fix %s links to its page', async (fix, label, path) => {
    await renderPage(mockFindings({ check: 'modelInPlan', outcome: 'failed', ...(fix && { fix }) }))
    await expectLink(label, path)
  })

  test.each<[Finding, string, 'tools.showFile' | 'app.copyText' | 'app.recheckVault', unknown]>([
    [
      { check: 'fileParses', outcome: 'failed', subject: file, fix: 'openFile' },
      'Show the file',
      'tools.showFile',
      { toolId: 'claude-code', path: file },
    ],
    [
      { check: 'ownedValues', outcome: 'warning', subject: 'env.X', fix: 'openFile' },
      'Show the file',
      'tools.showFile',
      { toolId: 'claude-code' },
    ],
    [
      { check: 'rivals', outcome: 'warning', subject: 'X', fix: 'copyLine', text: 'unset X' },
      'Copy line',
      'app.copyText',
      { text: 'unset X' },
    ],
    [
      { check: 'installed', outcome: 'failed', fix: 'install' },
      'Copy install steps',
      'app.copyText',
      { text: 'npm install -g tool' },
    ],
    [keychainFinding, 'Check keychain again', 'app.recheckVault', {}],
  ])('%o has a button that fixes it', async (finding, label, name, input) => {
    const tools = [setUpTool({ install: { command: 'npm install -g tool' } })]
    const { main } = await renderPage(mockFindings(finding), tools)
    await userEvent.click(await screen.findByRole('button', { name: label }))
    await waitFor(() => expect(main.askedFor(name)).toEqual([input]))
  })

  it('is checked again after the keychain was retried', async () => {
    const { main } = await renderPage(mockFindings(keychainFinding))
    await clickButton('Check keychain again')
    await waitFor(() => expect(main.askedFor('doctor.run')).toHaveLength(2))
  })

  it('has no button for an incomplete fix', async () => {
    const installFinding: Finding = { check: 'installed', outcome: 'failed', fix: 'install' }
    await renderPage(mockFindings({ check: 'rivals', outcome: 'warning', fix: 'copyLine' }, installFinding))
    await screen.findByText('No conflicting settings')
    expect(screen.queryByRole('button', { name: /^Copy/ })).toBeNull()
  })
})

describe('all diagnosed tools', () => {
  const openCode = setUpTool({ id: 'opencode', name: 'OpenCode' })
  const tools = [setUpTool(), openCode, writtenTool({ id: 'crush', name: 'Crush' })]

  it('start once when the address requests it', async () => {
    const { main, place } = await renderPage(undefined, tools, '/doctor?run=1')
    await screen.findByText('All 2 tools passed')
    await waitFor(() => expect(place()).toBe('/doctor'))
    expect(main.askedFor('doctor.run')).toHaveLength(2)
  })

  it('explain themselves while no tool is configured', async () => {
    await renderPage(undefined, [writtenTool()], '/doctor')
    await screen.findByText('No tool configured yet')
  })
})
