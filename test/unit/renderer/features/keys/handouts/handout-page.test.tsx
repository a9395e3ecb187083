import type { HandoutResult } from '@shared/contract'
import { screen, waitFor } from '@testing-library/react'
import type userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { useHandoutsStore } from '../../../../../../src/renderer/features/keys/handouts/handout-fields'
import { HandoutPage } from '../../../../../../src/renderer/features/keys/handouts/handout-page'
import { accountPlan, consoleConnection } from '../../../support/account'
import { createPageRenderer, expectLink } from '../../../support/fake-main'
import { buildHandoutResult, buildLocalAccountPlan, entry } from '../../../support/key-care'
import { createDeferred } from '../../../support/later'
import { buildAppliedSetup, plan, tool } from '../../../support/views'

beforeEach(() => useHandoutsStore.setState({ made: [], names: '', results: [], accepted: undefined }))

const tools = [
  tool({ applied: buildAppliedSetup({ planId: 'p1' }) }),
  tool({ id: 'opencode', name: 'OpenCode', status: 'absent' }),
  tool({ id: 'zed', name: 'Zed', status: 'absent', installed: false }),
  tool({ id: 'codex', name: 'Codex CLI', kind: 'unsupported', status: 'absent' }),
]

const renderPage = createPageRenderer(<HandoutPage />, '/handout', {
  'plans.list': () => [plan({ id: 'p9', name: 'handed' }), buildLocalAccountPlan()],
  'tools.list': () => tools,
  'handouts.preview': ({ keyId }) =>
    keyId === undefined
      ? { alsoServes: [], freeSlots: 3, makesKey: true, keyName: 'minh' }
      : { alsoServes: ['Hương'], makesKey: false, keyName: 'ci' },
  'handouts.create': () => buildHandoutResult(),
  'handouts.copyPassphrases': () => ({ clearsAfterMs: 30_000 }),
  'handouts.showPassphrases': () => ({}),
})

type User = ReturnType<typeof userEvent.setup>

const typeName = async (user: User, name = 'Minh'): Promise<void> =>
  user.type(await screen.findByRole('textbox', { name: 'Name' }), name)
const getCreateButton = (): HTMLButtonElement => screen.getByRole('button', { name: 'Create key file' })

