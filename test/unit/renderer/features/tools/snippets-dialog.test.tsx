import { screen } from '@testing-library/react'
import { it } from 'vitest'
import { SnippetsDialog } from '../../../../../src/renderer/features/tools/snippets-dialog'
import { installMain, renderInApp } from '../../support/fake-main'

const choice = { toolId: 'claude-code', planId: 'p1', modelCode: 'large' }

it('explains why a tool has no configuration as text', async () => {
  installMain({ 'tools.snippets': () => ({ code: 'plan.notFound', message: 'x' }) })
  await renderInApp(<SnippetsDialog choice={choice} onClose={() => undefined} />)
  await screen.findByRole('alert')
})

it('explains a tool without snippets', async () => {
  installMain({ 'tools.snippets': () => [] })
  await renderInApp(<SnippetsDialog choice={choice} onClose={() => undefined} />)
  await screen.findByText('No snippet available for this tool.')
})
