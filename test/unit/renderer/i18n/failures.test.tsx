import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { FailureCode } from '@shared/failure'
import { act, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { showFailureToast } from '../../../../src/renderer/i18n/failures'
import { CallError } from '../../../../src/renderer/ipc'
import { useSession } from '../../../../src/renderer/session'
import { installMain, renderInApp } from '../support/fake-main'
import { withToasts } from '../support/toasts'

interface FailingProps {
  readonly errors: readonly unknown[]
  readonly title?: string
}

async function showFailure({ errors, ...about }: FailingProps): Promise<void> {
  installMain({})
  await renderInApp(withToasts(null))
  act(() => errors.forEach(showFailureToast(about)))
}

const buildCallError = (code: FailureCode, requestId?: string): CallError =>
  new CallError({ code, message: 'For the log.', ...(requestId === undefined ? {} : { requestId }) })

describe('a failure in a toast', () => {
  it('shows problem and remedy, and links to the help for its code', async () => {
    await showFailure({ errors: [buildCallError('plan.inUse')] })
    await screen.findByText('Tools are using this plan')
    await userEvent.click(screen.getByRole('button', { name: 'More about this error' }))
    expect(useSession.getState().help).toBe('plan.inUse')
  })

  it('shows the problem below a custom title, and the id for support', async () => {
    await showFailure({ errors: [buildCallError('api.serverError', 'req-7')], title: 'Couldn’t export' })
    await screen.findByText('Couldn’t export')
    await screen.findByText('Platform error · Request ID: req-7')
  })

  it('is hidden when the user declined, and has no help for a bug of the window', async () => {
    const errors = [buildCallError('input.declined'), new Error('no canvas')]
    await showFailure({ errors, title: 'Couldn’t save the picture' })
    const toastTitle = await screen.findByText('Couldn’t save the picture')
    expect(toastTitle.closest('li')?.querySelector('button')).toBeNull()
    expect(screen.queryByText('Canceled')).toBeNull()
  })

  it('appears in one place, while a failure without a code or with a link appears elsewhere in red', () => {
    const folder = resolve(import.meta.dirname, '../../../../src/renderer')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file))
    const toastFiles = files.filter((file) =>
      /toast\([^;]*?tone: 'danger'/.test(readFileSync(join(folder, file), 'utf8')),
    )
    expect(toastFiles.toSorted()).toEqual([
      'features/keys/handouts/handout-fields.tsx',
      'features/shell/operations-state.tsx',
      'features/shell/palette/use-commands.ts',
      'i18n/failures.ts',
    ])
  })
})
