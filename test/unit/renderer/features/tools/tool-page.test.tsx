import type { PreviewView, ToolView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { Route, Routes } from 'react-router'
import { beforeEach, describe, expect, it } from 'vitest'
import { ToolPage } from '../../../../../src/renderer/features/tools/tool-page'
import { useToolsStore } from '../../../../../src/renderer/features/tools/tools-store'
import { installMain, renderInApp } from '../../support/fake-main'
import { goodCheck, plan, tool } from '../../support/views'

const address = 'https://gateway.example.com/v1/messages'
const absent = tool({ status: 'absent', deliveries: ['helper', 'plain'] })
const applied: ToolView = {
  ...absent,
  status: 'configured',
  applied: {
    planId: 'p1',
    planName: 'team',
    modelCode: 'large',
    smallModelCode: 'large',
    delivery: 'helper',
    requestAddress: address,
    at: '2026-11-21T08:00:00.000Z',
  },
}

const preview = (previewId: string, over: Partial<PreviewView> = {}): PreviewView => ({
  previewId,
  toolId: 'claude-code',
  kind: 'apply',
  files: [
    {
      path: '/home/lan/.claude/settings.json',
      action: 'change',
      holdsKey: false,
      lines: [{ kind: 'added', text: '  "apiKeyHelper": "companion key print"', newLine: 2 }],
    },
  ],
  requestAddress: address,
  base: 'https://gateway.example.com',
  warnings: [{ code: 'overridesExisting', subject: 'env.ANTHROPIC_BASE_URL' }],
  ...over,
})

interface Scene {
  readonly tool?: ToolView
  readonly onPreview?: (
    n: number,
    input: { readonly moveCommentsToCopy?: boolean | undefined },
  ) => PreviewView | Failure
  readonly onApply?: () => ToolView | Failure
  readonly path?: string
}

async function open({ tool: first = absent, onPreview, onApply, path = '/tools/claude-code' }: Scene = {}) {
  let now = first
  let previews = 0
  const main = installMain({
    'tools.list': () => [now],
    'plans.list': () => [plan({ models: ['large', 'fast'] })],
    'tools.preview': (input) => {
      previews += 1
      return onPreview?.(previews, input) ?? preview(`preview-${previews}`)
    },
    'tools.previewRestore': () => preview('restore-1', { kind: 'restore', warnings: [] }),
    'tools.apply': () => {
      const outcome = onApply?.() ?? applied
      if (!('code' in outcome)) now = outcome
      return outcome
    },
    'tools.restore': () => {
      now = absent
      return now
    },
    'tools.verify': () => ({
      ...goodCheck,
      standard: 'messages',
      requestAddress: address,
      modelCode: 'large',
      answer: 'ready',
    }),
    'tools.showFile': () => ({}),
  })
  const view = await renderInApp(
    <Routes>
      <Route path="/tools/:toolId" element={<ToolPage />} />
    </Routes>,
    path,
  )
  return { main, ...view }
}

const apply = () => screen.findByRole('button', { name: 'Apply' })
const enabled = async (button: Promise<HTMLElement>): Promise<HTMLElement> => {
  const found = await button
  await waitFor(() => expect(found.hasAttribute('disabled')).toBe(false))
  return found
}

beforeEach(() => useToolsStore.setState({ picked: {}, verifications: {}, layout: 'inline' }))

describe('configuring a tool', () => {
  it('shows the diff and the final address without a single choice, and writes with one click', async () => {
    const { main } = await open()
    const box = await screen.findByRole('region', { name: 'Request address' })
    expect(box.textContent).toContain(`POST${address}`)
    expect(await screen.findByRole('table', { name: 'Changes in /home/lan/.claude/settings.json' })).toBeTruthy()
    expect(main.askedFor('tools.preview')[0]).toEqual({
      toolId: 'claude-code',
      planId: 'p1',
      modelCode: 'large',
      smallModelCode: 'fast',
      delivery: 'helper',
    })
    await userEvent.click(await enabled(apply()))
    await screen.findByText('Claude Code is set up with team')
    expect(main.askedFor('tools.apply')).toEqual([{ previewId: 'preview-1' }])
  })

  it('writes with Ctrl+Enter, verifies, and shows address, model and answer', async () => {
    const { main } = await open()
    await enabled(apply())
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    const notice = await screen.findByText('Claude Code is set up with team')
    expect(main.askedFor('tools.apply')).toHaveLength(1)
    const [verify] = screen.getAllByRole('button', { name: 'Verify' })
    if (verify) await userEvent.click(verify)
    const outcome = await screen.findByRole('region', { name: 'It works' })
    expect(outcome.textContent).toContain(address)
    expect(within(outcome).getByText('ready')).toBeTruthy()
    expect(notice.isConnected).toBe(true)
  })

  it('does not write the key in plain text without consent', async () => {
    const { main } = await open()
    await userEvent.click(await screen.findByRole('radio', { name: /In plain text/ }))
    await waitFor(() => expect(main.askedFor('tools.preview').at(-1)).toMatchObject({ delivery: 'plain' }))
    await screen.findByText('Agree to plain text above, or choose another way.')
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    expect(main.askedFor('tools.apply')).toEqual([])
    await userEvent.click(screen.getByRole('switch', { name: 'Write the key in plain text' }))
    await userEvent.click(await enabled(apply()))
    await waitFor(() => expect(main.askedFor('tools.apply')).toHaveLength(1))
  })

  it('says that the file changed meanwhile, shows the new diff and writes that one', async () => {
    let tries = 0
    const { main } = await open({
      onApply: () => {
        tries += 1
        return tries === 1 ? { code: 'file.changed', message: 'changed' } : applied
      },
    })
    await userEvent.click(await enabled(apply()))
    await screen.findByText('The file changed in the meantime')
    await waitFor(() => expect(main.askedFor('tools.preview')).toHaveLength(2))
    await userEvent.click(await enabled(apply()))
    await screen.findByText('Claude Code is set up with team')
    expect(main.askedFor('tools.apply')).toEqual([{ previewId: 'preview-1' }, { previewId: 'preview-2' }])
  })

  it('explains a comment in strict JSON with its line, and goes on with a copy only when told to', async () => {
    const { main } = await open({
      onPreview: (n, { moveCommentsToCopy }) =>
        moveCommentsToCopy ? preview(`preview-${n}`) : { code: 'file.notStrict', message: 'no', line: 7 },
    })
    await screen.findByText('Claude Code ignores this whole file')
    await screen.findByText(/in line 7/)
    expect(screen.queryByRole('button', { name: 'Apply' })).toBeNull()
    await userEvent.click(screen.getByRole('button', { name: 'Keep a copy and continue' }))
    await apply()
    expect(main.askedFor('tools.preview').at(-1)).toMatchObject({ moveCommentsToCopy: true })
  })

  it('asks for nothing while no model code is known', async () => {
    const main = installMain({ 'tools.list': () => [absent], 'plans.list': () => [plan({ models: [] })] })
    await renderInApp(
      <Routes>
        <Route path="/tools/:toolId" element={<ToolPage />} />
      </Routes>,
      '/tools/claude-code',
    )
    await screen.findByText('Enter a model code to see the changes.')
    expect(main.askedFor('tools.preview')).toEqual([])
  })
})

describe('a configured tool', () => {
  it('undoes after showing what will be put back', async () => {
    const { main, place } = await open({ tool: applied, path: '/tools/claude-code?do=undo' })
    await screen.findByText('What will be put back')
    await userEvent.click(await enabled(screen.findByRole('button', { name: 'Undo now' })))
    await waitFor(() => expect(main.askedFor('tools.restore')).toEqual([{ previewId: 'restore-1' }]))
    await screen.findByText('Not configured')
    await waitFor(() => expect(place()).toBe('/tools/claude-code'))
  })

  it('verifies at once when the address asks for it, and only once', async () => {
    const { main, place } = await open({ tool: applied, path: '/tools/claude-code?verify=1' })
    await screen.findByRole('region', { name: 'It works' })
    expect(main.askedFor('tools.verify')).toHaveLength(1)
    await waitFor(() => expect(place()).toBe('/tools/claude-code'))
  })

  it('lists what changed since, and sets it right by showing the diff first', async () => {
    const { main } = await open({ tool: { ...applied, status: 'drifted', drift: ['env.ANTHROPIC_MODEL'] } })
    const list = await screen.findByRole('list', { name: 'Changed settings' })
    expect(list.textContent).toBe('env.ANTHROPIC_MODEL')
    await userEvent.click(screen.getByRole('link', { name: 'Set right again…' }))
    await apply()
    expect(main.askedFor('tools.preview')[0]).toMatchObject({ modelCode: 'large', smallModelCode: 'large' })
  })
})
