import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type Ask, buildRun, buildTurn, createAsk, removeFolder, tempFolder } from './store-desk'

vi.setConfig({ testTimeout: 60_000 })

let folder = ''
let ask: Ask
let talks = 0
beforeAll(async () => {
  folder = await tempFolder()
  ask = createAsk(join(folder, 'playground.sqlite'))
})
afterAll(async () => {
  await ask('close')
  await removeFolder(folder)
})

/** A message with its position in the creation order. */
interface Naive {
  readonly id: string
  readonly parent: string | undefined
  readonly isAnswer: boolean
}

/** The conversation as a plain list, with the last selected child of each message. */
class NaiveTalk {
  readonly all: Naive[] = []
  readonly #shown = new Map<string | undefined, string>()

  add(...messages: Naive[]): void {
    this.all.push(...messages)
    this.#show(messages.at(-1))
  }

  choose(id: string): void {
    const isBelow = (one: Naive | undefined): boolean =>
      one !== undefined && (one.id === id || isBelow(this.#findParent(one)))
    this.#show(this.all.findLast(isBelow))
  }

  branch() {
    const steps: { id: string; role: string; siblings: string[] }[] = []
    for (let id = this.#shown.get(undefined); id !== undefined; id = this.#shown.get(id)) {
      const one = this.all.find((message) => message.id === id)
      const siblings = this.all.filter(({ parent }) => parent === one?.parent)
      steps.push({ id, role: one?.isAnswer ? 'assistant' : 'user', siblings: siblings.map((sibling) => sibling.id) })
    }
    return steps
  }

  #findParent = (one: Naive) => this.all.find(({ id }) => id === one.parent)

  #show(end: Naive | undefined): void {
    for (let one = end; one !== undefined; one = this.#findParent(one)) this.#shown.set(one.parent, one.id)
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
      const naive = new NaiveTalk()
      const add = async (question: Naive, isNew: boolean) => {
        const answer = { id: `${talk}-a${naive.all.length}`, parent: question.id, isAnswer: true }
        const turn = buildTurn(talk, [question.id, answer.id], {
          ...(naive.all.length === 0 && { title: talk }),
          ...(question.parent !== undefined && { parentId: question.parent }),
        })
        await ask('beginTurn', isNew ? turn : { ...turn, user: undefined })
        await ask('saveRun', { run: buildRun(answer.id, 'done'), answer: { text: answer.id } })
        naive.add(...(isNew ? [question] : []), answer)
      }
      const newQuestion = (parent: string | undefined): Naive => ({
        id: `${talk}-q${naive.all.length}`,
        parent,
        isAnswer: false,
      })
      await add(newQuestion(undefined), true)
      for (const { kind, where } of steps) {
        const one = naive.all[where % naive.all.length]
        const question = one?.isAnswer ? naive.all.find(({ id }) => id === one.parent) : one
        if (!one || !question) continue
        if (kind === 'send') await add(newQuestion(naive.branch().at(-1)?.id), true)
        if (kind === 'edit') await add(newQuestion(question.parent), true)
        if (kind === 'regenerate') await add(question, false)
        if (kind === 'choose') {
          naive.choose(one.id)
          expect((await ask('choose', talk, one.id)).branch).toEqual(naive.branch())
        }
        const { branch, messages } = await ask('conversation', talk)
        expect([branch, messages]).toEqual([naive.branch(), naive.all.length])
      }
      const kept = await ask(
        'messages',
        talk,
        naive.all.map(({ id }) => id),
      )
      expect(kept.map(({ id, parentId, role }) => ({ id, parent: parentId, isAnswer: role === 'assistant' }))).toEqual(
        naive.all,
      )
      const end = naive.branch().at(-1)?.id ?? ''
      const told = naive
        .branch()
        .map(({ id, role }) => ({ id, role, text: role === 'user' ? `text of ${id}` : id, attachments: [] }))
      expect(await ask('readLine', talk, end)).toEqual(told)
    }),
    { numRuns: 40 },
  )
})
