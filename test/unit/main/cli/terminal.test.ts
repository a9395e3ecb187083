import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { terminalConfirm } from '../../../../src/main/cli/terminal'

const consentQuestion = { kind: 'useFolder', folder: '/home/me/shop' } as const

/** A user at a terminal who types one line. */
async function answerPrompt(
  line: string,
  isTTY = true,
): Promise<{ readonly isAgreed: boolean; readonly shown: string }> {
  const input = Object.assign(new PassThrough(), { isTTY })
  const output = Object.assign(new PassThrough(), { isTTY })
  input.end(`${line}\n`)
  const isAgreed = await terminalConfirm({ input: () => input, output })(consentQuestion)
  return { isAgreed, shown: await text(output.end()) }
}

describe('terminalConfirm', () => {
  it.each([
    ['yes', true],
    [' YES ', true],
    ['y', false],
    ['', false],
    ['no', false],
  ])('interprets "%s" as %s', async (line, isAgreed) => {
    expect((await answerPrompt(line)).isAgreed).toBe(isAgreed)
  })

  it('prints the question and declines without a terminal', async () => {
    const { isAgreed, shown } = await answerPrompt('yes', false)
    expect(isAgreed).toBe(false)
    expect(shown).toContain('/home/me/shop')
    expect(shown).not.toContain('Type yes')
  })
})
