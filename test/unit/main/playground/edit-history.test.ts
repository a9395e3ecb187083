import type { ApiStandard } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { chatReply, startLocalModel, toReplyPlace } from './play-desk'

describe('tool calls', () => {
  const input = '{"city":"Hà Nội"}'
  const chatCall = { id: 'c1', type: 'function', function: { name: 'weather', arguments: input } }
  const chatMessage = { content: 'Let me look.', tool_calls: [chatCall] }
  const toolUseBlock = { type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Hà Nội' } }
  const blocks = [{ type: 'text', text: 'Let me look.' }, toolUseBlock]
  const replies: Readonly<Record<ApiStandard, { readonly body: object; readonly sent: readonly object[] }>> = {
    'chat-completions': {
      body: { choices: [{ message: chatMessage, finish_reason: 'tool_calls' }] },
      sent: [
        { role: 'user', content: 'Weather?' },
        { role: 'assistant', ...chatMessage },
        { role: 'tool', tool_call_id: 'c1', content: '31 °C' },
      ],
    },
    messages: {
      body: { content: blocks, stop_reason: 'tool_use' },
      sent: [
        { role: 'user', content: 'Weather?' },
        { role: 'assistant', content: blocks },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: '31 °C' }] },
      ],
    },
  }
  const result = { callId: 'c1', text: '31 °C' }
  const apiStandards = ['chat-completions', 'messages'] as const

  it.each(apiStandards)('go on with the entered result in %s', async (standard) => {
    const { play, send, requests } = await startLocalModel(() => ({ body: replies[standard].body }), { standard })
    const firstMessage = await send('Weather?')
    const toolCalls = [{ id: 'c1', name: 'weather', input, at: 12 }]
    expect(firstMessage.answer).toEqual({ text: 'Let me look.', toolCalls })
    const { conversationId, userMessageId } = await send('', toReplyPlace(firstMessage), { toolResults: [result] })
    expect(requests()[1].messages).toEqual(replies[standard].sent)
    const messages = await play.store.messages(conversationId, [userMessageId])
    expect(messages).toMatchObject([{ role: 'user', toolResults: [result] }])
  })

  it.each(apiStandards)('without a result are not sent again in %s', async (standard) => {
    const { send, requests } = await startLocalModel(() => ({ body: replies[standard].body }), { standard })
    await send('Never mind.', toReplyPlace(await send('Weather?')))
    expect(requests()[1].messages).toEqual([
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: 'Let me look.' },
      { role: 'user', content: 'Never mind.' },
    ])
  })

  it('keep the position of the text between them, and get an id where the server gives none', async () => {
    const block = { type: 'tool_use', name: 'f', input: {} }
    const content = [{ type: 'text', text: 'One.' }, block, { type: 'text', text: 'Two.' }, block]
    const body = { content, stop_reason: 'tool_use' }
    const { send } = await startLocalModel(() => ({ body }), { standard: 'messages' })
    const { answer } = await send('Go')
    expect(answer.text).toBe('One.Two.')
    expect(answer.toolCalls).toMatchObject([
      { id: 'call_1', at: 4 },
      { id: 'call_2', at: 8 },
    ])
  })
})

