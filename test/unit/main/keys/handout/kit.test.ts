import { describe, expect, it } from 'vitest'
import { kitText, readKit } from '../../../../../src/main/keys/handout/kit'
import { content, keyText, kit } from './kits'

const whole = (): Record<string, unknown> => JSON.parse(kitText(kit()))

describe('a kit', () => {
  it('reads back as written and explains what to do without the app', () => {
    const read = readKit(kitText(kit()))
    expect(read.content).toEqual(content)
    expect(read.key.expose()).toBe(keyText)
    expect(whole().readMe).toContain('https://gw.example.com/v1')
  })

  it('replaces characters that make a name look like another, when reading and writing', () => {
    const hostile = (name: string) => `${name.slice(0, 2)}\u202e\u0000\u200b${name.slice(2)}\r\n`
    const { from, holder, planName, keyName, purpose = '', acknowledgement } = content
    const named = {
      ...{ from: hostile(from), planName: hostile(planName), keyName: hostile(keyName), purpose: hostile(purpose) },
      ...{ holder: { ...holder, name: hostile(holder.name) }, acknowledgement: hostile(acknowledgement) },
    }
    expect(readKit(JSON.stringify({ ...whole(), ...named })).content).toEqual(content)
    expect(JSON.parse(kitText(kit(named)))).toMatchObject(content)
  })

  it.each([
    ['no JSON', 'hello'],
    ['another document', '{"a":1}'],
    ['a list', '[]'],
    ['an unknown field', JSON.stringify({ ...whole(), more: 1 })],
    ['a gateway over plain HTTP', JSON.stringify({ ...whole(), gatewayUrl: 'http://gw.example.com' })],
    ['a gateway with a user in it', JSON.stringify({ ...whole(), gatewayUrl: 'https://a:b@gw.example.com' })],
    ['a key with a space', JSON.stringify({ ...whole(), key: `${keyText} x` })],
    ['a key other than the one that is shown', JSON.stringify({ ...whole(), key: `${keyText}x` })],
    ['a model code with a line break', JSON.stringify({ ...whole(), models: ['a\nb'] })],
    ['a model code that reads as another', JSON.stringify({ ...whole(), models: ['aurora\u202egnis'] })],
    ['a plan whose name is not seen', JSON.stringify({ ...whole(), planName: '\u200b\u2060' })],
    ['a path for a tool', JSON.stringify({ ...whole(), toolIds: ['../../x'] })],
    ['201 models', JSON.stringify({ ...whole(), models: Array.from({ length: 201 }, (_, n) => `m${n}`) })],
    ['no acknowledgement', JSON.stringify({ ...whole(), acknowledgement: undefined })],
  ])('is refused without repeating the key when it is %s', (_, text) => {
    const refusal = catchRefusal(text)
    expect(refusal).toMatchObject({ failure: { code: 'handout.unreadable' } })
    expect(String(refusal)).not.toContain(keyText)
  })

  it('of a newer version is refused with instructions', () => {
    expect(catchRefusal(JSON.stringify({ ...whole(), version: 3, news: true }))).toMatchObject({
      message: expect.stringContaining('Update the app'),
    })
  })
})

function catchRefusal(text: string): unknown {
  try {
    return readKit(text)
  } catch (error) {
    return error
  }
}
