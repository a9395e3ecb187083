import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { setUpStore } from './current-store'
import { buildRun, buildTurn } from './store-desk'

vi.setConfig({ testTimeout: 60_000 })

const { store } = setUpStore()
let conversationCount = 0

/** A message of the reference implementation. Messages are listed in the order of creation. */
interface NaiveMessage {
  readonly id: string
  readonly parent: string | undefined
  readonly isAnswer: boolean
}

/** Reference implementation of a conversation: a plain list, and the last selected child of each message. */
class NaiveConversation {
  readonly all: NaiveMessage[] = []
  readonly #shown = new Map<string | undefined, string>()

  add(...messages: NaiveMessage[]): void {
    this.all.push(...messages)
    this.#show(messages.at(-1))
  }

  choose(id: string): void {
    const isDescendantMessage = (message: NaiveMessage | undefined): boolean =>
      message !== undefined && (message.id === id || isDescendantMessage(this.#findParent(message)))
    this.#show(this.all.findLast(isDescendantMessage))
  }

  branch() {
    const steps: { id: string; role: string; siblings: string[] }[] = []
    for (let id = this.#shown.get(undefined); id !== undefined; id = this.#shown.get(id)) {
      const currentMessage = this.all.find((message) => message.id === id)
      const siblings = this.all.filter(({ parent }) => parent === currentMessage?.parent)
      steps.push({
        id,
        role: currentMessage?.isAnswer ? 'assistant' : 'user',
        siblings: siblings.map((sibling) => sibling.id),
      })
    }
    return steps
  }

  #findParent = (message: NaiveMessage) => this.all.find(({ id }) => id === message.parent)

  #show(end: NaiveMessage | undefined): void {
    for (let message = end; message !== undefined; message = this.#findParent(message))
      this.#shown.set(message.parent, message.id)
  }
}

const step = fc.record({
  kind: fc.constantFrom('send', 'send', 'edit', 'regenerate', 'chooseBranch', 'chooseBranch'),
  where: fc.nat(1000),
})

it('shows a full path with all sibling messages and loses none, whatever the operations', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const conversationId = `talk${conversationCount++}`
      const naiveConversation = new NaiveConversation()
      const add = async (question: NaiveMessage, isNew: boolean) => {
        const answer = { id: `${conversationId}-a${naiveConversation.all.length}`, parent: question.id, isAnswer: true }
        const turn = buildTurn(conversationId, [question.id, answer.id], {
          ...(naiveConversation.all.length === 0 && { title: conversationId }),
          ...(question.parent !== undefined && { parentId: question.parent }),
        })
        await store.beginTurn(isNew ? turn : { ...turn, user: undefined })
        await store.saveRun({ run: buildRun(answer.id, 'done'), answer: { text: answer.id } })
        naiveConversation.add(...(isNew ? [question] : []), answer)
      }
      const newQuestion = (parent: string | undefined): NaiveMessage => ({
        id: `${conversationId}-q${naiveConversation.all.length}`,
        parent,
        isAnswer: false,
      })
      await add(newQuestion(undefined), true)
      for (const { kind, where } of steps) {
        const chosenMessage = naiveConversation.all[where % naiveConversation.all.length]
        const userMessage = chosenMessage?.isAnswer
          ? naiveConversation.all.find(({ id }) => id === chosenMessage.parent)
          : chosenMessage
        if (!chosenMessage || !userMessage) continue
        if (kind === 'send') await add(newQuestion(naiveConversation.branch().at(-1)?.id), true)
        if (kind === 'edit') await add(newQuestion(userMessage.parent), true)
        if (kind === 'regenerate') await add(userMessage, false)
        if (kind === 'chooseBranch') {
          naiveConversation.choose(chosenMessage.id)
          expect((await store.chooseBranch(conversationId, chosenMessage.id)).branch).toEqual(
            naiveConversation.branch(),
          )
        }
        expect((await store.conversation(conversationId)).branch).toEqual(naiveConversation.branch())
      }
      const storedMessages = await store.messages(
        conversationId,
        naiveConversation.all.map(({ id }) => id),
      )
      expect(
        storedMessages.map(({ id, parentId, role }) => ({ id, parent: parentId, isAnswer: role === 'assistant' })),
      ).toEqual(naiveConversation.all)
      const lastMessageId = naiveConversation.branch().at(-1)?.id ?? ''
      const expectedBranch = naiveConversation
        .branch()
        .map(({ id, role }) => ({ id, role, text: role === 'user' ? `text of ${id}` : id, attachments: [] }))
      expect(await store.readLine(conversationId, lastMessageId)).toEqual(expectedBranch)
    }),
    { numRuns: 40 },
  )
})
