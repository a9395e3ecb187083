import answer from './answer-tokens.cjs'

const startedAt = '2026-01-01T00:00:00.000Z'
const tokensPerAnswer = 150

/**
 * A conversation of this many messages in the export format.
 * @param {{ title: string, messages: number }} wanted
 */
export function conversationFile({ title, messages }) {
  const target = { kind: 'local', url: 'http://127.0.0.1:11434', standard: 'chat-completions', modelCode: 'large' }
  const conversationMessages = Array.from({ length: messages }, (_, at) => ({
    id: `${title}-${at}`,
    ...(at > 0 ? { parentId: `${title}-${at - 1}` } : {}),
    createdAt: startedAt,
    attachments: [],
    ...(at % 2 === 0
      ? { role: 'user', text: `Question ${at} of the ${title} conversation?` }
      : buildAnswer(title, at, target)),
  }))
  const head = { format: 'platform-companion-conversation', version: 1, title, isPinned: false }
  const setup = { target, system: '', parameters: {} }
  return JSON.stringify({
    ...head,
    createdAt: startedAt,
    updatedAt: startedAt,
    setup,
    messages: conversationMessages,
    attachments: [],
  })
}

/**
 * @param {string} title
 * @param {number} at
 * @param {object} target
 */
function buildAnswer(title, at, target) {
  const text = `Answer ${at} of the ${title} conversation. ${answer.answerTokens({ seed: `m${at}`, count: tokensPerAnswer }).join('')}`
  const run = {
    id: `run-${title}-${at}`,
    kind: 'chat',
    target,
    state: 'done',
    startedAt,
    requestAddress: 'http://127.0.0.1:11434/v1/chat/completions',
    isStream: true,
    durationMs: 900,
    outputTokens: tokensPerAnswer,
  }
  return { role: 'assistant', text, answer: {}, run }
}
