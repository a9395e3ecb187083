import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import { ConfirmDialog, Dialog } from '../../../../src/renderer/ui/dialog'
import { Menu } from '../../../../src/renderer/ui/menu'
import { renderInApp } from '../support/fake-main'

function DialogPair({ isGone = false }: { readonly isGone?: boolean }) {
  const [opened, setOpened] = useState<'dialog' | 'question'>()
  const close = (): void => setOpened(undefined)
  return (
    <>
      <h1 tabIndex={-1} data-page-title="">
        Page
      </h1>
      {isGone && opened ? null : (
        <button type="button" onClick={() => setOpened('dialog')}>
          Open
        </button>
      )}
      <Menu
        items={[{ label: 'Delete…', onSelect: () => setOpened('question') }]}
        trigger={<button type="button">More</button>}
      />
      {opened === 'dialog' ? <Dialog onClose={close} title="Edit" /> : null}
      <ConfirmDialog
        open={opened === 'question'}
        onClose={close}
        title="Delete?"
        description="It is gone then."
        confirmLabel="Delete"
        onConfirm={close}
      />
    </>
  )
}

const getFocusedText = (): string | null | undefined => document.activeElement?.textContent

describe('the focus', () => {
  it('returns to the button that opened a dialog', async () => {
    await renderInApp(<DialogPair />)
    screen.getByRole('button', { name: 'Open' }).focus()
    await userEvent.keyboard('{Enter}')
    await screen.findByRole('dialog')
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(getFocusedText()).toBe('Open'))
  })

  it('returns to the menu button that opened a confirmation', async () => {
    await renderInApp(<DialogPair />)
    screen.getByRole('button', { name: 'More' }).focus()
    await userEvent.keyboard('{Enter}')
    await screen.findByRole('menuitem', { name: 'Delete…' })
    await userEvent.keyboard('{Enter}')
    await screen.findByRole('alertdialog')
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(getFocusedText()).toBe('More'))
  })

  it('moves to the page title when that button is gone', async () => {
    await renderInApp(<DialogPair isGone />)
    screen.getByRole('button', { name: 'Open' }).focus()
    await userEvent.keyboard('{Enter}')
    await screen.findByRole('dialog')
    // The button that opened the dialog was replaced by another one.
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(getFocusedText()).toBe('Page'))
  })
})