describe('handing out a key', () => {
  it('creates a key with instructions for the tools of the plan and added ones', async () => {
    const { main, user } = await renderPage()
    await typeName(user)
    await screen.findByText(/Key name: “minh”/)
    await user.click(screen.getByRole('button', { name: 'OpenCode' }))
    await user.click(screen.getByRole('button', { name: '1 more tool' }))
    await user.click(screen.getByRole('button', { name: 'Zed' }))
    expect(screen.queryByRole('button', { name: 'Codex CLI' })).toBeNull()
    await user.click(getCreateButton())
    await screen.findByText('Key file for Minh created')
    expect(main.askedFor('handouts.create')).toEqual([
      {
        planId: 'p1',
        holder: { kind: 'person', name: 'Minh' },
        toolIds: ['claude-code', 'opencode', 'zed'],
        lock: { kind: 'passphrase' },
      },
    ])
  })

  it('creates one kit for repeated clicks', async () => {
    const deferredResult = createDeferred<HandoutResult>()
    const { main, user } = await renderPage({ 'handouts.create': () => deferredResult.promise })
    await typeName(user)
    await user.click(getCreateButton())
    await user.click(getCreateButton())
    await user.keyboard('{Control>}{Enter}{/Control}')
    deferredResult.answer(buildHandoutResult())
    await screen.findByText('Key file for Minh created')
    expect(main.askedFor('handouts.create')).toHaveLength(1)
  })

  it('warns when an existing key already has a holder', async () => {
    const { main, user } = await renderPage({}, '/handout?plan=p1&key=k2')
    await typeName(user)
    await screen.findByText('Already used by Hương')
    await user.click(getCreateButton())
    await main.waitForCalls('handouts.create', [expect.objectContaining({ keyId: 'k2' })])
  })

  it('creates nothing without a free slot, and links to the plan’s keys', async () => {
    const { main, user } = await renderPage({
      'handouts.preview': () => ({ alsoServes: [], freeSlots: 0, makesKey: true, keyName: 'minh' }),
    })
    await typeName(user)
    await screen.findByText('Key limit reached')
    expect(getCreateButton().disabled).toBe(true)
    await expectLink('View keys of the plan', '/plans/p1?tab=keys')
    await user.keyboard('{Control>}{Enter}{/Control}')
    expect(main.askedFor('handouts.create')).toEqual([])
  })

  it('encrypts the kit for a public key, and refuses a secret one', async () => {
    const recipient = `age1${'q'.repeat(58)}`
    const { main, user } = await renderPage({ 'handouts.create': () => buildHandoutResult({ hasPassphrase: false }) })
    await typeName(user)
    await user.click(screen.getByRole('radio', { name: /age public key/ }))
    const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Public key of the holder' })
    await user.click(field)
    await user.paste('AGE-SECRET-KEY-1ABCDEF')
    await screen.findByText(/This is a private key/)
    expect(field.value).not.toContain('1ABCDEF')
    await user.clear(field)
    await user.paste(recipient.slice(0, 12))
    await screen.findByText(/starts with “age1”/)
    await user.clear(field)
    await user.paste(`  ${recipient}\n`)
    await user.click(getCreateButton())
    await screen.findByText('Key file for Minh created')
    expect(main.askedFor('handouts.create')).toEqual([
      expect.objectContaining({ lock: { kind: 'recipient', recipient } }),
    ])
    expect(screen.queryByRole('button', { name: 'Copy passphrase' })).toBeNull()
    expect(screen.getByText(/Only they can open it/)).toBeTruthy()
  })

  it('reports that nothing was created when the dialog is closed, and why it failed', async () => {
    const answers: HandoutResult[] = [
      buildHandoutResult({ state: 'cancelled' }),
      buildHandoutResult({ state: 'failed', failure: { code: 'handout.badRecipient', message: 'no' } }),
    ]
    const { user } = await renderPage({ 'handouts.create': () => answers.shift() ?? buildHandoutResult() })
    await typeName(user)
    await user.click(getCreateButton())
    await screen.findByText('Canceled. No key file created.')
    await user.click(getCreateButton())
    await screen.findByText('Not an age public key')
  })

  it.each([
    ['without a plan', {}, 'Buy a plan, or add one with a key.'],
    [
      'without an active plan of the account',
      {
        'connections.list': () => [consoleConnection],
        'account.plans': () => [accountPlan({ status: 'EXPIRED' as const })],
      },
      'Your account has no active plan. Buy or renew one first.',
    ],
  ])('explains that there is nothing to hand out %s', async (_name, overrides, text) => {
    await renderPage({ 'plans.list': () => [], ...overrides })
    await screen.findByText('No keys to issue yet')
    await screen.findByText(text)
  })

  it('issues a key of a plan of the account of which no key is saved here', async () => {
    const { main, user } = await renderPage({
      'plans.list': () => [],
      'connections.list': () => [consoleConnection],
      'account.plans': () => [accountPlan()],
    })
    await typeName(user)
    await waitFor(() => expect(getCreateButton().disabled).toBe(false))
    await user.click(getCreateButton())
    const { planId } = accountPlan()
    expect(main.askedFor('handouts.create')).toMatchObject([{ planId: `${consoleConnection.id}/${planId}` }])
  })

  it('suggests known people, and keeps the id of a renamed one', async () => {
    const { main, user } = await renderPage({
      'register.list': () => [
        entry({ holder: { id: 'person:lan', kind: 'person', name: 'Lan Anh' } }),
        entry({ keyId: 'k7', holder: { kind: 'person', name: 'Minh' } }),
      ],
    })
    await typeName(user, 'la')
    expect(screen.queryByRole('button', { name: 'Minh' })).toBeNull()
    await user.click(await screen.findByRole('button', { name: 'Lan Anh' }))
    await waitFor(() => expect(getCreateButton().disabled).toBe(false))
    await user.click(getCreateButton())
    expect(main.askedFor('handouts.create')).toMatchObject([
      { holder: { id: 'person:lan', kind: 'person', name: 'Lan Anh' } },
    ])
  })
})

it('a finished kit keeps its passphrase available while the next one is created', async () => {
  const { main, user } = await renderPage()
  await typeName(user)
  await user.click(getCreateButton())
  await user.click(await screen.findByRole('button', { name: 'Issue another key' }))
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe('')
  await user.click(screen.getByRole('button', { name: 'Copy passphrase for Minh' }))
  expect(main.askedFor('handouts.copyPassphrases')).toEqual([{ ids: ['h1'] }])
})
