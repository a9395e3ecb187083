import type { MethodOutput } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import { SnippetsDialog } from '../../../../../src/renderer/features/tools/snippets-dialog'
import { installMain, renderInApp } from '../../support/fake-main'

const choice = { toolId: 'claude-code', planId: 'p1', modelCode: 'large' }

const shell = { kind: 'shell', language: 'shell', text: 'export ANTHROPIC_BASE_URL=https://gw.example.com' } as const
const file = { kind: 'file', language: 'json', path: '~/.claude/settings.json', text: '{}' } as const
const env = { kind: 'file', language: 'dotenv', path: '~/.claude/.env', text: 'KEY=' } as const

async function renderPage(snippets: MethodOutput<'tools.snippets'> | Failure) {
  const fakeMain = installMain({ 'tools.snippets': () => snippets, 'app.copyText': () => ({}) })
  const onClose = vi.fn()
  await renderInApp(<SnippetsDialog choice={choice} onClose={onClose} />)
  return { main: fakeMain, onClose }
}

describe('the configuration as text', () => {
  it('has one tab for each kind, and each text with its path', async () => {
    await renderPage([shell, file, env])
    const tabs = await screen.findAllByRole('tab')
    expect(tabs.map((tab) => tab.textContent)).toEqual(['File', 'Shell'])
    expect(screen.getByRole('region', { name: '~/.claude/settings.json' }).textContent).toContain('{}')
    expect(screen.getByRole('region', { name: '~/.claude/.env' }).textContent).toContain('KEY=')
    await userEvent.click(screen.getByRole('tab', { name: 'Shell' }))
    const shellTab = await screen.findByRole('region', { name: 'Shell' })
    expect(shellTab.textContent).toMatch(/In a terminal.*export ANTHROPIC/)
  })

  it('copies exactly the text', async () => {
    const { main } = await renderPage([shell])
    const text = await screen.findByRole('region', { name: 'Shell' })
    await userEvent.click(within(text).getByRole('button', { name: 'Copy snippet' }))
    await waitFor(() => expect(main.askedFor('app.copyText')).toEqual([{ text: shell.text }]))
    expect(main.askedFor('tools.snippets')).toEqual([choice])
  })

  it('explains why there is none', async () => {
    await renderPage({ code: 'plan.notFound', message: 'x' })
    await screen.findByRole('alert')
  })

  it('explains a tool without snippets', async () => {
    await renderPage([])
    await screen.findByText('No snippet available for this tool.')
  })

  it('closes with Escape', async () => {
    const { onClose } = await renderPage([shell])
    await screen.findByRole('dialog')
    await userEvent.keyboard('{Escape}')
    expect(onClose).toHaveBeenCalledTimes(1)
  })
})
