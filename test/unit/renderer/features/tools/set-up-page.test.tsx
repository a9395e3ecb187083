import type { CheckView, MethodInput, ToolWarning } from '@shared/contract'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import { SetUpPage } from '../../../../../src/renderer/features/tools/set-up-page'
import { allTools } from '../../support/all-tools'
import {
  clickEnabledButton,
  createPageRenderer,
  expectLink,
  type FakeMethods,
  findEnabledButton,
} from '../../support/fake-main'
import { createDeferred } from '../../support/later'
import { buildBulkPreview, changes } from '../../support/many'
import { buildAppliedSetup, failedCheck, passedCheck, plan } from '../../support/views'

const plans = [plan({ models: ['large', 'fast'] }), plan({ id: 'p2', name: 'second', models: ['only'] })]

const openPage = createPageRenderer(<SetUpPage />, '/tools/set-up', {
  'tools.list': () => [...allTools()],
  'plans.list': () => [...plans],
  'tools.previewMany': ({ choices }) => buildBulkPreview(choices.map(({ toolId }) => changes(toolId))),
  'tools.applyMany': () =>
    allTools().map((tool) => ({ ...tool, status: 'configured' as const, applied: buildAppliedSetup() })),
})

async function renderPage(query = '', overrides: FakeMethods = {}) {
  const page = await openPage(overrides, `/tools/set-up${query}`)
  const listPreviewInputs = () => page.main.askedFor('tools.previewMany') as readonly MethodInput<'tools.previewMany'>[]
  return { listPreviewInputs, ...page }
}

/** Previews in which one tool has a warning. */
const warnAbout = (toolId: string, warning: ToolWarning): FakeMethods => ({
  'tools.previewMany': ({ choices }) =>
    buildBulkPreview(choices.map(({ toolId: id }) => changes(id, id === toolId ? { warnings: [warning] } : {}))),
})

