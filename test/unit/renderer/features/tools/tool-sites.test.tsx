import { screen, waitFor } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { useToolsStore } from '../../../../../src/renderer/features/tools/tool-form'
import { ToolPage } from '../../../../../src/renderer/features/tools/tool-page'
import { useVerifications } from '../../../../../src/renderer/features/tools/verifications'
import { allTools } from '../../support/all-tools'
import { clickButton, createPageRenderer, type FakeMethods } from '../../support/fake-main'
import { changes } from '../../support/many'
import { passedCheck, plan } from '../../support/views'

beforeEach(() => {
  useToolsStore.setState({ picked: {} })
  useVerifications.setState({}, true)
})

const folder = '/home/lan/code/client-a'
const siteQuery = `at=${encodeURIComponent(`project:${folder}`)}`

const answers: FakeMethods = {
  'tools.list': () => [...allTools()],
  'plans.list': () => [plan({ models: ['large', 'fast'] })],
  'tools.preview': ({ toolId }) => ({ previewId: 'p1', ...changes(toolId) }),
  'tools.previewRestore': ({ toolId }) => ({ previewId: 'r1', ...changes(toolId, { kind: 'restore' }) }),
  'tools.verify': () => passedCheck,
  'tools.chooseProject': () => ({}),
  'tools.distributions': () => ['Ubuntu'],
}
const renderPage = createPageRenderer(<ToolPage />, '/tools/claude-code', answers, '/tools/:toolId')

describe('a tool at other sites', () => {
  it('lists its other setups, with a link to undo them', async () => {
    await renderPage()
    const list = await screen.findByRole('list', { name: 'Other scopes' })
    expect(list.textContent).toContain('Project client-a')
    expect(list.textContent).toContain('fast')
    expect(screen.getByRole('link', { name: 'Undo… Project client-a' }).getAttribute('href')).toBe(
      `/tools/claude-code?${siteQuery}&do=undo`,
    )
  })

  it('is previewed, undone and verified there and not in this user’s home', async () => {
    const site = { kind: 'project', folder }
    const firstPage = await renderPage({}, `/tools/claude-code?${siteQuery}&do=configure`)
    await waitFor(() => expect(firstPage.main.askedFor('tools.preview')[0]).toMatchObject({ site, modelCode: 'fast' }))
    firstPage.unmount()
    const secondPage = await renderPage({}, `/tools/claude-code?${siteQuery}&do=undo`)
    await waitFor(() =>
      expect(secondPage.main.askedFor('tools.previewRestore')).toEqual([{ toolId: 'claude-code', site }]),
    )
    secondPage.unmount()
    const thirdPage = await renderPage({}, `/tools/claude-code?${siteQuery}&verify=1`)
    await waitFor(() => expect(thirdPage.main.askedFor('tools.verify')).toEqual([{ toolId: 'claude-code', site }]))
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
