import { screen } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { useToolsStore } from '../../../../../src/renderer/features/tools/tool-form'
import { ToolPage } from '../../../../../src/renderer/features/tools/tool-page'
import { allTools } from '../../support/all-tools'
import { clickButton, createPageRenderer, type FakeMethods } from '../../support/fake-main'
import { failedCheck, plan } from '../../support/views'

beforeEach(() => useToolsStore.setState({ picked: {} }))

const address = 'https://gateway.example.com/v1/chat/completions'

const answers: FakeMethods = {
  'tools.list': () => [...allTools()],
  'plans.list': () => [plan({ models: ['large', 'fast'] })],
  'tools.guide': ({ modelCode }) => ({
    place: ['Settings', 'Models', 'Override OpenAI Base URL'],
    fields: [
      { label: 'Base URL', value: 'https://gateway.example.com/v1' },
      { label: 'Model', value: modelCode },
      { label: 'API Key' },
    ],
    requestAddress: address,
    warnings: [{ code: 'remoteMaker', subject: 'http://127.0.0.1:4860' }],
  }),
}
const renderPage = createPageRenderer(<ToolPage />, '/tools/cursor', answers, '/tools/:toolId')

describe('a tool that is configured manually', () => {
  it('shows where to go, what to enter, the resulting address, and who sends its requests', async () => {
    await renderPage()
    const fields = await screen.findByRole('table', { name: 'Values to enter' })
    expect(fields.textContent).toContain('Base URLhttps://gateway.example.com/v1')
    expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toContainEqual(
      expect.stringContaining('SettingsModelsOverride OpenAI Base URL'),
    )
    expect(screen.getByRole('region', { name: 'Request address' }).textContent).toContain(address)
    expect(screen.getByText(/Cursor sends requests from its vendor’s servers/)).toBeTruthy()
    expect(screen.getByText('Manual')).toBeTruthy()
  })

  it('verifies exactly these values, and explains a failure', async () => {
    const { main } = await renderPage({ 'tools.checkGuide': () => failedCheck })
    await clickButton('Test')
    await screen.findByText('The gateway rejected the key')
    expect(main.askedFor('tools.checkGuide')).toEqual([{ toolId: 'cursor', planId: 'p1', modelCode: 'large' }])
  })
})

describe('an unsupported tool', () => {
  it('explains why, and what would make it possible', async () => {
    const { main } = await renderPage({}, '/tools/claude-desktop')
    await screen.findByText('Claude Desktop is not available on this system')
    expect(screen.getByText(/on a computer where it runs/)).toBeTruthy()
    expect(main.askedFor('tools.guide')).toEqual([])
  })
})

describe('an unknown tool', () => {
  it('links back to the tools', async () => {
    await renderPage({}, '/tools/nothing')
    await screen.findByText('Tool not found')
    expect(screen.getByRole('link', { name: 'Show tools' })).toBeTruthy()
  })
})
