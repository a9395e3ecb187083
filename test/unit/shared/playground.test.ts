import { withoutThinkTags } from '@shared/playground'
import { describe, expect, it } from 'vitest'

describe('reasoning inside an answer', () => {
  it.each([
    ['closed', '<think>plan</think>Answer', 'plan', 'Answer'],
    ['on lines of its own', '<think>\nplan\n</think>\n\nAnswer', 'plan', 'Answer'],
    ['empty', '<think>\n\n</think>\n\nAnswer', undefined, 'Answer'],
    ['not closed', '<think>still planning', 'still planning', ''],
    ['only closed', 'plan first\n</think>\n\nAnswer', 'plan first', 'Answer'],
    ['with code in it', '<think>try\n```js\nx\n```\n</think>Answer', 'try\n```js\nx\n```', 'Answer'],
    ['twice', '<think>a</think>One\n<think>b</think>Two', 'a\n\nb', 'One\nTwo'],
    ['in capitals', '<THINK>plan</THINK>Answer', 'plan', 'Answer'],
  ])('is separated when it is %s', (_, text, thinking, answerText) => {
    expect(withoutThinkTags({ text })).toMatchObject({ text: answerText, ...(thinking && { thinking }) })
  })

  it.each([
    ['in a fence', 'Use\n```xml\n<think>plan</think>\n```\ndone'],
    ['in a fence that is not closed yet', '```\n<think>\nplan'],
    ['in a fence of tildes', '~~~\n</think>\n~~~\n'],
    ['in inline code', 'The `<think>` and `</think>` tags'],
    ['in the middle of a sentence', 'The <think> tag'],
  ])('is text %s', (_, text) => {
    expect(withoutThinkTags({ text })).toEqual({ text })
  })

  it('follows reasoning from a separate field', () => {
    expect(withoutThinkTags({ text: '<think>b</think>c', thinking: 'a' })).toEqual({ text: 'c', thinking: 'a\n\nb' })
  })
})
