import type { MethodInput, PreviewView, ToolView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { useToolsStore } from '../../../../../src/renderer/features/tools/tool-form'
import { ToolPage } from '../../../../../src/renderer/features/tools/tool-page'
import { useVerifications } from '../../../../../src/renderer/features/tools/verifications'
import { clickEnabledButton, findEnabledButton, installMain, renderInApp } from '../../support/fake-main'
import { createDeferred } from '../../support/later'
import { changes } from '../../support/many'
import { buildAppliedSetup as appliedWith, passedCheck, plan, tool } from '../../support/views'

const address = 'https://gateway.example.com/v1/messages'
const absentTool = tool({ status: 'absent', deliveries: ['helper', 'plain'] })
const configuredTool: ToolView = {
  ...absentTool,
  status: 'configured',
  applied: appliedWith({ requestAddress: address }),
}

const preview = (previewId: string, overrides: Partial<PreviewView> = {}): PreviewView => ({
  ...changes('claude-code', {
    requestAddress: address,
    base: 'https://gateway.example.com',
    warnings: [{ code: 'overridesExisting', subject: 'env.ANTHROPIC_BASE_URL' }],
  }),
  previewId,
  ...overrides,
})

interface PageInput {
  readonly tool?: ToolView
  readonly models?: string[]
  readonly onPreview?: (n: number, input: MethodInput<'tools.preview'>) => PreviewView | Failure | Promise<PreviewView>
  readonly onApply?: () => ToolView | Failure
  /** Delays an undo. */
  readonly onRestore?: () => Promise<void>
  readonly hasTerminal?: boolean
  readonly path?: string
}

async function renderPage({ tool: initialTool = absentTool, path = '/tools/claude-code', ...scene }: PageInput = {}) {
  const { models = ['large', 'fast'], onPreview, onApply, onRestore, hasTerminal = false } = scene
  let currentTool = initialTool
  let previews = 0
  let isRestoring = false
  const fakeMain = installMain({
    'tools.list': () => [currentTool],
    'plans.list': () => [plan({ models })],
    'tools.preview': (input) => {
      previews += 1
      return onPreview?.(previews, input) ?? preview(`preview-${previews}`)
    },
    'tools.previewRestore': () =>
      isRestoring
        ? { code: 'tool.notConfigured', message: 'gone' }
        : preview('restore-1', { kind: 'restore', warnings: [] }),
    'tools.apply': () => {
      const outcome = onApply?.() ?? configuredTool
      if (!('code' in outcome)) currentTool = outcome
      return outcome
    },
    'tools.restore': async () => {
      isRestoring = true
      await onRestore?.()
      currentTool = absentTool
      return currentTool
    },
    'tools.verify': () => ({ ...passedCheck, requestAddress: address, modelCode: 'large', answer: 'ready' }),
    'tools.showFile': () => ({}),
    'tools.terminal': () => ({ isThere: hasTerminal }),
    'tools.openTerminal': () => ({}),
    'app.copyText': () => ({}),
    'plans.copyKey': () => ({ clearsAfterMs: 30_000 }),
  })
  const view = await renderInApp(<ToolPage />, path, '/tools/:toolId')
  return { main: fakeMain, ...view }
}

beforeEach(() => {
  useToolsStore.setState({ picked: {}, layout: 'inline' })
  useVerifications.setState({}, true)
})

describe('configuring a tool', () => {
  it('shows the diff and the final address with the defaults, and writes with one click', async () => {
    const { main } = await renderPage()
    const box = await screen.findByRole('region', { name: 'Request address' })
    expect(box.textContent).toContain(`POST${address}`)
    expect(await screen.findByRole('table', { name: 'Changes in /home/lan/.claude-code/settings.json' })).toBeTruthy()
    const choice = { planId: 'p1', modelCode: 'large', slots: { small: 'fast' }, delivery: 'helper' }
    expect(main.askedFor('tools.preview')[0]).toEqual({ toolId: 'claude-code', ...choice })
    await clickEnabledButton('Apply')
    await screen.findByText('Claude Code is configured with team')
    expect(main.askedFor('tools.apply')).toEqual([{ previewId: 'preview-1' }])
  })

  it.each([true, false])('shows the start command to copy, and a terminal if there is one: %s', async (hasTerminal) => {
    const { main } = await renderPage({ hasTerminal, onApply: () => ({ ...configuredTool, start: 'claude' }) })
    await clickEnabledButton('Apply')
    await userEvent.click(await screen.findByRole('button', { name: 'Copy start command' }))
    expect(main.askedFor('app.copyText')).toEqual([{ text: 'claude' }])
    await waitFor(() => expect(main.askedFor('tools.terminal')).toHaveLength(1))
    if (!hasTerminal) return expect(screen.queryByRole('button', { name: 'Open a terminal here' })).toBeNull()
    await userEvent.click(await screen.findByRole('button', { name: 'Open a terminal here' }))
    expect(main.askedFor('tools.openTerminal')).toEqual([{ toolId: 'claude-code' }])
  })

  it('writes with Ctrl+Enter, verifies, and shows address, model and answer', async () => {
    const { main } = await renderPage()
    await findEnabledButton('Apply')
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    const notice = await screen.findByText('Claude Code is configured with team')
    expect(main.askedFor('tools.apply')).toHaveLength(1)
    const [verify] = screen.getAllByRole('button', { name: 'Test' })
    if (verify) await userEvent.click(verify)
    const outcome = await screen.findByRole('region', { name: 'Test passed' })
    expect(outcome.textContent).toContain(address)
    expect(within(outcome).getByText('ready')).toBeTruthy()
    expect(notice.isConnected).toBe(true)
  })

  it('collapses the form while nothing must be selected, and expands it', async () => {
    await renderPage()
    const expandButton = await screen.findByRole('button', { name: 'Change settings', expanded: false })
    expect(expandButton.parentElement?.textContent).toContain('team')
    expect(expandButton.parentElement?.textContent).toContain('large')
    expect(screen.queryByRole('combobox', { name: 'Plan' })).toBeNull()
    await userEvent.click(expandButton)
    await screen.findByRole('combobox', { name: 'Plan' })
    await userEvent.click(screen.getByRole('button', { name: 'Hide settings', expanded: true }))
    expect(screen.queryByRole('combobox', { name: 'Plan' })).toBeNull()
  })

  it('does not write the key in plain text without consent', async () => {
    const { main } = await renderPage()
    await userEvent.click(await screen.findByRole('button', { name: 'Change settings' }))
    await userEvent.click(await screen.findByRole('radio', { name: /Plain text/ }))
    await waitFor(() => expect(main.askedFor('tools.preview').at(-1)).toMatchObject({ delivery: 'plain' }))
    await screen.findByText('Allow plain text above, or choose another key delivery.')
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    expect(main.askedFor('tools.apply')).toEqual([])
    await userEvent.click(screen.getByRole('switch', { name: 'Write the key as plain text' }))
    await clickEnabledButton('Apply')
    await waitFor(() => expect(main.askedFor('tools.apply')).toHaveLength(1))
  })

  it('handles a click during a refresh of the same preview', async () => {
    let resolvePreview: ((preview: PreviewView) => void) | undefined
    const { main, queries } = await renderPage({
      onPreview: (n) => (n === 1 ? preview('preview-1') : new Promise((resolve) => (resolvePreview = resolve))),
    })
    const button = await findEnabledButton('Apply')
    void queries.invalidateQueries()
    await waitFor(() => expect(resolvePreview).toBeDefined())
    await userEvent.click(button)
    await main.waitForCalls('tools.apply', [{ previewId: 'preview-1' }])
    resolvePreview?.(preview('preview-2'))
  })

  it('reports that the file changed, shows the new diff and writes that one, also while it is refreshed', async () => {
    let tryCount = 0
    const { main, queries } = await renderPage({
      onPreview: (n) => (n === 3 ? new Promise(() => undefined) : preview(`preview-${n}`)),
      onApply: () => {
        tryCount += 1
        return tryCount === 1 ? { code: 'file.changed', message: 'changed' } : configuredTool
      },
    })
    await clickEnabledButton('Apply')
    await screen.findByText('File changed since the preview')
    await findEnabledButton('Apply')
    void queries.invalidateQueries({ queryKey: ['tools.preview'] })
    await waitFor(() => expect(main.askedFor('tools.preview')).toHaveLength(3))
    await userEvent.click(screen.getByRole('button', { name: 'Apply' }))
    await screen.findByText('Claude Code is configured with team')
    expect(main.askedFor('tools.apply')).toEqual([{ previewId: 'preview-1' }, { previewId: 'preview-2' }])
  })

  it('explains a comment in strict JSON with its line, and moves it to a copy only on request', async () => {
    const { main } = await renderPage({
      onPreview: (n, { moveCommentsToCopy }) =>
        moveCommentsToCopy ? preview(`preview-${n}`) : { code: 'file.notStrict', message: 'no', line: 7 },
    })
    await screen.findByText('Claude Code ignores this whole file')
    await screen.findByText(/in line 7/)
    expect(screen.queryByRole('button', { name: 'Apply' })).toBeNull()
    await userEvent.click(screen.getByRole('button', { name: 'Save a copy and continue' }))
    await screen.findByRole('button', { name: 'Apply' })
    expect(main.askedFor('tools.preview').at(-1)).toMatchObject({ moveCommentsToCopy: true })
  })

  it('sends nothing while no model code is known', async () => {
    const { main } = await renderPage({ models: [] })
    await screen.findByText('Enter a model code to preview the changes.')
    expect(main.askedFor('tools.preview')).toEqual([])
  })
})

describe('a configured tool', () => {
  it.each([
    ['#/plans', '/tools/claude-code?do=undo'],
    ['#/tools/claude-code?at=project%3A%2Fhome%2Flan%2Fshop', '/tools/claude-code?do=undo'],
    ['#/tools/claude-code?do=undo', '/tools/claude-code'],
  ])('does not navigate a user who opened %s during an undo', async (hash, outcome) => {
    const restoreDeferred = createDeferred<void>()
    const path = '/tools/claude-code?do=undo'
    const { main, place } = await renderPage({ tool: configuredTool, path, onRestore: () => restoreDeferred.promise })
    await clickEnabledButton('Undo configuration')
    location.hash = hash
    const requestCount = main.askedFor('tools.list').length
    restoreDeferred.answer()
    // The tool list is requested again after the undo is complete.
    await waitFor(() => expect(main.askedFor('tools.list')).toHaveLength(requestCount + 1))
    await screen.findByText('Not configured')
    await act(async () => undefined)
    expect(place()).toBe(outcome)
    location.hash = ''
  })

  it('ignores a preview of the undo that fails during the undo', async () => {
    const restoreDeferred = createDeferred<void>()
    const path = '/tools/claude-code?do=undo'
    const { main } = await renderPage({ tool: configuredTool, path, onRestore: () => restoreDeferred.promise })
    await clickEnabledButton('Undo configuration')
    await waitFor(() => expect(main.askedFor('tools.restore')).toHaveLength(1))
    main.tell('data.changed', { domains: ['tools'] })
    await waitFor(() => expect(main.askedFor('tools.previewRestore')).toHaveLength(2))
    await act(async () => undefined)
    expect(screen.queryByRole('alert')).toBeNull()
    restoreDeferred.answer()
    await screen.findByText('Not configured')
  })

  it('verifies once immediately when the address requests it', async () => {
    const { main, place } = await renderPage({ tool: configuredTool, path: '/tools/claude-code?verify=1' })
    await screen.findByRole('region', { name: 'Test passed' })
    expect(main.askedFor('tools.verify')).toHaveLength(1)
    await waitFor(() => expect(place()).toBe('/tools/claude-code'))
  })

  it('shows the tool’s own protocol when the relay translates it', async () => {
    await renderPage({ tool: { ...configuredTool, standard: 'chat-completions', speaks: 'responses' } })
    await screen.findByText('Responses protocol')
    expect(screen.queryByText('Chat-completions standard')).toBeNull()
  })

  it('shows its files, slots and key name', async () => {
    const slots = ['small', 'planner'].map((id) => ({ id, isSmall: id === 'small' }))
    const existingFile = { path: '/home/lan/.claude/settings.json', exists: true }
    const files = [existingFile, { path: '/home/lan/.claude/.env', exists: false }]
    const applied = appliedWith({ slots: { small: 'fast', planner: 'large' } })
    await renderPage({ tool: { ...configuredTool, slots, applied, files } })
    await screen.findByText('/home/lan/.claude/.env')
    const readFieldValue = (label: string) => screen.getByText(label).closest('div')?.textContent
    expect(readFieldValue('Small model')).toContain('fast')
    expect(readFieldValue('Model for planner')).toContain('Same as model')
    expect(readFieldValue('Key')).toContain('default-key · Helper command')
    expect(screen.getAllByRole('button', { name: 'Show the file' })).toHaveLength(1)
  })
})

describe('remaining steps after a write', () => {
  const line = 'export GW_KEY="$(companion key print --plan p1 --key k1)"'
  const variableWarning = { code: 'variableNeeded', subject: 'GW_KEY', fix: 'copyLine', text: line } as const

  it('contain the key to paste, copied by main', async () => {
    const { main } = await renderPage({ onPreview: () => preview('p', { warnings: [{ code: 'keyInTool' }] }) })
    await clickEnabledButton('Apply')
    await screen.findByText(/Finish the steps below/)
    await userEvent.click(screen.getByRole('button', { name: 'Copy key' }))
    expect(main.askedFor('plans.copyKey')).toEqual([{ planId: 'p1', keyId: 'k1' }])
  })

  it('are shown even if the tool list knew about the write first', async () => {
    const { promise, answer } = createDeferred<ToolView>()
    let currentTool = absentTool
    const fakeMain = installMain({
      'tools.list': () => [currentTool],
      'plans.list': () => [plan({ models: ['large', 'fast'] })],
      'tools.preview': () => preview('p', { warnings: [variableWarning] }),
      'tools.apply': () => promise,
    })
    const { queries } = await renderInApp(<ToolPage />, '/tools/claude-code', '/tools/:toolId')
    await clickEnabledButton('Apply')
    currentTool = configuredTool
    await queries.invalidateQueries()
    await screen.findByText('Configuration')
    expect(fakeMain.askedFor('tools.apply')).toHaveLength(1)
    answer(configuredTool)
    await screen.findByText(line)
  })
})

it('a tool that was never verified shows that, and why it matters', async () => {
  const { triedVersion, ...untried } = absentTool
  await renderPage({ tool: untried })
  expect(triedVersion).toBeDefined()
  await screen.findByRole('button', {
    name: /^Not tested with this tool yet\. The settings follow the tool’s documentation/,
  })
})

describe('warnings before a write', () => {
  it('start with what is lost', async () => {
    const overrideWarning = { code: 'overridesExisting', subject: 'env.OTHER' } as const
    const fileReplacedWarning = { code: 'fileReplaced', subject: '/p/settings.json' } as const
    await renderPage({ onPreview: () => preview('p', { warnings: [overrideWarning, fileReplacedWarning] }) })
    const list = await screen.findByRole('list', { name: 'Before you apply' })
    const [firstWarning] = within(list).getAllByRole('listitem')
    expect(firstWarning?.textContent).toContain('belongs to another user')
  })

  it('remove an overriding setting, and can keep it after all', async () => {
    const conflictWarning = { code: 'rivalFile', subject: 'env.OTHER', origin: 'user', fix: 'takeOut' } as const
    const { main } = await renderPage({
      onPreview: (n, { settingsToRemove = [] }) =>
        preview(`preview-${n}`, { warnings: settingsToRemove.length > 0 ? [] : [conflictWarning] }),
    })
    await userEvent.click(await screen.findByRole('button', { name: 'Remove setting' }))
    await waitFor(() =>
      expect(main.askedFor('tools.preview').at(-1)).toMatchObject({ settingsToRemove: ['env.OTHER'] }),
    )
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Remove setting' })).toBeNull())
    await userEvent.click(screen.getByRole('button', { name: 'Keep env.OTHER' }))
    await screen.findByRole('button', { name: 'Remove setting' })
  })

  it('open the overriding file', async () => {
    const rivalFile = { code: 'rivalFile', path: '/etc/managed.json', origin: 'managed' } as const
    const conflictingSetting = { ...rivalFile, subject: 'model', fix: 'openFile' } as const
    const { main } = await renderPage({ onPreview: () => preview('p', { warnings: [conflictingSetting] }) })
    await screen.findByText(/Your organization manages it/)
    await userEvent.click(screen.getByRole('button', { name: 'Open the file' }))
    expect(main.askedFor('tools.showFile')).toEqual([{ toolId: 'claude-code', path: '/etc/managed.json' }])
  })
})
