import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { buildRun, buildTurn, createAsk, removeFolder, type StoreCall, tempFolder } from './store-desk'

vi.setConfig({ testTimeout: 60_000 })

let folder = ''
let callStore: StoreCall
let talks = 0
beforeAll(async () => {
  folder = await tempFolder()
  callStore = createAsk(join(folder, 'playground.sqlite'))
})
afterAll(async () => {
  await callStore('close')
  await removeFolder(folder)
})

/** A message of the reference implementation. Messages are listed in the order of creation. */
interface NaiveMessage {
  readonly id: string
  readonly parent: string | undefined
  readonly isAnswer: boolean
}

/** Reference implementation of a conversation: a plain list, and the last selected child of each message. */
class NaiveTalk {
  readonly all: NaiveMessage[] = []
  readonly #shown = new Map<string | undefined, string>()

  add(...messages: NaiveMessage[]): void {
    this.all.push(...messages)
    this.#show(messages.at(-1))
  }

  choose(id: string): void {
    const isBelow = (message: NaiveMessage | undefined): boolean =>
      message !== undefined && (message.id === id || isBelow(this.#findParent(message)))
    this.#show(this.all.findLast(isBelow))
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
  kind: fc.constantFrom('send', 'send', 'edit', 'regenerate', 'choose', 'choose'),
  where: fc.nat(1000),
})

it('shows a full path with all sibling messages and loses none, whatever the operations', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const talk = `talk${talks++}`
      const naiveTalk = new NaiveTalk()
      const add = async (question: NaiveMessage, isNew: boolean) => {
        const answer = { id: `${talk}-a${naiveTalk.all.length}`, parent: question.id, isAnswer: true }
        const turn = buildTurn(talk, [question.id, answer.id], {
          ...(naiveTalk.all.length === 0 && { title: talk }),
          ...(question.parent !== undefined && { parentId: question.parent }),
        })
        await callStore('beginTurn', isNew ? turn : { ...turn, user: undefined })
        await callStore('saveRun', { run: buildRun(answer.id, 'done'), answer: { text: answer.id } })
        naiveTalk.add(...(isNew ? [question] : []), answer)
      }
      const newQuestion = (parent: string | undefined): NaiveMessage => ({
        id: `${talk}-q${naiveTalk.all.length}`,
        parent,
        isAnswer: false,
      })
      await add(newQuestion(undefined), true)
      for (const { kind, where } of steps) {
        const chosenMessage = naiveTalk.all[where % naiveTalk.all.length]
        const question = chosenMessage?.isAnswer
          ? naiveTalk.all.find(({ id }) => id === chosenMessage.parent)
          : chosenMessage
        if (!chosenMessage || !question) continue
        if (kind === 'send') await add(newQuestion(naiveTalk.branch().at(-1)?.id), true)
        if (kind === 'edit') await add(newQuestion(question.parent), true)
        if (kind === 'regenerate') await add(question, false)
        if (kind === 'choose') {
          naiveTalk.choose(chosenMessage.id)
          expect((await callStore('choose', talk, chosenMessage.id)).branch).toEqual(naiveTalk.branch())
        }
        const { branch, messages } = await callStore('conversation', talk)
        expect([branch, messages]).toEqual([naiveTalk.branch(), naiveTalk.all.length])
      }
      const storedMessages = await callStore(
        'messages',
        talk,
        naiveTalk.all.map(({ id }) => id),
      )
      expect(
        storedMessages.map(({ id, parentId, role }) => ({ id, parent: parentId, isAnswer: role === 'assistant' })),
      ).toEqual(naiveTalk.all)
      const end = naiveTalk.branch().at(-1)?.id ?? ''
      const expectedBranch = naiveTalk
        .branch()
        .map(({ id, role }) => ({ id, role, text: role === 'user' ? `text of ${id}` : id, attachments: [] }))
      expect(await callStore('readLine', talk, end)).toEqual(expectedBranch)
    }),
    { numRuns: 40 },
  )
})
