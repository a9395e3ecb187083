import type { BranchStep, MethodOutput } from '@shared/contract'
import { screen } from '@testing-library/react'
import { Route, Routes } from 'react-router'
import { expect, it } from 'vitest'
import { MessageRow } from '../../../../../src/renderer/features/playground/message-row'
import { installMain, renderInApp } from '../../support/fake-main'
import { buildRun } from './compare/comparison'

type Message = MethodOutput<'playground.messages'>[number]

const run = buildRun({ state: 'running' })
const toolCalls = [{ id: 'call_1', name: 'get_weather', input: '{}' }]
const createdAt = '2026-11-22T00:00:00.000Z'
const resultMessage: Message = {
  id: 'm2',
  role: 'user',
  parentId: 'm1',
  text: '',
  attachments: [],
  createdAt,
  toolResults: [{ callId: 'call_1', text: '31' }],
}
const resultStep: BranchStep = { id: 'm2', role: 'user', siblings: ['m2'] }

it.each([
  ['has its calls', { answer: { toolCalls } }],
  ['was loaded before its calls arrived', { answer: {} }],
])('the result of a tool call names its tool when the answer %s', async (_, answerFields) => {
  const fields = { id: 'm1', role: 'assistant', text: '', createdAt, run } as const
  const answerMessage: Message = { ...fields, attachments: [], ...answerFields }
  installMain({
    'playground.conversation': () => ({
      id: 'c1',
      title: 'Weather',
      isPinned: false,
      createdAt,
      updatedAt: createdAt,
      setup: { system: '', parameters: {} },
      branch: [{ id: 'm1', role: 'assistant', siblings: ['m1'] }, resultStep],
    }),
    'playground.messages': () => [answerMessage, resultMessage],
    'playground.run': () => ({ run: { ...run, state: 'done' }, answer: { text: '', toolCalls } }),
  })
  await renderInApp(
    <Routes>
      <Route
        path="/:conversationId"
        element={<MessageRow step={resultStep} isLast={false} actions={Object.create(null)} />}
      />
    </Routes>,
    '/c1',
  )
  await screen.findByText('Result of get_weather')
  expect(screen.queryByText('Result of call_1')).toBeNull()
})