describe('setting up several tools', () => {
  it('starts with all installed, writable tools, for one plan', async () => {
    const { listPreviewInputs } = await renderPage()
    await screen.findByRole('button', { name: 'Configure 11 tools' })
    expect(listPreviewInputs()[0]?.choices).toHaveLength(11)
    expect(listPreviewInputs()[0]?.choices.find(({ toolId }) => toolId === 'claude-code')).toEqual({
      toolId: 'claude-code',
      planId: 'p1',
      modelCode: 'large',
      slots: { small: 'fast' },
      delivery: 'helper',
    })
    expect(screen.getByText('11 of 11 selected')).toBeTruthy()
    expect(screen.getByText(/All or nothing/)).toBeTruthy()
  })

  it('lists manual tools and unsupported ones, with the reason', async () => {
    await renderPage()
    const skippedList = await screen.findByRole('list', { name: 'Skipped' })
    expect(skippedList.textContent).toContain('CursorConfigure it manually in its own window.')
    expect(skippedList.textContent).toContain('Not available on this system.')
  })

  it('omits an unselected tool', async () => {
    const { listPreviewInputs, place } = await renderPage('?tools=pi,cline')
    await screen.findByRole('button', { name: 'Configure 2 tools' })
    await userEvent.click(screen.getByRole('button', { name: 'Change settings' }))
    await userEvent.click(screen.getByRole('checkbox', { name: 'Select Cline CLI' }))
    await screen.findByRole('button', { name: 'Configure 1 tool' })
    expect(listPreviewInputs().at(-1)).toMatchObject({ choices: [{ toolId: 'pi' }] })
    expect(place()).toBe('/tools/set-up?tools=pi')
  })

  it('uses the plan in the address', async () => {
    const { listPreviewInputs } = await renderPage('?tools=pi&plan=p2')
    await screen.findByRole('button', { name: 'Configure 1 tool' })
    expect(listPreviewInputs()[0]?.choices[0]).toMatchObject({ planId: 'p2', modelCode: 'only' })
  })

  it('asks for consent with tool names before a key is written in plain text', async () => {
    const plainTextWarning = { code: 'plainText', subject: 'providers.json' } as const
    const { main } = await renderPage('?tools=pi,cline', warnAbout('cline', plainTextWarning))
    await screen.findByText('Allow plain text above, or deselect those tools.')
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    expect(main.askedFor('tools.applyMany')).toEqual([])
    await userEvent.click(screen.getByRole('switch', { name: 'Write the key as plain text for Cline CLI' }))
    await clickEnabledButton('Configure 2 tools')
    await main.waitForCalls('tools.applyMany', [{ previewId: 'many-1' }])
  })

  it('shows what each of them still needs, and links to the history', async () => {
    const line = 'export GW="$(companion key print)"'
    await renderPage('?tools=pi,droid', warnAbout('droid', { code: 'variableNeeded', subject: 'GW', text: line }))
    await clickEnabledButton('Configure 2 tools')
    await screen.findByText('2 tools are configured with team')
    const list = screen.getByRole('list', { name: 'Tools' })
    expect(within(list).getByText(line)).toBeTruthy()
    await expectLink('Undo in change history…', '/history')
  })

  it('verifies all in sequence, shows each result in its row, and stays on the page', async () => {
    const pendingCheck = createDeferred<CheckView>()
    const { main } = await renderPage('?tools=pi,droid,opencode', {
      'tools.verify': ({ toolId }) =>
        toolId === 'opencode'
          ? pendingCheck.promise
          : toolId === 'droid'
            ? failedCheck
            : { code: 'tool.helperFailed', message: 'no' },
    })
    await clickEnabledButton('Configure 3 tools')
    await userEvent.click(await screen.findByRole('button', { name: 'Test all' }))
    const getRow = (name: string): string =>
      within(screen.getByRole('list', { name: 'Tools' }))
        .getAllByRole('listitem')
        .find((row) => within(row).queryAllByText(name).length > 0)?.textContent ?? ''
    await waitFor(() => expect(getRow('OpenCode')).toContain('Testing…'))
    expect(getRow('Factory Droid')).toContain('Pending')
    pendingCheck.answer(passedCheck)
    await waitFor(() => expect(getRow('OpenCode')).toContain('Test passed in 800 ms'))
    await waitFor(() => expect(getRow('pi')).toContain('Test failed'))
    await waitFor(() => expect(getRow('Factory Droid')).toContain('The gateway rejected the key'))
    expect(main.askedFor('tools.verify')).toHaveLength(3)
    expect(screen.getByText('3 tools are configured with team')).toBeTruthy()
  })

  it('shows that nothing was changed when one file cannot be written, and tries again during a refresh', async () => {
    let previews = 0
    const { main, queries } = await renderPage('?tools=pi,droid', {
      'tools.previewMany': () => {
        previews += 1
        const preview = buildBulkPreview([changes('pi'), changes('droid')], { previewId: `preview-${previews}` })
        return previews === 3 ? new Promise(() => undefined) : preview
      },
      'tools.applyMany': () => ({ code: 'file.unwritable', message: 'no' }),
    })
    const scrollSpy = vi.spyOn(Element.prototype, 'scrollIntoView')
    await clickEnabledButton('Configure 2 tools')
    const texts = await screen.findByText(/Nothing was changed/)
    // The page must scroll to the result, which may be far from the sticky button.
    expect(scrollSpy.mock.contexts.some((element) => element instanceof Element && element.contains(texts))).toBe(true)
    scrollSpy.mockRestore()
    const button = await findEnabledButton('Configure 2 tools')
    void queries.invalidateQueries({ queryKey: ['tools.previewMany'] })
    await waitFor(() => expect(previews).toBe(3))
    await userEvent.click(button)
    await main.waitForCalls('tools.applyMany', [{ previewId: 'preview-1' }, { previewId: 'preview-2' }])
  })

  it('moves comments of a file into a copy only on request', async () => {
    const failure = { code: 'file.notStrict', message: 'no', line: 2 } as const
    const { listPreviewInputs } = await renderPage('?tools=pi,kilo', {
      'tools.previewMany': ({ choices }) =>
        choices.some(({ moveCommentsToCopy }) => moveCommentsToCopy)
          ? buildBulkPreview([changes('pi'), changes('kilo')])
          : buildBulkPreview([changes('pi')], { left: [{ toolId: 'kilo', site: { kind: 'user' }, failure }] }),
    })
    await screen.findByText(/Kilo CLI ignores this whole file/)
    await userEvent.click(screen.getByRole('button', { name: 'Save a copy and continue' }))
    await screen.findByRole('button', { name: 'Configure 2 tools' })
    const { choices = [] } = listPreviewInputs().at(-1) ?? {}
    expect(choices.map(({ moveCommentsToCopy }) => moveCommentsToCopy)).toEqual([true, undefined])
  })

  it('shows that nothing needs to change', async () => {
    const file = { path: '/x', action: 'none' as const, holdsKey: false, lines: [] }
    const preview = buildBulkPreview([changes('pi', { files: [file] })])
    await renderPage('?tools=pi', { 'tools.previewMany': () => preview })
    await screen.findByText('Already configured this way. No changes needed.')
  })

  it('sends nothing without a tool, and asks for a plan without one', async () => {
    const emptyPage = await renderPage('?tools=')
    await screen.findByText('Select at least one tool to preview the changes.')
    expect(emptyPage.listPreviewInputs()).toEqual([])
    emptyPage.unmount()
    await renderPage('', { 'plans.list': () => [] })
    await screen.findByText('Add a plan first')
  })
})
