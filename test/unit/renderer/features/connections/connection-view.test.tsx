import type { ConnectionTestView, MethodInput } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { ConnectionsPage } from '../../../../../src/renderer/features/connections/connections-page'
import { clearTests } from '../../../../../src/renderer/features/connections/tests-and-drafts'
import { buildFailedTest, buildPassedTest, connection } from '../../support/connections'
import { clickButton, createPageRenderer, type FakeMethods } from '../../support/fake-main'
import { createDeferred } from '../../support/later'

type Outcome = ConnectionTestView | Failure | Promise<ConnectionTestView>
type TestInput = MethodInput<'connections.test'>

const unresolvedPromise = new Promise<ConnectionTestView>(() => undefined)

const openPage = createPageRenderer(<ConnectionsPage />, '/connections', {
  'calls.cancel': () => ({}),
})

async function renderPage(test: (input: TestInput) => Outcome, path = '') {
  const answers: FakeMethods = { 'connections.list': () => [connection()], 'connections.test': test }
  const page = await openPage(answers, `/connections?show=c1${path}`)
  await screen.findByRole('list', { name: 'Services' })
  return page
}

const row = (name: string): HTMLElement => {
  const rows = within(screen.getByRole('list', { name: 'Services' })).getAllByRole('listitem')
  const rowElement = rows.find((candidate) => candidate.querySelector('p')?.textContent === name)
  if (!rowElement) throw new Error(`no row ${name}`)
  return rowElement
}

beforeEach(() => clearTests('c1'))

describe('the tests of a connection', () => {
  it('test each configured part concurrently, and show each result', async () => {
    const answers: Record<string, Outcome> = {
      token: buildPassedTest('token'),
      gateway: buildPassedTest('gateway', 'reached'),
      memory: buildFailedTest('memory', 'api.notFound', 404),
    }
    const { main } = await renderPage(({ part }) => answers[part] ?? unresolvedPromise)
    await clickButton('Test all')
    await screen.findByText('1 of 3 tests failed')
    expect(main.askedFor('connections.test')).toMatchObject([
      { part: 'token' },
      { part: 'gateway' },
      { part: 'memory' },
    ])
    expect(row('Sign-in').textContent).toContain('OK, 42 ms')
    expect(row('Gateway').textContent).toContain('Reachable, not verified (42 ms)')
    expect(row('Memory').textContent).toContain('Not found on the platform')
    expect(row('Console').textContent).toContain('Not configured')
    const fixLink = within(row('Memory')).getByRole('link', { name: 'Fix address' })
    expect(fixLink.getAttribute('href')).toBe('/connections?edit=c1&field=memoryApiUrl')
    expect(row('Memory').querySelector('details')?.textContent).toMatch(/404.*memory\.example\.com\/things.*req-1/)
  })

  it('start once when the page’s address requests it', async () => {
    const { main, place } = await renderPage(({ part }) => buildPassedTest(part), '&test')
    await screen.findByText('All 3 tests passed')
    await waitFor(() => expect(place()).toBe('/connections?show=c1'))
    expect(main.askedFor('connections.test')).toHaveLength(3)
  })

  it('can be cancelled separately, and later results are ignored', async () => {
    const { promise, answer } = createDeferred<ConnectionTestView>()
    const { main } = await renderPage(() => promise)
    await clickButton('Test Memory')
    await clickButton('Cancel test of Memory')
    const [testInput] = main.askedFor('connections.test') as TestInput[]
    expect(main.askedFor('calls.cancel')).toEqual([{ callId: testInput?.callId }])
    answer(buildPassedTest('memory'))
    await promise
    expect(row('Memory').textContent).toContain('Not tested')
  })

  it('show their progress, and can all be cancelled', async () => {
    const { main } = await renderPage(({ part }) => (part === 'token' ? buildPassedTest(part) : unresolvedPromise))
    await clickButton('Test all')
    await screen.findByText('1 of 3 tested')
    expect(screen.getByRole('progressbar', { name: 'Test progress' }).getAttribute('aria-valuenow')).toBe('33')
    await clickButton('Cancel all')
    expect(main.askedFor('calls.cancel')).toHaveLength(2)
    expect(row('Gateway').textContent).toContain('Not tested')
  })

  it('explain repeated failures once, and the others on request', async () => {
    await renderPage(({ part }) => buildFailedTest(part, 'auth.rejected', 401))
    await clickButton('Test all')
    await screen.findByText('3 of 3 tests failed')
    expect(screen.getAllByRole('alert')).toHaveLength(1)
    await clickButton('How to fix Memory')
    expect(screen.getAllByRole('alert')).toHaveLength(2)
    await clickButton('How to fix Sign-in')
    expect(screen.getAllByRole('alert')).toHaveLength(1)
  })

  it('link rejected credentials to the secret’s paste button', async () => {
    await renderPage(({ part }) => buildFailedTest(part, 'auth.rejected', 401))
    await clickButton('Test Sign-in')
    await clickButton('Paste secret')
    await screen.findByRole('dialog', { name: 'Secret of Production' })
  })

  it('report a test that could not start', async () => {
    await renderPage(() => ({ code: 'connection.notFound', message: 'Gone.' }))
    await clickButton('Test Memory')
    await within(row('Memory')).findByText('Failed')
    await screen.findByText('Connection not found')
  })
})
