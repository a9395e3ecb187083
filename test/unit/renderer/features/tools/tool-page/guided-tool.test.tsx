import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { useToolsStore } from '../../../../../../src/renderer/features/tools/tool-form'
import { ToolPage } from '../../../../../../src/renderer/features/tools/tool-page'
import { allTools } from '../../../support/all-tools'
import { clickButton, createPageRenderer, type FakeMethods } from '../../../support/fake-main'
import { failedCheck, passedCheck, plan } from '../../../support/views'

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
  'tools.checkGuide': () => passedCheck,
  'plans.copyKey': () => ({ clearsAfterMs: 30_000 }),
  'app.copyText': () => ({}),
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

  it('copies values, and the key through main without showing it', async () => {
    const { main, container } = await renderPage()
    await clickButton('Copy Base URL')
    expect(main.askedFor('app.copyText')).toEqual([{ text: 'https://gateway.example.com/v1' }])
    await clickButton('Copy key')
    expect(main.askedFor('plans.copyKey')).toEqual([{ planId: 'p1', keyId: 'k1' }])
    const key = within(screen.getByRole('table', { name: 'Values to enter' })).getByText('sk-...a1b2')
    expect(container.contains(key)).toBe(true)
  })

  it('verifies exactly these values, and explains a failure', async () => {
    const { main } = await renderPage({ 'tools.checkGuide': () => failedCheck })
    await clickButton('Test')
    await screen.findByText('The gateway rejected the key')
    expect(main.askedFor('tools.checkGuide')).toEqual([{ toolId: 'cursor', planId: 'p1', modelCode: 'large' }])
  })

  it('shows the result of a successful check', async () => {
    await renderPage()
    await clickButton('Test')
    await waitFor(() => expect(screen.getAllByText(/gateway\.example\.com\/v1\/chat/).length).toBeGreaterThan(1))
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
