import type { AuditVerdict } from '@shared/contract'
import { screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { AuditTrail } from '../../../../../../src/renderer/features/keys/register/register-page'
import { createPageRenderer } from '../../../support/fake-main'
import { auditEntry } from '../../../support/key-care'

const lines = (firstNumber: number, count: number) =>
  Array.from({ length: count }, (_, index) =>
    auditEntry({ number: firstNumber - index, keyName: `key-${firstNumber - index}` }),
  )

const renderTrail = createPageRenderer(<AuditTrail />, '/', { 'audit.verify': () => ({ isWhole: true, count: 2 }) })

const renderPage = (count: number, verdict: AuditVerdict = { isWhole: true, count }) =>
  renderTrail({
    'audit.list': ({ before = count + 1, limit }) => lines(before - 1, Math.min(limit, before - 1)),
    'audit.verify': () => verdict,
  })

const findAuditRows = async (): Promise<readonly HTMLElement[]> =>
  within(await screen.findByRole('list', { name: 'Audit log, newest first' })).getAllByRole('listitem')

describe('the audit trail', () => {
  it('shows the newest first, and loads older ones to the very first', async () => {
    const { user } = await renderPage(150)
    expect(await findAuditRows()).toHaveLength(100)
    await user.click(screen.getByRole('button', { name: 'Show older entries' }))
    await waitFor(async () => expect(await findAuditRows()).toHaveLength(150))
    const rows = await findAuditRows()
    expect(rows[0]?.textContent).toContain('key-150')
    expect(rows[149]?.textContent).toContain('key-1')
    expect(screen.queryByRole('button', { name: 'Show older entries' })).toBeNull()
  })

  it('explains itself while empty', async () => {
    await renderPage(0)
    await screen.findByText('No entries yet')
  })

  it('shows kind, owner and destination of a platform secret', async () => {
    const lineFields = { planName: undefined, keyName: 'ci', subject: 'office' } as const
    await renderTrail({
      'audit.list': () => [
        auditEntry({ number: 2, what: 'secretKept', secretKind: 'robot', ...lineFields }),
        auditEntry({ number: 1, what: 'secretCopied', ...lineFields }),
      ],
    })
    const [keptRow, copiedRow] = await findAuditRows()
    expect(keptRow?.textContent).toContain('Secret saved to the keychainRobot account · ci · office')
    expect(copiedRow?.textContent).toContain('Secret copied to the clipboardci · office')
  })

  it.each([
    ['changed', 'This entry, or the one after it, was changed, moved or removed.'],
    ['removed', 'One or more entries before this one are missing.'],
    ['unreadable', 'This entry can’t be read.'],
  ] as const)('explains a line that is %s, and marks it and later ones', async (reason, text) => {
    await renderPage(5, { isWhole: false, count: 5, brokenAt: 4, reason })
    await screen.findByText('Log has been tampered with or damaged at entry 4')
    expect(screen.getByText(text)).toBeTruthy()
    const markedRows = (await findAuditRows()).filter((row) => within(row).queryByRole('img'))
    expect(markedRows.map((row) => row.textContent?.slice(0, 1))).toEqual(['5', '4'])
  })

  it('names rotation steps, other subjects unchanged, and a key named like its holder once', async () => {
    await renderTrail({
      'audit.list': () => [
        auditEntry({ number: 3, what: 'rotationStep', subject: 'fresh: giveBack', by: 'commandLine' }),
        auditEntry({ number: 2, what: 'rotationStep', subject: 'fresh: repoint' }),
        auditEntry({ number: 1, what: 'handedOut', subject: 'Minh' }),
        auditEntry({ number: 0, what: 'handedOut', keyName: 'Lan Pham', subject: 'Lan Pham' }),
      ],
    })
    const rows = (await findAuditRows()).map(({ textContent }) => textContent ?? '')
    expect(rows[0]).toContain('Switch tools and profiles back · lan-laptop → fresh · platform-teamon the command line')
    expect(rows[1]).toContain('Update tools and profiles · lan-laptop → fresh')
    expect(rows[2]).toContain('Key issuedlan-laptop · platform-team · Minh')
    expect(rows[3]).toContain('Key issuedLan Pham · platform-teamin')
  })

  it('is refreshed after a key action', async () => {
    const { main } = await renderPage(2)
    await findAuditRows()
    main.tell('data.changed', { domains: ['register'] })
    await waitFor(() => expect(main.askedFor('audit.list')).toHaveLength(2))
  })
})