describe('the history of a conversation', () => {
  it('leaves a failed turn out of the next request', async () => {
    const { send, requests } = await startLocalModel((messages, count) =>
      JSON.stringify(messages.at(-1)).includes('Bad') ? { status: 500, body: {} } : chatReply(`Answer ${count}`),
    )
    const failedMessage = await send('Bad?', toReplyPlace(await send('One?')))
    expect(failedMessage.run.state).toBe('failed')
    await send('Two?', toReplyPlace(failedMessage))
    expect(requests()[2].messages).toEqual([
      { role: 'user', content: 'One?' },
      { role: 'assistant', content: 'Answer 1' },
      { role: 'user', content: 'Two?' },
    ])
  })

  it.each([
    ['a question', 'userMessageId', ['One?', 'Answer 1\n\nAnswer 2', 'Three?']],
    ['an answer', 'runId', ['One?', 'Answer 1', 'Two?\n\nThree?']],
  ] as const)('goes on without %s that was deleted', async (_, deleted, expectedMessages) => {
    const { play, chats, send, requests } = await startLocalModel()
    const secondMessage = await send('Two?', toReplyPlace(await send('One?')))
    const { conversationId } = secondMessage
    const view = await chats.removeMessage({ conversationId, messageId: secondMessage[deleted] })
    expect(view.branch).toHaveLength(3)
    expect(view.branch.map(({ id }) => id)).not.toContain(secondMessage[deleted])
    await send('Three?', { conversationId, parentId: view.branch.at(-1)?.id ?? '' })
    expect(requests()[2].messages.map(({ content }: { content: string }) => content)).toEqual(expectedMessages)
    expect(await play.store.conversations({ search: 'Two' })).toHaveLength(deleted === 'runId' ? 1 : 0)
    const copy = await play.store.add(await play.store.whole(conversationId))
    expect((await play.store.conversation(copy)).branch).toHaveLength(5)
  })

  it('becomes empty when its only message is deleted, and can be used again', async () => {
    const { chats, send, requests } = await startLocalModel()
    const { conversationId, userMessageId, runId } = await send('One?')
    await chats.removeMessage({ conversationId, messageId: userMessageId })
    expect((await chats.removeMessage({ conversationId, messageId: runId })).branch).toEqual([])
    await send('Two?', { conversationId })
    expect(requests()[1].messages).toEqual([{ role: 'user', content: 'Two?' }])
  })

  it('sends a changed answer, keeps the original as its sibling, and finds both', async () => {
    const { play, send, requests } = await startLocalModel()
    const firstMessage = await send('One?')
    const { conversationId } = firstMessage
    const view = await play.store.editAnswer(conversationId, firstMessage.runId, 'Mine')
    const changedStep = view.branch[1]
    expect(changedStep?.siblings).toEqual([firstMessage.runId, changedStep?.id])
    await send('Two?', { conversationId, parentId: changedStep?.id ?? '' })
    expect(requests()[1].messages[1]).toEqual({ role: 'assistant', content: 'Mine' })
    const [message] = await play.store.messages(conversationId, [changedStep?.id ?? ''])
    expect(message).toMatchObject({ text: 'Mine', answer: { isEdited: true }, run: { state: 'done' } })
    expect(await play.store.conversations({ search: 'Mine' })).toHaveLength(1)
  })

  it('lists its branches in tree order with first words and model', async () => {
    const { play, chats, setup, send } = await startLocalModel()
    const firstMessage = await send('One?')
    const { conversationId } = firstMessage
    const secondMessage = await send('Two?', toReplyPlace(firstMessage))
    await send('Other?', toReplyPlace(firstMessage))
    const regeneratedRun = await chats.regenerate({ conversationId, userMessageId: secondMessage.userMessageId, setup })
    await play.over(regeneratedRun.runId)
    const items = await play.store.outline(conversationId)
    expect(items.map(({ preview, depth, modelCode, isShown }) => [depth, preview, modelCode, isShown])).toEqual([
      [0, 'Two?', undefined, true],
      [1, 'Answer 2', 'm', false],
      [1, 'Answer 4', 'm', true],
      [0, 'Other?', undefined, false],
    ])
  })

  it.each([
    ['hà nội', 1],
    ['HA NOI', 1],
    ['answer', 1],
    ['%', 0],
    ['  ', 0],
  ])('finds %j in the shown branch', async (searchText, count) => {
    const { play, send } = await startLocalModel()
    const { conversationId, runId } = await send('Trời ở Hà Nội?')
    expect(await play.store.findMessages(conversationId, runId, searchText)).toHaveLength(count)
  })
})
