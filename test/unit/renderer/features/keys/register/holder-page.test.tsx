import { screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { HolderPage } from '../../../../../../src/renderer/features/keys/register/holders'
import { createPageRenderer, replaceText } from '../../../support/fake-main'
import { buildLocalAccountPlan, entry } from '../../../support/key-care'
import { withToasts } from '../../../support/toasts'

const createdAt = '2026-11-21T08:00:00.000Z'
const lanHolder = { id: 'person:lan', kind: 'person', name: 'Lan' } as const
const usedEntry = entry({ holder: lanHolder, handedOutAt: createdAt, acknowledgedAt: createdAt, createdAt: createdAt })
const remoteEntry = entry({
  planId: 'a2',
  planName: 'research',
  keyId: 'ak9',
  keyName: 'lan-2',
  isKeptHere: false,
  holder: lanHolder,
  handedOutAt: createdAt,
  origin: { connectionId: 'c1', planId: 'a2', keyId: 'ak9' },
})
const totals = { requests: 3, errors: 0, inputTokens: 1_000, outputTokens: 200, cacheTokens: 0 }

const renderPage = createPageRenderer(
  withToasts(<HolderPage />),
  '/register/holders/person%3Alan',
  {
    'register.known': () => [],
    'register.list': () => [
      usedEntry,
      remoteEntry,
      entry({ keyId: 'k8', keyName: 'ci', holder: { kind: 'tool', name: 'ci' } }),
    ],
    'register.previewRevoke': () => ({ tools: [], unknownTools: [], holders: ['Lan'] }),
    'register.revoke': () => ({ failed: [] }),
    'register.enable': () => ({ failed: [] }),
    'register.renameHolder': ({ name }) => ({ ...lanHolder, name }),
    'usage.series': () => ({ step: 'day', buckets: [], totals, at: createdAt }),
    'plans.list': () => [buildLocalAccountPlan()],
    'rotation.list': () => [],
  },
  '/register/holders/:holderId',
)

const findKeyList = async () => within(await screen.findByRole('list', { name: 'Keys of Lan' }))

it('shows the keys on all plans with confirmations and console usage', async () => {
  const { main } = await renderPage()
  const rows = (await findKeyList()).getAllByRole('listitem').map(({ textContent }) => textContent)
  expect(rows).toHaveLength(2)
  await screen.findAllByText('1.2K tokens in 30 days')
  expect(rows[0]).toContain('lan-laptop of platform-team')
  expect(rows[0]).toContain('confirmed')
  expect(rows[1]).toContain('lan-2 of research')
  expect(rows[1]).toContain('not confirmed')
  expect(main.askedFor('usage.series')).toContainEqual(
    expect.objectContaining({ filter: expect.objectContaining({ scope: 'console', planId: 'a2', keyId: 'ak9' }) }),
  )
})

it.each([
  ['the same key again', 0, /Same key/, '/handout?plan=p1&key=k1&to=person%3Alan'],
  ['only a new key when the key is not saved', 1, /New key/, '/handout?plan=c1%2Fa2&to=person%3Alan'],
] as const)('issues %s', async (_, index, item, path) => {
  const { user, place } = await renderPage()
  const button = (await findKeyList()).getAllByRole('button', { name: 'Issue again' })[index]
  if (button) await user.click(button)
  const sameKeyItem = await screen.findByRole('menuitem', { name: /Same key/ })
  expect(sameKeyItem.getAttribute('aria-disabled')).toBe(index === 0 ? null : 'true')
  await user.click(screen.getByRole('menuitem', { name: item }))
  expect(place()).toBe(path)
})

it('disables all keys of a leaver and schedules their deletion', async () => {
  const { main, user } = await renderPage()
  await user.click(await screen.findByRole('button', { name: 'Leave…' }))
  const confirmDialog = await screen.findByRole('alertdialog', { name: 'Remove Lan?' })
  await user.click(within(confirmDialog).getByRole('button', { name: 'Disable now' }))
  await screen.findByText('Disabled: 2 keys')
  expect(main.askedFor('register.revoke')).toEqual([
    {
      keys: [
        { planId: 'p1', keyId: 'k1' },
        { connectionId: 'c1', planId: 'a2', keyId: 'ak9' },
      ],
      isLeaving: true,
    },
  ])
})

it('undoes leaving until the keys are deleted', async () => {
  const disabledEntry = { ...usedEntry, status: 'DISABLED', deleteAt: createdAt } as const
  const { main, user } = await renderPage({ 'register.list': () => [disabledEntry] })
  await screen.findByText('Left: all keys are disabled')
  await user.click(screen.getByRole('button', { name: 'Undo leaving' }))
  await main.waitForCalls('register.enable', [{ keys: [{ planId: 'p1', keyId: 'k1' }] }])
})

it('renames the holder and stays on the page', async () => {
  const { main, user } = await renderPage()
  await user.click(await screen.findByRole('button', { name: 'Rename…' }))
  const name = await screen.findByRole('textbox', { name: /Name/ })
  await replaceText(name, 'Lan Anh')
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await screen.findByText('Renamed to Lan Anh')
  expect(main.askedFor('register.renameHolder')).toEqual([{ holder: lanHolder, name: 'Lan Anh' }])
})

it('shows that the holder has no keys', async () => {
  await renderPage({ 'register.list': () => [] })
  await screen.findByText('This holder has no keys')
})
